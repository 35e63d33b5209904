"""Approvals: what a model's call of a write becomes, and who may decide about it."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from rollcall.core.capability import Capability, Undo, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.messages import ToolMessage
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.wire import Role
from rollcall.testing import StaticCatalog, calls, says
from tests.support.office import TEACHER, Office, RunResponse, payment, run_concurrently
from tests.support.office_pack import office_capabilities

YES = {"approved": True}
NO = {"approved": False}
TEACHERS = {"role": "teacher"}
DAY = timedelta(days=1)


def only(interrupts: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = interrupts
    return found


def expire(office: Office, approval_id: str) -> None:
    """As when the time to decide is over."""
    over = datetime.now(UTC) - timedelta(seconds=1)
    office.db.document(f"approvals/{approval_id}").update({"expiresAt": over})


# what a call of a write becomes


def test_a_models_write_becomes_a_question_with_its_arguments_frozen(office: Office) -> None:
    asked = office.ask(payment(7, "bob"))
    interrupt = only(asked.interrupts)
    stored = office.document(f"approvals/{interrupt['id']}")
    assert office.done() == []
    assert asked.done["outcome"]["type"] == "interrupt"
    assert asked.statuses() == ["waiting"]
    assert (stored["status"], stored["decision"], stored["uid"]) == ("pending", None, "ann")
    assert json.loads(stored["arguments"]) == {"amountUsd": 7.0, "to": "bob"}
    assert stored["argumentsDigest"] == hashlib.sha256(stored["arguments"].encode()).hexdigest()
    assert (stored["tool"], stored["version"], stored["deciderUid"]) == ("pay", 1, "ann")
    assert stored["summary"] == interrupt["message"] == "Pay $7 to bob"
    assert stored["expiresAt"] - stored["createdAt"] == DAY


def test_the_question_is_put_in_the_users_language(office: Office) -> None:
    asked = office.ask(payment(7, "bob"), message="שלם לבוב שבעה דולר")
    assert only(asked.interrupts)["message"] == "לשלם 7 דולר אל bob"
    assert "אישורך" in asked.done["message"]


def test_what_is_asked_is_as_the_capability_completes_and_shows_it(office: Office) -> None:
    asked = office.ask(calls(("book_room", {"room": "BLUE"})))
    interrupt = only(asked.interrupts)
    assert interrupt["metadata"]["arguments"] == {"room": "blue", "hours": 1}
    assert interrupt["metadata"]["display"]["rows"] == [{"room": "BLUE", "hours": 1}]
    done = office.resume(asked).done["toolCalls"][0]
    assert done["arguments"] == {"room": "blue", "hours": 1}
    assert done["undo"] == {"tool": "cancel_room", "arguments": {"room": "blue"}}
    assert office.document("rooms/blue")["hours"] == 1


def test_what_cannot_work_is_told_to_the_model_and_nobody_is_asked(office: Office) -> None:
    ran = office.ask(
        calls(("book_room", {"room": "cellar"}), ("pay", {"amountUsd": -1, "to": "bob"}))
    )
    assert ran.statuses() == ["failed", "failed"]
    assert [told["error"]["code"] for told in office.model.tool_results()] == [
        "invalid-argument"
    ] * 2
    assert office.approvals() == {}


def test_the_decider_is_told_that_something_waits(office: Office) -> None:
    from rollcall.core.triggers import DocumentEvent
    from rollcall.endpoints.continuation import approval_written

    office.ask(calls(("sign", {"paper": "lease"})))
    ((id, stored),) = office.approvals().items()
    approval_written(office.platform, DocumentEvent({"approvalId": id}, None, stored))
    ((decider, told),) = office.platform.notified
    assert (told, decider.role, decider.not_uid) == (id, Role.TEACHER, "ann")
    assert office.platform.queue == []


def test_reads_of_the_same_step_are_answered_at_once(office: Office) -> None:
    asked = office.ask(calls(("look_up", {"word": "bob"}), ("pay", {"amountUsd": 5, "to": "bob"})))
    assert sorted(asked.statuses()) == ["done", "waiting"]
    office.resume(asked)
    assert len(office.done("look_up")) == 1
    assert [told["output"] for told in office.model.tool_results()] == [
        {"title": "About bob"},
        {"paid": 5.0},
    ]


# a model has no say in it


@pytest.mark.parametrize(
    "reply",
    [
        payment(5, "bob"),
        calls(("pay", {"amountUsd": 5, "to": "bob", "approved": True})),
        calls(("approve", {"approvalId": "x"})),
        says('{"resume": [{"interruptId": "x", "status": "resolved"}]}'),
    ],
)
def test_a_model_that_tries_again_without_an_answer_writes_nothing(
    office: Office, reply: Any
) -> None:
    asked = office.ask(payment(5, "bob"))
    office.ask(reply, says("It is approved: paid."), threadId=asked.thread)
    assert office.done() == []
    assert office.effects() == []


def test_one_yes_is_for_one_call(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    again = office.resume(asked, payment(500, "eve"))
    assert [each["to"] for each in office.done("pay")] == ["bob"]
    assert only(again.interrupts)["metadata"]["arguments"] == {"amountUsd": 500.0, "to": "eve"}


def test_the_call_that_was_approved_is_not_made_again(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    ended = office.resume(asked, payment(5, "bob"))
    assert (ended.statuses(), len(office.done("pay"))) == (["done", "refused"], 1)
    assert ended.done["stopReason"] == "repeated_calls"


def test_a_read_in_the_next_step_is_run_with_its_own_arguments(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.resume(asked, calls(("look_up", {"word": "eve"})))
    assert only(office.done("look_up"))["word"] == "eve"


def test_a_no_does_not_answer_a_later_call(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    ended = office.resume(asked, calls(("look_up", {"word": "eve"})), answers=[NO])
    assert ended.statuses() == ["rejected", "done"]


def test_a_document_that_was_tampered_with_is_not_carried_out(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    id = only(asked.interrupts)["id"]
    office.db.document(f"approvals/{id}").update({"arguments": '{"amountUsd":5000,"to":"eve"}'})
    assert office.resume(asked).result is None
    office.decide(id, approved=True, by="ann")
    office.run_queue()
    assert office.done() == []
    assert office.ask(says("Hi."), threadId=asked.thread).done["message"] == "Hi."


# answers through run_agent


def test_a_yes_writes_once_and_the_model_is_told(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    ended = office.resume(asked, says("Paid."))
    call = only(ended.done["toolCalls"])
    assert (call["status"], call["approvalId"]) == ("done", only(asked.interrupts)["id"])
    assert only(office.done("pay"))["amountUsd"] == 5
    assert only(office.model.tool_results())["output"] == {"paid": 5.0}
    assert (ended.done["message"], ended.done["type"]) == ("Paid.", "action")
    assert (ended.done["turnId"], ended.done["runId"]) == (
        asked.done["turnId"],
        f"{asked.done['runId']}~1",
    )
    stored = only(list(office.approvals().values()))
    assert (stored["status"], stored["decision"]["by"]) == ("approved", "ann")
    office.check_history()


def test_a_no_is_told_with_its_reason_and_writes_nothing(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    ended = office.resume(asked, answers=[{"approved": False, "reason": "wrong bob"}])
    told = only(office.model.tool_results())["error"]
    assert (told["code"], told["reason"]) == ("rejected", "wrong bob")
    assert ended.statuses() == ["rejected"]
    assert (office.done(), office.effects()) == ([], [])
    office.check_history()


def test_an_interrupt_that_is_cancelled_is_a_no(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    entry = {"interruptId": only(asked.interrupts)["id"], "status": "cancelled"}
    ended = office.send({"resume": [entry], "threadId": asked.thread})
    assert (ended.statuses(), office.done()) == (["rejected"], [])


def test_changed_arguments_are_validated_anew_and_both_are_kept(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    edited = {"amountUsd": 3, "to": "carol"}
    ended = office.resume(asked, answers=[{"approved": True, "editedArguments": edited}])
    first = only(asked.interrupts)["id"]
    old = office.document(f"approvals/{first}")
    new = office.document(f"approvals/{old['replacedBy']}")
    assert (old["status"], new["status"], new["editedFrom"]) == ("replaced", "approved", first)
    assert json.loads(old["arguments"]) == {"amountUsd": 5.0, "to": "bob"}
    assert json.loads(new["arguments"]) == {"amountUsd": 3.0, "to": "carol"}
    assert new["summary"] == "Pay $3 to carol"
    assert [each["to"] for each in office.done("pay")] == ["carol"]
    assert only(ended.done["toolCalls"])["arguments"] == {"amountUsd": 3.0, "to": "carol"}


@pytest.mark.parametrize(
    ("edited", "field"),
    [
        ({"amountUsd": 99_999, "to": "bob"}, "amountUsd"),
        ({"amountUsd": 3}, "to"),
        ({"amountUsd": 3, "to": "bob", "uid": "eve"}, "uid"),
    ],
)
def test_changed_arguments_that_are_wrong_leave_the_question_open(
    office: Office, edited: dict[str, Any], field: str
) -> None:
    asked = office.ask(payment(5, "bob"))
    refused = office.resume(asked, answers=[{"approved": True, "editedArguments": edited}])
    assert refused.code == "invalid-argument"
    assert refused.field == f"resume.0.payload.editedArguments.{field}"
    assert only(list(office.approvals().values()))["status"] == "pending"
    assert office.resume(asked).statuses() == ["done"]


def test_changed_arguments_are_checked_by_the_preview_too(office: Office) -> None:
    asked = office.ask(calls(("book_room", {"room": "blue"})))
    refused = office.resume(
        asked, answers=[{"approved": True, "editedArguments": {"room": "cellar"}}]
    )
    assert (refused.code, refused.field) == (
        "invalid-argument",
        "resume.0.payload.editedArguments",
    )
    office.resume(asked, answers=[{"approved": True, "editedArguments": {"room": "RED"}}])
    assert office.document("rooms/red")["hours"] == 1


def test_changed_arguments_wait_until_everybody_else_has_decided(office: Office) -> None:
    asked = office.ask(calls(("pay", {"amountUsd": 5, "to": "bob"}), ("sign", {"paper": "lease"})))
    mine, theirs = sorted(asked.interrupts, key=lambda each: each["metadata"]["tool"])
    edited = {"approved": True, "editedArguments": {"amountUsd": 3, "to": "carol"}}
    entry = {"interruptId": mine["id"], "status": "resolved", "payload": edited}
    answer = {"threadId": asked.thread, "resume": [entry]}
    assert office.send(answer).code == "failed-precondition"
    assert office.document(f"approvals/{mine['id']}")["decision"] is None
    office.decide(theirs["id"], approved=True, by="tess")
    office.run_queue()
    assert office.done() == []
    office.send(answer)
    assert [each["to"] for each in office.done("pay")] == ["carol"]
    assert len(office.done("sign")) == 1


def test_a_no_takes_no_changed_arguments(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    wrong = {"approved": False, "editedArguments": {"amountUsd": 3, "to": "bob"}}
    assert office.resume(asked, answers=[wrong]).code == "invalid-argument"


# several at once


def both(office: Office) -> RunResponse:
    return office.ask(
        calls(("pay", {"amountUsd": 1, "to": "bob"}), ("pay", {"amountUsd": 2, "to": "eve"}))
    )


def test_resume_answers_all_that_waits_at_once(office: Office) -> None:
    asked = both(office)
    ended = office.resume(asked, answers=[YES, NO])
    assert sorted(ended.statuses()) == ["done", "rejected"]
    paid = {each["metadata"]["arguments"]["to"] for each in asked.interrupts[:1]}
    assert {each["to"] for each in office.done("pay")} == paid
    # In the order of the calls, whichever was decided how.
    tools = [call.id for call in office.model.requests[-1].messages[-2].tool_calls]  # type: ignore[union-attr]
    answered = office.model.requests[-1].messages[-1]
    assert isinstance(answered, ToolMessage)
    assert [result.call_id for result in answered.results] == tools


def test_resume_that_leaves_one_out_names_it_and_changes_nothing(office: Office) -> None:
    asked = both(office)
    first, second = (interrupt["id"] for interrupt in asked.interrupts)
    entry = {"interruptId": first, "status": "resolved", "payload": YES}
    refused = office.send({"resume": [entry], "threadId": asked.thread})
    assert (refused.code, refused.field) == ("invalid-argument", "resume")
    assert refused.error is not None
    assert second in refused.error["message"]
    assert {each["status"] for each in office.approvals().values()} == {"pending"}
    assert {each["decision"] for each in office.approvals().values()} == {None}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_several_are_decided_by_document_in_any_order(
    office: Office, order: tuple[int, int]
) -> None:
    asked = both(office)
    ids = [interrupt["id"] for interrupt in asked.interrupts]
    office.decide(ids[order[0]], approved=True, by="ann")
    office.run_queue()
    assert office.done() == []  # the turn waits for the other one
    office.decide(ids[order[1]], approved=False, by="ann", reason="no")
    office.run_queue()
    assert len(office.done("pay")) == 1
    assert office.runs(asked.thread) == sorted([asked.done["runId"], f"{asked.done['runId']}~1"])
    assert sorted(
        call["status"]
        for call in office.result(asked.thread, office.runs(asked.thread)[1])["toolCalls"]
    ) == ["done", "rejected"]


def test_one_continuation_whoever_comes_first(office: Office) -> None:
    """Two resumes, the task queue and a decision's trigger race; one run is made, one write."""
    asked = office.ask(payment(5, "bob"))
    id = only(asked.interrupts)["id"]
    entry = {"interruptId": id, "status": "resolved", "payload": YES}
    data = {"agent": "office", "threadId": asked.thread, "resume": [entry]}
    run_id = str(asked.done["runId"])

    def attempt(number: int) -> Any:
        if number == 0:
            office.decide(id, approved=True, by="ann")
            return office.continue_run(asked.thread, run_id)
        if number % 2:
            return office.call({**data, "runId": f"resume-{number}"})
        return office.continue_run(asked.thread, run_id)

    outcomes = run_concurrently(8, attempt)
    assert len(office.done("pay")) == 1
    assert len(office.runs(asked.thread)) == 2
    results = [each.result for each in outcomes if isinstance(each, RunResponse) and each.result]
    assert all(each == results[0] for each in results)


