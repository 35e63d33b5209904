"""What a turn costs at Firestore, counted: documents read and written by the platform itself."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.models.base import Delta
from rollcall.testing import calls, says
from tests.support.counting import Counted, counted
from tests.support.office import Office

READS, WRITES = 4, 8
"""Of a turn without tools, on a warm registry, with a model that costs nothing."""
A_STEP = 2
"""Writes that a step with tools adds."""


@pytest.fixture(autouse=True)
def warm(office: Office) -> str:
    """A thread, in a process that has run before."""
    office.model.id = "offline:scripted"
    office.declare(models=(office.model.id,))
    return office.ask(says("Hello.")).thread


def cost(office: Office, *replies: list[Delta], **data: Any) -> Counted:
    with counted() as found:
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
def test_a_paid_model_costs_no_more_than_a_free_one(office: Office, warm: str, model: str) -> None:
    """The dearest we name, and one whose price is not known."""
    free = cost(office, says("Hi."), threadId=warm)
    office.model.id = model
    office.declare(models=(model,))
    cost(office, says("Hi."), threadId=warm)
    for thread in ({"threadId": warm}, {}):
        paid = cost(office, says("Hi."), **thread)
        assert paid.reads <= free.reads <= READS
        assert paid.writes <= free.writes <= WRITES
        assert paid.round_trips <= free.round_trips
