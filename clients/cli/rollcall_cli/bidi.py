"""Right-to-left text on terminals.

Some terminals reorder such text themselves, as browsers do. Others print characters from left to
right; for those a line is put into display order by the common parts of the Unicode Bidirectional
Algorithm: one line at a time, its direction given or that of its first letter, with isolates and
without embeddings.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import groupby

RIGHT_TO_LEFT_ISOLATE, FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2067", "\u2068", "\u2069"

_LEFT_TO_RIGHT_ISOLATE = "\u2066"
_ISOLATES = (_LEFT_TO_RIGHT_ISOLATE, RIGHT_TO_LEFT_ISOLATE, FIRST_STRONG_ISOLATE)
_NO_ISOLATES = dict.fromkeys(map(ord, (*_ISOLATES, POP_ISOLATE)))
_NEUTRAL = "\ufffc"
_JOINER = "\u200d"
_MIRRORED = dict(zip("()[]{}<>«»", ")(][}{><»«", strict=True))
_RIGHT_TO_LEFT = {"R", "AL"}
_NUMBERS = {"EN", "AN"}
_OLDEST_VTE = 5800  # GNOME Terminal and its relatives order text from 0.58 on


def orders_itself(env: Mapping[str, str]) -> bool:
    """Whether the terminal puts right-to-left text in order. ROLLCALL_BIDI=yes or no decides.

    An unknown terminal counts as one that does: copying, searching and screen readers need text in
    reading order.
    """
    if decided := env.get("ROLLCALL_BIDI"):
        return decided.lower() not in ("no", "0", "false", "off")
    if env.get("TMUX") or env.get("STY"):
        return True  # the outer terminal is unknown
    if vte := env.get("VTE_VERSION"):
        return vte.isdecimal() and int(vte) >= _OLDEST_VTE
    plain = ("XTERM_VERSION", "ALACRITTY_WINDOW_ID", "WT_SESSION", "WEZTERM_PANE")
    if any(env.get(name) for name in plain):
        return False
    return env.get("TERM_PROGRAM") not in ("vscode", "ghostty", "Hyper") and env.get(
        "TERM", ""
    ) not in ("linux", "foot", "alacritty", "xterm-ghostty")


def isolated(text: str) -> str:
    """Wrap right-to-left text in an isolate, so that it does not reorder the text around it.
    Isolates inside are removed: one of them could end this one."""
    text = text.translate(_NO_ISOLATES)
    if not has_right_to_left(text):
        return text
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}"


def has_right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text)


def reads_from_right(text: str, *, within: bool | None = None) -> bool:
    """Whether `text` reads from the right: by its first letter, or as the text it is `within` does
    if it has a letter of that direction."""
    kinds = [unicodedata.bidirectional(char) for char in text]
    letters = [kind in _RIGHT_TO_LEFT for kind in kinds if kind == "L" or kind in _RIGHT_TO_LEFT]
    if within in letters:
        return bool(within)
    return letters[0] if letters else bool(within)


def display_order(line: str, *, from_right: bool) -> list[tuple[int, str]]:
    """The characters of `line` in display order, from left to right, each with its index.

    Letters keep their combining marks, and brackets are mirrored. An isolate is ordered by itself;
    its control characters are dropped.
    """
    clusters = _clusters(line)
    firsts = [_NEUTRAL if line[start] in _ISOLATES else line[start] for start, _ in clusters]
    levels = _levels(firsts, base=1 if from_right else 0)
    order = list(range(len(clusters)))
    for level in range(max(levels, default=0), 0, -1):
        reordered: list[int] = []
        for high, group in groupby(order, key=lambda at: levels[at] >= level):
            run = list(group)
            reordered += run[::-1] if high else run
        order = reordered
    seen = []
    for at in order:
        start, end = clusters[at]
        first = line[start]
        if first in _ISOLATES:
            seen += _isolate(line[start:end], start)
            continue
        if first == POP_ISOLATE:  # of an isolate that began on a line above
            continue
        seen.append((start, _MIRRORED.get(first, first) if levels[at] % 2 else first))
        seen += [(place, line[place]) for place in range(start + 1, end)]
    return seen


def _isolate(text: str, start: int) -> list[tuple[int, str]]:
    """The display order of an isolate that begins at index `start`."""
    inner = text[1:].removesuffix(POP_ISOLATE)
    marked = {RIGHT_TO_LEFT_ISOLATE: True, _LEFT_TO_RIGHT_ISOLATE: False}
    from_right = marked.get(text[0], reads_from_right(inner))
    return [(start + 1 + at, char) for at, char in display_order(inner, from_right=from_right)]


def _clusters(line: str) -> list[tuple[int, int]]:
    """The start and end of each character with its combining marks, and of each isolate."""
    starts, depth = [], 0
    for at, char in enumerate(line):
        if not depth and (not at or not _combines(line[at - 1], char)):
            starts.append(at)
        if char in _ISOLATES:
            depth += 1
        elif char == POP_ISOLATE:
            depth = max(depth - 1, 0)
    return list(zip(starts, [*starts[1:], len(line)], strict=False))


def _combines(before: str, char: str) -> bool:
    """Whether `char` is drawn on or with the one before it."""
    if before == _JOINER or unicodedata.bidirectional(char) in ("NSM", "BN"):
        return True
    return "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones


def _levels(chars: Sequence[str], *, base: int) -> list[int]:
    kinds = _resolve([unicodedata.bidirectional(char) for char in chars], base=base)
    levels = []
    for kind in kinds:
        if base:
            levels.append(1 if kind == "R" else 2)
        else:
            levels.append({"L": 0, "R": 1}.get(kind, 2))
    for at in range(len(chars) - 1, -1, -1):  # blanks at a line's end stay there
        if not chars[at].isspace():
            break
        levels[at] = base
    return levels


def _resolve(kinds: list[str], *, base: int) -> list[str]:
    """Every kind as L, R, EN or AN: first numbers, then what stands between letters."""
    embedding = "R" if base else "L"
    strong = embedding
    for at, kind in enumerate(kinds):
        if kind in ("L", "R", "AL"):
            strong = kind
            kinds[at] = "R" if kind == "AL" else kind
        elif kind == "EN" and strong == "AL":
            kinds[at] = "AN"
    _join_numbers(kinds)
    strong = embedding
    for at, kind in enumerate(kinds):
        if kind in ("L", "R"):
            strong = kind
        elif kind == "EN" and strong == "L":
            kinds[at] = "L"
    return _with_neutrals(kinds, embedding)


def _join_numbers(kinds: list[str]) -> None:
    """A separator inside a number and a sign beside one belong to it: "1,400", "22%"."""
    for at in range(1, len(kinds) - 1):
        before, after = kinds[at - 1], kinds[at + 1]
        joins = ("CS", "ES") if before == "EN" else ("CS",)
        if before == after and before in _NUMBERS and kinds[at] in joins:
            kinds[at] = before
    for places in (range(len(kinds)), range(len(kinds) - 1, -1, -1)):
        last = ""
        for at in places:
            if kinds[at] == "ET" and last == "EN":
                kinds[at] = "EN"
            last = kinds[at]


def _with_neutrals(kinds: list[str], embedding: str) -> list[str]:
    """What is neither letter nor number goes with its neighbours if they agree."""
    strong_kinds = {"L", "R", *_NUMBERS}
    resolved: list[str] = []
    for is_strong, group in groupby(kinds, key=lambda kind: kind in strong_kinds):
        run = list(group)
        if is_strong:
            resolved += run
            continue
        before = _side(resolved[-1]) if resolved else embedding
        following = kinds[len(resolved) + len(run) :]
        after = _side(following[0]) if following else embedding
        resolved += [before if before == after else embedding] * len(run)
    return resolved


def _side(kind: str) -> str:
    return "R" if kind in _NUMBERS else kind
