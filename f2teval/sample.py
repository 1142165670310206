"""Sample: one text about one figure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FIELDS: Final[tuple[str, ...]] = (
    "id", "image", "text", "caption", "context", "references", "system", "source", "ratings",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sample:
    """One text about one figure.

    Attributes:
        id: unique in its input.
        text: the *candidate*, the text under test. A text given as a list of sentences is kept here joined by one
            space, so that every character offset in an output refers to this string.
        sentences: character spans ``(start, end)`` into ``text`` where the input gave sentences; else ``None`` and
            whoever needs sentences splits them.
        image: a path, or the encoded bytes of the picture file (never decoded pixels), or ``None``.
            A path that does not exist is legal here: reading it is what fails, and makes the row unscored.
        caption: the figure's own caption (context, not the candidate).
        context: paragraphs that mention the figure, or other text known to be true of it.
        references: texts by people, for reference-based metrics.
        system: what wrote the text.
        source: where the figure comes from; never a feature.
        ratings: human ratings, ``{dimension: 0–2}`` and whatever else came, kept as given.
        extra: unknown fields of the row, kept for round trips, never read by metrics.
    """

    id: str
    text: str
    image: Path | bytes | None = None
    caption: str = ""
    context: str = ""
    references: tuple[str, ...] = ()
    system: str = ""
    source: str = ""
    ratings: Mapping[str, Any] = field(default_factory=dict)
    sentences: tuple[tuple[int, int], ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_sentences(cls, id: str, sentences: list[str] | tuple[str, ...], **fields: Any) -> Sample:
        """A sample whose text is ``sentences`` joined by one space, with the spans kept."""
        text, spans = join_sentences(sentences)
        return cls(id=id, text=text, sentences=spans, **fields)

    def text_key(self) -> str:
        """Hash of everything but the picture that a metric may read (hex, 32 characters)."""
        h = hashlib.blake2b(digest_size=16)
        parts = [self.text, self.caption, self.context, *self.references, repr(self.sentences)]
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            h.update(len(data).to_bytes(8, "little") + data)
        return h.hexdigest()


def join_sentences(sentences: list[str] | tuple[str, ...]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Join sentences by one space; return the text and each sentence's ``(start, end)`` in it."""
    spans: list[tuple[int, int]] = []
    at = 0
    for s in sentences:
        spans.append((at, at + len(s)))
        at += len(s) + 1
    return " ".join(sentences), tuple(spans)
