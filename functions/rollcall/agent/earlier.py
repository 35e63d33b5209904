"""The calls that were made in a thread before one, as a capability may look at them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rollcall.core.context import EarlierCall
from rollcall.core.messages import ToolCall
from rollcall.store.message_log import read_calls


def earlier_calls(documents: Sequence[dict[str, Any]], place: int) -> Iterator[EarlierCall]:
    """Newest first.

    Args:
        documents: Of the log; the call itself is the `place`-th of the last one.
    """
    for document in reversed(documents):
        if document["role"] == "user":
            continue
        calls = read_calls(document)
        is_own = document is documents[-1]
        for at in range(len(calls) - 1, -1, -1):
            stored = document["results"].get(str(at))
            if stored is not None:
                yield _answered(calls[at], stored)
            elif is_own and at < place:
                yield EarlierCall(calls[at].name, calls[at].arguments or {}, is_open=True)


def _answered(call: ToolCall, stored: dict[str, Any]) -> EarlierCall:
    content: Any = None
    if not stored["isError"]:
        try:
            content = json.loads(stored["content"])
        except ValueError:
            content = None
    result = content.get("output") if isinstance(content, dict) else None
    return EarlierCall(call.name, call.arguments or {}, result)
