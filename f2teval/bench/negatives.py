"""Controlled negatives for figure–text pairs.

After ParaEval: an object, an attribute or a relation of the text is swapped; or the text of a very similar figure is
taken (above a similarity threshold). After SCIEval: relevance negatives both ways, from the nearest text C' (of figure
I'): ⟨I, C'⟩ and ⟨I', C⟩; and accuracy negatives both ways: the edited text ⟨I, C_A⟩ and, where the figure's table is
known, the edited figure drawn anew ⟨I_A, C⟩. Each says what should be and what is there instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson

from f2teval.bench.dataset import RUN
from f2teval.bench.edits import KINDS, Edit, Editor, RuleEditor
from f2teval.bench.neighbours import nearest, vectors
from f2teval.bench.redraw import redraw
from f2teval.bench.synth import Draft, Options, compose
from f2teval.errors import InputError, UnknownNameError, UsageError
from f2teval.sample import Sample

ALL_KINDS: Final = (*KINDS, "plausible", "relevance_text", "relevance_image", "accuracy_text", "accuracy_image")
NEIGHBOUR_KINDS: Final = frozenset({"plausible", "relevance_text", "relevance_image"})
"""Kinds that take another figure's text, and so need all texts at once."""
_SYNTHETIC: Final = re.compile(r"s(-?\d+)-(\d+)$")


@dataclass(frozen=True, slots=True)
class Negative:
    """One negative: a pair in which figure and text do not fit.

    Attributes:
        sample: the pair; its image is the original's, another figure's, or the bytes of an edited figure.
        of: id of the positive it was made from.
        kind: one of :data:`ALL_KINDS`; ``category`` narrows it ("number", "color", "name", "value" …).
        diff: the explanation target ("should be … rather than …").
        start, end: the changed words in the text (0, 0 where the whole text or the figure was changed).
        similarity: of the neighbour that was taken, where one was.
    """

    sample: Sample
    of: str
    kind: str
    category: str
    diff: str
    start: int = 0
    end: int = 0
    similarity: float | None = None


def figure_key(s: Sample) -> str:
    """What tells figures apart: the row's own "figure", else the image."""
    return str(s.extra.get("figure") or (s.image if isinstance(s.image, Path) else s.id))


def check_options(kinds: Sequence[str], min_similarity: float) -> None:
    """Raise :class:`UnknownNameError` for an unknown kind, :class:`UsageError` for an impossible threshold."""
    for k in kinds:
        if k not in ALL_KINDS:
            raise UnknownNameError("kind of negative", k, ALL_KINDS)
    if not 0 <= min_similarity <= 1:
        raise UsageError(f"the similarity threshold must lie between 0 and 1, not {min_similarity}")


def make_negatives(
    samples: Iterable[Sample],
    *,
    kinds: Sequence[str] = ALL_KINDS,
    seed: int = 0,
    min_similarity: float = 0.3,
    drafts: Callable[[str], Draft | None] = lambda key: None,
    editor: Editor | None = None,
    start: str = "",
) -> Iterator[Negative]:
    """Negatives of the given kinds for each sample, in order; a kind that a sample offers no place for is left out.

    Samples are taken one by one, unless a kind needs neighbours: these need every text at once, and 8 KiB for each.
    ``drafts`` gives, for a figure's key, what is needed to draw it again (for "accuracy_image"). ``start`` is the id of
    the first sample to make negatives of; those before it are only looked at as neighbours. A sample's negatives depend
    on itself, the seed and its neighbours, not on where a run began.
    Raises :class:`UnknownNameError` for an unknown kind.
    """
    check_options(kinds, min_similarity)
    editor = editor or RuleEditor()
    known: Sequence[Sample] = ()
    near: dict[int, dict[str, tuple[int, float]]] = {}
    if NEIGHBOUR_KINDS & set(kinds):
        samples = known = list(samples)
        near = _neighbours(known)
    cache: dict[str, Draft | None] = {}
    waiting = bool(start)
    for i, s in enumerate(samples):
        waiting = waiting and s.id != start
        if waiting:
            continue
        key = figure_key(s)
        if key not in cache:
            cache = {key: drafts(key)}
        draft = cache[key]
        own = _groups(draft) if draft else ()
        for kind in kinds:
            rng = Random(f"{seed}|{s.id}|{kind}")
            made = _one(s, kind, rng, own, editor, known, near.get(i), min_similarity, draft)
            if made is not None:
                yield made


