"""Worker processes for the run loop: a crash costs one row, results come in order, one figure stays with one worker.

The standard pools give up as a whole when a worker dies; here the parent knows which rows each worker holds, starts
another worker and tries those rows one by one.
"""

from __future__ import annotations

import contextlib
import multiprocessing as mp
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pickle import PicklingError
from typing import Any, Final

from f2teval.errors import F2TEvalError, UsageError
from f2teval.run import Engine, Facts, MetricSpec, facts, figure_key, score_chunk
from f2teval.sample import Sample
from f2teval.score import Score

_AHEAD: Final = 3
"""Chunks read ahead a worker, so that none waits and memory stays bounded."""


@dataclass(slots=True)
class _Job:
    """A chunk on its way: what is still to be scored (in pieces after a crash) and what is."""

    todo: deque[list[Sample]]
    figures: frozenset[Any]
    scores: list[tuple[Score, ...]] = field(default_factory=list)


@dataclass(slots=True)
class _Worker:
    process: Any
    pipe: Connection
    job: _Job | None = None


class Pool(Engine):
    """Scores chunks in worker processes (started by spawn, so that threads and locks of this one are not copied).

    Raises:
        UsageError: a metric object that cannot be sent to another process.
        F2TEvalError: the metrics cannot be built there, for the reason they give.
    """

    def __init__(self, specs: Sequence[MetricSpec], jobs: int) -> None:
        self._specs = list(specs)
        self._threads = max(1, (os.cpu_count() or 1) // jobs)
        self._context = mp.get_context("spawn")
        self._workers: list[_Worker] = []
        self.facts: list[Facts] = []
        try:
            # The first tells what the metrics are, or why they cannot be built; then the others start together.
            self._workers = [self._start() for _ in range(jobs)]
            for worker in self._workers:
                self.facts = self._greet(worker)
        except BaseException:
            self.close()
            raise

    def prepare(self, samples: Sequence[Sample]) -> None:
        raise NotImplementedError("metrics that need the corpus run in one process")

    def run(self, chunks: Iterable[list[Sample]]) -> Iterator[list[tuple[Score, ...]]]:
        """Scores of each chunk, in order."""
        source = iter(chunks)
        jobs: deque[_Job] = deque()  # in input order; the head is given out when it is complete
        queue: deque[_Job] = deque()
        exhausted = False
        while True:
            while not exhausted and len(jobs) < _AHEAD * len(self._workers):
                chunk = next(source, None)
                if chunk is None:
                    exhausted = True
                    break
                job = _Job(deque([chunk] if chunk else []), frozenset(figure_key(s) for s in chunk) - {None})
                jobs.append(job)
                if chunk:
                    queue.append(job)
            self._assign(queue)
            while jobs and not jobs[0].todo:
                yield jobs.popleft().scores
            if not jobs:
                if exhausted:
                    return
                continue
            if len(jobs) < _AHEAD * len(self._workers) and not exhausted:
                continue
            busy = {w.pipe: w for w in self._workers if w.job is not None}
            for pipe in wait(list(busy)):
                self._receive(busy[pipe])  # type: ignore[index]

    def _assign(self, queue: deque[_Job]) -> None:
        """Give idle workers jobs, never the same figure to two at once: it would be read twice."""
        for worker in self._workers:
            if worker.job is not None:
                continue
            taken = frozenset[Any]().union(*(w.job.figures for w in self._workers if w.job is not None))
            job = next((j for j in queue if not (j.figures & taken)), None)
            if job is not None:
                queue.remove(job)
                worker.job = job
                self._send(worker)

    def _send(self, worker: _Worker) -> None:
        assert worker.job is not None
        # A worker that died since shows when its pipe is read.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            worker.pipe.send(worker.job.todo[0])

    def _receive(self, worker: _Worker) -> None:
        job = worker.job
        assert job is not None
        try:
            job.scores.extend(worker.pipe.recv())
            job.todo.popleft()
        except (EOFError, ConnectionResetError):
            self._crashed(worker, job)
        if job.todo:
            self._send(worker)
        else:
            worker.job = None

    def _crashed(self, worker: _Worker, job: _Job) -> None:
        """Replace a dead worker; its rows are tried one by one, and the one that kills a worker alone is unscored."""
        worker.process.join()
        why = _how_it_died(worker.process.exitcode)
        rows = job.todo.popleft()
        if len(rows) > 1:
            job.todo.extendleft([s] for s in reversed(rows))
        else:
            reason = f"scoring this row crashed the process ({why})"
            scores = (
                Score.unscored(rows[0].id, f.name, f.signature, reason, system=rows[0].system) for f in self.facts
            )
            job.scores.append(tuple(scores))
        worker.pipe.close()
        fresh = self._start()
        self._greet(fresh)
        worker.process, worker.pipe = fresh.process, fresh.pipe

    def _start(self) -> _Worker:
        here, there = self._context.Pipe()
        process = self._context.Process(target=_work, args=(there, self._specs, self._threads), daemon=True)
        try:
            process.start()
        except (PicklingError, AttributeError, TypeError) as e:
            raise UsageError(f"the metric cannot be sent to another process ({e}); use jobs=0") from e
        there.close()
        return _Worker(process, here)

    def _greet(self, worker: _Worker) -> list[Facts]:
        try:
            hello = worker.pipe.recv()
        except (EOFError, ConnectionResetError):
            worker.process.join()
            raise F2TEvalError(f"a worker process did not start ({_how_it_died(worker.process.exitcode)})") from None
        if isinstance(hello, BaseException):
            raise hello
        result: list[Facts] = hello
        return result

    def close(self) -> None:
        """Stop the workers; what they were doing is dropped."""
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
        self._workers = []


def _how_it_died(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"{name}, perhaps out of memory" if name == "SIGKILL" else name
    return f"exit {code}"


def _work(pipe: Connection, specs: list[MetricSpec], threads: int) -> None:
    """Body of a worker: build the metrics, then score what comes until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent decides
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    try:
        metrics = [spec.build() for spec in specs]
        hello: Any = [facts(m) for m in metrics]
    except F2TEvalError as e:
        pipe.send(F2TEvalErrorMessage(str(e), e.exit_code))
        return
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError, KeyboardInterrupt):
        pipe.send(hello)
        while True:
            pipe.send(score_chunk(metrics, pipe.recv()))


class F2TEvalErrorMessage(F2TEvalError):
    """An error of a worker, told in the parent: errors with keyword arguments do not survive pickling."""

    def __init__(self, message: str, exit_code: int = 2) -> None:
        super().__init__(message, exit_code)
        self.exit_code = exit_code

    def __str__(self) -> str:
        return str(self.args[0])
