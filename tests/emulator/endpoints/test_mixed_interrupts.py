"""A step that waits for a person and for a client at once: whoever answers first, nothing is
lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rollcall.agent.continuation import continue_run
from rollcall.core.capability import Capability, Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.messages import ToolMessage
from rollcall.core.wire import Display
from rollcall.endpoints import continuation
from rollcall.store import recovery
from rollcall.testing import calls, says
from tests.support.office import Office, RunResponse, payment, run_concurrently

BOTH = calls(("open_file", {"path": "a"}), ("pay", {"amountUsd": 5, "to": "bob"}))
AGAIN = calls(("open_file", {"path": "b"}))
PHONE = {"clientId": "phone", "clientTools": ["open_file"]}
HOUR = timedelta(hours=1)


def ask_both(office: Office, **more: Any) -> RunResponse:
    return office.ask(BOTH, clientId="laptop", clientTools=["open_file"], **more)


def answer(office: Office, ran: RunResponse, content: str = "text", **more: Any) -> RunResponse:
    (id,) = ran.done["outcome"]["pendingToolCallIds"]
    results = [{"toolCallId": id, "content": content}]
    data = {"toolResults": results, "clientId": "laptop", "threadId": ran.thread}
    return office.send({**data, **more})


def expire_client(office: Office, ran: RunResponse) -> None:
    """As when the client's time is over."""
    over = datetime.now(UTC) - timedelta(seconds=1)
    office.db.document(f"threads/{ran.thread}").update({"waiting.until": over})


def ended(office: Office, ran: RunResponse) -> dict[str, Any]:
    return office.result(ran.thread, f"{ran.done['runId']}~1")


def test_what_the_client_answered_first_is_kept_until_the_person_decides(office: Office) -> None:
    ran = ask_both(office)
    noted = answer(office, ran)
    assert noted.done["outcome"]["interrupts"] == ran.interrupts
    assert "pendingToolCallIds" not in noted.done["outcome"]
    assert office.sweep(after=HOUR) == 0
    assert office.resume(ran).statuses() == ["done", "done"]
    assert len(office.done("pay")) == 1


def test_what_is_still_open_is_said_in_the_language_of_the_turn(office: Office) -> None:
    noted = answer(office, ask_both(office))
    assert noted.done["message"] == "Your answer is recorded. Still open: \u2068Pay $5 to bob\u2069"
    hebrew = answer(office, ask_both(office, message="שלם לבוב ופתח את הקובץ"))
    assert "עדיין ממתין: \u2068לשלם 5 דולר אל bob\u2069" in hebrew.done["message"]


def test_the_clients_first_answer_stands(office: Office) -> None:
    ran = ask_both(office)
    answer(office, ran, "first")
    answer(office, ran, "second")
    office.resume(ran)
    assert ended(office, ran)["toolCalls"][0]["result"] == "first"


def left_to(office: Office, ran: RunResponse) -> tuple[str, list[str]]:
    """Whose client the turn's later calls are left to, and how many."""
    waiting = office.document(f"threads/{ran.thread}")["waiting"]
    return waiting["clientId"], waiting["tools"]


def test_a_client_that_took_over_before_the_decision_is_left_the_later_calls(
    office: Office,
) -> None:
    ran = ask_both(office)
    answer(office, ran, **PHONE)
    assert office.resume(ran, AGAIN).statuses() == ["done", "done", "client"]
    assert left_to(office, ran) == ("phone", ["open_file"])


def test_it_is_so_too_where_the_decision_is_written_as_a_document(office: Office) -> None:
    ran = ask_both(office)
    answer(office, ran, **PHONE)
    office.decide(ran.interrupts[0]["id"], approved=True, by="ann")
    office.run_queue(AGAIN)
    assert left_to(office, ran) == ("phone", ["open_file"])


def test_a_client_whose_answer_came_second_takes_nothing_over(office: Office) -> None:
    ran = ask_both(office)
    answer(office, ran)
    answer(office, ran, "late", **PHONE)
    office.resume(ran, AGAIN)
    assert left_to(office, ran) == ("laptop", ["open_file"])


def test_a_takeover_outlives_the_process_that_goes_on_with_it(office: Office) -> None:
    ran = ask_both(office)
    answer(office, ran, **PHONE)
    entries = [
        {"interruptId": each["id"], "status": "resolved", "payload": {"approved": True}}
        for each in ran.interrupts
    ]
    data = {"resume": entries, "threadId": ran.thread}
    office.crash(data, AGAIN, at="save_reply", before=False)
    run_id = f"{ran.done['runId']}~1"
    past = datetime.now(UTC) - timedelta(seconds=1)
    office.db.document(f"threads/{ran.thread}/runs/{run_id}").update({"leaseUntil": past})
    assert office.continue_run(ran.thread, run_id) == "done"
    assert left_to(office, ran) == ("phone", ["open_file"])


