"""A part of a request that no tool was found for, which is said rather than passed over."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rollcall.models._offline.choose import best
from rollcall.models._offline.fields import defanged, one_line
from rollcall.models._offline.phrases import say
from rollcall.models.base import ToolSpec

_ALSO_TELL = re.compile(
    r"[\s,](?:and |then )(?:then |also )?(?P<rest>(?:tell|let) (?:me|us) (?:know )?\w.*)$|"
    r"[\s,]ו(?:גם )?(?P<rest_he>(?:תגידי?|תספרי?|ספרי?|אמור|אמרי)(?: לי)? [א-ת].*)$",
    re.IGNORECASE | re.DOTALL,
)
_CHARS = 80


def unmet(text: str, tools: Sequence[ToolSpec], language: str) -> str:
    """A sentence on "…and tell me who is in it" where no tool is for that; "" without such a part.

    What was found for the rest may answer it as well, which only a reader can tell.
    """
    found = _ALSO_TELL.search(text)
    part = (found["rest"] or found["rest_he"]).strip(" ?!.") if found else ""
    if not part or best(part, tools) is not None:
        return ""
    return say("unmet", language, part=defanged(one_line(part, most=_CHARS)))
