"""Distinguishes questions about what something is or means from questions for a figure.

The patterns are in `explanation` of the engine's texts: phrases of such questions (`about`), how
short ones begin (`openings`), owners that questions for a figure name (`owners`), words for figures
(`figures`), and requests not to calculate (`no_calculation`).
"""

from __future__ import annotations

import re
from functools import cache

from rollcall.core.texts import TEXTS


@cache
def _pattern(kind: str, form: str = "{}") -> re.Pattern[str]:
    """Return one pattern of all expressions of a kind, in all languages, put into `form`."""
    listed = "|".join(TEXTS.phrases(f"explanation.{kind}"))
    return re.compile(form.format(listed), re.IGNORECASE)


def asks_what_it_is(text: str) -> bool:
    """Tell whether a message asks what something is or means rather than for a figure."""
    if _pattern("no_calculation").search(text):
        return True
    is_short = _pattern("openings", r"^\W*(?:{})\s+").match(text)
    is_owned = is_short and _pattern("owners", r"(?:{})\b").match(text, is_short.end())
    if not _pattern("about").search(text) and (not is_short or is_owned):
        return False
    return not _pattern("figures").search(text)
