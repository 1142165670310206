"""f2teval: is a text about a figure any good, and why.

::

    import f2teval

    scores = f2teval.score([{"image": "fig.png", "text": "Sales doubled from 2010 to 2014."}])
    scores[0].scores["faithfulness"], scores[0].sentences[0].errors
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from f2teval.data import read_samples
    from f2teval.data.scores import read_scores
    from f2teval.run import score
    from f2teval.sample import Sample
    from f2teval.score import Score

_LAZY = {
    "Sample": "f2teval.sample",
    "Score": "f2teval.score",
    "read_samples": "f2teval.data",
    "read_scores": "f2teval.data.scores",
}

__all__ = ["Sample", "Score", "__version__", "read_samples", "read_scores", "score"]


def __getattr__(name: str) -> Any:
    import importlib

    if name == "score":  # a callable module, see its end
        return importlib.import_module("f2teval.score")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'f2teval' has no attribute {name!r}")
