"""From the sentences' error probabilities to the faithfulness of a text."""

from __future__ import annotations

import numpy as np

from f2teval.evidence.card import Array


def caption_faithfulness(p_error: Array) -> float:
    """Faithfulness in [0, 2] of a text whose sentences are wrong with probabilities ``p_error`` (n,), n ≥ 1.

    ``1.5 · min(1 - p) + 0.5 · mean(1 - p)``: how sure one can be of the worst sentence counts most, as one wrong
    statement makes a text unfit to print however much is right around it; how much of it is right tells apart one slip
    from a text that is wrong throughout. A perfect text gets 2, one of ten sentences of which one is surely wrong 0.45,
    a text that is all wrong 0. Falls when any ``p`` rises.

    A product over sentences, the probability that nothing is wrong, would take points off long texts for the small
    doubts of every sentence added up; the minimum does not know a text's length.
    """
    right = 1.0 - np.asarray(p_error, dtype=float)
    return float(1.5 * right.min() + 0.5 * right.mean())
