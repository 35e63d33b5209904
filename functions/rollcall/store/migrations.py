"""Migrations: read documents of earlier schema versions as the current one.

A document's `schemaVersion` says which version wrote it; without one it is 0. Reading migrates it
one version at a time up to `NEWEST`. Nothing is written back, so that an older release can still
read its own documents. A step is a function from a document's data to that of the next version; a
kind without a step for a version did not change in it.

    0 -> 1   a thread's context was a map; it is kept as JSON text
    1 -> 2   a step's results were keyed by the call's id; now by the call's place
             a thread stores what it waits for, and what was allowed in it for good
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from rollcall.core.errors import FailedPrecondition

Kind = Literal["thread", "message", "run", "approval", "effect"]
Data = dict[str, Any]

NEWEST = 2
"""The version that this code reads and writes."""


def read(kind: Kind, data: Mapping[str, Any]) -> Data:
    """Return a stored document in the form of the newest version; `data` is unchanged.

    Raises:
        FailedPrecondition: It was written by a newer version, whose fields this code cannot know.
    """
    version = data.get("schemaVersion", 0)
    if not isinstance(version, int) or version > NEWEST:
        raise FailedPrecondition(
            f"this {kind} was stored by version {version!r} of the schema; this deployment reads"
            f" up to {NEWEST}",
            hint="deploy the newer code again",
        )
    migrated = dict(data)
    for number in range(version, NEWEST):
        if step := _STEPS.get((kind, number)):
            migrated = step(migrated)
    return {**migrated, "schemaVersion": NEWEST}


def _context_as_text(thread: Data) -> Data:
    context = thread.get("context")
    if context is None or isinstance(context, str):
        return thread
    return {**thread, "context": json.dumps(context, ensure_ascii=False)}


def _results_by_place(message: Data) -> Data:
    """Key a step's results by the place of their call, the first being "0"; a user's message has
    none."""
    calls, results = message.get("toolCalls"), message.get("results")
    if not calls or not results:
        return message
    by_place = {
        str(place): results[call["id"]] for place, call in enumerate(calls) if call["id"] in results
    }
    # Some documents of version 1 were keyed by place already; they stay unchanged.
    return {**message, "results": by_place or results}


_STEPS: dict[tuple[str, int], Callable[[Data], Data]] = {
    ("thread", 0): _context_as_text,
    # The first threads whose context was a map also say version 1.
    ("thread", 1): lambda thread: {"waiting": None, "allowed": {}, **_context_as_text(thread)},
    ("message", 1): _results_by_place,
}
