"""Recovery: a process may die anywhere and a client may leave at any time; the turn goes on from
the last saved step, or ends with a reason."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rollcall.core.context import Call, User
from rollcall.core.policy import ApprovalPolicy
from rollcall.endpoints.continuation import sweep
from rollcall.endpoints.run_agent import run_agent
from rollcall.store.approvals import arguments_digest
from rollcall.store.effects import EffectStatus, effect_key
from rollcall.store.recovery import MAX_FRUITLESS
from rollcall.store.runs import thread_id_for
from rollcall.testing import calls, says
from tests.support.full_form import cases
from tests.support.lost_commits import How, lose_commit
from tests.support.office import Office, RunResponse, payment
from tests.support.run_times import end_lease

THREAD = thread_id_for("ann", "r1")
MESSAGE = {"message": "What is new?", "runId": "r1"}


def left_lying(office: Office, *replies: Any, run_id: str = "r1") -> dict[str, Any]:
    """As when the lease ends and the sweeper comes; the result of the run."""
    end_lease(office.db, THREAD, run_id)
    assert office.sweep(*replies) == 1
    assert office.sweep() == 0
    return office.result(THREAD, run_id)


def entries(asked: RunResponse) -> dict[str, Any]:
    """A yes to all that waits, as `run_agent` is sent it."""
    yes = {"approved": True}
    return {
        "threadId": asked.thread,
        "runId": "yes",
        "resume": [
            {"interruptId": each["id"], "status": "resolved", "payload": yes}
            for each in asked.interrupts
        ],
    }


@pytest.mark.parametrize(
    ("at", "before", "reads"),
    [
        ("save_reply", True, 1),
        ("save_reply", False, 1),
        ("save_results", True, 2),
        ("save_results", False, 1),
        ("finish", True, 1),
    ],
)
def test_a_run_whose_process_died_goes_on_from_the_last_saved_step(
    office: Office, at: str, before: bool, reads: int
) -> None:
    """A read whose result was saved is not made again; one whose result was not is."""
    reply = calls(("look_up", {"word": "bob"}))
    office.crash(MESSAGE, reply, at=at, before=before)
    is_saved = (at, before) != ("save_reply", True)
    result = left_lying(office, *([] if is_saved else [reply]))
    assert (result["message"], result["steps"]) == ("Done.", 2)
    assert [call["status"] for call in result["toolCalls"]] == ["done"]
    assert len(office.done("look_up")) == reads
    assert office.run(THREAD, "r1")["attempt"] == 2
    assert office.stored_events(THREAD, "r1")[-1]["type"] == "RUN_FINISHED"
    office.check_history()


def test_a_run_that_died_after_its_end_was_saved_is_done(office: Office) -> None:
    office.crash(MESSAGE, says("Hi."), at="finish", before=False)
    assert office.sweep() == 0
    assert office.call({"agent": "office", **MESSAGE}).done["message"] == "Hi."


def test_a_run_with_a_living_process_is_left_alone(office: Office) -> None:
    office.crash(MESSAGE, calls(("look_up", {})), at="save_results", before=True)
    assert office.continue_run(THREAD, "r1") == "nothing to do"
    assert office.sweep() == 0


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("pay", {"amountUsd": 5, "to": "bob"}),
        ("send_letter", {"to": "bob"}),
        ("book_room", {"room": "blue"}),
    ],
)
def test_an_approved_write_is_made_once_whenever_the_process_dies(
    office: Office, tool: str, arguments: dict[str, Any], before: bool
) -> None:
    asked = office.ask(calls((tool, arguments)), runId="r1")
    office.crash(entries(asked), at="save_results", before=before)
    assert len(office.done(tool)) == 1
    result = left_lying(office, run_id="yes")
    assert [call["status"] for call in result["toolCalls"]] == ["done"]
    assert len(office.done(tool)) == 1
    office.check_history()


def test_a_write_whose_end_was_not_noted_is_said_to_be_unknown(office: Office) -> None:
    asked = office.ask(payment(5, "bob"), runId="r1")
    office.crash(entries(asked), at="save_results", before=True)
    for effect in office.db.collection("effects").stream():  # as when it died before the note
        effect.reference.update({"status": EffectStatus.PENDING.value, "result": None})
    result = left_lying(office, run_id="yes")
    (call,) = result["toolCalls"]
    assert (call["status"], call["error"]["code"]) == ("unknown", "unknown")
    assert office.model.tool_results()[0]["error"]["code"] == "unknown"
    assert len(office.done("pay")) == 1
    assert office.effects()[0]["status"] == "unknown"


def test_a_capability_that_can_tell_says_whether_it_happened(office: Office) -> None:
    asked = office.ask(calls(("send_letter", {"to": "bob"})), runId="r1")
    office.crash(entries(asked), at="save_results", before=True)
    for effect in office.db.collection("effects").stream():
        effect.reference.update({"status": EffectStatus.PENDING.value, "result": None})
    result = left_lying(office, run_id="yes")
    assert (result["toolCalls"][0]["status"], len(office.done())) == ("done", 1)
    assert result["toolCalls"][0]["result"] == {"sent": "bob"}


@pytest.mark.parametrize(
    ("tool", "arguments", "status", "times"),
    [
        ("pay", {"amountUsd": 5.0, "to": "bob"}, "unknown", 0),
        ("send_letter", {"to": "bob"}, "failed", 0),
        ("book_room", {"room": "blue", "hours": 1}, "done", 1),
    ],
)
def test_a_write_that_was_begun_and_cut_off(
    office: Office, tool: str, arguments: dict[str, Any], status: str, times: int
) -> None:
    """Of what cannot tell nobody knows; what can tell says that nothing was written; what is
    atomic is simply made."""
    asked = office.ask(calls((tool, arguments)), runId="r1")
    entry = {
        "uid": "ann",
        "tool": tool,
        "version": 1,
        "argumentsDigest": arguments_digest(arguments),
        "status": "pending",
        "mayBeTriedAgain": False,
        "startedAt": datetime.now(UTC) - timedelta(minutes=5),
    }
    office.db.document(f"effects/{effect_key(asked.thread, 'r1', 1, 0)}").set(entry)
    ended = office.resume(asked)
    assert ended.statuses() == [status]
    assert len(office.done(tool)) == times


def test_a_run_that_gets_no_further_is_given_up_in_the_end(office: Office) -> None:
    office.crash(MESSAGE, calls(("look_up", {})), at="save_reply", before=True)
    for _ in range(MAX_FRUITLESS):
        end_lease(office.db, THREAD, "r1")
        office.crash(MESSAGE, calls(("look_up", {})), at="save_reply", before=True)
    end_lease(office.db, THREAD, "r1")
    assert office.call({"agent": "office", **MESSAGE}).code == "internal"
    run = office.run(THREAD, "r1")
    assert (run["status"], run["attempt"]) == ("failed", MAX_FRUITLESS + 2)
    assert office.ask(says("Hello."), threadId=THREAD).done["message"] == "Hello."


def test_the_sweeper_goes_on_itself_where_the_queue_takes_nothing(office: Office) -> None:
    office.crash(MESSAGE, calls(("look_up", {})), at="save_results", before=True)
    end_lease(office.db, THREAD, "r1")
    office.platform.takes_tasks = False
    assert sweep(office.platform, now=datetime.now(UTC)) == 1
    assert office.result(THREAD, "r1")["message"] == "Done."


def test_a_run_of_a_user_who_is_gone_is_closed(office: Office) -> None:
    office.crash(MESSAGE, calls(("look_up", {})), at="save_results", before=True)
    office.platform.gone.add("ann")
    end_lease(office.db, THREAD, "r1")
    office.sweep()
    assert office.run(THREAD, "r1")["error"]["code"] == "unauthenticated"
    assert office.ask(says("Hello."), threadId=THREAD).done["message"] == "Hello."


def test_a_write_that_runs_when_the_client_leaves_is_seen_to_its_end(office: Office) -> None:
    has_begun, may_end = threading.Event(), threading.Event()

    def paying() -> None:
        has_begun.set()
        may_end.wait(60)

    office.hooks.paying = paying
    office.declare(approvals={})
    office.override("capabilities/pay", approval={"ask": "never"})
    office.model.replies = [payment(5, "bob")]
    stream = run_agent(office.platform, Call(User("ann"), {"agent": "office", **MESSAGE}))
    while next(stream) is not None or not has_begun.is_set():
        pass
    threading.Timer(0.1, may_end.set).start()
    stream.close()
    office.run_queue()
    result = office.result(THREAD, "r1")
    assert [call["status"] for call in result["toolCalls"]] == ["done"]
    assert len(office.done("pay")) == 1


def test_a_message_that_comes_while_a_run_lies_there_closes_it(office: Office) -> None:
    office.crash(MESSAGE, payment(5, "bob"), at="save_reply", before=False)
    end_lease(office.db, THREAD, "r1")
    ran = office.ask(says("Hello."), threadId=THREAD)
    assert ran.done["message"] == "Hello."
    office.check_history()
    run = office.run(THREAD, "r1")
    assert (run["status"], run["error"]["code"]) == ("failed", "aborted")
    assert office.call({"agent": "office", **MESSAGE}).code == "aborted"


# bounds, over all the runs of a turn


def waits_again(office: Office, asked: RunResponse, amount: float) -> RunResponse:
    return office.resume(asked, payment(amount, "bob"))


def test_the_limit_of_steps_holds_over_continuations(office: Office) -> None:
    office.declare(max_steps=3)
    asked = office.ask(payment(1, "bob"))
    for amount in (2, 3):
        asked = waits_again(office, asked, amount)
        assert asked.done["outcome"]["type"] == "interrupt"
    ended = office.resume(asked, says("Three paid."))
    assert (ended.done["stopReason"], ended.done["steps"]) == ("max_steps", 3)
    assert office.model.requests[-1].tool_choice == "none"
    assert (ended.done["message"], len(office.done("pay"))) == ("Three paid.", 3)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_calls": 2}, "max_calls"),
        ({"max_tokens": 29}, "max_tokens"),
    ],
)
def test_the_limits_of_calls_and_tokens_hold_over_continuations(
    office: Office, limits: dict[str, Any], reason: str
) -> None:
    office.declare(**limits)
    asked = office.ask(payment(1, "bob"))
    again = waits_again(office, asked, 2)
    ended = office.resume(again)
    assert ended.done["stopReason"] == reason
    assert len(office.done("pay")) == 2


def test_the_limit_of_one_tools_calls_holds_over_continuations(office: Office) -> None:
    office.declare(max_calls_per_tool=1)
    asked = office.ask(payment(1, "bob"))
    ended = waits_again(office, asked, 2)
    assert ended.statuses() == ["done", "refused"]


def test_the_time_at_work_counts_over_continuations_and_waiting_does_not(office: Office) -> None:
    asked = office.ask(payment(1, "bob"))
    step = office.db.document(f"threads/{asked.thread}/messages/00000001")
    assert step.get().to_dict()["spent"]["workMs"] < 60_000  # type: ignore[index]
    step.update({"spent.workMs": 119_000})  # of 120 s
    office.db.document(f"threads/{asked.thread}/views/window").delete()
    ended = office.resume(asked)
    assert ended.done["stopReason"] == "deadline"
    assert len(office.done("pay")) == 1


def test_a_bound_holds_when_a_process_dies_between_two_steps(office: Office) -> None:
    office.declare(max_steps=1)
    office.crash(MESSAGE, calls(("look_up", {"word": "bob"})), at="save_results", before=False)
    result = left_lying(office, says("Bob it is."))
    assert (result["stopReason"], result["steps"]) == ("max_steps", 1)
    assert office.model.requests[-1].tool_choice == "none"


def test_a_policy_that_asks_nobody_writes_once_also_when_the_process_dies(office: Office) -> None:
    office.declare(approvals={"stamp": ApprovalPolicy(ask="never")})
    office.crash(MESSAGE, calls(("stamp", {"paper": "a"})), at="save_results", before=True)
    left_lying(office)
    assert len(office.done("stamp")) == 1


# commits whose answer is lost


LOST = [(how, number) for how in ("before", "after", "twice") for number in range(6)]
"""What becomes of which of a run's commits."""


