"""What a message says that a tool could take: words, numbers with units, dates, quotes and names.

The words of every language are data (`offline` in `texts/<language>.json`) and are read together,
since people mix languages in one message. Every pattern is linear in a message's length.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import HEBREW_PREFIXES, terms, tokens, words
from rollcall.core.texts import TEXTS

_MOST = 400
"""How many mentions of a message are read."""


@cache
def wording(key: str) -> Any:
    """Return an object or a list of `offline.words`, those of all languages together."""
    is_list = any(isinstance(each, list) for each in TEXTS.every(f"offline.words.{key}"))
    return (TEXTS.phrases if is_list else TEXTS.table)(f"offline.words.{key}")


@cache
def wordset(key: str) -> frozenset[str]:
    """Return a list of words as the tokens and the stems that they are compared with."""
    listed = " ".join(wording(key))
    return frozenset((*tokens(listed), *words(listed)))


@cache
def cue(key: str) -> re.Pattern[str]:
    """Return the patterns of all languages under a key of `offline.cues` as one."""
    patterns = TEXTS.phrases(f"offline.cues.{key}")
    return re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)


def group(match: re.Match[str] | None, name: str) -> tuple[str, tuple[int, int]]:
    """Return the group of a cue that matched and its place; "who1" and "who2" are both "who"."""
    for each in match.groupdict() if match else ():
        if match and match[each] and each.rstrip("0123456789") == name:
            return match[each], match.span(each)
    return "", (0, 0)


class Unit(NamedTuple):
    """A unit of measure: its symbol, its dimension, its size in the dimension's base unit."""

    symbol: str
    dimension: str
    size: float


@cache
def _units() -> dict[str, Unit]:
    """Return the units by every way to write them."""
    found: dict[str, Unit] = {}
    for dimension, sizes in TEXTS.data("en", "offline.units").items():
        for symbol, size in sizes.items():
            found[symbol] = Unit(symbol, dimension, size)
            found.setdefault(symbol.lower(), found[symbol])  # "h" is an hour, and "H" a henry
    for each in TEXTS.every("offline.words.units"):
        for symbol, forms in each.items():
            found |= dict.fromkeys(forms.split(), found[symbol])
    return found


def unit_of(word: str) -> Unit | None:
    """Return the unit that a word writes, in any language; None for any other word."""
    word = re.sub(r"^(?:sq\.?|square)\s", "sq-", word, flags=re.IGNORECASE)
    return _units().get(word) or _units().get(word.lower())


def converted(value: float, given: Unit, wanted: Unit) -> float | None:
    """Return a value in another unit of the same dimension; None across dimensions."""
    if given.dimension != wanted.dimension:
        return None
    return value if given == wanted else round(value * given.size / wanted.size, 9)


class Word(NamedTuple):
    """A word of a message: its place, its stems, and whether it carries a topic."""

    text: str
    start: int
    end: int
    stems: tuple[str, ...]
    has_topic: bool


class Mention(Struct, frozen=True):
    """A stretch of a message with what it stands for.

    Attributes:
        kind: number, date, period, quote, url, email, path, code or name.
        value: A number, or a text.
        place: The numbers of its words.
    """

    kind: str
    value: Json
    start: int
    end: int
    place: range
    unit: Unit | None = None


