"""Cues: the patterns by which the rules read chat, from `cues` of the pack's texts.

Each language has its own patterns. A list holds expressions that match whole words, a string is a
regular expression, and `%name%` in either stands for `parts.name` of its topic (a list there holds
alternatives). Patterns are compiled on first use: there are hundreds, and compiling all of them
would slow the start of every function of this package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any

from packs.messaging.wording import TEXTS

_NIQQUD = re.compile("[\u0591-\u05bd\u05bf-\u05c7]")
_TYPOGRAPHY = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u05f3": "'", "\u05f4": '"', "\u201c": '"', "\u201d": '"'}
    | {"\u05be": "-", "\u2013": "-", "\u2014": "-", "\u200f": None, "\u200e": None}
)
_PART = re.compile(r"%(\w+)%")


def plain(text: str) -> str:
    """Return a text with simple quotes and dashes, without niqqud, on one line."""
    return " ".join(_NIQQUD.sub("", text.translate(_TYPOGRAPHY)).split())


class Pattern:
    """Regular expressions, one per language, used as one: the first match in the text counts."""

    def __init__(self, *sources: str) -> None:
        self._sources = sources

    @cached_property
    def _compiled(self) -> list[re.Pattern[str]]:
        return [re.compile(source) for source in self._sources]

    def search(self, text: str, at: int = 0) -> re.Match[str] | None:
        """Return the first match anywhere."""
        found = [match for each in self._compiled if (match := each.search(text, at))]
        return min(found, key=re.Match.start) if found else None

    def match(self, text: str, at: int = 0) -> re.Match[str] | None:
        """Return the match that begins at a place."""
        return next((match for each in self._compiled if (match := each.match(text, at))), None)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all matches, in order."""
        at = 0
        while at <= len(text) and (match := self.search(text, at)):
            yield match
            at = max(match.end(), match.start() + 1)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return the text with matches replaced."""
        for each in self._compiled:
            text = each.sub(replacement, text)
        return text

    def split(self, text: str) -> list[str]:
        """Return the parts between matches."""
        parts, end = [], 0
        for match in self.finditer(text):
            parts.append(text[end : match.start()])
            end = match.end()
        return [*parts, text[end:]]


@cache
def pattern(key: str) -> Pattern:
    """Return the pattern of a key such as "actions.label", for all languages."""
    topic = key.partition(".")[0]
    found = [(each, TEXTS.find(each, f"cues.{key}")) for each in TEXTS.languages]
    return Pattern(*(_expression(each, topic, source) for each, source in found if source))


@cache
def rows(key: str) -> tuple[tuple[Pattern, dict[str, Any]], ...]:
    """Return the patterns of a list of objects, each with its object."""
    topic = key.partition(".")[0]
    return tuple(
        (Pattern(_expression(each, topic, row["pattern"])), row)
        for each in TEXTS.languages
        for row in TEXTS.find(each, f"cues.{key}") or ()
    )


def patterns(key: str) -> list[tuple[Pattern, float]]:
    """Return the patterns of a list with their confidence, 0 to 1, by default 1."""
    return [(each, row.get("confidence", 1.0)) for each, row in rows(key)]


def joined(key: str) -> str:
    """Return the expressions of all languages as alternatives of one."""
    return "|".join(str(TEXTS.data(each, f"cues.{key}")) for each in TEXTS.languages)


def agrees(text: str) -> bool:
    """Tell whether a reply agrees without reservation."""
    text = plain(text)
    if "?" in text[:25] or pattern("talk.hesitates").search(text):
        return False
    return pattern("talk.agrees").match(text) is not None


def refuses(text: str) -> bool:
    """Tell whether a reply refuses or postpones."""
    return pattern("talk.refuses").match(plain(text)) is not None


def _expression(language: str, topic: str, source: str | list[str]) -> str:
    """Return the regular expression of a pattern, or of a list of whole words."""
    if isinstance(source, list):
        start, end = TEXTS.data(language, "cues.word")
        source = f"(?i){start}(?:{'|'.join(source)}){end}"
    return _PART.sub(lambda match: _part(language, f"cues.{topic}.parts.{match[1]}"), source)


def _part(language: str, key: str) -> str:
    found = TEXTS.data(language, key)
    return "|".join(sorted(found, key=len, reverse=True)) if isinstance(found, list) else str(found)
