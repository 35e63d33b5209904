"""What a thread remembers of messages that have left the window."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rollcall.core.context import Call, User
from rollcall.core.messages import ModelMessage, UserMessage
from rollcall.endpoints.my_data import clear_thread
from rollcall.store import paths
from rollcall.testing import calls, says
from tests.support.local_functions import LocalPlatform
from tests.support.office import Office, RunResponse, payment
from tests.support.run_times import end_lease


def newest_instructions(office: Office) -> str:
    """The instructions of the newest request."""
    return office.model.requests[-1].instructions


def test_what_people_decided_is_told_to_every_later_turn(office: Office) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran)
    office.ask(says("Hello."), threadId=ran.thread, message="And now?")
    assert "Pay $5 to bob (done)" in newest_instructions(office)
    second = office.ask(payment(7, "eve"), threadId=ran.thread)
    office.resume(second, answers=[{"approved": False}])
    office.ask(says("Fine."), threadId=ran.thread, message="Well?")
    assert "Pay $5 to bob (done)" in newest_instructions(office)
    assert "Pay $7 to eve (rejected)" in newest_instructions(office)


LAPTOP: dict[str, Any] = {"clientId": "laptop", "clientTools": ["edit_file"]}


def client_write(office: Office) -> RunResponse:
    """A call that the client may carry out since somebody said yes."""
    return office.resume(office.ask(calls(("edit_file", {"path": "a.txt"})), **LAPTOP))


def test_what_a_client_did_after_a_yes_is_told_too(office: Office) -> None:
    left = client_write(office)
    (id,) = left.done["outcome"]["pendingToolCallIds"]
    results = [{"toolCallId": id, "content": "written"}]
    office.send({"toolResults": results, "clientId": "laptop", "threadId": left.thread})
    office.ask(says("Fine."), threadId=left.thread)
    assert "edit_file (path: “a.txt”) (done)" in newest_instructions(office)


def test_of_a_yes_that_no_client_carried_out_nobody_is_told_that_it_was_not_given(
    office: Office,
) -> None:
    left = client_write(office)
    office.db.document(f"threads/{left.thread}").update({"waiting.until": datetime.now(UTC)})
    office.sweep(says("Your laptop is asleep."))
    office.ask(says("Fine."), threadId=left.thread)
    assert "edit_file (path: “a.txt”) (outcome unknown)" in newest_instructions(office)
    assert "unanswered" not in newest_instructions(office)


def test_a_request_that_nobody_answered_is_told_as_that(office: Office) -> None:
    ran = office.ask(calls(("edit_file", {"path": "a.txt"})), **LAPTOP)
    (interrupt,) = ran.interrupts
    office.db.document(f"approvals/{interrupt['id']}").update({"expiresAt": datetime.now(UTC)})
    office.sweep(says("Nobody answered."))
    (error,) = (each["error"] for each in office.model.tool_results())
    assert error["code"] == "expired"
    assert error["message"] == "the request for approval expired unanswered, so nothing was written"
    result = office.result(ran.thread, f"{ran.done['runId']}~1")
    assert result["toolCalls"][0]["status"] == "expired"
    office.ask(says("Fine."), threadId=ran.thread)
    assert "(the request expired unanswered; nothing was written)" in newest_instructions(office)


def test_a_cleared_thread_has_decided_nothing(office: Office) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran)
    clear_thread(LocalPlatform(office.db), Call(User("ann"), {"threadId": ran.thread}))
    office.ask(says("Hello."), threadId=ran.thread, message="And now?")
    assert "bob" not in newest_instructions(office)


def test_a_run_that_is_taken_up_after_a_crash_still_knows(office: Office) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran)
    data = {"message": "And now?", "threadId": ran.thread, "runId": "r2"}
    office.crash(data, calls(("look_up", {})), at="save_reply", before=False)
    end_lease(office.db, ran.thread, "r2")
    assert office.sweep(says("Here again.")) == 1
    assert "Pay $5 to bob (done)" in newest_instructions(office)
    view = paths.window(office.db, ran.thread).get().to_dict() or {}
    assert view["decisions"] == ["Pay $5 to bob (done)"]


def test_only_the_last_messages_are_sent(office: Office) -> None:
    office.declare(history_messages=4)
    ran = office.ask(says("One."), message="first")
    for text in ("second", "third", "fourth"):
        office.ask(says("Yes."), threadId=ran.thread, message=text)
    sent = office.model.requests[-1].messages
    said = [each.text for each in sent if isinstance(each, UserMessage | ModelMessage)]
    assert said == ["third", "Yes.", "fourth"]


def test_a_turn_is_told_what_was_decided_before_it_and_its_own_only_afterwards(
    office: Office,
) -> None:
    ran = office.ask(payment(5, "bob"))
    office.resume(ran, calls(("pay", {"amount": 7, "to": "ann"})))
    assert "Pay $5 to bob (done)" not in newest_instructions(office)
    office.ask(says("Both."), threadId=ran.thread, message="And now?")
    assert "Pay $5 to bob (done)" in newest_instructions(office)
