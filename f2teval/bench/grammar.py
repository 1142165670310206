"""Templates with choices and slots: ``[a|b]`` picks one, ``{x}`` is filled; the place of every slot is kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from random import Random
from typing import Final

_TOKEN: Final = re.compile(r"\{(\w+)\}|([\[\]|])")
_A: Final = re.compile(r"(?:^|\s)[Aa] $")
_AN: Final = re.compile(r"(?:[aeio]|u(?!ni|s)|8)(?!ne\b|nce\b|uro)", re.I)
Node = tuple[str, object]


def parse(template: str) -> list[Node]:
    """Parse a template into nodes ("text", str) · ("slot", name) · ("choice", list of node lists)."""
    stack: list[list[list[Node]]] = [[[]]]
    at = 0
    for m in _TOKEN.finditer(template):
        if m.start() > at:
            stack[-1][-1].append(("text", template[at : m.start()]))
        at = m.end()
        if m[1]:
            stack[-1][-1].append(("slot", m[1]))
        elif m[2] == "[":
            stack.append([[]])
        elif m[2] == "|":
            if len(stack) > 1:
                stack[-1].append([])
        elif len(stack) > 1:
            options = stack.pop()
            stack[-1][-1].append(("choice", options))
    if at < len(template):
        stack[-1][-1].append(("text", template[at:]))
    if len(stack) != 1:
        raise ValueError(f"unbalanced brackets in template {template!r}")
    return stack[0][0]


@lru_cache(maxsize=1)
def phrases() -> dict[str, list[list[Node]]]:
    """All templates by key."""
    text = resources.files("f2teval.bench").joinpath("data/phrases.txt").read_text(encoding="utf-8")
    out: dict[str, list[list[Node]]] = {}
    key = ""
    for line in text.splitlines():
        if line.startswith("== "):
            key = line[3:].strip()
            out[key] = []
        elif line.strip() and not line.startswith("#"):
            out[key].append(parse(line))
    return out


def templates(key: str, split: str) -> list[list[Node]]:
    """The templates of a key that a split may use: three fifths train, one fifth validation, one fifth test."""
    kept = {"train": (0, 1, 2), "validation": (3,), "test": (4,)}[split]
    return [t for i, t in enumerate(phrases()[key]) if i % 5 in kept]


def expand(rng: Random, nodes: list[Node], slots: Mapping[str, str]) -> tuple[str, dict[str, tuple[int, int]]] | None:
    """Fill a template. Returns the text and the span of each slot, or ``None`` when a slot it needs is missing."""
    out: list[str] = []
    spans: dict[str, tuple[int, int]] = {}
    length = 0

    def walk(ns: list[Node]) -> bool:
        nonlocal length
        for kind, body in ns:
            if kind == "choice":
                if not walk(rng.choice(body)):  # type: ignore[arg-type]
                    return False
                continue
            piece = slots.get(str(body)) if kind == "slot" else str(body)
            if piece is None:
                return False
            if out and _AN.match(piece) and _A.search("".join(out[-2:])):
                out[-1] = out[-1][:-1] + "n "
                length += 1
            if kind == "slot":
                spans[str(body)] = (length, length + len(piece))
            out.append(piece)
            length += len(piece)
        return True

    if not walk(nodes):
        return None
    text = "".join(out)
    if "  " in text or text != text.strip() or " ," in text:
        text, spans = _tidy(text, spans)
    return text, spans


def _tidy(text: str, spans: dict[str, tuple[int, int]]) -> tuple[str, dict[str, tuple[int, int]]]:
    """Close the gaps that empty choices leave, moving the spans along."""
    keep: list[int] = []
    for i, ch in enumerate(text):
        last = text[keep[-1]] if keep else " "
        if ch == " " and (last == " " or i == len(text) - 1 or (i + 1 < len(text) and text[i + 1] in " ,;:")):
            continue
        keep.append(i)
    while keep and text[keep[0]] in " ,":
        keep.pop(0)
    import bisect

    moved = {k: (bisect.bisect_left(keep, a), bisect.bisect_left(keep, b)) for k, (a, b) in spans.items()}
    return "".join(text[i] for i in keep), moved
