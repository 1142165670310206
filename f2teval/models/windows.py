"""Texts as token windows: CLIP reads 77 tokens, texts about figures are longer.

``windows`` cuts a text at sentence ends into as few windows as fit, each with its own begin and end token; the
feature of the text is the mean of the windows' features weighted by their tokens. ``truncate`` keeps the first window's
worth and drops the rest, as the paper does. Either way the result says what was not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from f2teval import settings
from f2teval.claims.sentences import split_sentences
from f2teval.errors import UsageError
from f2teval.sample import Sample

TextMode = Literal["windows", "truncate"]
TEXT_MODES: Final[tuple[str, ...]] = ("windows", "truncate")


class TextIds(NamedTuple):
    """A text as token windows.

    Attributes:
        windows: token ids with begin and end token, without padding; at least one.
        weights: one a window, summing to 1.
        tokens: of the text up to the length limit, without begin and end tokens.
        read: how many of them are in a window.
        unread: characters ``(start, end)`` that no window holds, or ``None``.
    """

    windows: tuple[tuple[int, ...], ...]
    weights: tuple[float, ...]
    tokens: int
    read: int
    unread: tuple[int, int] | None

    def note(self, what: str) -> str | None:
        """For people: what was not read, or ``None``."""
        if self.unread is None:
            return None
        a, b = self.unread
        of = f" of {self.tokens}" if self.read < self.tokens else ""
        return f"{what}: characters {a}–{b} were not read (the first {self.read}{of} tokens were)"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Special tokens and the length limit of a text encoder (begin is ``None`` where there is none, as in SigLIP)."""

    begin: int | None
    end: int
    pad: int
    limit: int

    @property
    def room(self) -> int:
        """Content tokens of one window."""
        return self.limit - 1 - (self.begin is not None)


def context_text(sample: Sample) -> str:
    """The contextual text ``T`` of the paper: caption and context."""
    return "\n".join(t for t in (sample.caption.strip(), sample.context.strip()) if t)


class TextCodec:
    """Turns texts into windows with a ``tokenizers.Tokenizer``."""

    def __init__(self, tokenizer: Any, vocabulary: Vocabulary, mode: TextMode = "windows") -> None:
        if mode not in TEXT_MODES:
            raise UsageError(f"the text mode is 'windows' or 'truncate', not {mode!r}")
        self.tokenizer, self.vocabulary, self.mode = tokenizer, vocabulary, mode
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # "<|endoftext|>" written in a text is text: as a token it would end the text early.
        tokenizer.encode_special_tokens = True

    def __call__(self, text: str, sentences: Sequence[tuple[int, int]] | None = None) -> TextIds:
        """Windows of one text; ``sentences`` are its spans where they are known. Linear in the text, which is cut at
        ``settings.MAX_TEXT_CHARS``."""
        head = text[: settings.MAX_TEXT_CHARS]
        # A lone surrogate cannot be tokenised; its replacement keeps every offset where it was.
        head = head.encode("utf-8", "replace").decode("utf-8") if _has_surrogate(head) else head
        coded = self.tokenizer.encode(head, add_special_tokens=False)
        ids, offsets = coded.ids, coded.offsets
        room = self.vocabulary.room
        if self.mode == "truncate":
            pieces = [ids[:room]]
        else:
            starts = [a for a, _ in (sentences if sentences is not None else split_sentences(head))]
            pieces = _pack(ids, [b for _, b in offsets], starts, room)
        read = sum(map(len, pieces))
        unread = None
        if read < len(ids) or len(head) < len(text):
            unread = (offsets[read - 1][1] if read else 0, len(text))
        total = max(read, 1)
        weights = tuple(len(p) / total for p in pieces) if read else (1.0,)
        return TextIds(tuple(self._wrap(p) for p in pieces), weights, len(ids), read, unread)

    def _wrap(self, ids: Sequence[int]) -> tuple[int, ...]:
        v = self.vocabulary
        return (*(() if v.begin is None else (v.begin,)), *ids, v.end)


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= c <= "\udfff" for c in text)


def _pack(ids: list[int], ends: list[int], sentence_starts: list[int], room: int) -> list[list[int]]:
    """Cut ``ids`` into runs of at most ``room``, at sentence starts where a sentence fits, else where it overflows."""
    cuts: list[int] = []  # token index of each sentence start
    j = 0
    for start in sentence_starts:
        # By their ends: a token may begin with the space before the sentence.
        while j < len(ids) and ends[j] <= start:
            j += 1
        if j < len(ids) and (not cuts or cuts[-1] != j):
            cuts.append(j)
    if not cuts or cuts[0] != 0:
        cuts.insert(0, 0)
    cuts.append(len(ids))
    runs: list[list[int]] = []
    begin = 0
    for a, b in pairwise(cuts):
        if b - begin <= room:
            continue
        if a > begin:
            runs.append(ids[begin:a])
            begin = a
        while b - begin > room:
            runs.append(ids[begin : begin + room])
            begin += room
    if begin < len(ids) or not runs:
        runs.append(ids[begin:])
    return runs
