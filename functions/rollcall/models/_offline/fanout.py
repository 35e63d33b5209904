"""One request, several calls of one tool: "the weather in Paris and in Rome"."""

from __future__ import annotations

import re

from rollcall.core.messages import Json
from rollcall.models._offline.fill import Source
from rollcall.models._offline.mentions import Mention, mentions
from rollcall.models._offline.numbers import in_unit
from rollcall.models._offline.schema import Param, accepts, params
from rollcall.models.base import ToolSpec

_MOST = 5
_JOINT = re.compile(
    r"\s*(?:,|;|(?:,\s*)?(?:and|or|as well as|then)|ו-?)\s*"
    r"(?:(?:for|in|of|to|at|on|from|with|the|also|another|one|a)\s+)*",
    re.IGNORECASE,
)


def variants(
    tool: ToolSpec, arguments: dict[str, Json], source: Source, given: dict[str, Json]
) -> list[dict[str, Json]]:
    """Return the arguments of every call that the request means.

    Where the value of a single-valued parameter stands in a list with others of its kind, each
    of them is a call of its own.
    """
    found = mentions(source.text, source.now_iso)
    used = {_key(value) for value in arguments.values() if not isinstance(value, list | dict)}
    for param in params(tool):
        value = arguments.get(param.name)
        if value is None or param.name in given or isinstance(value, list | dict | bool):
            continue
        others = _listed_with(param, value, found, source.text, used)
        if others:
            each = [value, *others][:_MOST]
            return [{**arguments, param.name: one} for one in each]
    return [arguments]


def _listed_with(
    param: Param, value: Json, found: tuple[Mention, ...], text: str, used: set[str]
) -> list[Json]:
    at = next((i for i, m in enumerate(found) if _key(_value(param, m)) == _key(value)), None)
    if at is None or found[at].kind not in ("name", "number", "quote"):
        return []
    others: list[Json] = []
    for before, mention in zip(found[at:], found[at + 1 :], strict=False):
        joined = _JOINT.fullmatch(text[before.end : mention.start])
        other = _value(param, mention)
        if not joined or mention.kind != before.kind or _key(other) in used:
            break
        if other is None or not accepts(param, other):
            break
        others.append(other)
    return others


def _value(param: Param, mention: Mention) -> Json:
    return in_unit(param, mention) if mention.kind == "number" else mention.value


def _key(value: Json) -> str:
    return str(value).strip().lower()
