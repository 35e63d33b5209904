"""A step of the log in short: what its calls read and wrote is left out.

The log keeps everything. Short are the documents that a model's history is made of, and those of
the window view, which the next run's history is made of.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from rollcall.core.capability import Recap
from rollcall.core.messages import ToolCall
from rollcall.store.log import calls_of

RECORD_CHARS = 1_000
"""The longest record of a call that a short step keeps whole."""

BROKEN_CHARS = 1_000
"""Of arguments that are no JSON: so much is enough to see what was meant."""

RecapOf = Callable[[ToolCall, Any], Recap | None]
"""How a call is told in short, from it and what it returned; None where it is told as it was."""


class Short(Struct, frozen=True):
    """A step in short.

    Attributes:
        size: Of what a model sees of it, in bytes of UTF-8.
        of: What its calls read and wrote.
    """

    document: dict[str, Any]
    size: int
    of: frozenset[str]


def in_short(document: dict[str, Any], recap_of: RecapOf) -> Short:
    """A step in short. A short step is as short as it gets.

    A reply whose arguments change goes back to its provider as another provider's would: what the
    provider kept for itself tells of the arguments as they were.
    """
    if document.get("isShort"):
        return Short(document, size(document), frozenset())
    calls, results, of = list(document["toolCalls"]), dict(document["results"]), set[str]()
    has_changed = False
    for place, call in enumerate(calls_of(document)):
        stored = results.get(str(place))
        content = _content(stored) if stored else {}
        recap = recap_of(call, content.get("output"))
        if call.arguments is None and len(call.arguments_text) > BROKEN_CHARS:
            has_changed = True
            calls[place] = {**calls[place], "argumentsText": _begun(call.arguments_text)}
        if recap is None:
            continue
        of |= {recap.of} if recap.of else set()
        if recap.arguments != call.arguments:
            has_changed = True
            calls[place] = {**calls[place], "arguments": _json(recap.arguments)}
        if stored:
            results[str(place)] = _told(stored, content, recap)
    short = {**document, "toolCalls": calls, "results": results, "isShort": True}
    if has_changed:
        short["providerParts"] = "[]"
    return Short(short, size(short), frozenset(of))


def size(document: dict[str, Any]) -> int:
    """Bytes of what a model sees of a step, and of what its provider keeps with it."""
    calls = sum(
        len((each["arguments"] or each["argumentsText"]).encode()) for each in document["toolCalls"]
    )
    said = len(document["text"].encode()) + calls
    kept = len(document["providerParts"].encode())
    return max(said, kept) + sum(len(each["content"].encode()) for each in _results(document))


def _begun(text: str) -> str:
    return f"{text[: BROKEN_CHARS // 2]}… ({len(text):,} characters)"


def _results(document: dict[str, Any]) -> list[dict[str, Any]]:
    return list(document["results"].values())


def _content(stored: dict[str, Any]) -> dict[str, Any]:
    try:
        content = json.loads(stored["content"])
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _told(stored: dict[str, Any], content: dict[str, Any], recap: Recap) -> dict[str, Any]:
    """A result as it is told in short; one of a call that failed stays."""
    told = {**stored, "record": _record(stored, recap)}
    if not stored["isError"] and "output" in content and recap.output != content["output"]:
        told["content"] = _json({**content, "output": recap.output})
    return told


def _record(stored: dict[str, Any], recap: Recap) -> str:
    """The call's record for the user without what is large in it."""
    text: str = stored.get("record") or ""
    if len(text) <= RECORD_CHARS:
        return text
    record = {**json.loads(text), "arguments": recap.arguments}
    return _json({key: record[key] for key in record if key not in ("display", "undo")})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
