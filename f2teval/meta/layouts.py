"""Results as the tables of the papers: F2TEval 2, 3 and 6, the CHOCOLATE leaderboard, SciCap-Eval 1 and 3, and ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from f2teval.errors import UnknownNameError
from f2teval.meta.agreement import Agreement
from f2teval.meta.evaluate import SENTENCES, MetaResult
from f2teval.meta.ranks import context_ablation, feature_helpfulness
from f2teval.meta.table import P_VALUE, Column, Row, Table, Value
from f2teval.meta.values import CORRELATIONS, OVERALL, STATISTICS, Cell, Stat

_PEOPLE: Final = "people"
_AVERAGES: Final = {
    "none": "averaging none: all texts pooled",
    "item": "averaging by item: within each figure, then the mean over figures",
    "system": "averaging by system: within each system, then the mean over systems",
}


def tables(
    r: MetaResult, *, parameters: Mapping[str, str] | None = None, seconds: Mapping[str, float | None] | None = None
) -> list[Table]:
    """Every table that these data allow, most asked for first.

    Args:
        parameters: metric → what to print under "parameters" (``0.9B (0.3B)``).
        seconds: metric → running time.
    """
    out: list[Table] = []
    if r.joined.targets:
        out.append(main(r))
    if len(r.joined.targets) > 1:
        out.append(dimensions(r))
    makers: list[Callable[[MetaResult], Table | None]] = [
        groups, ranks, pairs, systems, comparisons, agreement, power, features,
    ]  # fmt: skip
    out += [t for make in makers if (t := make(r)) is not None]
    if parameters or (seconds and any(seconds.values())):
        out.append(efficiency(r, parameters or {}, seconds or {}))
    counts = ", ".join(f"{m} {scored(r, m)}" for m in r.metrics)
    for t in out:
        # Tables without a row a metric still say how much of the ratings the metrics covered.
        if not any(c.label == "scored" for c in t.columns):
            t.notes.append(f"scored: {counts}")
    out.append(coverage(r))
    return out


def scored(r: MetaResult, metric: str) -> str:
    """``scored/total``, the column every table has."""
    c = r.joined.coverage[metric]
    return f"{c.scored}/{c.total}"


def _stat_column(name: str, group: str = "") -> Column:
    info = STATISTICS[name]
    return Column(info.short, group, best="max" if info.higher_is_better else "min")


def _undefined(reason: str) -> Cell:
    return Cell(None, reason=reason)


def _stat_cell(s: Stat, n: int = 0) -> Cell:
    return Cell(s.value, n=n, reason=s.reason)


def _how(r: MetaResult, target: str = "") -> list[str]:
    j, o = r.joined, r.options
    several = {
        "final": "ratings: the value the set settled on (mean of raters where it has none)",
        "mean": "ratings: mean of the raters",
        "majority": "ratings: majority of the raters, ties to the median",
        "none": "ratings: unaggregated, every single rating is a row",
    }[j.aggregate]
    notes = [several, _AVERAGES[o.average]]
    if o.rounds:
        notes.append(
            f"[low, high]: {o.level:.0%} bootstrap interval, {o.rounds} rounds over {j.n_figures} scored figures, "
            f"seed {o.seed}"
        )
    used = r.n_used.get(target or r.headline)
    if o.rows == "common" and used is not None and len(r.metrics) > 1:
        notes.append(f"metrics are compared on the {used} rows that all of them scored")
        uneven = [m for m in r.metrics if j.coverage[m].scored < j.coverage[m].total]
        if uneven:
            notes.append(f"not all texts were scored by {', '.join(uneven)}; see the coverage table")
    return notes


def _stand_ins(r: MetaResult, targets: Sequence[str]) -> list[str]:
    """What of a metric was set against ratings that it has no dimension for."""
    by_metrics: dict[tuple[str, str], list[str]] = {}
    for m in r.metrics:
        for t in targets:
            if (column := r.joined.used[m][t]) != t:
                by_metrics.setdefault((t, column), []).append(m)
    by_column: dict[tuple[str, str], list[str]] = {}
    for (t, column), metrics in by_metrics.items():
        by_column.setdefault((column, ", ".join(metrics)), []).append(t)
    return [f"{', '.join(ts)}: set against the {column} of {metrics}" for (column, metrics), ts in by_column.items()]


def main(r: MetaResult) -> Table:
    """F2TEval table 2: a row a metric, agreement on the headline target."""
    stats = [s for s in (*r.options.statistics, "auc") if any((m, r.headline, s) in r.cells for m in r.metrics)]
    stats = list(dict.fromkeys(stats))
    columns = [Column("scored"), *(_stat_column(s) for s in stats)]
    rows = [
        Row(
            m,
            (scored(r, m), *(r.cells[m, r.headline, s] for s in stats), *([r.letters.get(m, "")] if r.letters else [])),
        )
        for m in r.metrics
    ]
    if any((r.headline, s) in r.ceiling for s in stats):
        unknown = _undefined("not computed for people")
        cells: list[Value] = ["", *(r.ceiling.get((r.headline, s), unknown) for s in stats)]
        rows.append(Row(_PEOPLE, (*cells, *([""] if r.letters else [])), aside=True))
    notes = [f"target: {r.headline}", *_how(r)]
    notes += _stand_ins(r, [r.headline])
    if r.letters:
        columns.append(Column("letters"))
        test = next((c.method for c in r.comparisons.values() if c.p is not None), "")
        notes.append(
            f"letters: metrics that share one are not told apart on {STATISTICS[r.options.by].label} "
            f"({test}, Holm-corrected, α = {1 - r.options.level:.2g})"
        )
    if any(k[0] == r.headline for k in r.ceiling):
        others = "each other single rating" if r.joined.aggregate == "none" else "the mean of the others"
        notes.append(
            f"people: each rater against {others}, the mean over raters; what a person would score as a metric"
        )
    else:
        notes.append("human ceiling: unknown, one rating a text")
    if "accuracy" in stats:
        notes.append("acc*: share of pairs ordered as people do, or called a tie as they do, at the best tie threshold")
    return Table("main", "Agreement with people", columns, rows, notes)


def dimensions(r: MetaResult) -> Table:
    """F2TEval table 3: two correlations for each dimension and overall."""
    stats = [s for s in r.options.statistics if s in CORRELATIONS][:2] or list(r.options.statistics[:2])
    targets = [t for t in r.joined.targets if not t.endswith("reciprocal_rank") and t != OVERALL]
    targets += [OVERALL] if OVERALL in r.joined.targets else []
    columns = [Column("scored"), *(_stat_column(s, t) for t in targets for s in stats)]
    rows = [Row(m, (scored(r, m), *(r.cells[m, t, s] for t in targets for s in stats))) for m in r.metrics]
    if r.ceiling:
        single = _undefined("one rating a text")
        cells = [r.ceiling.get((t, s), single) for t in targets for s in stats]
        rows.append(Row(_PEOPLE, ("", *cells), aside=True))
    notes = _how(r)
    notes += _stand_ins(r, targets)
    return Table("dimensions", "Agreement by dimension", columns, rows, notes)


def groups(r: MetaResult) -> Table | None:
    """The CHOCOLATE leaderboard: the tested statistic in each group, and the AUC over sentences."""
    names = [g for g in dict.fromkeys(r.joined.group) if g]
    with_sentences = [m for m in r.metrics if (m, "", SENTENCES) in r.groups]
    if not names and not with_sentences:
        return None
    by = r.options.by
    shown = [g for g in names if any((m, g, by) in r.groups for m in r.metrics)]
    columns = [Column("scored")]
    columns += [_stat_column(by, g) for g in shown]
    if with_sentences:
        columns += [_stat_column("auc", f"sentences {g}".strip()) for g in [*names, ""]]
    if len(columns) == 1:
        return None
    rows = []
    for m in r.metrics:
        cells: list[Value] = [scored(r, m), *(r.groups.get((m, g, by)) for g in shown)]
        if with_sentences:
            none = _undefined("judges no sentences")
            cells += [r.groups.get((m, g, SENTENCES), none) for g in [*names, ""]]
        rows.append(Row(m, tuple(cells)))
    sizes = ", ".join(f"{g} {sum(x == g for x in r.joined.group)}" for g in names)
    notes = [f"target: {r.headline}; texts: {sizes}" if sizes else f"target: {r.headline}"]
    notes += [*_stand_ins(r, [r.headline]), *_how(r)]
    if with_sentences:
        notes.append("sentence AUC: p_error against 'people found an error in the sentence', pooled within the group")
    return Table("groups", f"Agreement by group ({STATISTICS[by].label})", columns, rows, notes)


def ranks(r: MetaResult) -> Table | None:
    """SciCap-Eval table 1: three conversions of ranks."""
    kinds = {OVERALL: "reversed rank", "reciprocal_rank": "reciprocal rank",
             "reversed_reciprocal_rank": "reversed reciprocal rank"}  # fmt: skip
    if any(t not in r.joined.targets for t in kinds):
        return None
    stats = [s for s in ("pearson", "kendall_b", "spearman") if s in r.options.statistics] or ["pearson"]
    columns = [Column("scored")]
    columns += [_stat_column(s, label) for label in kinds.values() for s in stats]
    rows = [Row(m, (scored(r, m), *(r.cells.get((m, t, s)) for t in kinds for s in stats))) for m in r.metrics]
    notes = [*_how(r), "reversed reciprocal rank is largest for the worst text: good metrics are strongly negative"]
    return Table("ranks", "Agreement with ranks", columns, rows, notes)


def pairs(r: MetaResult) -> Table | None:
    """Pascal-50S and ParaEval: accuracy by kind of pair."""
    if not r.pairs:
        return None
    kinds = list(dict.fromkeys(g for _, g in r.pairs))
    columns = [Column("scored"), *(Column(g or "all", digits=4, best="max") for g in kinds)]
    rows = [Row(m, (scored(r, m), *(r.pairs[m, g] for g in kinds))) for m in r.metrics]
    count = ", ".join(f"{g} {sum(p.group == g for p in r.joined.ratings.pairs)}" for g in kinds if g != "all")
    notes = [f"share of pairs whose preferred text scores higher, ties half; pairs: {count}"]
    if r.options.rounds:
        notes.append(f"[low, high]: {r.options.level:.0%} bootstrap interval over {r.joined.n_figures} figures")
    return Table("pairs", "Accuracy on pairs", columns, rows, notes)


def systems(r: MetaResult) -> Table | None:
    """System level: soft pairwise accuracy, with the number of systems."""
    if not r.soft_accuracy:
        return None
    names = sorted({s for s in r.joined.system if s})
    rows = [Row(m, (scored(r, m), _stat_cell(s))) for m, s in r.soft_accuracy.items()]
    counts = {s: r.joined.system.count(s) for s in names}
    notes = [f"{len(names)} systems: " + ", ".join(f"{s} {n}" for s, n in list(counts.items())[:12])]
    notes.append("over pairs of systems, 1 - |p(metric) - p(people)|, p from paired permutations over shared figures")
    alone = [s for s, n in counts.items() if n == 1]
    if alone:
        notes.append(f"systems with one text, which no test can place: {', '.join(alone)}")
    columns = [Column("scored"), Column("soft pairwise accuracy", best="max")]
    return Table("systems", "Agreement on systems", columns, rows, notes)


def comparisons(r: MetaResult) -> Table | None:
    """Every two metrics: difference, p, corrected p."""
    if not r.comparisons:
        return None
    rows = []
    for (a, b), c in r.comparisons.items():
        q = r.adjusted.get((a, b))
        delta, p = (Cell(c.delta, n=c.n, reason=c.reason), Cell(c.p, n=c.n, reason=c.reason or "not tested"))
        rows.append(Row(f"{a} − {b}", (f"{scored(r, a)}, {scored(r, b)}", c.n, delta, p, Cell(q, reason="not tested"))))
    columns = [Column("scored"), Column("n"), Column("difference"), P_VALUE, P_VALUE._replace(label="p (Holm)")]
    methods = dict.fromkeys(c.method for c in sorted(r.comparisons.values(), key=lambda c: c.p is None))
    rounds = f"; {r.test_rounds} rounds, seed {r.options.seed}" if r.test_rounds else ""
    title = f"Differences in {STATISTICS[r.options.by].label} on {r.headline} ({next(iter(methods))})"
    return Table("comparisons", title, columns, rows, ["two-sided" + rounds])


def agreement(r: MetaResult) -> Table | None:
    """People against people, by dimension."""
    if not r.agreement:
        return None
    labels = {"pearson": "Pearson r", "kappa_linear": "κ linear", "kappa_quadratic": "κ quadratic",
              "alpha_ordinal": "Krippendorff α (ordinal)", "icc1": "ICC(1)", "icc2": "ICC(2,1)", "icc3": "ICC(3,1)",
              "kendall_w": "Kendall W"}  # fmt: skip
    rows = [Row(d, _agreement_cells(a, labels)) for d, a in r.agreement.items()]
    notes = ["Pearson r and Cohen's κ: mean over pairs of raters, weighted by the texts they share"]
    if not r.joined.ratings.rater_names:
        notes.append("raters are anonymous and may change from text to text: read α and ICC(1), not κ, ICC(2) or W")
    columns = [Column("texts"), Column("raters"), *(Column(v, digits=3) for v in labels.values())]
    return Table("agreement", "Agreement among people", columns, rows, notes)


def _agreement_cells(a: Agreement, labels: Mapping[str, str]) -> tuple[Value, ...]:
    return (a.n_items, a.n_raters, *(_stat_cell(getattr(a, k), a.n_items) for k in labels))


def power(r: MetaResult) -> Table | None:
    """How small a difference how many ratings can show."""
    p = r.power
    if p is None:
        return None
    sizes = [50, 100, 200, 500, 1000, 2000, 5000]
    rows = [Row(f"{n} rows", (Cell(p.detectable(n), n=n),)) for n in sizes]
    label = STATISTICS[p.statistic].label
    shown = p.detectable(200)
    notes = [
        f"with 200 ratings you can tell apart {shown:.2g} of {label} (power {p.power:.0%}, α {p.alpha:g}); "
        f"0.05 takes {p.needed(0.05)}",
        "from the bootstrap spread of the difference between the metrics here, which shrinks with √n"
        if p.paired
        else "one metric only: a cautious bound, as if the other were unrelated to it",
    ]
    return Table("power", "What numbers of ratings can show", [Column("detectable difference")], rows, notes)


def features(r: MetaResult) -> Table | None:
    """SciCap-Eval table 3: which features of a text go with its rating."""
    rows_ = r.joined.ratings.rows
    names = list(dict.fromkeys(f for x in rows_ for f in x.features))
    if not names or r.joined.aggregate == "none":
        return None
    nan = float("nan")
    values = {f: np.array([x.features.get(f, nan) for x in rows_]) for f in names}
    targets = {t: y for t, y in r.joined.targets.items() if not t.endswith("reciprocal_rank")}
    found = feature_helpfulness(values, targets)
    rows = [Row(f, tuple(_stat_cell(found[f][t]) for t in targets)) for f in names]
    columns = [Column(t, best="max") for t in targets]
    return Table("features", "Features of texts and their ratings (Pearson r)", columns, rows, _how(r)[:1])


def efficiency(r: MetaResult, parameters: Mapping[str, str], seconds: Mapping[str, float | None]) -> Table:
    """F2TEval table 6: parameters, running time, two correlations."""
    stats = [s for s in r.options.statistics if s in CORRELATIONS][:2]
    columns = [Column("scored"), Column("TP(AP)"), Column("RT(s)", digits=1, best="min"), *map(_stat_column, stats)]
    rows = []
    for m in r.metrics:
        t = seconds.get(m)
        time = Cell(t or None, n=r.joined.coverage[m].total, reason="no times in the score file")
        cells = [r.cells.get((m, r.headline, s), _undefined("no ratings")) for s in stats]
        rows.append(Row(m, (scored(r, m), parameters.get(m, "—"), time, *cells)))
    notes = ["TP(AP): total (active) parameters; RT: running time the score file reports, on whatever machine it ran"]
    return Table("efficiency", "Size, time and agreement", columns, rows, notes)


def coverage(r: MetaResult) -> Table:
    """What was not scored, and why."""
    rows = []
    for m in r.metrics:
        c = r.joined.coverage[m]
        why = "; ".join(f"{n} × {reason}" for reason, n in c.reasons.most_common(5)) or "—"
        share = Cell(c.scored / c.total if c.total else None, n=c.total, reason="no texts")
        rows.append(Row(m, (f"{c.scored}/{c.total}", share, c.total - c.scored, why)))
    columns = [Column("scored"), Column("share", digits=3), Column("unscored"), Column("why")]
    return Table("coverage", "What was scored", columns, rows, list(r.notes))


def ablation(r: MetaResult, names: Sequence[tuple[str, str]]) -> Table:
    """SciCap-Eval table 2: agreement with and without an input, and a paired t test of the scores themselves."""
    stats = [s for s in ("pearson", "kendall_b", "spearman") if s in r.options.statistics]
    rows = []
    for with_, without in names:
        for m in (with_, without):
            if m not in r.joined.scores:
                raise UnknownNameError("metric", m, r.joined.scores)
        first = r.joined.row_text.searchsorted(range(len(r.joined.text_ids)))
        x, y = (r.joined.scores[m][r.headline][first] for m in (with_, without))
        test = context_ablation(x, y)
        agreement_: list[Value] = [r.cells.get((m, r.headline, s)) for s in stats for m in (with_, without)]
        numbers = (
            Cell(test.mean_difference, n=test.n),
            Cell(test.t, reason=test.reason),
            Cell(test.p, reason=test.reason),
        )
        sides = f"{scored(r, with_)}, {scored(r, without)}"
        rows.append(Row(f"{with_} | {without}", (sides, *agreement_, *numbers, test.n)))
    columns = [Column("scored")]
    columns += [Column(side, STATISTICS[s].short) for s in stats for side in ("with", "without")]
    columns += [Column("mean difference"), Column("t", digits=3), P_VALUE, Column("n")]
    return Table("ablation", "With and without an input", columns, rows, ["paired t test of the scores, two-sided"])
