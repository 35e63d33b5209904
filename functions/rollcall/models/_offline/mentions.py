"""What a text mentions that an argument could be: numbers, quotes, names, dates, addresses."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import stopwords
from rollcall.models._offline import dates
from rollcall.models._offline.lexicon import wordset
from rollcall.models._offline.units import Unit, unit_of

Kind = Literal["number", "date", "time", "quote", "name", "code", "url", "email", "path", "size"]


class Mention(Struct, frozen=True):
    """A stretch of the text and the value it stands for."""

    kind: Kind
    value: Json
    text: str
    start: int
    end: int
    unit: Unit | None = None


# A message may have 32,000 characters of anything: no pattern here may begin to look again at each
# place of a long run. Hence the bounds: 64 for who is at an address, 255 for a file's name.
_MOST = 400
_QUOTE = re.compile(
    r"(?<!\w)'([^'\n]+(?:'\w[^'\n]*){0,4})'(?!\w)|\"([^\"\n]+)\"(?![א-ת])|“([^“”\n]+)”|`([^`\n]+)`"
)
_URL = re.compile(r"\bhttps?://[^\s,;)'\"]+")
_EMAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+\b")
_PATH = re.compile(
    r"(?<![\w/:])(?:~?/)?(?:[\w.@-]{1,255}/)+[\w.@-]*|(?<![\w/:])~?/[\w.@-]+|\b[\w-]{1,255}\.[a-z]{2,4}\b(?!\.\w)"
)
_NUMBER = re.compile(
    r"(?<![\w.])(?<![^\W\d_][-/])(?:[בלכהומש]{1,2}-)?(?P<sign>[-−])?(?P<money>[$€£₪])?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)"
    r"(?P<power>(?:k|m|bn)(?![A-Za-z]))?(?P<ordinal>st|nd|rd|th)?"
    r"(?:\s?(?P<scale>thousand|million|billion|אלף|מיליון)\b)?"
    r"(?:[\s-]?(?P<unit>%|קילו-ו?ואט|[°]?[A-Za-zא-תµμΩ][A-Za-zא-ת\"']*))?",
    re.IGNORECASE,
)
# Sizes of wire: "2/0", "AWG 6", "#10"; "circuit #10" is a number. "10 AWG" is one with its unit.
_SIZE = re.compile(
    r"(?:(?<!\w)AWG[\s#-]*|(?<!circuit )(?<!ckt )(?<!number )(?<!מעגל )#\s?)"
    r"(?P<size>[1-4]/0|1[02468]|[123468])(?!\w|[./]\d)|(?<![\w/.])(?P<aught>[1-4]/0)(?![\w/])",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?<![\w.])(?=[A-Za-z0-9])(?=[\w-]{0,63}\d)(?=[\w-]{0,63}[A-Za-z])[\w-]*\b|"
    r"#[A-Za-z0-9]{3,8}\b"
)
_NAME = re.compile(
    r"\b[A-Z][\w'’&-]*(?:\.[A-Z]\.?)*(?:\s+(?:(?:of|the|de|van|von|and the)\s+)?"
    r"(?:[A-Z][\w'’&-]*|\d+\b)){0,15}"
)
_NAME_TAIL = re.compile(r",\s+(?:[A-Z]{2,3}\b|[A-Z][a-z]+(?:\s[A-Z][a-z]+)*\b(?!\s*,|\s+and\b))")

_SPACE, _SPACE_AND_WORD = re.compile(r"\s*"), re.compile(r"\s+\w")
_WARM = re.compile(r"temperat|kelvin|טמפרטור|מעלות", re.IGNORECASE)

_SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "אלף": 1e3, "מיליון": 1e6,
    "k": 1e3, "m": 1e6, "bn": 1e9,
}  # fmt: skip
_SPELLED = {
    word: value
    for value, line in enumerate(
        """zero אפס
one אחד אחת
two שניים שתיים שני שתי
three שלוש שלושה שלושת
four ארבע ארבעה ארבעת
five חמש חמישה חמשת
six שש שישה
seven שבע שבעה
eight שמונה
nine תשע תשעה
ten עשר עשרה
eleven
twelve
thirteen
fourteen
fifteen
sixteen
seventeen
eighteen
nineteen""".splitlines()
    )
    for word in line.split()
}
_SPELLED |= {
    word: 10 * ten
    for ten, line in enumerate(
        """twenty עשרים
