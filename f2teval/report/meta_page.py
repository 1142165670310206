"""One HTML page of agreement: tables and plots. No script, nothing fetched; it can be mailed and archived."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from f2teval import __version__
from f2teval.meta.evaluate import MetaResult, scale_reason
from f2teval.meta.table import Table
from f2teval.meta.values import OVERALL, STATISTICS, Cell
from f2teval.report import meta_plots as plots
from f2teval.report.meta_tables import UNDEFINED, Footnotes, text_of

_CSS = """
:root{color-scheme:light dark;--bg:#fff;--fg:#1d2330;--soft:#667085;--line:#d9dee7;--grid:#edf0f4;--mark:#fff7e0}
@media(prefers-color-scheme:dark){:root{--bg:#14171d;--fg:#e6e9ef;--soft:#98a2b3;--line:#343b47;--grid:#242a33;
--mark:#2c2a1c}}
*{box-sizing:border-box}body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;margin:0 auto;
max-width:1180px;padding:24px}h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:34px 0 8px}
p.sub,ul.notes{color:var(--soft);font-size:13px}ul.notes{margin:6px 0 0;padding-left:18px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums}
th,td{padding:4px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--bg)}
th{color:var(--soft);font-weight:600;vertical-align:bottom}th.g{text-align:center;border-bottom:1px solid var(--fg)}
td.best{font-weight:700;background:var(--mark)}td small{display:block;color:var(--soft);font-weight:400}
tr.aside td{font-style:italic}td.wrap{white-space:normal;text-align:left;min-width:260px}
.plots{display:flex;flex-wrap:wrap;gap:14px}svg{max-width:100%;height:auto;background:var(--bg)}
svg text{fill:var(--fg);font:11px system-ui,sans-serif}svg .h{font-weight:600;font-size:12.5px}svg .l{fill:var(--soft)}
svg .w{fill:#fff}svg .g{stroke:var(--grid)}svg .a{stroke:var(--soft)}svg .e{stroke:var(--fg);stroke-width:1.2}
svg .i{stroke:var(--soft);stroke-dasharray:4 4}svg .c{stroke:var(--fg);stroke-dasharray:5 3;stroke-width:1.6}
svg .m{fill:none;stroke:var(--fg);stroke-width:1.6}svg .d{fill:var(--fg)}svg .q{stroke:var(--line)}
.legend span{margin-right:16px;font-size:13px}.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;
margin-right:5px}code{font-size:12px;overflow-wrap:anywhere}
"""


def page(r: MetaResult, tables: Sequence[Table], signatures: Mapping[str, str]) -> str:
    """The page as one string of HTML."""
    j = r.joined
    title = f"Agreement with people: {len(r.metrics)} metric{'s' * (len(r.metrics) != 1)}, {len(j.text_ids)} texts"
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>",
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name=viewport content="width=device-width,initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_CSS}</style>",
        f"<h1>{escape(title)}</h1>",
        f'<p class="sub">{escape(j.ratings.name)} · {j.n_figures} scored figures · f2teval {__version__}</p>',
    ]
    first, *rest = tables
    parts += [table_html(first), *_plots(r), *map(table_html, rest)]
    if any(signatures.values()):
        items = "".join(f"<li>{escape(m)}: <code>{escape(s)}</code></li>" for m, s in signatures.items() if s)
        parts.append(f'<h2>Signatures</h2><ul class="notes">{items}</ul>')
    return "\n".join(parts) + "</html>\n"


def table_html(table: Table) -> str:
    """One table, with its notes and the reasons of undefined cells below it."""
    notes = Footnotes()
    out = [f'<h2>{escape(table.title)}</h2><div class="scroll"><table><thead>']
    if any(c.group for c in table.columns):
        out.append("<tr><th></th>" + _group_heads(table) + "</tr>")
    heads = "".join(f"<th>{escape(c.label)}{ {'max': ' ↑', 'min': ' ↓', '': ''}[c.best] }</th>" for c in table.columns)
    out.append(f"<tr><th></th>{heads}</tr></thead><tbody>")
    best = [table.best(i) for i in range(len(table.columns))]
    for row in table.rows:
        cells = []
        for i, value in enumerate(row.cells):
            shown = escape(text_of(value, table.columns[i], notes=notes))
            number, bracket, interval = shown.partition(" [")
            cls = ""
            if not row.aside and isinstance(value, Cell) and value.value is not None and value.value == best[i]:
                cls = ' class="best"'
            elif isinstance(value, str) and len(value) > 30:
                cls = ' class="wrap"'
            cells.append(f"<td{cls}>{number}{f'<small>[{interval}</small>' if bracket else ''}</td>")
        aside = ' class="aside"' if row.aside else ""
        out.append(f"<tr{aside}><td>{escape(row.label)}</td>{''.join(cells)}</tr>")
    out.append("</tbody></table></div>")
    lines = [*(f"{UNDEFINED}({i}) {t}" for i, t in enumerate(notes.texts, 1)), *table.notes]
    out.append('<ul class="notes">' + "".join(f"<li>{escape(n)}</li>" for n in lines) + "</ul>")
    return "".join(out)


def _group_heads(table: Table) -> str:
    out, i = [], 0
    while i < len(table.columns):
        group, span = table.columns[i].group, 1
        while i + span < len(table.columns) and group and table.columns[i + span].group == group:
            span += 1
        cls = ' class="g"' if group else ""
        out.append(f'<th{cls} colspan="{span}">{escape(group)}</th>')
        i += span
    return "".join(out)


def _plots(r: MetaResult) -> list[str]:
    if not r.joined.targets:
        return []
    return [*_bars(r), *_scatters(r), *_calibrations(r), *_heatmap(r)]


def _bars(r: MetaResult) -> list[str]:
    by = r.options.by
    targets = [t for t in r.joined.targets if not t.endswith("reciprocal_rank")]
    cells = {(m, t): r.cells[m, t, by] for m in r.metrics for t in targets}
    ceiling = {t: r.ceiling[t, by] for t in targets if (t, by) in r.ceiling}
    label = f"{STATISTICS[by].label} by dimension"
    caption = "Whiskers: bootstrap interval over figures."
    if any(s.value is not None for s in ceiling.values()):
        caption += " Dashed: people against each other."
    svg = plots.bars(targets, r.metrics, cells, ceiling, label)
    return [
        f'<h2>By dimension</h2>{plots.legend(r.metrics)}<div class="scroll">{svg}</div><p class="sub">{caption}</p>'
    ]


def _scatters(r: MetaResult) -> list[str]:
    j, by = r.joined, r.options.by
    y = j.targets[r.headline]
    out = []
    for i, m in enumerate(r.metrics):
        x = j.scores[m][r.headline]
        ok = ~(np.isnan(x) | np.isnan(y))
        c = r.cells[m, r.headline, by]
        note = f"{STATISTICS[by].short} {c.value:.3f}" if c.value is not None else ""
        out.append(plots.scatter(x[ok], y[ok], m, plots.COLOURS[i % len(plots.COLOURS)], note, r.options.seed))
    caption = "Line: mean score at each level of rating (at each eighth where ratings are continuous)."
    return [f'<h2>Scores against ratings</h2><div class="plots">{"".join(out)}</div><p class="sub">{caption}</p>']


def _calibrations(r: MetaResult) -> list[str]:
    j = r.joined
    y = j.targets[r.headline]
    out = []
    for i, m in enumerate(r.metrics):
        colour = plots.COLOURS[i % len(plots.COLOURS)]
        x = j.scores[m][r.headline]
        ok = ~(np.isnan(x) | np.isnan(y))
        same = not scale_reason(j, m, r.headline)
        out.append(plots.calibration(x[ok], y[ok], m, colour, same_scale=same))
        if m in j.sentences:
            _, p, wrong = j.sentences[m]
            out.append(plots.calibration(p, wrong, f"{m}: sentences", colour, same_scale=True,
                                         xlabel="p_error", ylabel="share with an error"))  # fmt: skip
    if not any(out):
        return []
    caption = "Mean rating, with its standard error, for each tenth of the scores. Dotted: a calibrated score."
    return [f'<h2>Calibration</h2><div class="plots">{"".join(out)}</div><p class="sub">{caption}</p>']


def _heatmap(r: MetaResult) -> list[str]:
    if len(r.metrics) < 2:
        return []
    what = "overall" if r.headline == OVERALL else r.headline
    svg = plots.heatmap(r.metrics, r.between, f"Pearson r of the metrics' scores ({what})")
    return [f'<h2>Metric against metric</h2><div class="scroll">{svg}</div>']
