"""Short answers to the planner's questions about files and commands."""

from __future__ import annotations

from collections.abc import Sequence

from rollcall.core.text import tokens
from rollcall.models._offline.files.paths import name_of
from rollcall.models._offline.lexicon import wordset
from rollcall.models._offline.options import yes_or_no
from rollcall.models._offline.ordinals import ORDINALS, bare

_ALL = wordset("all every everything כולם כולנ הכל הכול כל")
_NO = wordset("no don't dont cancel stop nothing never neither לא בטל עזוב עזבי כלום אל")


def chosen(text: str, offered: Sequence[str]) -> str | None:
    """Which of some offered answers a text picks: by its words or by its place."""
    said = text.strip().strip("`\"'“”.!").lower()
    for answer in offered:
        if said == answer.lower():
            return answer
    within = [a for a in offered if a.lower() in said] or [
        a for a in offered if name_of(a).lower() == said or (said and said in a.lower())
    ]
    if len(within) == 1:
        return within[0]
    words = tokens(text)
    places = [ORDINALS[word] for word in (*words, *bare(words)) if word in ORDINALS]
    if len(places) == 1 and len(words) <= 4 and -len(offered) <= places[0] < len(offered):
        return offered[places[0]]
    return None


def agrees(text: str) -> bool | None:
    """Whether a short text is a yes or a no; None where it is neither."""
    words = tokens(text)
    if len(words) > 6:
        return None
    if set(words) & _NO:
        return False
    if set(words) & _ALL:
        return True
    return yes_or_no(text)