thirty שלושים
forty fourty ארבעים
fifty חמישים
sixty שישים
seventy שבעים
eighty שמונים
ninety תשעים""".splitlines(),
        start=2,
    )
    for word in line.split()
}
_SPELLED_NUMBER = re.compile(
    rf"(?<!\w)ל?({'|'.join(sorted(_SPELLED, key=len, reverse=True))})(?!\w)"
    r"(?:\s+(?P<unit>[\wא-ת]+))?",
    re.IGNORECASE,
)
_LEADING = wordset(
    """find get show list create make give tell what which who where when how is are can
    could would will do does calculate compute determine please i hi hello hey help search check
    book play the a an my also then and if for in on at set send write add remove delete update run
    convert need want let use using first second lastly finally next additionally"""
)


@lru_cache(maxsize=512)
def mentions(text: str, now_iso: str = "") -> tuple[Mention, ...]:
    """Return what a text mentions, at most 400, in order; of what is quoted only the quote."""
    found: list[Mention] = []
    for mention in _all(text, now_iso):
        if not is_within(found, mention.start, mention.end):
            # Units and ordinals after a number may begin a name: "5 Paris hotels".
            insort(found, mention, key=_start)
        if len(found) == _MOST:
            break
    return tuple(found)


def is_within(found: Sequence[Mention], start: int, end: int) -> bool:
    """Tell whether a stretch overlaps a mention; they are in order and do not overlap."""
    at = bisect_right(found, start, key=_start)
    return (at > 0 and found[at - 1].end > start) or (at < len(found) and found[at].start < end)


def _start(mention: Mention) -> int:
    return mention.start


def _all(text: str, now_iso: str) -> Iterator[Mention]:
    for match in _QUOTE.finditer(text):
        inner = next(group for group in match.groups() if group)
        yield Mention("quote", inner, match[0], match.start(), match.end())
    for kind, pattern in (("url", _URL), ("email", _EMAIL)):
        for match in pattern.finditer(text):
            value = match[0].rstrip(".?!")
            yield Mention(kind, value, value, match.start(), match.start() + len(value))  # type: ignore[arg-type]
    for when in dates.dates(text, now_iso):
        yield Mention("date", when.iso, when.text, when.start, when.end)
    for when in dates.times(text):
        yield Mention("time", when.iso, when.text, when.start, when.end)
    for match in _PATH.finditer(text):
        if not match[0].replace("/", "").replace(".", "").isdigit():
            yield Mention("path", match[0].rstrip("."), match[0], match.start(), match.end())
    for match in _SIZE.finditer(text):
        size = match["size"] or match["aught"]
        yield Mention("size", size, match[0], match.start(), match.end())
    yield from _numbers(text)
    for match in _CODE.finditer(text):
        yield Mention("code", match[0], match[0], match.start(), match.end())
    yield from _names(text)


def _numbers(text: str) -> Iterator[Mention]:
    for match in _NUMBER.finditer(text):
        unit = _unit(match, text)
        if not unit and _glued(text, match):
            continue
        last = next(name for name in ("scale", "power", "ordinal", "digits") if match[name])
        end = match.end() if unit and unit_of(match["unit"] or "") else match.end(last)
        value = _value(match, unit)
        yield Mention("number", value, text[match.start() : end], match.start(), end, unit)
    for match in _SPELLED_NUMBER.finditer(text):
        value = _SPELLED[match[1].lower()]
        unit = unit_of(match["unit"] or "")
        yield Mention("number", value, match[1], match.start(1), match.end(1), unit)


def _unit(match: re.Match[str], text: str) -> Unit | None:
    if match["money"]:
        return unit_of(match["money"])
    power = match["power"] or ""
    written = unit_of(match["unit"] or "")
    if match["unit"] in ("in", "a") and _SPACE_AND_WORD.match(text, match.end("unit")):
        written = None  # "14 in panel LP-1" has no inches, "20 a month" no amperes
    if written is not None or not power:
        return written
    # "50k" is fifty thousand and "1.75m" a length; "298K" is a temperature where one is spoken of.
    if power == "K":
        return unit_of("K") if _speaks_of_warmth(text) else None
    return unit_of(power) if power == "m" else None


@lru_cache(maxsize=16)
def _speaks_of_warmth(text: str) -> bool:
    return _WARM.search(text) is not None


def _glued(text: str, match: re.Match[str]) -> bool:
    """Tell whether the digits only begin a code, as in "3D" or "12b-7"."""
    end = match.end("power") if match["power"] else match.end("digits")
    after = text[end : end + 1]
    return not match["ordinal"] and after.isalpha() and after.isascii()


def _value(match: re.Match[str], unit: Unit | None) -> float | int:
    digits = match["digits"].replace(",", "")
    value = float(digits)
    scale = match["scale"] or match["power"]
    if scale and (match["scale"] or unit is None or match["money"]):
        value *= _SCALES[scale.lower()]
    if match["sign"]:
        value = -value
    return int(value) if value.is_integer() and abs(value) < 1e15 and "e-" not in digits else value


def _names(text: str) -> Iterator[Mention]:
    is_long = len(text.split()) > 3
    for match in _NAME.finditer(text):
        start, words = match.start(), match[0].split(" ")
        opens = _opens(text, start)
        while words and (
            words[0].lower().rstrip(".,") in _LEADING or (opens and words[0].lower() in stopwords())
        ):
            start += len(words[0]) + 1
            space = _SPACE.match(text, start)
            start = space.end() if space else start
            words = text[start : match.end()].split(" ") if start < match.end() else []
        name = text[start : match.end()].rstrip(".,-'’") if words else ""
        name = re.sub(r"['’]s$", "", name)
        alone = " " not in name and name[1:].islower() and is_long
        if not name or re.match(r"I\b", name) or (opens and alone and start == match.start()):
            continue  # a sentence's first word has its capital from the sentence
        tail = _NAME_TAIL.match(text, start + len(name))
        whole = name + (tail[0] if tail else "")
        yield Mention("name", whole, whole, start, start + len(whole))


def _opens(text: str, start: int) -> bool:
    """Tell whether a sentence begins here."""
    while start and text[start - 1].isspace():
        start -= 1
    return not start or text[start - 1] in ".!?:"
