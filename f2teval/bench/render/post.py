"""What happens to a picture after drawing: JPEG artefacts."""

from __future__ import annotations

import io

from f2teval.bench.render.scene import Scene
from f2teval.bench.render.style import Style


def finish(scene: Scene, style: Style) -> tuple[bytes, str]:
    """The bytes of the picture file and its extension."""
    if not style.jpeg:
        return scene.png, "png"
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(scene.png)).convert("RGB").save(out, "JPEG", quality=style.jpeg)
    return out.getvalue(), "jpg"
