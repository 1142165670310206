"""Repetition: sentences said twice, loops, and things set beside themselves ("Alaska and Alaska")."""

from __future__ import annotations

from collections.abc import Iterator

from f2teval.claims.claim import Issue
from f2teval.claims.issues.material import Frame, Material, function_words
from f2teval.claims.wordset import wordset

_LOOK_BACK = 24  # sentences; a text longer than that is compared in a window, so the cost stays linear
_SMALL_CHANGES = wordset(
    """also steadily steady overall generally again chart graph figure shows show showing seen been the a year
    years period time over following this during consistently significantly"""
)


def repeated_sentence(m: Material) -> Iterator[Issue]:
    """A sentence that says again what an earlier one said, word for word or nearly."""
    frames = m.frames
    seen: dict[tuple[str, ...], int] = {}
    for n, f in enumerate(frames):
        if len(f.key) < 4:
            continue
        if f.key in seen:
            k = seen[f.key]
            yield _again(m, n, k, 0.98, "repeats an earlier sentence word for word")
            continue
        for k in range(n - 1, max(-1, n - 1 - _LOOK_BACK), -1):
            if _same_statement(frames[k], f):
                yield _again(m, n, k, 0.8, "says again what an earlier sentence said")
                break
        seen[f.key] = n


def _again(m: Material, n: int, k: int, confidence: float, note: str) -> Issue:
    a, b = m.words.spans[k]
    return m.issue("repeated_sentence", "redundancy", n, m.whole(n), confidence, note, m.words.text[a:b])


def _same_statement(a: Frame, b: Frame) -> bool:
    if len(b.core) < 2 or not b.numbers <= a.numbers:
        return False
    ways_a, ways_b = {d for d, _ in a.directions}, {d for d, _ in b.directions}
    if ways_b != ways_a:
        return False
    new = b.core - a.core - _SMALL_CHANGES
    gone = a.core - b.core - _SMALL_CHANGES
    return not new and len(gone) <= len(a.core) // 5 and len(a.numbers) <= len(b.numbers) + 1


def cut_repeat(m: Material) -> Iterator[Issue]:
    """The beginning of an earlier sentence said again and broken off."""
    frames = m.frames
    for n in range(1, len(frames)):
        key = frames[n].key
        if len(key) < 3:
            continue
        if m.words.raw[m.words.sentences[n][1] - 1] in {".", "!", "?", '"', "”"}:
            continue
        for k in range(n - 1, max(-1, n - 1 - _LOOK_BACK), -1):
            other = frames[k].key
            if len(other) > len(key) and other[: len(key) - 1] == key[:-1] and other[len(key) - 1].startswith(key[-1]):
                a, b = m.words.spans[k]
                note = "begins like an earlier sentence and breaks off"
                yield m.issue("cut_repeat", "nonsense", n, m.whole(n), 0.95, note, m.words.text[a:b])
                break


def loop(m: Material) -> Iterator[Issue]:
    """The same words over and over ("Dem Dem Dem", "or because it is too expensive or because it is too …")."""
    low = m.words.low
    for n, (i, j) in enumerate(m.words.sentences):
        last: dict[str, int] = {}
        period, run = 0, 0
        best = (0, 0, 0)  # repeated tokens, start, end
        for t in range(i, j):
            d = t - last.get(low[t], t)
            last[low[t]] = t
            if d and d == period:
                run += 1
            else:
                period, run = d, 1 if d else 0
            if period and run > best[0] and run >= (3 if period == 1 else 2 * period if period < 4 else period):
                best = (run, t - run - period + 1, t + 1)
        repeated, a, b = best
        if repeated and any(w[0].isalpha() for w in low[a:b]) and not _is_enumeration(low[a:b]):
            times = 1 + repeated // max(1, (b - a) - repeated)
            confidence = 0.95 if times >= 3 or repeated >= 8 else 0.75
            yield m.issue("loop", "nonsense", n, (a, b), confidence, "the same words over and over")


def _is_enumeration(low: list[str]) -> bool:
    """Lists with a running number or a unit after each value repeat words lawfully."""
    digits = sum(1 for t in low if t[0].isdigit())
    return digits * 6 > len(low) and len({t for t in low if t[0].isdigit()}) > 1


def runs_of_signs(m: Material) -> Iterator[Issue]:
    """ "||||||", "......": a sign repeated, as models that lost their way write."""
    low = m.words.low
    runs = {w for w in m.vocabulary if len(w) >= 4 and not w[0].isalnum() and w[0] not in "-=*_.~—–#"}
    done = -1
    for t in range(len(low)) if runs else ():
        if low[t] in runs and m.words.of[t] != done:
            done = m.words.of[t]
            yield m.issue("runs_of_signs", "nonsense", done, (t, t + 1), 0.95, "a run of signs without meaning")