_WORD = re.compile(r"[^\W_]+(?:['’׳״\"./_-][^\W_]+)*")
_KINDS = {
    "quote": r"(?<!\w)'([^'\n]+(?:'\w[^'\n]*){0,4})'(?!\w)|(?<!\w)\"([^\"\n]+)\""
    r"|[“„]([^„“”\n]+)[”“]|`([^`\n]+)`",
    "url": r"\bhttps?://[^\s,;)'\"]+(?<![.?!])",
    "email": r"\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+\b",
    "date": "",
    "period": "",
    "path": r"(?<![\w/:])(?:~?/)?(?:[A-Za-z_.@-][\w.@-]{0,254}/)+[\w.@-]*(?<!\.)"
    r"|(?<![\w/.])[A-Za-z_][\w-]{0,254}\.[a-z]{1,4}\b(?!\.\w)",
    "code": r"(?<![\w./-])(?:\d{1,4}/\d{1,4}|(?=[\w-]{0,63}\d)(?=[\w-]{0,63}[A-Za-z])[A-Za-z0-9]"
    r"[\w-]*)(?![\w/])",
    "number": "",
    "name": r"\b[A-Z][\w'’&-]*(?:\s+(?:(?:of|the|de|van|von)\s+)?(?:[A-Z][\w'’&-]*|\d+\b)){0,7}",
}
"""In this order: what is quoted or an address holds no names, and "12 ft" is no code."""
_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_]-)(?<![^\W_]/)(?:[א-ת]{1,2}-|[בהוכלמש]{1,2})?(?P<sign>[-−])?(?P<money>[$€£₪])?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\w./-]*/|\.\d)"
    r"(?P<power>k(?![A-Za-z]))?(?P<ordinal>st|nd|rd|th)?"
    r"(?:(?=(?P<gap>[\s-]?)(?P<unit>%|(?:sq\.?|square)\s[a-z]+|[°]?[^\W\d_](?:[\"'׳״]?[^\W\d_]+)*2?)))?",
    re.IGNORECASE,
)
_SPELLED = re.compile(r"(?<!\w)([^\W\d_]{2,9})(?!\w)(?=(?:[\s-]+([^\W\d_]{2,9})(?!\w))?)")
_GAUGE = re.compile(r"(?:\bAWG[\s-]{0,2}#?|#)$", re.IGNORECASE)
"""What stands before the size of a conductor."""


class Message(Struct, frozen=True, dict=True):
    """A message, or a part of one, as the planner reads it."""

    text: str

    @cached_property
    def words(self) -> tuple[Word, ...]:
        every = _WORD.finditer(self.text)
        return tuple(Word(m[0], *m.span(), tuple(words(m[0])), bool(terms(m[0]))) for m in every)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """What it mentions, in order, without overlaps."""
        found: list[Mention] = []
        for kind, value, start, end, unit in _stretches(self.text):
            if all(end <= each.start or start >= each.end for each in found):
                place = self.places(start, end)
                found.append(Mention(kind, value, start, end, place, unit))
            if len(found) == _MOST:
                break
        return tuple(sorted(found, key=lambda each: each.start))

    @cached_property
    def bare(self) -> str:
        """The text without a polite beginning, such as "could you please"."""
        return cue("polite").sub("", self.text.strip(), count=1)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(stem for word in self.words for stem in word.stems)

    def stems_at(self, place: Sequence[int]) -> set[str]:
        """Return the stems of some words; places that are not there are left out."""
        return {s for n in place if 0 <= n < len(self.words) for s in self.words[n].stems}

    def at(self, place: Sequence[int], *kinds: str) -> list[Mention]:
        """Return the mentions of some kinds that stand at some words."""
        found = (each for each in self.mentions if each.kind in kinds)
        return [each for each in found if not set(each.place).isdisjoint(place)]

    def written(self, place: Sequence[int]) -> str:
        """Return the text from the first to the last of some words."""
        return self.text[self.words[place[0]].start : self.words[place[-1]].end]

    def places(self, start: int, end: int) -> range:
        """Return the numbers of the words between two places of the text."""
        first = bisect_right(self.words, start, key=lambda each: each.end)
        return range(first, max(first, bisect_left(self.words, end, key=lambda each: each.start)))

    def find(self, phrase: str) -> list[range]:
        """Return where a phrase stands, compared by stems, as the numbers of its words."""
        wanted = tuple(words(phrase))
        starts = self._starts.get(wanted[0], ()) if wanted else ()
        return [
            range(self._owners[at], self._owners[at + len(wanted) - 1] + 1)
            for at in starts
            if self.stems[at : at + len(wanted)] == wanted
        ]

    @cached_property
    def _owners(self) -> list[int]:
        return [at for at, word in enumerate(self.words) for _ in word.stems]

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for at, stem in enumerate(self.stems):
            places.setdefault(stem, []).append(at)
        return places


