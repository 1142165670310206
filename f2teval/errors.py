"""Every exception this package raises on purpose.

::

    F2TEvalError                  anything below; the command line prints it as one line
    ├── InputError                bad input: says what, where (file, line, id) and how to mend     exit 2
    │   ├── SampleError           one row is bad; the run goes on and the row is *unscored*
    │   ├── ImageError            one picture cannot be read (missing, corrupt, too large)
    │   └── RatingsError          ratings that cannot be used (range, constant, do not join)
    ├── UsageError                a wrong option or an impossible combination                      exit 2
    │   ├── UnknownNameError      no such metric, set, chart type …; carries "did you mean"
    │   └── MissingExtraError     an optional dependency is absent; says which extra to install
    ├── CheckpointError           a model folder that cannot be used, and why                      exit 2
    ├── TrainingError             training cannot go on (NaN loss, constant target); nothing lost  exit 2
    └── ThresholdError            the score is below what ``--fail-under`` asked for               exit 1

``exit_code`` is what the command line returns. Exit 3 (incomplete: some rows unscored) is not an error
but a property of a finished run, and has no class here.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class F2TEvalError(Exception):
    """Base of all errors raised on purpose. ``str(e)`` is one line fit for a terminal."""

    exit_code = 2


class InputError(F2TEvalError):
    """Bad input. ``where`` is a file, ``file:line`` or a sample id; ``hint`` says how to mend it."""

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.message, self.where, self.hint = message, where, hint
        super().__init__(f"{where}: {message}" if where else message)
        if hint:
            self.args = (f"{self.args[0]} ({hint})",)


class SampleError(InputError):
    """One row is bad; a run reports it as unscored and goes on."""


class ImageError(InputError):
    """One picture cannot be read."""


class RatingsError(InputError):
    """Ratings that cannot be used."""


class UsageError(F2TEvalError):
    """A wrong option, or options that exclude each other."""


class UnknownNameError(UsageError):
    """No such name in a closed list; suggests the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        known = sorted(known)
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        tail = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        super().__init__(f"no {kind} named {name!r}; {tail}")


class MissingExtraError(UsageError):
    """An optional dependency is missing.

    Args:
        feature: what the user asked for ("reading PDF pages").
        extra: the extra that brings it ("pdf").
    """

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{feature} needs an optional dependency: pip install 'f2teval[{extra}]'")


class CheckpointError(F2TEvalError):
    """A model folder that cannot be used."""


class TrainingError(F2TEvalError):
    """Training cannot go on; what was computed is on disk."""


class ThresholdError(F2TEvalError):
    """A score is below the threshold asked for."""

    exit_code = 1
