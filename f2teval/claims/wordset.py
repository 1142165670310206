"""Word sets written as plain text, so that lexicons read like lists and not like code."""

from __future__ import annotations


def wordset(*lines: str) -> frozenset[str]:
    """The set of white-space separated words of ``lines``; an underscore stands for a space inside a phrase."""
    return frozenset(w.replace("_", " ") for line in lines for w in line.split())