@lru_cache(maxsize=256)
def read_message(text: str) -> Message:
    """Return a message as the planner reads it."""
    return Message(text)


def _stretches(text: str) -> Iterator[tuple[str, Json, int, int, Unit | None]]:
    for kind, pattern in _KINDS.items():
        if kind == "number":
            yield from _numbers(text)
        elif kind == "date":
            yield from _dates(text)
        elif kind == "period":
            yield from ((kind, each[0], *each.span(), None) for each in cue(kind).finditer(text))
        for match in re.finditer(pattern, text) if pattern else ():
            value, start = next(filter(None, match.groups()), match[0]), match.start()
            if kind == "name":
                value, start = _name(text, match)
            number = _NUMBER.match(value) if kind == "code" and "/" not in value else None
            is_number = number and max(number.end(), number.end("unit")) == len(value)
            if value and not (is_number or (kind == "code" and unit_of(value))):
                end = start + len(value) if kind == "name" else match.end()
                yield kind, value, start, end, None


def _numbers(text: str) -> Iterator[tuple[str, Json, int, int, Unit | None]]:
    for match in _NUMBER.finditer(text):
        value = float(match["digits"].replace(",", "")) * (1000 if match["power"] else 1)
        start, end = match.start(), max(match.end(n) for n in ("digits", "power", "ordinal"))
        written, unit = match["unit"] or "", unit_of(match["money"] or "")
        # "14 in panel B" and "20 a month" have no unit.
        is_word = written in ("in", "a") and re.match(r"\s+\w", text[match.end("unit") :])
        if scale := wording("scales").get(written.lower()):
            value, end = value * scale, match.end("unit")
        elif not unit and not is_word and (unit := unit_of(written)):
            end = match.end("unit")
        elif before := _GAUGE.search(text[max(0, start - 9) : start]):
            unit, start = unit_of("AWG"), start - len(before[0])
        elif written.isascii() and written and not match["gap"] and not match["ordinal"]:
            continue  # the digits begin a code, as in "3D"
        value = -value if match["sign"] else value
        is_whole = value.is_integer() and abs(value) < 1e15
        yield "number", int(value) if is_whole else value, start, end, unit
    for match in _SPELLED.finditer(text):
        value, unit = wording("numbers").get(match[1].lower()), unit_of(match[2] or "")
        if value is None and match[1][0] in HEBREW_PREFIXES - {"ה"}:
            value = wording("numbers").get(match[1][1:])
        if value is not None and (value != 1 or unit):  # "one" is mostly no amount
            yield "number", value, match.start(1), match.end(2 if unit else 1), unit


def _name(text: str, match: re.Match[str]) -> tuple[str, int]:
    """Return a name without what only begins the sentence; "" where nothing else is there."""
    start, parts = match.start(), match[0].split()
    begins = (text[:start].rstrip() or ".")[-1] in ".!?:"
    weak = wordset("scaffold") | wordset("looking")
    while parts:
        is_weak = not terms(parts[0]) or parts[0].lower() in weak
        is_unit = unit_of(parts[0]) and re.search(r"\d\s*$", text[:start])  # "12 AWG THHN"
        if not (is_weak or is_unit or (begins and parts[1:] and parts[1].islower())):
            break
        start = text.index(parts[1], start + 1) if parts[1:] else match.end()
        parts, begins = parts[1:], False
    name = re.sub(r"['’]s$", "", text[start : match.end()].rstrip(".,-'’"))
    is_owner = re.match(r"['’]s\b", text[start + len(name) :])
    return ("" if not parts or (begins and len(parts) == 1 and not is_owner) else name), start


def _dates(text: str) -> Iterator[tuple[str, Json, int, int, None]]:
    """Yield days; without a year a day is a period like any other, which no parameter takes."""
    for match in cue("date").finditer(text):
        day, month, year, name = (group(match, n)[0] for n in ("day", "month", "year", "name"))
        named = wording("months").get(name[:3].lower() if name.isascii() else name)
        try:
            found = date(int(year), named or int(month), int(day)).isoformat()
        except ValueError:
            found = ""
        yield "date" if found else "period", found or match[0], *match.span(), None
