"""Renders tool results for a model: with numbered citations, in bounded size, without
credentials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct

from rollcall.core.errors import AgentError
from rollcall.core.redaction import redacted_json
from rollcall.core.shapes import Citation, Display
from rollcall.store.message_log import DOCUMENT_BYTES, compact_json, utf8_bytes

DISPLAY_CHARS = 60_000
_SHORT_TEXT = 200


class SizeLimit(Struct, frozen=True):
    """The longest text for a model, in characters and in bytes of UTF-8."""

    chars: int
    bytes: int = DOCUMENT_BYTES

    def holds(self, text: str) -> bool:
        return len(text) <= self.chars and utf8_bytes(text) <= self.bytes


def render(output: Any, citations: Sequence[Citation], *, limit: SizeLimit) -> tuple[str, Any]:
    """Return a result as JSON text for a model, and the output in it, within about `limit` and
    without credentials. If it is too large, the longest lists and texts are cut, and the text says
    so."""
    output = redacted_json(output)
    value: dict[str, Any] = {"output": output}
    if citations:
        value["citations"] = redacted_json([citation.dump() for citation in citations])
    text = compact_json(value)
    if limit.holds(text):
        return text, output
    for cut in _shorter_copies(value):
        text = compact_json(
            {**cut, "truncated": "the longest lists and texts were shortened to fit"}
        )
        if limit.holds(text):
            return text, cut["output"]
    return compact_json({"output": None, "truncated": "the result was too large to show"}), None


def bounded_display(display: Display) -> Display:
    """Return the display of a write's preview, cut to at most about `DISPLAY_CHARS` characters; its
    title then says so."""
    shown = display.dump()
    if len(compact_json(shown)) <= DISPLAY_CHARS:
        return display
    for cut in _shorter_copies(shown):
        cut["title"] = f"{cut.get('title') or ''} (…)".strip()
        if len(compact_json(cut)) <= DISPLAY_CHARS:
            return Display.model_validate(cut)
    return Display(type="text", text="(…)")


def render_error(error: AgentError, *, limit: SizeLimit) -> tuple[str, Any]:
    """Return a call's error as JSON text for a model, and the error in it, within about `limit`. If
    it is too large, the longest texts are cut."""
    value = {"error": redacted_json({"message": error.message, **error.details})}
    fitting = next(
        (cut for cut in chain([value], _shorter_copies(value)) if limit.holds(compact_json(cut))),
        {"error": {"code": error.code, "message": "(…)"}},
    )
    return compact_json(fitting), fitting["error"]


def _shorter_copies(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield ever shorter copies: each cuts the longest lists and texts further."""
    items = chars = 0  # the lengths of the longest list and of the longest text
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            chars = max(chars, len(item))
        elif isinstance(item, list):
            items = max(items, len(item))
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
    while items > 1 or chars > _SHORT_TEXT:
        items, chars = max(items * 3 // 4, 1), max(chars * 3 // 4, _SHORT_TEXT)
        yield {key: _cut(item, items=items, chars=chars) for key, item in value.items()}


def _cut(value: Any, *, items: int, chars: int) -> Any:
    """Return a copy whose lists have at most `items` items and whose texts `chars` characters."""
    if isinstance(value, str):
        return value if len(value) <= chars else value[:chars] + "…"
    if isinstance(value, list):
        return [_cut(item, items=items, chars=chars) for item in value[:items]]
    if isinstance(value, dict):
        return {key: _cut(item, items=items, chars=chars) for key, item in value.items()}
    return value
