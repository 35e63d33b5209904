"""What runs and ratings add to the counts, and what a share says beside its count.

Expected values of intervals: Newcombe, Statistics in Medicine 17 (1998), 857, 873.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.core.context import User
from rollcall.core.wire import CallStatus, ModelUsage, ToolCallRecord
from rollcall.registry.usage import Counts, Proportion, Subject, additions, summed
from rollcall.store import audit

NIGHT = datetime(2026, 11, 21, 23, 59, 59, tzinfo=UTC)
KNOWN = {"look_up", "pay", "search_all", "find_tools"}
ALL = Subject("office", "V2")


def call(tool: str, status: str = "done", ms: int = 40) -> ToolCallRecord:
    return ToolCallRecord(id="c", tool=tool, arguments={}, status=CallStatus(status), step=1, ms=ms)


def run_entry(*calls: ToolCallRecord, **changes: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "user": User("ann"),
        "thread_id": "t1",
        "turn_id": "r1",
        "run_id": "r1",
        "agent": "office",
        "models": ["gemini:x"],
        "variant": "V2",
        "offered": ["look_up", "pay"],
        "found": [],
        "calls": calls,
        "approvals": [],
        "outcome": "success",
        "stop_reason": None,
        "steps": 2,
        "attempt": 1,
        "usage": [
            ModelUsage(provider="gemini", model="x", input_tokens=100, output_tokens=7),
            ModelUsage(provider="openai", model="y", input_tokens=11, cached_input_tokens=5),
        ],
        "micro_usd": 10,
        "began_at": NIGHT,
        "at": NIGHT + timedelta(seconds=3),
    }
    given = {**fields, **changes}
    request = {key: given.pop(key) for key in ("variant", "offered")}
    return audit.run_entry(request=request, **given)


def rating(new: str | None, before: str | None) -> dict[str, Any]:
    return audit.entry(
        "rating",
        "t1",
        "r1",
        "1",
        uid="ann",
        at=NIGHT + timedelta(days=2),
        agent="office",
        variant="V2",
        called=["look_up", "made_up"],
        runDay="2026-11-21",
        rating=new,
        before=before,
    )


def counted(*entries: dict[str, Any]) -> dict[Subject, Counts]:
    rows = []
    for entry in entries:
        day, new = additions(entry, KNOWN)
        assert day == date(2026, 11, 21)  # on which the run began, whenever it ended or was rated
        rows += new
    return summed(rows)


def of_tool(tool: str) -> Subject:
    return Subject("office", "V2", tool)


def test_a_run_counts_for_its_agent_in_its_variant() -> None:
    found = counted(run_entry(call("look_up"), call("pay", "failed")))
    assert found[ALL] == Counts(
        runs=1,
        turns=1,
        succeeded=1,
        offered=2,
        called=2,
        ms=3_000,
        input_tokens=111,
        cached_input_tokens=5,
        output_tokens=7,
        micro_usd=10,
    )


def test_a_tool_counts_as_offered_called_and_what_became_of_it() -> None:
    calls = [
        call("look_up"),
        call("look_up", "failed"),
        call("pay", "unknown"),
        call("pay", "rejected"),
    ]
    found = counted(run_entry(*calls))
    look_up, pay = found[of_tool("look_up")], found[of_tool("pay")]
    assert (look_up.offered, look_up.called, look_up.succeeded, look_up.failed) == (1, 2, 1, 1)
    assert (pay.offered, pay.called, pay.succeeded, pay.failed) == (1, 2, 0, 1)
    assert look_up.ms == 80


def test_what_was_called_and_not_chosen_is_missed() -> None:
    found = counted(run_entry(call("find_tools"), call("search_all"), call("made_up", "refused")))
    assert found[of_tool("search_all")].missed == 1
    assert found[of_tool("find_tools")] == Counts(
        called=1, succeeded=1, ms=40, input_tokens=37, cached_input_tokens=2, output_tokens=3,
        micro_usd=4,
    )  # fmt: skip
    assert of_tool("made_up") not in found
    assert found[ALL].missing == 1


def test_tools_are_offered_once_in_a_turn() -> None:
    goes_on = run_entry(call("pay"), run_id="r1~1")
    found = counted(run_entry(outcome="interrupt"), goes_on)
    assert found[of_tool("pay")].offered == 1
    runs = found[ALL]
    assert (runs.runs, runs.turns, runs.succeeded, runs.offered) == (2, 1, 1, 2)
    assert (runs.success.n, runs.success.of) == (1, 1)  # one that waits has not ended


@pytest.mark.parametrize("calls", [0, 1, 3, 7])
def test_what_a_run_cost_is_shared_by_its_calls_without_a_rest(calls: int) -> None:
    found = counted(
        run_entry(*[call(tool) for tool in ["look_up", "pay", "search_all"] * 3][:calls])
    )
    tools = [counts for key, counts in found.items() if key.tool]
    assert sum(each.micro_usd for each in tools) == (10 if calls else 0)
    assert sum(each.input_tokens for each in tools) == (111 if calls else 0)


@given(st.lists(st.sampled_from(["up", "down", None]), max_size=8))
def test_a_rating_counts_as_what_it_is_now_however_often_it_was_changed(
    said: list[str | None],
) -> None:
    before = [None, *said]
    found = counted(*[rating(new, old) for new, old in zip(said, before, strict=False)])
    last = said[-1] if said else None
    runs = found.get(ALL, Counts())
    assert (runs.up, runs.down) == (last == "up", last == "down")
    tool = found.get(of_tool("look_up"), Counts())
    assert (tool.up, tool.down) == (last == "up", last == "down")
    assert of_tool("made_up") not in found


counts = st.integers(0, 5_000)


@pytest.mark.parametrize(
    ("n", "of", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval(n: int, of: int, low: float, high: float) -> None:
    assert Proportion(n, of).interval == pytest.approx((low, high), abs=5e-5)


def test_nothing_says_nothing() -> None:
    assert Proportion(0, 0).interval == (0.0, 1.0)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Proportion(0, 0), "–"),
        (Proportion(1, 1), "100% (21–100)"),
        (Proportion(5, 10), "50% (24–76)"),
    ],
)
def test_a_share_is_told_with_what_its_count_says(share: Proportion, text: str) -> None:
    assert str(share) == text


@given(counts, counts)
def test_the_share_lies_in_its_interval_and_more_of_it_narrows_that(n: int, more: int) -> None:
    few, many = Proportion(n, n + more), Proportion(10 * n, 10 * (n + more))
    low, high = few.interval
    assert 0 <= low <= high <= 1
    if few.of:
        assert low - 1e-9 <= n / (n + more) <= high + 1e-9
        assert many.interval[1] - many.interval[0] <= high - low
