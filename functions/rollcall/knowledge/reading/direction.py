"""Hebrew that a PDF gives letter by letter from the left, put into the order it is read in.

A PDF stores where letters stand and not in which order they are read. Libraries turn runs of
right-to-left letters round, which is wrong where the file had them in reading order already: the
words then come out backwards. Five letters tell: ך ם ן ף ץ stand at the end of a word and
hardly ever at its beginning; and so do a few of the most frequent words, which are none when read
from behind. A line is backwards where more of its words say so than say the opposite; a line in
which none says anything goes by the page. Such a line is reversed, and what is read from the left
in it (numbers; Latin words, with the numbers beside them) is reversed back.

What this does not mend: a line of both languages whose parts a PDF has from left to right keeps
that order of parts. Each part reads well, and words are found.
"""

from __future__ import annotations

import re

_WORD = re.compile("[\u05d0-\u05ea]{2,}")
_FINAL = frozenset("ךםןףץ")
_TOKEN = (
    r"[0-9A-Za-z\u00c0-\u024f](?:[0-9A-Za-z\u00c0-\u024f%°.,:/'+\-]*[0-9A-Za-z\u00c0-\u024f%°])?"
)
_LEFT_TO_RIGHT = re.compile(rf"{_TOKEN}(?: {_TOKEN})*")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_FREQUENT = frozenset(["של", "על", "הוא", "היא", "או", "כי", "זה", "לא", "גם", "אשר"])
_FROM_BEHIND = frozenset(word[::-1] for word in _FREQUENT) - {"אל"}  # which is a word too
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def readable(text: str) -> str:
    """The text of a page, each line in reading order."""
    if not _WORD.search(text):
        return text
    page = _backwards(text)
    lines = text.split("\n")
    return "\n".join(_turned(line) if (_backwards(line) or page) > 0 else line for line in lines)


def _backwards(text: str) -> int:
    """Above 0 where words are backwards, below where they are not, 0 where nothing tells."""
    return sum(_says(word) for word in _WORD.findall(text))


def _says(word: str) -> int:
    """Above 0 for a word that is backwards."""
    if word in _FREQUENT:
        return -1
    if word in _FROM_BEHIND:
        return 1
    return (word[0] in _FINAL) - (word[-1] in _FINAL)


def _turned(line: str) -> str:
    if not _WORD.search(line):
        return line
    turned = line[::-1].translate(_MIRRORED)
    return _LEFT_TO_RIGHT.sub(lambda found: _from_left(found[0]), turned)


def _from_left(run: str) -> str:
    """Words that are read from the left keep their order; numbers alone follow the Hebrew."""
    if _LATIN.search(run):
        return run[::-1]
    return " ".join(number[::-1] for number in run.split(" "))
