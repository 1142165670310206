"""Pictures by URL: only when asked for, bounded, and one bad one costs one row."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from f2teval.data import BadRow, images, read_samples
from f2teval.errors import ImageError
from f2teval.sample import Sample


class Handler(http.server.BaseHTTPRequestHandler):
    requests = 0

    def do_GET(self) -> None:
        Handler.requests += 1
        if "missing" in self.path:
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"x" * 2000 if "large" in self.path else b"picture")

    def log_message(self, *args: object) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    """A server on this machine; nothing leaves it."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as s:
        thread = threading.Thread(target=s.serve_forever)
        thread.start()
        Handler.requests = 0
        yield f"http://127.0.0.1:{s.server_port}"
        s.shutdown()
        thread.join()


def test_urls(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "MAX_IMAGE_BYTES", 1000)
    path = tmp_path / "a.csv"
    names = ["a.png", "a.png", "missing.png", "large.png"]
    path.write_text("text,image\n" + "".join(f"t,{server}/{n}\n" for n in names))
    refused = list(read_samples(path))
    assert all(isinstance(r, BadRow) and "--allow-network" in r.reason for r in refused)
    assert Handler.requests == 0
    a, again, missing, large = read_samples(path, allow_network=True)
    assert isinstance(a, Sample)
    assert isinstance(again, Sample)
    assert a.image == again.image == b"picture"
    assert Handler.requests == 3  # the same figure is fetched once
    assert isinstance(missing, BadRow)
    assert "Not Found" in missing.reason
    assert isinstance(large, BadRow)
    assert "larger than" in large.reason


def test_only_the_web_is_fetched() -> None:
    for url in ("http://", "https://[broken", "http://127.0.0.1:1/x.png"):
        with pytest.raises(ImageError, match="cannot fetch"):
            images.to_image(url, Path(), allow_network=True)
    assert images.to_image("ftp://x/y.png", Path(), allow_network=True) == Path("ftp://x/y.png")
