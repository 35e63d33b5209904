"""What "it", "its" and "there" stand for: the thing that was spoken of before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rollcall.core.messages import Json
from rollcall.models._offline.fill import Source, fill
from rollcall.models._offline.follow import last_call
from rollcall.models._offline.history import Turn
from rollcall.models._offline.named import Names
from rollcall.models._offline.plan import Goal
from rollcall.models._offline.schema import params
from rollcall.models._offline.which import says_what
from rollcall.models.base import ModelRequest, ToolSpec

_STANDS_FOR = re.compile(
    r"\b(?:it|its|there|that (?:one|circuit|panel)|the same (?:one|circuit|panel))\b"
    r"|(?<![א-ת])(?:שלו|שלה|שם|בו|בה|אותו|אותה|עליו|עליה|הזה|הזאת)(?![א-ת])",
    re.IGNORECASE,
)


def resolved(goals: Sequence[Goal], turn: Turn, request: ModelRequest) -> list[Goal]:
    """The goals, where one says "its wire" or "there" with the thing that the goal before it, or
    the last answer, was about."""
    last = last_call(turn)
    before: Mapping[str, Json] = (last.call.arguments or {}) if last else {}
    found: list[Goal] = []
    for goal in goals:
        about = _things(goal.tool, {**_filled(goal, turn, request), **goal.given}, request.names)
        if not about and _STANDS_FOR.search(goal.text):
            known = _things(goal.tool, before, request.names)
            goal = replace(goal, given={**known, **goal.given})
            about = known
        before = about or before
        found.append(goal)
    return found


def _filled(goal: Goal, turn: Turn, request: ModelRequest) -> dict[str, Json]:
    source = Source(goal.text, request.now_iso, turn.entities, request.names)
    return fill(goal.tool, source).arguments


def _things(tool: ToolSpec, arguments: Mapping[str, Json], names: Names) -> dict[str, Json]:
    """The arguments that say which thing is meant, as far as a tool takes them."""
    if not names:
        return {}
    told = [param for param in params(tool) if says_what(param, tool, names)]
    return {param.name: arguments[param.name] for param in told if param.name in arguments}