@pytest.mark.long
@pytest.mark.parametrize(("how", "number"), cases(LOST, 0, 3, 7, 10, 14, 17))
def test_a_commit_whose_answer_is_lost_doubles_nothing(
    office: Office, monkeypatch: pytest.MonkeyPatch, how: How, number: int
) -> None:
    """Opening, reply, the write's own, result, end: the client asks again until it is answered."""
    reply = calls(("stamp", {"paper": "a"}))
    with lose_commit(monkeypatch, number, how):
        ran = office.send(MESSAGE, reply)
    if ran.result is None:
        assert ran.code == "unavailable"
        if office.run(THREAD, "r1").get("status") == "failed":  # before the model was asked
            assert office.call({"agent": "office", **MESSAGE}).code == "unavailable"
            assert office.ask(threadId=THREAD).done["message"] == "Done."
            return
        if office.run(THREAD, "r1"):
            end_lease(office.db, THREAD, "r1")
        office.model.replies = [reply]
        ran = office.call({"agent": "office", **MESSAGE})
    log = office.messages(THREAD)
    assert [each["n"] for each in log] == list(range(len(log)))
    assert [each["role"] for each in log].count("user") == 1
    assert len(office.done("stamp")) <= 1
    assert ran.done["outcome"] == {"type": "success"}
    statuses = [call["status"] for call in ran.done["toolCalls"]]
    assert (statuses == ["done"]) <= (len(office.done("stamp")) == 1)
    office.check_history()


@pytest.mark.long
@pytest.mark.parametrize(("how", "number"), cases(LOST, 2, 5, 6, 9, 13, 16))
def test_a_yes_whose_answer_is_lost_counts_once(
    office: Office, monkeypatch: pytest.MonkeyPatch, how: How, number: int
) -> None:
    asked = office.ask(payment(5, "bob"), runId="r1")
    data = {"agent": "office", **entries(asked)}
    with lose_commit(monkeypatch, number, how):
        ran = office.call(data)
    if ran.result is None:
        if "yes" in office.runs(THREAD) and office.run(THREAD, "yes")["status"] == "running":
            end_lease(office.db, THREAD, "yes")
        ran = office.call(data)
    (call,) = ran.done["toolCalls"]
    assert call["status"] in ("done", "unknown", "failed")
    assert len(office.done("pay")) <= 1
    assert (call["status"] == "done") <= (len(office.done("pay")) == 1)
    assert (call["status"] == "failed") <= (office.done("pay") == [])
    assert len(office.runs(THREAD)) == 2