def _one(
    s: Sample,
    kind: str,
    rng: Random,
    names: Sequence[Sequence[str]],
    editor: Editor,
    samples: Sequence[Sample],
    neighbour: dict[str, tuple[int, float]] | None,
    threshold: float,
    draft: Draft | None,
) -> Negative | None:
    if kind in KINDS or kind == "accuracy_text":
        edit: Edit | None = None
        for k in [kind] if kind in KINDS else rng.sample(["attribute", "relation", "object"], 3):
            edit = editor.edit(s.text, k, rng, names)
            if edit is not None:
                break
        if edit is None:
            return None
        made = _copy(s, f"{s.id}~{kind}", text=edit.text)
        return Negative(
            made,
            s.id,
            kind,
            edit.category if kind in KINDS else f"{edit.kind}:{edit.category}",
            edit.diff,
            edit.start,
            edit.end,
        )
    if kind == "accuracy_image":
        again = redraw(draft, s.id, rng) if draft is not None else None
        if again is None:
            return None
        return Negative(_copy(s, f"{s.id}~{kind}", image=again.data), s.id, kind, again.category, again.diff)
    found = (neighbour or {}).get("figure" if kind == "plausible" else "text")
    if found is None or (kind == "plausible" and found[1] < threshold):
        return None
    other = samples[found[0]]
    if kind == "relevance_image":
        made = _copy(s, f"{s.id}~{kind}", image=other.image, caption=other.caption, context=other.context)
        diff = f"the figure should be the one of “{_short(s)}” rather than the one of “{_short(other)}”"
    else:
        made = _copy(s, f"{s.id}~{kind}", text=other.text)
        diff = f"the text should be about “{_short(s)}” rather than about “{_short(other)}”"
    return Negative(
        made, s.id, kind, "text" if kind != "relevance_image" else "figure", diff, similarity=round(found[1], 4)
    )


def _groups(draft: Draft) -> tuple[tuple[str, ...], ...]:
    """Names of the figure that can stand for one another."""
    t = draft.table
    return (t.categories, t.series) if t.form in ("series", "flow") and len(t.series) > 1 else (t.categories,)


def _copy(s: Sample, id: str, **changes: Any) -> Sample:
    sentences = None if "text" in changes else s.sentences
    return replace(s, id=id, ratings={}, sentences=sentences, extra=dict(s.extra), **changes)


def _short(s: Sample) -> str:
    text = s.caption or s.text
    return text if len(text) <= 80 else text[:77].rsplit(" ", 1)[0] + " …"


def _neighbours(samples: Sequence[Sample]) -> dict[int, dict[str, tuple[int, float]]]:
    """For each sample the nearest text of another figure, and the nearest other figure (by all that was said of it)."""
    keys = [figure_key(s) for s in samples]
    figures: dict[str, list[int]] = {}
    for i, k in enumerate(keys):
        figures.setdefault(k, []).append(i)
    if len(figures) < 2:
        return {}
    most = max(len(v) for v in figures.values())
    sims, ids = nearest(vectors([f"{s.caption} {s.text}" for s in samples]), most + 1)
    order = list(figures)
    place = {k: n for n, k in enumerate(order)}
    whole = vectors([" ".join([samples[figures[k][0]].caption, *(samples[i].text for i in figures[k])]) for k in order])
    fsims, fids = nearest(whole, 2)
    out: dict[int, dict[str, tuple[int, float]]] = {}
    for i, k in enumerate(keys):
        best = {}
        for j, sim in zip(ids[i], sims[i]):
            if keys[j] != k and samples[j].text != samples[i].text:
                best["text"] = (int(j), float(sim))
                break
        f = place[k]
        for j, sim in zip(fids[f], fsims[f]):
            if order[j] != k:
                mine = figures[k].index(i)
                theirs = figures[order[j]]
                best["figure"] = (theirs[mine % len(theirs)], float(sim))
                break
        out[i] = best
    return out


def synthetic_drafts(folder: Path) -> Callable[[str], Draft | None]:
    """Drafts of the figures of a folder made by ``f2teval bench synth``; always ``None`` for another folder."""
    run = folder / RUN
    if not run.is_file():
        return lambda key: None
    try:
        raw: dict[str, Any] = orjson.loads(run.read_bytes())
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
        options = Options(**values)
    except (orjson.JSONDecodeError, TypeError) as e:
        raise InputError("not the options of a synthetic data set", where=str(run)) from e
    pairs = options.pairs()

    def draft(key: str) -> Draft | None:
        m = _SYNTHETIC.match(key)
        return compose(int(m[2]), options, pairs) if m and int(m[1]) == options.seed else None

    return draft
