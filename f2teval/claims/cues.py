"""Words that make a claim: of rise and fall, of the highest and lowest, of order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple


class Cue(NamedTuple):
    """A word or phrase that makes a claim. ``kind`` is one of the group names of the pattern below; ``verb`` tells
    whether it is a form that states something ("rose") and not a noun that may belong to a name ("growth rate")."""

    start: int
    end: int
    kind: str
    text: str
    rank: int = 1
    verb: bool = True


_UP = (
    r"increas(?:e[sd]?|ing(?:ly)?)|r(?:ise|ises|ose|isen|ising)|gr(?:ow|ows|ew|own|owing|owth)|climb(?:s|ed|ing)?"
    r"|upwards?|surg(?:e[sd]?|ing)|soar(?:s|ed|ing)?|jump(?:s|ed|ing)?|spik(?:e[sd]?|ing)|gain(?:s|ed|ing)?"
    r"|incline[sd]?"
    r"|inclining|improv(?:e[sd]?|ing|ements?)|expand(?:s|ed|ing)?|expansion|rebound(?:s|ed|ing)?|recover(?:s|ed|ing|y)?"
    r"|upticks?|upswing|escalat(?:e[sd]?|ing)|skyrocket(?:s|ed|ing)?|w(?:ent|ent\sback)\sup|go(?:es|ing|ne)?\sup"
    r"|trend(?:s|ed|ing)?\sup|up\sfrom|accelerat(?:e[sd]?|ing)|widen(?:s|ed|ing)?|strengthen(?:s|ed|ing)?"
    r"|doubl(?:e[sd]|ing)|tripl(?:e[sd]|ing)|quadrupl(?:e[sd]|ing)"
)
_DOWN = (
    r"decreas(?:e[sd]?|ing(?:ly)?)|declin(?:e[sd]?|ing)|f(?:all|alls|ell|allen|alling)|drop(?:s|ped|ping)?"
    r"|dip(?:s|ped|ping)?|reduc(?:e[sd]?|ing|tions?)|downwards?|shr(?:ink|inks|ank|unk|inking)|plung(?:e[sd]?|ing)"
    r"|plummet(?:s|ed|ing)?|slump(?:s|ed|ing)?|downturn|w(?:ent|ent\sback)\sdown|go(?:es|ing|ne)?\sdown|down\sfrom"
    r"|trend(?:s|ed|ing)?\sdown|dwindl(?:e[sd]?|ing)|diminish(?:es|ed|ing)?|contract(?:ed|ing)|slid(?:e[sd]?|ing)?"
    r"|s(?:ank|inks|inking|unk)|tumbl(?:e[sd]?|ing)|lower(?:ed|ing)|narrow(?:s|ed|ing)|weaken(?:s|ed|ing)?|halv(?:ed"
    r"|ing)"
    r"|descend(?:s|ed|ing)?(?!\sorder)|fewer\sand\sfewer"
)
_FLAT = (
    r"stable|stabili[sz](?:e[sd]?|ing|ation)|stead(?:y|ied)(?!\s(?:\w+\s)?(?:increas|declin|decreas|ris|grow|fall"
    r"|upward"
    r"|downward|inclin|climb|drop|gain|trend|reduc|improv))|constant(?!ly)|unchanged|plateau(?:s|ed|ing|x)?"
    r"|level(?:s|ed|ing|led|ling)?\s(?:off|out)|flat(?:ten(?:s|ed|ing)?|tish)?|little\schange|no\s(?:significant\s"
    r"|major\s|real\s|clear\s)?change|(?:remain|stay|held|hold)(?:s|ed|ing)?\s(?:\w+\s)?(?:similar|consistent"
    r"|the\ssame)"
    r"|consistent(?!ly|\s(?:\w+\s)?(?:increas|declin|decreas|ris|grow|fall|upward|downward|trend|gain))|stagna\w{2,5}"
)
_FLUCT = (
    r"fluctuat(?:e[sd]?|ing|ions?)|volatil(?:e|ity)|ups\sand\sdowns|oscillat\w{1,5}|up\sand\sdown|uneven(?:ly)?"
    r"|peaks\sand\s(?:troughs|valleys)|irregular(?:ly)?|erratic(?:ally)?"
)
_ADJ = (
    r"(?:popular|common|important|significant|frequent|frequently|expensive|used|visited|watched|played|liked|likely"
    r"|successful|spoken|valuable|populous|preferred|favou?red|followed|trusted|affected|prominent|prevalent|dominant"
    r"|notable|cited|mentioned|active|concerned|profitable|productive|dangerous|reported|downloaded|powerful|critical"
    r"|confident|discussed|represented|influential|favorable|favourable|commonly|\w{2,14}(?:ed|ent|ant|ive|able|ful"
    r"|ous))"
)
_HIGH = (
    rf"highest|largest|biggest|greatest|tallest|longest|fastest|strongest|sharpest|steepest|maximum|peak(?:s|ed"
    rf"|ing)?|most\s{_ADJ}"
    r"|(?:the|has|have|had|with)\s(?:the\s)?most(?=\s\w)(?!\s(?:of|recent|part|popular))|lead(?:s)?(?!\sto)|leading"
    r"(?!\s(?:to|up|into|the|cause|\d|ten|five|three))|leader|leads|led(?!\sto)|dominat(?:es|ed|ing)|all-time\shigh"
    r"|high\spoint|record\shigh|(?:a|its|their)\shigh(?=\s(?:of|in|at))|tops(?!\sof)|topped|topping|(?<=the\s)top"
    r"(?!\s(?:of|\d|ten|five|three|two|four|six))|ranks?\s(?:first|highest|top)|first\splace|number\sone|costliest"
    r"|most\sof\sall|(?:at|on)\s(?:the\s)?top\sof\sthe\s(?:ranking|list|table|order|scale|field)"
)
_LOW = (
    r"lowest|smallest|(?<!at\s)least(?:\s"
    + _ADJ
    + r")?|fewest|minimum|shortest|trough(?:s|ed)?|nadir|weakest|cheapest|slowest"
    r"|(?:the|its|a)\sbottom(?!\s(?:of|\d|two|three|four|five))|bottom(?:ed|s)(?:\sout)?|all-time\slow|low\spoint"
    r"|(?:at|on)\s(?:the\s)?bottom\sof\sthe\s(?:ranking|list|table|order|scale|field)|record\slow|(?:a|its"
    r"|their)\slow(?=\s(?:of|in|at))|ranks?\s(?:last|lowest)|last\splace"
)
_CUE = re.compile(
    rf"\b(?:(?P<fluct>{_FLUCT})|(?P<flat>{_FLAT})|(?P<high>{_HIGH})|(?P<low>{_LOW})|(?P<up>{_UP})|(?P<down>{_DOWN})"
    r"|(?P<next>followed(?:\s(?:closely|by\sfar|then|in\sturn))?\sby|follow(?:s|ed)?(?=,|\swith|\sclosely|\sas|\sin"
    r"|\sbut|\.)"
    r"|next\s(?:highest|largest|most\s\w+|is|are|comes?|in\sline)|runner[-\s]up|comes?\s(?:in\s)?next)"
    r")\b",
    re.I,
)
_WORD = re.compile(r"[A-Za-z]+")
_OPENING = re.compile(
    r"incr|ris|ros|gr[oe]|cli|up|sur|soa|jum|spi|gai|inc|imp|exp|reb|rec|esc|sky|wen|go|tre|acc|wid|str|dou|tri|tro"
    r"|qua|dec|fal|fel|dro|dip"
    r"|red|dow|shr|plu|slu|dwi|dim|con|sli|san|sin|sun|tum|low|nar|wea|hal|des|few|sta|ste|unc|pla|lev|fla|lit|no$"
    r"|rem|hel|hol|flu|vol"
    r"|osc|une|pea|irr|err|hig|lar|big|tal|lon|fas|max|mos|the$|has$|hav|had$|wit|lea|led$|dom|all$|top|ran|fir|num"
    r"|cos|at$|on$|sma|min|sha"
    r"|sho|nad|che|slo|bot|las|fol|nex|run|com|its?$|their|a$"
)
_RANK_BEFORE = re.compile(
    r"\b(second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|2nd|3rd|4th|5th|6th|7th|8th|9th|10th|next)[-\s]$",
    re.I,
)
_RANKS: Final = {
    w: i + 2
    for i, ws in enumerate(
        (("second", "2nd", "next"), ("third", "3rd"), ("fourth", "4th"), ("fifth", "5th"), ("sixth", "6th"),
         ("seventh", "7th"), ("eighth", "8th"), ("ninth", "9th"), ("tenth", "10th"))
    )
    for w in ws
}  # fmt: skip
_AMONG_BEFORE = re.compile(r"\b(?:one\sof|among|amongst|some\sof)\s(?:the\s)?(?:\w+\s)?$", re.I)
_NEGATED = re.compile(
    r"\b(?:no|not|n't|never|without|neither|nor|lack\sof|rather\sthan|instead\sof|cannot|hardly|isn't|doesn't|didn't)\b"
    r"[^,.;]{0,32}$", re.I,
)  # fmt: skip
_NOUN_BEFORE = re.compile(r"\b(?:in|of|the|a|an|for|and)\s$", re.I)
_NOUN_RATE = re.compile(r"\s(?:rates?|potential|factors?|index|targets?|forecasts?|sectors?|markets?)\b", re.I)
_FROM_END = re.compile(
    r"\b(?P<n>second|third|fourth|fifth|2nd|3rd|4th)(?:\s(?:place|position|spot))?\sfrom\s(?:the\s)?(?P<end>top"
    r"|bottom|last)\b",
    re.I,
)
_PLACES = re.compile(
    r"\b(?:in|comes?\sin|takes?|takes?\sthe|ranks?|ranked|placed|holds?|occup(?:y|ies)|are\sin|is\sin)\s(?:the\s)?"
    r"(first|second|third|fourth|fifth|last)(?:\s(?:place|position|spot|rank))?\b|\b(first|second|third|fourth|fifth"
    r"|last)"
    r"\s(?:place|position|spot|rank)\b", re.I,
)  # fmt: skip
_PLACE_NUMBER: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}

STRONG: Final = re.compile(
    r"\b(?:sharp|steep|dramatic(?:al)?|significant|substantial|drastic(?:al)?|rapid|massive|huge|considerabl[ey]"
    r"|marked)(?:ly)?\b",
    re.I,
)
WEAK: Final = re.compile(r"\b(?:slight|marginal|modest|minor|small|gentle)(?:ly)?\b", re.I)
STEADY: Final = re.compile(
    r"\b(?:steadily|steady|consistent(?:ly)?|continuous(?:ly)?|constantly|continually|every\syear|each\syear"
    r"|year\s(?:after|on|over|by)\syear|uninterrupted|without\sinterruption|monotonic\w*|progressively)\b", re.I,
)  # fmt: skip
GENERAL: Final = re.compile(r"\b(?:general(?:ly)?|overall|mostly|mainly|broadly|on\sthe\swhole|tend(?:s|ed)?)\b", re.I)


@lru_cache(maxsize=32768)
def _opens(word: str) -> bool:
    """Whether a cue can begin with this word."""
    return _OPENING.match(word.lower()) is not None


def find_cues(text: str, start: int, end: int) -> list[Cue]:
    """Cues of ``text[start:end]`` in order, negated ones ("no significant increase") left out."""
    found: list[Cue] = []
    at = start
    for opener in _WORD.finditer(text, start, end):
        # The long pattern is tried only where a word stands that can open it.
        if opener.start() < at or not _opens(opener.group()):
            continue
        m = _CUE.match(text, opener.start(), end)
        if m is None:
            continue
        at = m.end()
        kind = m.lastgroup or ""
        a, b = m.span()
        word = m.group().lower()
        before = text[max(start, a - 44) : a]
        if kind != "next" and _NEGATED.search(before):
            continue
        rank = 1
        if kind in {"high", "low"}:
            r = _RANK_BEFORE.search(before)
            if r:
                rank = _RANKS[r.group(1).lower()]
            elif _AMONG_BEFORE.search(before):
                rank = 0
        verb = True
        if word == "rose" and _NOUN_BEFORE.search(before):
            continue  # the flower, or a name
        if kind in {"up", "down"} and word.startswith(
            ("growth", "reduction", "increase", "decrease", "decline", "rise")
        ):
            verb = not (word.startswith(("growth", "reduction")) and _NOUN_RATE.match(text, b))
            if not verb:
                continue
        found.append(Cue(a, b, kind, m.group(), rank, verb))
    for m in _PLACES.finditer(text, start, end):
        place = _PLACE_NUMBER[(m.group(1) or m.group(2)).lower()]
        if not any(c.start <= m.end() + 12 and m.start() <= c.end + 3 and c.kind in {"high", "low"} for c in found):
            found.append(Cue(m.start(), m.end(), "high" if place > 0 else "low", m.group(), abs(place)))
    for m in _FROM_END.finditer(text, start, end):
        found = [c for c in found if not m.start() <= c.start < m.end()]
        kind = "high" if m.group("end").lower() == "top" else "low"
        found.append(Cue(m.start(), m.end(), kind, m.group(), _RANKS[m.group("n").lower()]))
    found.sort(key=lambda c: c.start)
    return found
