"""The scorecards in use: the package's own, or those of a folder that ``f2teval fit`` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from f2teval.errors import CheckpointError
from f2teval.evidence.card import Scorecard

WEIGHTS: Final = Path(__file__).parent / "weights"
LEARNT: Final = ("completeness", "conciseness", "logicity", "analysis")


def load(folder: Path | None = None) -> tuple[Scorecard, dict[str, Scorecard]]:
    """``p_error`` and one card a learnt dimension; what ``folder`` does not hold comes from the package.

    Raises:
        CheckpointError: no such folder, no card in it, or a card that cannot be read.
    """
    if folder is not None and not folder.is_dir():
        raise CheckpointError(f"{folder}: no such folder of scorecards (make one with: f2teval fit … -o {folder})")
    names = ("p_error", *LEARNT)
    if folder is not None and not any((folder / f"{n}.json").exists() for n in names):
        raise CheckpointError(f"{folder}: holds no scorecard ({', '.join(n + '.json' for n in names)})")
    found = {}
    for n in names:
        path = (folder or WEIGHTS) / f"{n}.json"
        found[n] = Scorecard.load(path if path.exists() else WEIGHTS / f"{n}.json")
    return found["p_error"], {n: found[n] for n in LEARNT}