def test_what_the_client_answered_is_kept_when_the_user_goes_on_instead_of_deciding(
    office: Office,
) -> None:
    ran = ask_both(office)
    answer(office, ran, "the file's text")
    office.ask(says("Fine."), message="Never mind", threadId=ran.thread)
    results = [each for each in office.model.requests[-1].messages if isinstance(each, ToolMessage)]
    assert "the file's text" in results[0].results[0].content
    assert "left unanswered" in results[0].results[1].content


def test_a_decision_and_the_clients_answer_at_once_leave_nothing_lying(office: Office) -> None:
    ran = ask_both(office)
    (interrupt,) = ran.interrupts

    def one(turn: int) -> Any:
        if turn:
            return office.decide(interrupt["id"], approved=True, by="ann")
        return answer(office, ran)

    run_concurrently(2, one)
    office.run_queue(says("Paid."))
    statuses = sorted(call["status"] for call in ended(office, ran)["toolCalls"])
    assert (statuses, len(office.done("pay"))) == (["done", "done"], 1)


def test_a_client_that_is_late_is_found_once_while_a_person_has_time(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "AT_ONCE", 1)
    waiting, other = ask_both(office), ask_both(office)
    expire_client(office, waiting)
    assert office.sweep() == 1
    expire_client(office, other)
    office.resume(other)
    assert office.sweep() == 0
    assert answer(office, waiting).code == "failed-precondition"
    assert office.resume(waiting).statuses() == ["expired", "done"]


def test_of_what_a_client_may_have_done_it_is_not_said_that_it_was_not(office: Office) -> None:
    ran = ask_both(office)
    office.ask(says("Hi."), threadId=ran.thread)
    (result,) = (m for m in office.model.requests[-1].messages if m.role == "tool")
    opened, paid = (each.content for each in result.results)
    assert ("look whether" in opened, "nothing was written" in paid) == (True, True)


def test_calls_that_were_refused_are_not_counted_when_the_turn_goes_on(office: Office) -> None:
    office.declare(max_calls=3)
    refused = calls(("nowhere", {"a": 1}), ("nowhere", {"a": 2}))
    left = calls(("open_file", {"path": "a"}))
    ran = office.ask(refused, left, clientId="laptop", clientTools=["open_file"])
    (id,) = ran.done["outcome"]["pendingToolCallIds"]
    results = [{"toolCallId": id, "content": "text"}]
    data = {"toolResults": results, "clientId": "laptop", "threadId": ran.thread}
    assert office.send(data, calls(("look_up", {}))).statuses() == ["done", "done"]


def test_a_sweep_goes_on_past_a_turn_that_breaks_off(office: Office) -> None:
    first, second = office.ask(payment()), office.ask(payment())
    now = datetime.now(UTC)
    for ran in (first, second):
        decision = {"approved": True, "by": "ann", "at": now}
        id = ran.interrupts[0]["id"]
        office.db.document(f"approvals/{id}").update({"decision": decision})
    broken, whole = sorted((first, second), key=lambda ran: str(ran.interrupts[0]["id"]))

    def breaking(platform: Any, thread_id: str, run_id: str, *, until: float) -> str:
        if thread_id == broken.thread:
            raise RuntimeError("nobody foresaw this")
        return continue_run(platform, thread_id, run_id, until=until)

    office.patch.setattr(continuation, "continue_run", breaking)
    office.platform.takes_tasks = False
    office.model.replies = [says("Paid.")]
    office.sweep(after=HOUR)
    assert ended(office, whole)["outcome"]["type"] == "success"


def test_a_preview_that_is_too_large_is_cut_and_asked_all_the_same(office: Office) -> None:
    rows = [{"paper": "x" * 1_000}] * 1_200

    def preview(ctx: ToolContext, *, paper: str) -> Preview:
        return Preview(Display(type="table", columns=["paper"], rows=rows))

    @capability(name={"en": "Tidy"}, category="office", effect="write", preview=preview)
    def tidy(ctx: ToolContext, *, paper: str) -> str:
        """Tidy a paper away."""
        return paper

    office.redeclare(Capability.of(tidy))
    ran = office.ask(calls(("tidy", {"paper": "lease"})))
    shown = ran.interrupts[0]["metadata"]["display"]
    assert (shown["title"], 1 <= len(shown["rows"]) < 1_200) == ("(…)", True)
    assert office.resume(ran).statuses() == ["done"]
