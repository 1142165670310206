"""What was read, drawn over the picture: for people, and for finding faults."""

from __future__ import annotations

from PIL import Image, ImageDraw, ImageFont

from f2teval.figure.load import Rgb
from f2teval.figure.reading import Reading

_ROLE_COLORS = {
    "title": (120, 60, 200), "subtitle": (160, 110, 220), "x_title": (0, 130, 130), "y_title": (0, 130, 130),
    "tick": (0, 110, 220), "category": (0, 150, 90), "legend": (200, 90, 0), "series_label": (200, 90, 0),
    "value_label": (210, 0, 110), "column_header": (200, 90, 0), "section": (90, 90, 200), "note": (130, 130, 130),
    "source": (130, 130, 130), "annotation": (150, 110, 60), "other": (160, 160, 160),
}  # fmt: skip


def draw_overlay(rgb: Rgb, reading: Reading) -> Image.Image:
    """The picture, slightly faded, with plot area, texts by role, axis ticks and the value of every mark.

    Small pictures are enlarged so that the notes can be read; returns an RGB image.
    """
    zoom = max(1.0, min(3.0, 900 / max(rgb.shape[1], 1)))
    picture = Image.fromarray(rgb).convert("RGB")
    size = (round(picture.width * zoom), round(picture.height * zoom))
    picture = Image.blend(picture.resize(size, Image.Resampling.LANCZOS), Image.new("RGB", size, (255, 255, 255)), 0.3)
    draw = ImageDraw.Draw(picture, "RGBA")
    font = ImageFont.load_default(size=12)

    def scaled(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        x0, y0, x1, y1 = (v * zoom for v in box)
        return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))

    if reading.plot_area:
        draw.rectangle(scaled(reading.plot_area), outline=(230, 30, 30, 160), width=2)
    for t in reading.texts:
        color = _ROLE_COLORS.get(t.role, (160, 160, 160))
        draw.rectangle(scaled(t.box), outline=(*color, 220), width=1)
    for axis in reading.axes:
        for tick in axis.ticks:
            at = tick.pixel * zoom
            area = reading.plot_area or (0.0, 0.0, float(reading.width), float(reading.height))
            x0, y0, x1, y1 = scaled(area)
            tint = (220, 0, 160, 255)
            if axis.side in ("y", "y2"):
                x = x0 if axis.side == "y" else x1
                draw.line((x - 7, at, x + 7, at), fill=tint, width=2)
            else:
                y = y1 if axis.side == "x" else y0
                draw.line((at, y - 7, at, y + 7), fill=tint, width=2)
    many = len(reading.cells) > 60
    for cell in reading.cells:
        if not cell.box:
            continue
        box = scaled(cell.box)
        draw.rectangle(box, outline=(20, 20, 20, 200), width=1)
        if many:
            continue
        note = cell.text or f"{cell.value:.4g}"
        w = draw.textlength(note, font=font)
        cx = (box[0] + box[2]) / 2
        tall = box[3] - box[1] > box[2] - box[0]
        x = cx - w / 2 if tall or box[2] - box[0] < w + 8 else box[2] - w - 3
        y = max(0.0, box[1] - 14) if tall or box[3] - box[1] < 12 else (box[1] + box[3]) / 2 - 7
        draw.rectangle((x - 1, y, x + w + 1, y + 13), fill=(255, 255, 220, 215))
        draw.text((x, y - 1), note, fill=(0, 0, 0, 255), font=font)
    head = (
        f"{reading.chart_type} {reading.chart_confidence:.2f}  chart {reading.is_chart:.2f}  {len(reading.cells)} cells"
    )
    draw.rectangle((0, 0, draw.textlength(head, font=font) + 6, 15), fill=(0, 0, 0, 170))
    draw.text((3, 1), head, fill=(255, 255, 255, 255), font=font)
    return picture
