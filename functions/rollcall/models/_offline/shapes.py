"""Text arguments that can be told by their shape: dates, times, addresses, files, codes."""

from __future__ import annotations

import re

from rollcall.core.messages import Json
from rollcall.models._offline.mentions import Mention
from rollcall.models._offline.options import amount_in_unit
from rollcall.models._offline.schema import Param
from rollcall.models.base import ToolSpec


def take(left: list[Mention], *kinds: str) -> str | None:
    """Return the first mention of some kinds, and take it from the list."""
    found = next((mention for mention in left if mention.kind in kinds), None)
    if found is None:
        return None
    left.remove(found)
    return str(found.value)


def by_shape(param: Param, text: str, left: list[Mention], tool: ToolSpec) -> Json | None:
    """Dates, times, addresses, files and ids say themselves what they are."""
    label, form = set(param.label.split()), str(param.schema.get("format", ""))
    measured = amount_in_unit(param, text)
    if measured is not None and param.kind == "string":
        return measured
    if form in ("date", "date-time") or label & {"date", "day", "deadline", "due", "when"}:
        return _date(param, left)
    if "year" in label:
        return take(left, "number")
    if form == "time" or (label & {"time", "hour"} and "zone" not in label):
        return take(left, "time")
    if form == "email" or "email" in label:
        return take(left, "email")
    if form == "uri" or label & {"url", "link", "uri", "website"}:
        return take(left, "url")
    if label & {"path", "file", "filename", "directory", "folder"}:
        return take(left, "path") or _folder(text)
    if label & {"id", "ids", "code", "identifier"} and not param.refers_to:
        return take(left, "code")
    return None


def _folder(text: str) -> str | None:
    match = re.search(r"(?<!\w)in\s+(?:the\s+)?([\w.-]+)(?:\s+(?:folder|directory))?\W*$", text)
    return match[1] if match else None


def _date(param: Param, left: list[Mention]) -> str | None:
    found = take(left, "date")
    if found and param.schema.get("format") == "date-time":
        return f"{found}T00:00:00Z"
    return found
