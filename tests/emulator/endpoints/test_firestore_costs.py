"""What a turn costs at Firestore: the documents that the platform itself reads and writes,
counted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rollcall.models.base import Delta
from rollcall.registry import recorder
from rollcall.testing import calls, says
from tests.support.firestore_operations import FirestoreOperations, count_operations
from tests.support.office import Office, RunResponse, payment

READS, WRITES = 4, 8
"""Of a turn without tools, on a warm registry, with a model that costs nothing."""
A_STEP = 2
"""Writes that a step with tools adds."""
RECORDED = Path(__file__).with_name("turn_cost.json")
LAPTOP: dict[str, Any] = {"clientId": "laptop", "clientTools": ["open_file"]}


@pytest.fixture(autouse=True)
def warm(office: Office) -> str:
    """A thread, in a process that has run before."""
    office.model.id = "offline:scripted"
    office.declare(models=(office.model.id,))
    return office.ask(says("Hello.")).thread


def cost(office: Office, *replies: list[Delta], **data: Any) -> FirestoreOperations:
    with count_operations() as found:
        ran = office.ask(*replies, **data)
    assert ran.done["outcome"] == {"type": "success"}
    return found


def look_ups(number: int, *, step: int = 0) -> list[Delta]:
    return calls(*[("look_up", {"word": f"word {step}-{place}"}) for place in range(number)])


def test_a_turn_without_tools(office: Office, warm: str) -> None:
    for found in (cost(office, says("Hi.")), cost(office, says("Hi."), threadId=warm)):
        assert found.reads <= READS
        assert found.writes <= WRITES
        assert found.event_writes == 2


def test_a_clients_own_run_id_costs_no_write(office: Office, warm: str) -> None:
    found = cost(office, says("Hi."), threadId=warm, runId="mine")
    assert found.reads <= READS
    assert found.writes <= WRITES


@pytest.mark.parametrize("in_step", [1, 2, 6])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_step_with_tools_adds_two_writes_whatever_it_calls(
    office: Office, warm: str, steps: int, in_step: int
) -> None:
    plain = cost(office, says("Hi."), threadId=warm)
    found = cost(office, *[look_ups(in_step, step=step) for step in range(steps)], threadId=warm)
    assert found.platform_writes <= plain.platform_writes + A_STEP * steps
    assert found.platform_reads == plain.platform_reads
    assert found.event_writes <= plain.event_writes + 2 * steps


@pytest.mark.parametrize("model", ["openai:gpt-5.5", "scripted:office"])
def test_a_paid_model_costs_one_write_more_than_a_free_one(
    office: Office, warm: str, model: str
) -> None:
    """The dearest we name, and one whose price is not known."""
    free = cost(office, says("Hi."), threadId=warm)
    office.model.id = model
    office.declare(models=(model,))
    cost(office, says("Hi."), threadId=warm)
    for thread in ({"threadId": warm}, {}):
        paid = cost(office, says("Hi."), **thread)
        assert paid.reads <= free.reads <= READS
        assert paid.writes <= free.writes + 1 <= WRITES + 1
        assert paid.round_trips <= free.round_trips


def test_turns_cost_what_the_documentation_says(office: Office, warm: str) -> None:
    found = {name: least(cost) for name, cost in turns(office, warm).items()}
    if os.environ.get("RECORD"):
        RECORDED.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    assert found == json.loads(RECORDED.read_text(encoding="utf-8")), "RECORD=1 writes it anew"


def turns(office: Office, warm: str) -> dict[str, Callable[[], FirestoreOperations]]:
    """Kinds of turns, each with a function that takes one and counts what it costs."""

    def ask(*replies: list[Delta], **data: Any) -> Callable[[], FirestoreOperations]:
        return lambda: count(lambda: office.ask(*replies, **data))[0]

    def retry() -> FirestoreOperations:
        turn = office.ask(says("Hi."), threadId=warm).done["turnId"]
        return count(lambda: office.send({"retry": turn}, says("Hi."), threadId=warm))[0]

    def write() -> tuple[FirestoreOperations, RunResponse]:
        return count(lambda: office.ask(payment(), threadId=warm))

    def rejected(found: tuple[FirestoreOperations, RunResponse]) -> FirestoreOperations:
        office.resume(found[1], says("No."), answers=[{"approved": False, "reason": "No."}])
        return found[0]

    def approved() -> FirestoreOperations:
        waiting = write()[1]
        return count(lambda: office.resume(waiting, says("Paid.")))[0]

    def left() -> RunResponse:
        asked = calls(("open_file", {"path": "a.txt"}))
        return office.ask(asked, threadId=warm, **LAPTOP)

    def hop(named: bool) -> Callable[[], FirestoreOperations]:
        def hopped() -> FirestoreOperations:
            waiting = left()
            pending = waiting.done["outcome"]["pendingToolCallIds"]
            results = [{"toolCallId": each, "content": "a"} for each in pending]
            data = {"threadId": warm, "toolResults": results, **LAPTOP}
            if named:
                data["runId"] = f"{waiting.done['runId']}~1"
            return count(lambda: office.send(data, says("Read.")))[0]

        return hopped

    look_up = calls(("look_up", {"word": "lamp"}))
    numbers = iter(range(100))
    return {
        "A new thread, no tools": ask(says("Hi.")),
        "A known thread, no tools": ask(says("Hi."), threadId=warm),
        "The same, with a `runId` from the client": lambda: ask(
            says("Hi."), threadId=warm, runId=f"mine-{next(numbers)}"
        )(),
        "The newest turn asked again (`retry`)": retry,
        "One step with tools": ask(look_up, says("Hi."), threadId=warm),
        "Two steps with tools": ask(look_up, look_ups(1), says("Hi."), threadId=warm),
        "A write that asks for approval": lambda: rejected(write()),
        "The approval, the write and the answer": approved,
        "A client's tool results, and the answer": hop(named=False),
        "The same, with the following run's id": hop(named=True),
    }


def count(take: Callable[[], RunResponse]) -> tuple[FirestoreOperations, RunResponse]:
    """Take a turn; what it cost, and what came of it."""
    recorder.recorder.cache_clear()
    with count_operations() as found:
        ran = take()
    assert ran.error is None
    return found, ran


def least(cost: Callable[[], FirestoreOperations]) -> dict[str, int]:
    """The platform's own operations of the cheaper of two turns of a kind: a process looks at the
    registry's manifest and at an operator's limits now and then, which is no turn's cost."""
    both = [cost() for _ in range(2)]
    return {
        "reads": min(each.platform_reads for each in both),
        "writes": min(each.platform_writes for each in both),
        "eventWrites": min(each.event_writes for each in both),
        "roundTrips": min(each.round_trips for each in both),
    }
