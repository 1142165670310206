"""From the sentences' error probabilities to the faithfulness of a text."""

from __future__ import annotations

import numpy as np

from f2teval.evidence.card import Array


def caption_faithfulness(p_error: Array) -> float:
    """Faithfulness in [0, 2] of a text whose sentences are wrong with probabilities ``p_error`` (n,), n ≥ 1.

    Twice the mean of two readings of the rubric: how much of the text is right (mean of ``1 - p``), and whether
    *nothing* in it is wrong (the product of ``1 - p``, in which the worst sentence weighs most). A perfect text gets
    2, a text of which half is surely wrong gets 0.5, a text that is all wrong 0. Falls when any ``p`` rises.
    """
    right = 1.0 - np.asarray(p_error, dtype=float)
    return float(right.mean() + right.prod())
