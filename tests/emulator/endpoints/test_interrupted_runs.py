"""Runs that are cut short while a write is running or about to begin."""

from __future__ import annotations

import importlib
import time
from datetime import UTC, datetime
from typing import Any

from rollcall.store.recovery import MAX_FRUITLESS
from rollcall.testing import calls, says
from tests.support.office import Office, payment

MESSAGE = {"message": "Please.", "runId": "r1"}


def limit_run_time(office: Office, seconds: float) -> list[float]:
    """Have `run_agent` let go of its runs after some seconds; returns when, once it was called."""
    endpoint, ends = importlib.import_module("rollcall.endpoints.run_agent"), list[float]()

    def function_end(limit: float) -> float:
        ends.append(time.monotonic() + seconds)
        return ends[-1]

    office.patch.setattr(endpoint, "function_end", function_end)
    return ends


def thread_of(office: Office) -> str:
    (found,) = office.db.collection("threads").stream()
    return str(found.id)


def test_a_write_under_way_when_the_functions_time_is_over_is_seen_to_its_end(
    office: Office,
) -> None:
    office.override("capabilities/pay", approval={"ask": "never"})
    ends = limit_run_time(office, 4)  # by then the write has begun, on a busy machine too
    office.hooks.paying = lambda: time.sleep(max(ends[-1] + 1 - time.monotonic(), 0))
    left = office.send(MESSAGE, payment(5, "bob"))
    assert left.code == "aborted"
    lying = office.run(thread_of(office), "r1")
    assert lying["leaseUntil"] <= datetime.now(UTC)
    office.run_queue(says("Paid."))
    result = office.result(thread_of(office), "r1")
    assert [call["status"] for call in result["toolCalls"]] == ["done"]
    assert len(office.done("pay")) == 1


def test_a_run_that_never_fits_into_a_functions_time_is_given_up(office: Office) -> None:
    limit_run_time(office, -1)
    for _ in range(MAX_FRUITLESS + 2):
        office.send(MESSAGE, *[calls(("look_up", {}))] * 20)
        office.platform.queue.clear()
    assert office.run(thread_of(office), "r1")["status"] == "failed"


def test_a_write_that_was_not_begun_when_the_user_stopped_the_run_is_not_begun(
    office: Office,
) -> None:
    asked = office.ask(payment(5, "bob"))
    entry: dict[str, Any] = {"interruptId": asked.interrupts[0]["id"], "status": "resolved"}
    answer = {
        "resume": [{**entry, "payload": {"approved": True}}],
        "threadId": asked.thread,
        "runId": "yes",
    }
    office.crash(answer, at="save_results", before=True)
    for effect in office.db.collection("effects").stream():
        effect.reference.delete()  # as when the process had died before it began
    before = len(office.done("pay"))
    run = office.db.document(f"threads/{asked.thread}/runs/yes")
    past = datetime.now(UTC)
    run.update({"cancelRequested": True, "leaseUntil": past})
    office.continue_run(asked.thread, "yes")
    assert len(office.done("pay")) == before
    assert office.result(asked.thread, "yes")["stopReason"] == "cancelled"
