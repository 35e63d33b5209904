"""Which lines a request means: by number, by place, or by what is in them."""

from __future__ import annotations

import re

from rollcall.core.text import tokens
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.lines import Having, Numbered
from rollcall.models._offline.files.masked import HELD, Masked
from rollcall.models._offline.lexicon import wordset
from rollcall.models._offline.ordinals import ORDINALS

_COUNTS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10,
    "שתי": 2, "שלוש": 3, "ארבע": 4, "חמש": 5, "עשר": 10,
}  # fmt: skip
_MANY = rf"\d{{1,4}}|{'|'.join(_COUNTS)}"
_PLACE = r"first|second|third|fourth|last|very last|very first|\d{1,5}(?:st|nd|rd|th)"
_PLACE_HE = r"ראשונה|שנייה|שניה|שלישית|אחרונה"
_JOIN = r"\s*(?:-|–|,\s*and|,|to|through|until|till|and|עד(?:\s+שורה)?|ו[-־]?(?:שורה\s+)?)\s*"
NUMBERED = (
    rf"(?:(?:(?:the\s+)?(?:lines?|rows?)\s+(?:numbers?\s+|no\.?\s+)?|"
    rf"(?:את\s+)?ה?שור(?:ה|ות)\s+(?:מספר\s+|מס['׳]\s+)?)"
    rf"(?P<numbers>\d{{1,7}}(?:{_JOIN}\d{{1,7}}){{0,20}})|"
    rf"(?:the\s+)?(?P<place>{_PLACE})\s+(?:(?P<many>{_MANY})\s+)?(?:lines?|rows?)|"
    rf"(?:את\s+)?ה?שורה\s+ה(?P<place_he>{_PLACE_HE})|"
    rf"(?:את\s+)?(?P<many_he>{_MANY})\s+ה?שורות\s+ה(?P<some_he>ראשונות|אחרונות))"
)
"""A pattern for lines by their numbers or places; `numbered` reads what it found."""

_ONE = (
    rf"(?:{HELD}|(?![-+])[A-Za-z0-9_$@#%^&*+=<>/\\.(){{}}\[\]-]*[A-Za-z0-9_$%\])}}>*]|"
    rf"[א-ת][א-ת0-9'׳״-]{{1,40}})"
)
_WITH = (
    r"(?:(?:that|which|with|containing|contains?|ha(?:s|ve)|having|says?|saying|mentions?|"
    r"mentioning|"
    r"starts? with|reads?|including|includes?|the|a|an|word|text|in (?:it|them))\s+)+"
)
_WITH_HE = (
    r"(?:(?:עם|של|שבה|שבהן|שיש בה|שיש בהן|שכתוב בה|שכתוב בהן|שמכילה|שמכילות|המכילה|המכילות|"
    r"שמופיע(?:ה|ים|ות)?\s+(?:בה|בהן|בהם)|ש(?:יש|כתוב)?\s*בהם|ה?מילה|ה?טקסט|את)\s+)+"
)
MARKED = (
    rf"(?:(?P<every>(?:(?:all|every|each|any|of)\s+)+)?(?:the\s+)?(?:"
    rf"(?P<blank>(?:empty|blank)\s+lines?)|"
    rf"lines?\s+(?:{_WITH})?(?P<with>{_ONE})(?:\s+in (?:it|them))?|"
    rf"(?P<marked>{_ONE})\s+(?P<lines>lines?)|(?P<alone>{HELD}))|"
    rf"(?:את\s+)?(?P<every_he>כל\s+)?(?:ה?שור(?:ה|ת|ות)\s+(?:(?P<blank_he>ה?ריק(?:ה|ות))|"
    rf"(?:{_WITH_HE}(?:ה[-־])?|ה[-־]|(?=[A-Z\ue000-\uf8ff]))(?P<with_he>{_ONE}))|(?P<alone_he>{HELD})))"
)
"""A pattern for lines by what is in them; `having` reads what it found."""

ENDS = (
    r"(?P<ends>(?:the\s+)?(?:very\s+)?(?:top|beginning|start|head|end|bottom)(?: of(?: it)?| "
    r"of the file)?|ה?(?:התחלה|תחילת?|ראש|סוף|סופו)(?:\s+ה?קובץ)?)"
)
"""A pattern for a file's beginning and end; `BEGINNING` and `END` tell which."""
END = compiled(r".*(?:\bend\b|bottom|סו[פף]).*")
BEGINNING = compiled(r".*(?:top|beginning|start|head|התחלה|תחיל|ראש).*")

_NO_MARK = wordset(
    """first last second third whole entire same next previous other above below these those this
    that few some many more long wrong the new old it them"""
)
_MARKERS = compiled(r"(TODO|FIXME|XXX|HACK)s?")


def numbered(found: re.Match[str]) -> Numbered:
    """The lines that `NUMBERED` found."""
    if said := found["numbers"]:
        return Numbered(tuple(_ranges(said)))
    if found["some_he"]:
        many = _count(found["many_he"])
        return Numbered(((1, many),) if found["some_he"].startswith("ראש") else ((-many, -1),))
    place = (found["place"] or found["place_he"]).lower().removeprefix("very ")
    if place[0].isdigit():
        at = int(re.match(r"\d+", place)[0])  # type: ignore[index]
    else:
        at = ORDINALS[tokens(place)[0]]
        at = at + 1 if at >= 0 else at
    many = _count(found["many"]) if found["many"] else 1
    return Numbered(((at, at + many - 1),) if at > 0 else ((-many, -1),))


def _ranges(said: str) -> list[tuple[int, int]]:
    """The ranges that "3", "3-5" and "3, 5 and 7" mean."""
    found: list[tuple[int, int]] = []
    parts = re.split(r"(\d+)", said)[1:-1]
    number: int | None = None
    joins = False
    for part in parts:
        if not part.isdigit():
            joins = bool(re.search(r"(?<!ו)-|–|to|through|until|till|עד", part))
            continue
        number = int(part)
        if joins:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
        joins = False
    return found


def _count(said: str) -> int:
    return int(said) if said.isdigit() else _COUNTS[said.lower()]


def having(found: re.Match[str], of: Masked) -> Having | None:
    """The lines that `MARKED` found; None where its words name none."""
    groups = found.groupdict()
    every = bool(groups["every"] or groups["every_he"])
    if groups["blank"] or groups["blank_he"]:
        return Having("", every=True)
    names = ("with", "marked", "alone", "with_he", "alone_he")
    said = next(groups[name] for name in names if groups[name])
    if said.lower() in _NO_MARK or said.isdecimal():
        return None
    text = of.value(said)
    if marker := _MARKERS.fullmatch(text):
        text = marker[1].upper()
    many = groups["lines"] == "lines" or "lines " in found[0] or "שורות" in found[0]
    return Having(text, every=every or many)
