"""Distinguishes questions about what something is or means from questions for a figure.

The patterns are `explanation` in the engine's texts: what such questions say, how short ones begin,
whose things those that ask for a figure name, figures, and that nothing is to be calculated.
"""

from __future__ import annotations

import re
from functools import cache

from rollcall.core.texts import TEXTS


@cache
def _pattern(kind: str, form: str = "{}") -> re.Pattern[str]:
    """The regular expressions of one kind, of all languages, as one in a form of their own."""
    listed = "|".join(TEXTS.phrases(f"explanation.{kind}"))
    return re.compile(form.format(listed), re.IGNORECASE)


def asks_what_it_is(text: str) -> bool:
    """Tell whether a message asks what something is or means, and not for a figure."""
    if _pattern("no_calculation").search(text):
        return True
    is_short = _pattern("openings", r"^\W*(?:{})\s+").match(text)
    is_owned = is_short and _pattern("owners", r"(?:{})\b").match(text, is_short.end())
    if not _pattern("about").search(text) and (not is_short or is_owned):
        return False
    return not _pattern("figures").search(text)
