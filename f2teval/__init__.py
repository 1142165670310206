"""f2teval: is a text about a figure any good, and why."""

from __future__ import annotations

__version__ = "0.1.0"
