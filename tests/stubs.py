"""Metrics for tests of the plumbing: exact numbers, and rows that misbehave in known ways."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from f2teval.metric import MetricInfo
from f2teval.rubric import DIMENSION_NAMES
from f2teval.sample import Sample
from f2teval.score import Coverage, ErrorSpan, Score, SentenceScore


class WordMetric:
    """Scores by the words of the text, so that a test knows every number: faithfulness is 2 unless "wrong" is in it.

    ``boom`` raises, ``segv`` kills the process, ``nan`` gives NaN. ``log`` is a file that gets a line a scored row;
    after ``stop_after`` rows the process waits on the fifo ``log + ".fifo"``: a barrier for tests that kill it there.
    """

    info = MetricInfo("words", dimensions=DIMENSION_NAMES, description="a stub")

    def __init__(self, log: str = "", stop_after: str = "", tag: str = "") -> None:
        self._log, self._stop = log, int(stop_after or 0)
        self.signature = f"words|tag:{tag}" if tag else "words"
        self._rows = 0

    def score_batch(self, samples: Sequence[Sample]) -> list[Score]:
        return [self._one(s) for s in samples]

    def _one(self, s: Sample) -> Score:
        if "segv" in s.text:
            os.kill(os.getpid(), signal.SIGSEGV)
        if "boom" in s.text:
            raise ValueError(f"cannot score {s.id}")
        self._note(s)
        at = s.text.find("wrong")
        wrong = at >= 0
        error = ErrorSpan("value", at, at + 5, said="wrong", seen="right", box=(10.0, 10.0, 60.0, 40.0), note="a stub")
        value = float("nan") if "nan" in s.text.split() else 0.5 if wrong else 2.0
        scores = {d: (value if d == "faithfulness" else 1.0) for d in DIMENSION_NAMES}
        errors = (error,) if wrong else ()
        verdicts = () if wrong else ({"claim": "value", "status": "supported"},)
        p_error = 0.9 if wrong else 0.1
        sentence = SentenceScore(s.text, 0, len(s.text), p_error, errors, verdicts, (1,), {"words": 0.5})
        return Score(
            s.id,
            "words",
            self.signature,
            system=s.system,
            scores=scores,
            sentences=(sentence,),
            coverage=Coverage(("title",), ("trend",)),
            warnings=("not a chart",) if "photo" in s.text else (),
        )

    def _note(self, s: Sample) -> None:
        if not self._log:
            return
        with Path(self._log).open("a") as f:
            f.write(s.id + "\n")
        self._rows += 1
        if self._stop and self._rows > self._stop:
            Path(self._log + ".fifo").open("w").close()  # blocks until the test has it open for reading
            signal.pause()  # then the test ends us


def lengths(samples: Sequence[Sample]) -> dict[str, float]:
    """A callable metric: characters of the text."""
    return {s.id: float(len(s.text)) for s in samples}
