"""What the audit's entries of runs and ratings add to the counts of usage."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import UTC, date
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import asdict

C = TypeVar("C", "RunCounts", "ToolCounts")


class Key(NamedTuple):
    """What counts are of: an agent in a variant, and there one of its tools or, where that is
    None, all that it does."""

    agent: str
    variant: str | None
    tool: str | None = None

    def text(self) -> str:
        return json.dumps(list(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def of(cls, text: str) -> Key:
        return cls(*json.loads(text))


class RunCounts(Struct, frozen=True):
    """An agent's runs.

    Attributes:
        turns: Runs that began a turn; the others go on after somebody answered.
        waiting: Runs that ended with a question to a person or to the client.
        stopped: Runs that a bound or the user ended.
        offered: Tools chosen for turns, altogether.
        missing: Runs in which a tool was called that had not been chosen.
        up, down: Ratings.
    """

    runs: int = 0
    turns: int = 0
    succeeded: int = 0
    waiting: int = 0
    stopped: int = 0
    failed: int = 0
    offered: int = 0
    called: int = 0
    missing: int = 0
    up: int = 0
    down: int = 0
    steps: int = 0
    ms: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0


class ToolCounts(Struct, frozen=True):
    """One tool's.

    Attributes:
        offered: Turns that it was chosen for.
        called: Calls of it; those that neither succeeded nor failed were refused, or a person
            said no.
        missed: Runs in which it was called and had not been chosen.
        up, down: Ratings of runs that called it.
        micro_usd: Its part of what these runs cost, which is shared evenly by their calls; tokens
            likewise.
    """

    offered: int = 0
    called: int = 0
    succeeded: int = 0
    failed: int = 0
    missed: int = 0
    up: int = 0
    down: int = 0
    ms: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    micro_usd: int = 0


Counts = RunCounts | ToolCounts


def added(one: C, other: C) -> C:
    """The sum."""
    sums = {name: getattr(one, name) + getattr(other, name) for name in one.__struct_fields__}
    return type(one)(**sums)


def record(counts: Counts) -> dict[str, int]:
    """As plain JSON, without zeros."""
    return {name: number for name, number in asdict(counts).items() if number}


def read(key: Key, stored: Mapping[str, int] | None) -> Counts:
    """Read what `record` made."""
    kind = RunCounts if key.tool is None else ToolCounts
    known = kind.__struct_fields__
    return kind(**{name: number for name, number in (stored or {}).items() if name in known})


class Addition(NamedTuple):
    """What an entry adds to the counts of a day, such as "2026-11-21"."""

    day: str
    key: Key
    counts: Counts


def additions(entry: Mapping[str, Any], known: Container[str]) -> Iterator[Addition]:
    """What an entry of the audit adds.

    Args:
        known: Ids of what there is; a model may call anything a tool.
    """
    if entry["kind"] == "rating":
        yield from _of_rating(entry, known)
    else:
        yield from _of_run(entry, known)


def _of_run(entry: Mapping[str, Any], known: Container[str]) -> Iterator[Addition]:
    day = entry["beganAt"].astimezone(UTC).date().isoformat()
    agent, variant = entry["agent"], entry["variant"]
    begins = entry["turnId"] == entry["runId"]
    tokens = _tokens(entry["usage"])
    calls = entry["calls"]
    outcome = entry["outcome"]
    yield Addition(
        day,
        Key(agent, variant),
        RunCounts(
            runs=1,
            turns=int(begins),
            succeeded=int(outcome == "success"),
            waiting=int(outcome == "interrupt"),
            stopped=int(outcome == "cancelled"),
            failed=int(outcome == "failed"),
            offered=entry["offeredCount"] if begins else 0,
            called=len(calls) + entry["callsLeftOut"],
            missing=int(bool(entry["missed"])),
            steps=entry["steps"],
            ms=round((entry["at"] - entry["beganAt"]).total_seconds() * 1000),
            micro_usd=entry["microUsd"],
            **tokens,
        ),
    )
    for id in entry["offered"] if begins else ():
        yield Addition(day, Key(agent, variant, id), ToolCounts(offered=1))
    for id in entry["missed"]:
        if id in known:
            yield Addition(day, Key(agent, variant, id), ToolCounts(missed=1))
    costs = _shared({**tokens, "micro_usd": entry["microUsd"]}, len(calls))
    for call, cost in zip(calls, costs, strict=True):
        if call["tool"] in known:
            yield Addition(day, Key(agent, variant, call["tool"]), _of_call(call, cost))


def _of_call(call: Mapping[str, Any], cost: Mapping[str, int]) -> ToolCounts:
    return ToolCounts(
        called=1,
        succeeded=int(call["status"] == "done"),
        failed=int(call["status"] in ("failed", "unknown")),
        ms=call["ms"],
        **cost,
    )


def _of_rating(entry: Mapping[str, Any], known: Container[str]) -> Iterator[Addition]:
    """A rating that was changed takes back what it was."""
    changes = {
        each: (entry["rating"] == each) - (entry["before"] == each) for each in ("up", "down")
    }
    day = date.fromisoformat(entry["runDay"]).isoformat()
    agent, variant = entry["agent"], entry["variant"]
    yield Addition(day, Key(agent, variant), RunCounts(**changes))
    for id in entry["called"]:
        if id in known:
            yield Addition(day, Key(agent, variant, id), ToolCounts(**changes))


def _tokens(usage: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {
        "input_tokens": sum(each.get("inputTokens", 0) for each in usage),
        "cached_input_tokens": sum(each.get("cachedInputTokens", 0) for each in usage),
        "output_tokens": sum(each.get("outputTokens", 0) for each in usage),
    }


def _shared(totals: Mapping[str, int], parts: int) -> list[dict[str, int]]:
    """Even shares that add up to the totals: the first ones are larger by one."""
    return [
        {name: n // parts + (place < n % parts) for name, n in totals.items()}
        for place in range(parts)
    ]
