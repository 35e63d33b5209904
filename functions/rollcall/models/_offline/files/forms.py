"""Patterns with Hebrew words in them, whose letters may stand in their final form or not."""

from __future__ import annotations

import re

_PAIRS = ("כך", "מם", "נן", "פף", "צץ")
_FORMS = {letter: pair for pair in _PAIRS for letter in pair}


def compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compile a pattern so that "תריצי?" takes "תריץ" too."""
    made: list[str] = []
    in_class = False
    for at, char in enumerate(pattern):
        escaped = at > 0 and pattern[at - 1] == "\\"
        if char == "[" and not escaped and not in_class:
            in_class = True
        elif char == "]" and not escaped and in_class:
            in_class = False
        pair = _FORMS.get(char)
        made.append(char if pair is None else pair if in_class else f"[{pair}]")
    return re.compile("".join(made), flags)