_JOINTS = frozenset({"and", "or", "than", "versus", "vs", "("})
_LAWFUL = wordset("""more again over and on up down by year day week month time hand side face one two s""")


def set_beside_itself(m: Material) -> Iterator[Issue]:
    """ "Alaska and Alaska", "religious beliefs and religious beliefs", "in the U.S. and the U.S."."""
    low = m.words.low
    small = function_words()
    for t in [t for t in range(1, len(low) - 1) if low[t] in _JOINTS]:
        n = m.words.of[t]
        i, j = m.words.sentences[n]
        if i < t < j - 1:
            for k in range(1, min(9, t - i + 1, j - t)):
                left, right = low[t - k : t], low[t + 1 : t + 1 + k]
                if left != right:
                    continue
                after = low[t + 1 + k] if t + 1 + k < j else ""
                if k == 1 and after[:1].isalpha() and after not in small:
                    continue  # "the left and left top corner"
                content = [w for w in left if w[0].isalpha() and w not in small and w not in _LAWFUL]
                if not content or (low[t] == "(" and (k < 2 or t + 1 + k >= j or low[t + 1 + k] != ")")):
                    continue
                yield m.issue(
                    "set_beside_itself", "nonsense", n, (t - k, t + 1 + k), 0.9, "something is set beside itself"
                )
                break


def compared_with_itself(m: Material) -> Iterator[Issue]:
    """ "Hispanic voters are more likely than Hispanic voters …": both sides of a comparison are the same."""
    low = m.words.low
    small = function_words()
    if m.vocabulary.isdisjoint({"than", "compared"}):
        return
    for n, (i, j) in enumerate(m.words.sentences):
        for t in range(i + 2, j - 1):
            if low[t] != "than" and not (low[t] in {"with", "to"} and low[t - 1] == "compared"):
                continue
            right = _side(low, t + 1, j)
            if not right or not any(w[0].isalpha() and w not in small for w in right):
                continue
            # the subject: what opens the sentence or its last clause before the comparison
            openings = [i] + [s + 1 for s in range(i, t) if low[s] in {",", ";", "(", "that"}]
            for s in openings:
                if "than" in low[s:t]:
                    continue
                left = low[s + 1 if low[s] in _ARTICLES else s : t]
                end = len(right)
                if left[:end] == right and (len(left) == end or left[end] in _ENDS_SIDE or left[end] in small):
                    note = "both sides of the comparison are the same"
                    yield m.issue("compared_with_itself", "nonsense", n, (t, min(j, t + 1 + end)), 0.85, note)
                    break


_ARTICLES = frozenset({"the", "a", "an", "both", "all", "among", "in"})
_ENDS_SIDE = wordset(""", . ; ( ) to say says said is are was were do does did have has had according when who""")
_AMOUNTS = frozenset({"once", "twice", "half", "one", "two", "a", "ever", "usual"})


def _side(low: list[str], i: int, j: int) -> list[str]:
    """The tokens of one side of a comparison: up to a sign, a verb or "to"; a relative clause belongs to it."""
    if i < j and low[i] in _ARTICLES:
        i += 1
    if i >= j or low[i] in _AMOUNTS or low[i][0].isdigit():
        return []
    t = i
    while t < min(j, i + 14) and (low[t] not in _ENDS_SIDE or (low[t] == "who" and t > i)):
        t += 1
    return low[i:t]


def list_with_doubles(m: Material) -> Iterator[Issue]:
    """A list that names a member twice: "Bangladesh, Bangladesh, Nepal, Nepal and South Africa"."""
    raw = m.words.raw
    for n, (i, j) in enumerate(m.words.sentences):
        capitals = [w for w in raw[i + 1 : j] if w[0].isupper()]
        if len(capitals) < 3 or len(set(capitals)) == len(capitals):
            continue
        members: list[tuple[str, int]] = []
        t = i
        while t < j:
            if raw[t][0].isupper() and t > i:
                s = t
                while t < j and raw[t][0].isupper():
                    t += 1
                members.append((" ".join(raw[s:t]), s))
                if t < j and raw[t] in {",", "and", "or"}:
                    t += 1
                    if t < j and raw[t] in {"and", "or"}:
                        t += 1
                    continue
            else:
                t += 1
            yield from _doubles(m, n, members)
            members = []
        yield from _doubles(m, n, members)


def _doubles(m: Material, n: int, members: list[tuple[str, int]]) -> Iterator[Issue]:
    if len(members) < 3:
        return
    seen: set[str] = set()
    for name, at in members:
        if name in seen:
            size = name.count(" ") + 1
            yield m.issue("list_with_doubles", "nonsense", n, (at, at + size), 0.85, "the list names this twice")
            return
        seen.add(name)