# by document


def test_a_decision_that_is_written_continues_the_turn(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.decide(only(asked.interrupts)["id"], approved=True, by="ann")
    task = {"threadId": asked.thread, "runId": asked.done["runId"]}
    assert office.platform.queue == [("continuerun", task)]
    office.run_queue(says("Paid."))
    result = office.result(asked.thread, f"{asked.done['runId']}~1")
    assert (result["message"], result["toolCalls"][0]["status"]) == ("Paid.", "done")
    assert len(office.done("pay")) == 1
    events = office.stored_events(asked.thread, f"{asked.done['runId']}~1")
    assert events[-1]["type"] == "RUN_FINISHED"


def test_a_reason_that_is_written_is_told_to_the_model(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.decide(only(asked.interrupts)["id"], approved=False, by="ann", reason="too much")
    office.run_queue()
    assert only(office.model.tool_results())["error"]["reason"] == "too much"


def test_a_decision_whose_trigger_was_missed_is_found_by_the_sweeper(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.decide(only(asked.interrupts)["id"], approved=True, by="ann")
    office.platform.queue.clear()
    assert office.sweep() == 0  # its trigger may still come
    assert office.sweep(after=timedelta(seconds=11)) == 1
    assert len(office.done("pay")) == 1
    assert office.sweep(after=timedelta(seconds=11)) == 0


# going on without an answer


def test_a_new_message_closes_what_waits(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.ask(says("Fine."), message="Never mind", threadId=asked.thread)
    stored = only(list(office.approvals().values()))
    assert stored["status"] == "expired"
    office.check_history()
    messages = office.model.requests[-1].messages
    answered = next(each for each in messages if isinstance(each, ToolMessage))
    assert json.loads(answered.results[0].content)["error"]["code"] == "expired"
    late = office.resume(asked)
    assert (late.code, office.done()) == ("failed-precondition", [])
    assert late.error is not None
    assert "went on with another message" in late.error["message"]


def test_a_new_message_is_refused_while_a_yes_is_about_to_be_carried_out(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.decide(only(asked.interrupts)["id"], approved=True, by="ann")
    assert office.ask(threadId=asked.thread).code == "aborted"
    office.run_queue()
    assert len(office.done("pay")) == 1
    assert office.ask(threadId=asked.thread).done["message"] == "Done."


def test_a_new_message_may_follow_a_question_that_nobody_decided_in_time(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    expire(office, only(asked.interrupts)["id"])
    assert office.ask(says("Hello."), threadId=asked.thread).done["message"] == "Hello."
    office.check_history()


def test_a_question_that_expired_is_told_to_the_model_by_the_sweeper(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    expire(office, only(asked.interrupts)["id"])
    assert office.sweep(says("Nobody decided.")) == 1
    assert only(office.model.tool_results())["error"]["code"] == "expired"
    result = office.result(asked.thread, f"{asked.done['runId']}~1")
    assert (result["toolCalls"][0]["status"], office.done()) == ("expired", [])
    assert only(list(office.approvals().values()))["status"] == "expired"
    assert office.sweep() == 0


def test_a_yes_after_the_time_is_over_is_refused(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    expire(office, only(asked.interrupts)["id"])
    late = office.resume(asked)
    assert (late.code, late.field) == ("failed-precondition", "resume.0.interruptId")
    assert late.error is not None
    assert late.error["message"].startswith("the time to decide this ended at")
    assert "another message" not in late.error["message"]
    assert office.done() == []


# said twice, and otherwise


def test_an_answer_sent_again_gives_the_same_result(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    first = office.resume(asked, runId="answer-1").done
    assert first["runId"] == "answer-1"
    assert office.resume(asked, runId="answer-1").done == first
    assert office.resume(asked, runId="answer-2").done == first
    assert office.resume(asked).done == first
    assert len(office.done("pay")) == 1
    assert len(office.runs(asked.thread)) == 2


def test_changed_arguments_sent_again_give_the_same_result(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    edited = [{"approved": True, "editedArguments": {"amountUsd": 3, "to": "carol"}}]
    first = office.resume(asked, answers=edited, runId="answer-1").done
    assert office.resume(asked, answers=edited, runId="answer-1").done == first
    assert len(office.done("pay")) == 1


def test_the_run_id_of_an_answer_is_for_that_answer(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.resume(asked, runId="answer-1")
    other = office.resume(asked, answers=[NO], runId="answer-1")
    assert (other.code, other.field) == ("already-exists", "runId")


@pytest.mark.parametrize(("first", "then"), [(YES, NO), (NO, YES)])
def test_an_answer_stands(office: Office, first: Any, then: Any) -> None:
    asked = office.ask(payment(5, "bob"))
    office.resume(asked, answers=[first])
    late = office.resume(asked, answers=[then])
    assert (late.code, late.field) == ("failed-precondition", "resume.0.interruptId")
    assert len(office.done("pay")) == (1 if first is YES else 0)


def test_of_a_yes_and_a_no_at_once_one_counts_and_the_other_is_told(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    id = only(asked.interrupts)["id"]

    def answer(number: int) -> RunResponse:
        payload = YES if number % 2 else NO
        entry = {"interruptId": id, "status": "resolved", "payload": payload}
        data = {"agent": "office", "threadId": asked.thread, "resume": [entry]}
        return office.call({**data, "runId": f"answer-{number}"})

    outcomes = run_concurrently(6, answer)
    said_yes = bool(office.done("pay"))
    for number, ran in enumerate(outcomes):
        agrees = bool(number % 2) == said_yes
        assert (ran.result is not None) or not agrees or ran.code == "aborted"
        assert agrees or ran.code in ("failed-precondition", "aborted")


# what has changed meanwhile


def test_a_capability_that_changed_since_it_was_asked_for_is_asked_for_anew(
    office: Office,
) -> None:
    asked = office.ask(payment(5, "bob"))

    @capability(name={"en": "Pay"}, category="office", effect="write", version=2)
    def pay(ctx: ToolContext, *, amount_usd: float, to: str) -> str:
        """Pay an amount, in shells."""
        ctx.db.collection("done").add({"tool": "pay", "in": "shells"})
        return "paid"

    office.redeclare(Capability.of(pay))
    again = office.resume(asked)
    assert office.done() == []
    assert only(again.interrupts)["id"] != only(asked.interrupts)["id"]
    assert only(again.interrupts)["metadata"]["arguments"] == {"amountUsd": 5.0, "to": "bob"}
    office.resume(again)
    assert only(office.done("pay"))["in"] == "shells"


def test_a_yes_of_somebody_who_does_not_decide_any_more_is_not_enough(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.override("capabilities/pay", approval={"deciderRole": "teacher"})
    again = office.resume(asked)
    assert only(again.interrupts)["metadata"]["decider"] == {"role": "teacher"}
    assert office.done() == []
    office.decide(only(again.interrupts)["id"], approved=True, by="tess")
    office.run_queue()
    assert len(office.done("pay")) == 1


def test_a_role_that_was_lost_meanwhile_writes_nothing(office: Office) -> None:
    asked = office.ask(calls(("expel", {"who": "bob"})), claims=TEACHERS)
    assert len(asked.interrupts) == 1
    ended = office.resume(asked)  # with a token of today, without the role
    assert (ended.statuses(), office.done()) == (["failed"], [])
    assert only(office.model.tool_results())["error"]["code"] == "permission-denied"


def test_a_role_that_was_lost_meanwhile_is_looked_up_where_no_token_is_at_hand(
    office: Office,
) -> None:
    office.platform.users["ann"] = User("ann", role=Role.TEACHER)
    asked = office.ask(calls(("expel", {"who": "bob"})), claims=TEACHERS)
    office.decide(only(asked.interrupts)["id"], approved=True, by="ann")
    office.platform.users["ann"] = User("ann")
    office.run_queue()
    assert office.done() == []
    result = office.result(asked.thread, f"{asked.done['runId']}~1")
    assert result["toolCalls"][0]["error"]["code"] == "permission-denied"


def test_an_account_that_is_gone_writes_nothing(office: Office) -> None:
    asked = office.ask(payment(5, "bob"))
    office.decide(only(asked.interrupts)["id"], approved=True, by="ann")
    office.platform.gone.add("ann")
    office.run_queue()
    run = office.run(asked.thread, f"{asked.done['runId']}~1")
    assert (run["status"], run["error"]["code"]) == ("failed", "unauthenticated")
    assert office.done() == []


def test_an_agent_that_was_switched_off_meanwhile_writes_nothing_and_frees_the_thread(
    office: Office,
) -> None:
    asked = office.ask(payment(5, "bob"))
    office.override("agents/office", status="disabled")
    assert office.resume(asked).code == "permission-denied"
    assert office.done() == []
    office.override("agents/office", status="active")
    assert office.ask(says("Hello."), threadId=asked.thread).done["message"] == "Hello."


# policies


@pytest.mark.parametrize(
    ("reply", "asks"),
    [
        (calls(("stamp", {"paper": "a"})), False),
        (calls(("buy", {"amountUsd": 100})), False),
        (calls(("buy", {"amountUsd": 100.01})), True),
        (payment(0.01), True),
    ],
)
def test_a_policy_says_when_somebody_is_asked(office: Office, reply: Any, asks: bool) -> None:
    ran = office.ask(reply)
    assert bool(ran.interrupts) is asks
    assert len(office.done()) == (0 if asks else 1)


def test_once_per_thread_asks_once_in_each_thread(office: Office) -> None:
    asked = office.ask(calls(("tidy", {"desk": "a"})))
    ended = office.resume(asked, calls(("tidy", {"desk": "b"})))
    assert ended.statuses() == ["done", "done"]
    later = office.ask(calls(("tidy", {"desk": "c"})), threadId=asked.thread)
    assert later.statuses() == ["done"]
    elsewhere = office.ask(calls(("tidy", {"desk": "d"})))
    assert elsewhere.statuses() == ["waiting"]


def test_a_no_is_no_yes_for_the_thread(office: Office) -> None:
    asked = office.ask(calls(("tidy", {"desk": "a"})))
    office.resume(asked, answers=[NO])
    again = office.ask(calls(("tidy", {"desk": "b"})), threadId=asked.thread)
    assert (again.statuses(), office.done()) == (["waiting"], [])


@pytest.mark.parametrize(
    ("path", "overrides"),
    [
        ("capabilities/stamp", {"approval": {"ask": "always"}}),
        ("agents/office", {"approvals": {"stamp": {"ask": "always"}}}),
    ],
)
def test_an_operators_stricter_policy_counts(
    office: Office, path: str, overrides: dict[str, Any]
) -> None:
    office.override(path, **overrides)
    assert office.ask(calls(("stamp", {"paper": "a"}))).statuses() == ["waiting"]


def test_an_operators_policy_that_is_laxer_does_not_count(office: Office) -> None:
    office.override("capabilities/pay", approval={"ask": "never"})
    office.override("agents/office", approvals={"pay": {"ask": "never"}})
    # Code declares none for `pay`, so what the operator says is all there is.
    assert office.ask(payment()).statuses() == ["done"]
    office.override("capabilities/sign", approval={"ask": "never"})
    assert office.ask(calls(("sign", {"paper": "a"}))).statuses() == ["waiting"]


def test_the_agents_own_policy_counts(office: Office) -> None:
    office.declare(approvals={"stamp": ApprovalPolicy(decider_role=Role.ADMIN)})
    asked = office.ask(calls(("stamp", {"paper": "a"})))
    assert only(asked.interrupts)["metadata"]["decider"] == {"role": "admin"}


# four eyes


def request_signature(office: Office, **more: Any) -> RunResponse:
    return office.ask(calls(("sign", {"paper": "lease"})), **more)


def test_the_asker_cannot_decide_where_four_eyes_are_asked_for(office: Office) -> None:
    asked = request_signature(office, claims=TEACHERS)
    refused = office.resume(asked, claims=TEACHERS)
    assert (refused.code, refused.field) == ("permission-denied", "resume.0.interruptId")
    stored = only(list(office.approvals().values()))
    assert (stored["deciderUid"], stored["deciderRoles"]) == (None, ["teacher", "admin"])
    assert office.done() == []


def test_somebody_of_the_role_decides_through_resume_and_sees_nothing_of_the_thread(
    office: Office,
) -> None:
    asked = request_signature(office, message="My secret plan: sign the lease")
    noted = office.resume(asked, uid=TEACHER.uid, claims=TEACHERS)
    seen = json.dumps([noted.events, noted.done])
    assert "secret" not in seen
    assert (noted.done["toolCalls"], noted.events) == ([], [])
    office.run_queue(says("Signed."))
    assert only(office.done("sign"))["uid"] == "ann"
    assert only(list(office.approvals().values()))["decision"]["by"] == "tess"
    again = office.resume(asked, uid=TEACHER.uid, claims=TEACHERS)
    assert again.done["message"] == noted.done["message"]
    contrary = office.resume(asked, uid=TEACHER.uid, claims=TEACHERS, answers=[NO])
    assert contrary.code == "failed-precondition"


@pytest.mark.parametrize(("locale", "word"), [("en", "recorded"), ("he", "נרשמה")])
def test_somebody_of_the_role_reads_in_their_language_that_the_decision_is_recorded(
    office: Office, locale: str, word: str
) -> None:
    asked = request_signature(office)
    noted = office.resume(asked, uid=TEACHER.uid, claims=TEACHERS, locale=locale)
    assert word in noted.done["message"]


def test_somebody_of_the_role_decides_by_document(office: Office) -> None:
    asked = request_signature(office)
    office.decide(only(asked.interrupts)["id"], approved=True, by="tess")
    office.run_queue(says("Signed."))
    assert len(office.done("sign")) == 1


def test_a_yes_of_somebody_who_has_lost_the_role_since_writes_nothing(office: Office) -> None:
    asked = request_signature(office)
    office.decide(only(asked.interrupts)["id"], approved=True, by="tess")
    office.platform.users["tess"] = User("tess")
    office.run_queue()
    assert office.done() == []
    assert only(office.model.tool_results())["error"]["code"] == "permission-denied"


def test_who_decides_for_another_changes_no_arguments(office: Office) -> None:
    asked = request_signature(office)
    edited = [{"approved": True, "editedArguments": {"paper": "my own"}}]
    refused = office.resume(asked, uid="tess", claims=TEACHERS, answers=edited)
    assert refused.code == "permission-denied"
    assert only(list(office.approvals().values()))["decision"] is None


@pytest.mark.parametrize(
    "decider",
    [
        {"uid": "eve"},
        {"uid": "eve", "claims": {"role": "student"}},
        {"uid": "eve", "claims": {"role": "teacher", "tenant": "other"}},
        {"uid": "eve", "claims": {"role": "teacher"}},
    ],
)
def test_nobody_else_is_told_that_anything_waits(office: Office, decider: dict[str, Any]) -> None:
    asked = request_signature(office, claims={"tenant": "school"})
    refused = office.resume(asked, **decider)
    assert (refused.code, refused.field) == ("not-found", "resume.0.interruptId")
    assert only(list(office.approvals().values()))["decision"] is None
    allowed = office.resume(asked, uid="tess", claims={"role": "teacher", "tenant": "school"})
    assert allowed.done["outcome"]["type"] == "success"


def test_another_user_does_not_decide_what_is_mine(office: Office) -> None:
    asked = office.ask(payment())
    refused = office.resume(asked, uid="eve", claims={"role": "admin"})
    assert (refused.code, office.done()) == ("not-found", [])


# direct calls


def test_a_direct_call_is_the_users_own_yes_and_happens_once_for_its_key(office: Office) -> None:
    office.write_documents()
    data = {"arguments": {"amountUsd": 5, "to": "bob"}, "callKey": "k1"}
    outcomes = run_concurrently(10, lambda _: office.functions.post("pay", data))
    assert [each.json["result"] for each in outcomes] == [{"paid": 5.0}] * 10
    assert len(office.done("pay")) == 1
    other = {"arguments": {"amountUsd": 6, "to": "bob"}, "callKey": "k1"}
    assert office.functions.post("pay", other).json["error"]["details"]["code"] == "already-exists"
    assert office.functions.post("pay", data, uid="eve").json["result"] == {"paid": 5.0}
    assert len(office.done("pay")) == 2


def test_a_direct_call_of_what_needs_four_eyes_is_refused(office: Office) -> None:
    office.write_documents()
    data = {"arguments": {"paper": "lease"}}
    response = office.functions.post("sign", data, claims={"role": "admin"})
    assert response.json["error"]["details"]["code"] == "permission-denied"
    assert office.done() == []


def test_an_approval_of_a_removed_capability_fails(office: Office) -> None:
    asked = office.ask(payment())
    known = {id: each for id, each in office_capabilities().items() if id != "pay"}
    office.platform.catalog = StaticCatalog(known, office.platform.catalog.agents().values())
    ended = office.resume(asked)
    assert (ended.error, ended.statuses()) == (None, ["failed"])
    assert office.done("pay") == []


def test_a_write_whose_undo_fails_has_happened(office: Office) -> None:
    @capability(
        name={"en": "Stamp"},
        category="office",
        effect="write",
        approval=ApprovalPolicy(ask="never"),
        undo=Undo("cancel_room", lambda arguments, output: {"room": output["room"]}),
    )
    def stamp(ctx: ToolContext, *, paper: str) -> dict[str, str]:
        """Stamp a paper."""
        return {"stamped": paper}

    office.redeclare(Capability.of(stamp))
    ran = office.ask(calls(("stamp", {"paper": "lease"})))
    assert ran.statuses() == ["done"]
    assert office.effects()[0]["status"] == "done"


def plus_one(amount: int) -> int:
    return amount + 1


def test_validation_that_changes_approved_arguments_writes_nothing(
    office: Office,
) -> None:
    @capability(name={"en": "Stamp"}, category="office", effect="write")
    def stamp(ctx: ToolContext, *, times: Annotated[int, AfterValidator(plus_one)]) -> int:
        """Stamp so many times."""
        ctx.db.collection("done").add({"tool": "stamp", "times": times})
        return times

    office.redeclare(Capability.of(stamp))
    asked = office.ask(calls(("stamp", {"times": 1})))
    assert office.resume(asked).statuses() == ["failed"]
    assert office.done("stamp") == []
