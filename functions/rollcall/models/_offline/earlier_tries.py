"""What a try of the same message wrote before it was asked again or changed, which stays."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from rollcall.models._offline.fields import defanged, isolated, one_line
from rollcall.models._offline.phrases import say
from rollcall.models._offline.plan import Reply
from rollcall.models.base import ModelRequest

_WRITTEN = re.compile(r"Do not write it a second time:\n<data>\n(.*?)\n</data>", re.DOTALL)
_LINE = re.compile(r"^- (?P<tool>\w+) .*$", re.MULTILINE)
_MOST, _CHARS = 3, 160


def noted(reply: Reply, request: ModelRequest, language: str) -> Reply:
    """The reply, which says beside a write that a try before it has written with the same tool.

    What was written is told in the instructions alone: the turn that did it is left out of the
    history. Whether it is the same again is for the person to see, who is asked for the yes.
    """
    writes = {tool.name for tool in request.tools if tool.writes}
    names = {call.name for call in reply.calls} & writes
    lines = list(_written(request.instructions, names)) if names else []
    if not lines:
        return reply
    told_lines = (isolated(defanged(one_line(line, most=_CHARS))) for line in lines[-_MOST:])
    shown = "\n".join(f"- {line}" for line in told_lines)
    told = say("written_before", language, lines=shown)
    return replace(reply, text="\n\n".join(filter(None, (reply.text, told))))


def _written(instructions: str, names: set[str]) -> Iterator[str]:
    section = _WRITTEN.search(instructions)
    for line in _LINE.finditer(section[1]) if section else ():
        if line["tool"] in names:
            yield line[0].removeprefix("- ")
