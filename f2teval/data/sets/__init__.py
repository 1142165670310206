"""Sets of human ratings: what they are, and a loader each. Nothing is downloaded; see ``f2teval list sets``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from f2teval import settings
from f2teval.data.sets.base import Pair, Rated, RatingSet
from f2teval.errors import InputError, UnknownNameError

__all__ = ["SETS", "Pair", "Rated", "RatingSet", "SetInfo", "describe_sets", "find_set", "load_set"]


class SetInfo(NamedTuple):
    """What a set is.

    ``verified`` is true where the loader was written against, and is tested on, rows of the set; the others follow the
    paper, and take a field map for what the paper does not say. ``caveat`` is what even a verified loader has not seen.
    """

    name: str
    title: str
    size: str
    licence: str
    where: str
    loader: str
    verified: bool
    caveat: str = ""


def _set(name: str, title: str, size: str, licence: str, where: str, verified: bool, caveat: str = "") -> SetInfo:
    return SetInfo(name, title, size, licence, where, f"f2teval.data.sets.{name.replace('-', '_')}", verified, caveat)


_UNKNOWN = "unknown; ask its authors"
# Licences and sizes are what pages and papers said when this was written; none is a promise. Check before you publish.

SETS: Final[dict[str, SetInfo]] = {
    s.name: s
    for s in (
        _set("table", "any table of ratings: JSONL, JSON, CSV or Parquet with an id a row", "yours", "yours",
             "see docs/meta.md", True),
        _set("f2tbenchmark", "F2TBenchmark: summaries by 10 models, five dimensions 0–2, annotators, adjudicated",
             "12 sources, 21 chart types", "MIT, says its paper", "https://github.com/yuetanbupt/F2TEval", False),
        _set("chocolate", "CHOCOLATE: chart captions, factual errors marked sentence by sentence",
             "1,187 captions, 5,323 sentences", "Apache-2.0, says its page",
             "https://huggingface.co/datasets/khhuang/CHOCOLATE", True, "folder form; chocolate.json by its README"),
        _set("flickr8k-expert", "Flickr8k-Expert: 3 experts, 1–4", "5,664 texts",
             _UNKNOWN, "https://github.com/jmhessel/clipscore (flickr8k.json)", True),
        _set("flickr8k-cf", "Flickr8k-CF: share of crowd workers who say the caption fits", "47,830 texts",
             _UNKNOWN, "https://github.com/jmhessel/clipscore (crowdflower_flickr8k.json)", False),
        _set("composite", "Composite: captions of COCO, Flickr8k and Flickr30k, correctness 1–5", "3,995 images",
             _UNKNOWN, "https://imagesdg.wordpress.com/image-to-scene-description-graph/", False),
        _set("pascal-50s", "Pascal-50S: which of two captions is better; HC, HI, HM, MM", "4,000 pairs",
             _UNKNOWN, "https://vrama91.github.io/cider/", True),
        _set("polaris", "Polaris, and Polaris-exp with explanations: 0–1, mean of several raters", "131,020 judgements",
             "BSD, says its page", "https://huggingface.co/datasets/yuwd/Polaris", True,
             "the JSON of Polaris-exp; CSV and Parquet by its page"),
        _set("nebula", "Nebula, and Nebula-exp with explanations: 0–1, mean of several raters", "32,978 images",
             "none stated on its page", "https://huggingface.co/datasets/Ka2ukiMatsuda/Nebula", True,
             "JSON; the Hub's Parquet by its page"),
        _set("thumb", "THumB 1.0: precision and recall 1–5 with penalties", "2,500 captions, 500 images",
             "none stated on its page", "https://github.com/jungokasai/THumB", True),
        _set("scicap-eval", "SciCap-Eval: scientific captions ranked by PhD students, rated by undergraduates",
             "3,600 captions, 600 figures", _UNKNOWN, "see the paper, https://arxiv.org/abs/2310.15405", False),
        _set("scieval-bench", "SCIEval-Bench: relevance and accuracy of scientific images and captions, 3 raters, 1–5",
             "6,000 samples", _UNKNOWN, "https://SCIEval.github.io", False),
        _set("paraeval", "ParaEval: a paragraph against a changed one; plausible, object, attribute, relation",
             "over 4,000 images", _UNKNOWN, "see the HiFi-Score paper", False),
    )
}  # fmt: skip
"""Every known set, in the order of ``f2teval list sets``."""


def find_set(name: str) -> Path | None:
    """Where a set lies here: ``F2TEVAL_HOME/sets/NAME`` (a folder, or a file of any extension), or ``None``."""
    folder = settings.home() / "sets"
    found = [folder / name, *sorted(folder.glob(f"{name}.*"))] if folder.is_dir() else []
    return next((p for p in found if p.exists()), None)


def describe_sets() -> list[dict[str, str]]:
    """One plain dict a set, for listings: name, what, size, licence, where to get it, loader, present."""
    out = []
    for s in SETS.values():
        here = find_set(s.name)
        out.append(
            {
                "name": s.name,
                "what": s.title,
                "size": s.size,
                "licence": s.licence,
                "get it": s.where,
                "loader": (f"verified ({s.caveat})" if s.caveat else "verified") if s.verified else "unverified",
                "present": "–" if s.name == "table" else str(here) if here else "no",
            }
        )
    return out


def load_set(name: str, path: str | Path | None = None, fields: Mapping[str, str] | None = None) -> RatingSet:
    """Load a rating set.

    Args:
        path: its native file or folder; without one it is looked for in ``F2TEVAL_HOME/sets``.
        fields: our name of a field → its name in the file, where that differs from what the loader expects.

    Raises:
        UnknownNameError: no such set.
        InputError: it is not there, or is not in its native form (:class:`RatingsError` for unusable ratings).
        UsageError: a field that this set does not have.
    """
    if name not in SETS:
        raise UnknownNameError("rating set", name, SETS)
    info = SETS[name]
    place = Path(path) if path is not None else find_set(name)
    if place is None:
        raise InputError(
            f"the rating set {name} is not on this machine", where=str(settings.home() / "sets" / name),
            hint=f"get it from {info.where} and put it there, or give its path",
        )  # fmt: skip
    if not place.exists():
        raise InputError("no such file or folder", where=str(place))
    module = importlib.import_module(info.loader)
    loaded: RatingSet = module.load(place, dict(fields or {}))
    return loaded.check()
