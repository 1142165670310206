"""Pictures in: every format, hostile and broken files."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from f2teval.errors import ImageError
from f2teval.figure.load import content_key, load_image


def encode(image: Image.Image, fmt: str, **kwargs: object) -> bytes:
    out = io.BytesIO()
    image.save(out, fmt, **kwargs)  # type: ignore[arg-type]
    return out.getvalue()


RED = (200, 30, 40)


@pytest.mark.parametrize("fmt", ["PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP"])
def test_formats_give_the_same_color_and_size(fmt: str) -> None:
    loaded = load_image(encode(Image.new("RGB", (31, 17), RED), fmt))
    assert (loaded.width, loaded.height) == (31, 17)
    assert loaded.rgb.dtype == np.uint8
    assert np.abs(loaded.rgb.reshape(-1, 3).astype(int) - RED).max() <= 4


def test_transparency_is_composited_on_white() -> None:
    half = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    half.putpixel((1, 1), (255, 0, 0, 255))
    rgb = load_image(encode(half, "PNG")).rgb
    assert tuple(rgb[0, 0]) == (255, 255, 255)
    assert tuple(rgb[1, 1]) == (255, 0, 0)
    palette = half.convert("P")
    palette.info["transparency"] = palette.getpixel((0, 0))
    assert tuple(load_image(encode(palette, "PNG", transparency=palette.info["transparency"])).rgb[0, 0]) == (255,) * 3


def test_deep_grey_and_cmyk() -> None:
    grey = Image.fromarray(np.array([[0, 32768, 65535]], dtype=np.uint16))
    assert load_image(encode(grey, "PNG")).rgb[0, :, 0].tolist() == [0, 128, 255]
    cmyk = Image.new("RGB", (8, 8), RED).convert("CMYK")
    assert np.abs(load_image(encode(cmyk, "TIFF")).rgb[0, 0].astype(int) - RED).max() <= 6


def test_first_frame_and_exif_orientation() -> None:
    frames = [Image.new("RGB", (6, 6), c) for c in ((255, 0, 0), (0, 0, 255))]
    data = encode(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert load_image(data).rgb[0, 0, 0] > 200
    wide = Image.new("RGB", (20, 10))
    exif = Image.Exif()
    exif[0x0112] = 6
    assert load_image(encode(wide, "JPEG", exif=exif)).rgb.shape[:2] == (20, 10)


def test_the_content_decides_the_format(tmp_path: Path) -> None:
    path = tmp_path / "really_a_jpeg.png"
    path.write_bytes(encode(Image.new("RGB", (9, 9), RED), "JPEG"))
    loaded = load_image(path)
    assert loaded.sha == content_key(path) == content_key(path.read_bytes())


def bomb(width: int, height: int) -> bytes:
    """A PNG of some 100 bytes whose header promises a huge picture."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 64)) + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"not a picture at all", "not a picture"),
        (bomb(20_000, 20_000), "pixels"),
        (bomb(60_000, 60_000), "pixels"),
        (encode(Image.effect_noise((64, 64), 90), "PNG")[:-900], "corrupt"),
        (b"<svg width='90000' height='90000' xmlns='http://www.w3.org/2000/svg'/>", "pixels"),
        (b"%PDF-1.4 nonsense", "PDF"),
    ],
)
def test_bad_bytes_are_one_clear_line(data: bytes, says: str) -> None:
    with pytest.raises(ImageError) as e:
        load_image(data)
    assert says in str(e.value)
    assert "\n" not in str(e.value)


def test_missing_files_and_folders_name_the_path(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no.png"):
        with pytest.raises(ImageError, match=str(path)):
            load_image(path)


def test_svg_is_drawn_but_reaches_no_other_file(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    secret = tmp_path / "secret.png"
    Image.new("RGB", (10, 10), RED).save(secret)
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='40' height='20'>"
        "<rect width='20' height='20' fill='#00ff00'/>"
        f"<image x='20' width='20' height='20' xlink:href='{secret}'/></svg>"
    )
    rgb = load_image(svg.encode()).rgb
    assert rgb.shape == (20, 40, 3)
    assert tuple(rgb[10, 5]) == (0, 255, 0)
    assert tuple(rgb[10, 30]) == (255, 255, 255)


def test_arrays() -> None:
    a = np.zeros((3, 5, 4), dtype=np.uint8)
    a[..., 3] = 255
    assert load_image(a).rgb.shape == (3, 5, 3)
    assert load_image(np.full((3, 5), 0.5)).rgb[0, 0, 0] == 128
    with pytest.raises(ImageError):
        load_image(np.zeros((3, 5, 7)))
