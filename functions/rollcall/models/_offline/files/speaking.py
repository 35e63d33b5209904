"""Which language a request about files is in: its own words decide, not its names and paths."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rollcall.models._offline.files.masked import HELD, masked
from rollcall.models._offline.files.paths import PATH

_NO_WORDS = re.compile(rf"{PATH}|{HELD}")
_CODE = re.compile(r"[\d_$(){}/\\=<>*]")
_BEGINNING = 1_000
_WORD = re.compile(r"[א-ת]+|[A-Za-z]+")


def language_of(texts: Iterable[str], otherwise: str) -> str:
    """The language of the first text that has words: that of its first word, for "run npm test"
    in Hebrew has more English words than Hebrew ones."""
    for text in texts:
        said = _NO_WORDS.sub(" ", masked(text).text[:_BEGINNING]).split()
        plain = " ".join(word for word in said if not _CODE.search(word))
        if word := _WORD.search(plain):
            return "he" if "א" <= word[0][0] <= "ת" else "en"
    return otherwise
