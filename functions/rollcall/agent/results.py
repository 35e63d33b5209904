"""Tool results on their way to the model: numbered sources, bounded size."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from rollcall.core.errors import AgentError
from rollcall.core.wire import Citation

_MARK = re.compile(r"\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]")
MAX_CITATIONS = 100


class Sources:
    """The citations of a turn, each numbered once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], Citation] = {}

    def number(self, citations: Sequence[Citation]) -> list[Citation]:
        """The same citations with their numbers in this turn; past `MAX_CITATIONS` none are new."""
        numbered = []
        for citation in citations:
            key = (citation.type, citation.message_id or citation.title, citation.table)
            if key not in self._numbers:
                if len(self._numbers) >= MAX_CITATIONS:
                    continue
                n = len(self._numbers) + 1
                self._numbers[key] = citation.model_copy(update={"n": n})
            numbered.append(self._numbers[key])
        return numbered

    def referred_to(self, text: str) -> list[Citation]:
        """The citations whose marks stand in `text`; all where it has no mark of ours."""
        everything = list(self._numbers.values())
        marks = {int(n) for found in _MARK.findall(text) for n in found.split(",")}
        return [citation for citation in everything if citation.n in marks] or everything


def render(output: Any, citations: Sequence[Citation], *, limit: int) -> tuple[str, Any]:
    """The JSON text a model reads, and the output in it, of at most about `limit` characters.

    What does not fit is cut from the longest lists and texts, and the cut is said.
    """
    value: dict[str, Any] = {"output": output}
    if citations:
        value["citations"] = [citation.dump() for citation in citations]
    text = _json(value)
    cuts = 0
    while len(text) > limit and cuts < 200:
        if not _cut_longest(value):
            return _json({"output": None, "truncated": "the result was too large to show"}), None
        cuts += 1
        value["truncated"] = "the longest lists and texts were shortened to fit"
        text = _json(value)
    return text, value["output"]


def render_error(error: AgentError) -> str:
    """The JSON text that tells a model why a call failed."""
    details = {"message": error.message, **error.details}
    return _json({"error": details})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _cut_longest(value: dict[str, Any]) -> bool:
    """Shorten, in place of a copy, the largest list or text inside; False when nothing is left."""
    best: tuple[int, Any, Any] | None = None
    stack: list[tuple[Any, Any]] = [(value, key) for key in value]
    while stack:
        holder, key = stack.pop()
        item = holder[key]
        size = 0
        if isinstance(item, str) and len(item) > 200:
            size = len(item)
        elif isinstance(item, list) and len(item) > 1:
            size = len(_json(item))
        if size and (best is None or size > best[0]):
            best = (size, holder, key)
        if isinstance(item, dict):
            holder[key] = item = dict(item)
            stack.extend((item, inner) for inner in item)
        elif isinstance(item, list):
            holder[key] = item = list(item)
            stack.extend((item, index) for index in range(len(item)))
    if best is None:
        return False
    _, holder, key = best
    item = holder[key]
    half = max(len(item) // 2, 1)
    holder[key] = item[:half] + "…" if isinstance(item, str) else item[:half]
    return True
