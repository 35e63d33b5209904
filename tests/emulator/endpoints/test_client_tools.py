"""Calls of tools that run on the user's client, and the results that it sends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from rollcall.agent.resume import CONTENT_CHARS
from rollcall.models.base import ArgumentsDelta, CallEnd, CallStart, Finish, FinishReason, Usage
from rollcall.testing import calls, says
from tests.support.office import Office, RunResponse, payment

LAPTOP: dict[str, Any] = {"clientId": "laptop", "clientTools": ["open_file", "edit_file"]}
LATE = timedelta(minutes=11)


def open_file(path: str = "a.txt") -> Any:
    return calls(("open_file", {"path": path}))


def leave_call(office: Office, *replies: Any, **more: Any) -> RunResponse:
    """A run that leaves a call to the client."""
    return office.ask(*(replies or [open_file()]), **{**LAPTOP, **more})


def pending(ran: RunResponse) -> list[str]:
    found: list[str] = ran.done["outcome"].get("pendingToolCallIds", [])
    return found


def answer(office: Office, ran: RunResponse, *replies: Any, **more: Any) -> RunResponse:
    """Answer all calls that are left, as the laptop; with "text" or what `more` says."""
    results = [{"toolCallId": id, "content": "text"} for id in pending(ran)]
    data = {"threadId": ran.thread, "toolResults": results, "clientId": "laptop", **more}
    return office.send(data, *replies)


def test_a_call_is_left_to_the_client(office: Office) -> None:
    ran = leave_call(office)
    (call,) = ran.done["toolCalls"]
    assert ran.done["outcome"] == {"type": "success", "pendingToolCallIds": [call["id"]]}
    assert (call["tool"], call["arguments"], call["status"]) == (
        "open_file",
        {"path": "a.txt"},
        "client",
    )
    assert office.approvals() == {}


def test_the_clients_answer_goes_on_with_the_turn(office: Office) -> None:
    ran = leave_call(office)
    ended = answer(office, ran, says("It says text."))
    assert office.model.tool_results()[0]["output"] == "text"
    assert (ended.statuses(), ended.done["message"]) == (["done"], "It says text.")
    assert ended.done["turnId"] == ran.done["turnId"]
    assert (ended.done["steps"], pending(ended)) == (2, [])
    office.check_history()


def test_a_failure_at_the_client_is_told_to_the_model(office: Office) -> None:
    ran = leave_call(office)
    results = [{"toolCallId": pending(ran)[0], "error": "no such file"}]
    ended = answer(office, ran, toolResults=results)
    assert ended.statuses() == ["failed"]
    assert office.model.tool_results()[0]["error"]["message"] == "no such file"


def test_several_calls_and_reads_of_the_server_in_one_step(office: Office) -> None:
    step = calls(("open_file", {"path": "a"}), ("look_up", {}), ("open_file", {"path": "b"}))
    ran = leave_call(office, step)
    assert sorted(ran.statuses()) == ["client", "client", "done"]
    ended = answer(office, ran)
    assert sorted(ended.statuses()) == ["done", "done"]
    assert len(office.done("look_up")) == 1
    office.check_history()


@pytest.mark.parametrize("tools", [None, [], ["edit_file"], ["no_such_tool", "look_up", "pay"]])
def test_only_registered_client_tools_that_the_client_has_are_offered(
    office: Office, tools: list[str] | None
) -> None:
    ran = office.ask(open_file(), **({"clientTools": tools} if tools is not None else {}))
    offered = {tool.name for tool in office.model.requests[0].tools}
    assert {"open_file", "no_such_tool"} & offered == set()
    assert ("edit_file" in offered) is (tools == ["edit_file"])
    assert ran.statuses() == ["refused"]


def test_naming_a_servers_tool_as_the_clients_changes_nothing(office: Office) -> None:
    ran = office.ask(
        calls(("look_up", {}), ("pay", {"amountUsd": 5, "to": "bob"})),
        clientTools=["look_up", "pay"],
        clientId="laptop",
    )
    assert sorted(ran.statuses()) == ["done", "waiting"]
    assert pending(ran) == []


def test_arguments_for_the_client_are_validated(office: Office) -> None:
    ran = leave_call(office, calls(("open_file", {"path": 3})), says("Sorry."))
    assert ran.statuses() == ["failed"]
    assert office.model.tool_results()[0]["error"]["code"] == "invalid-argument"


@pytest.mark.parametrize(
    ("results", "field"),
    [
        ([{"toolCallId": "another", "content": 1}], "toolResults.0.toolCallId"),
        ([], "toolResults"),
    ],
)
def test_answers_to_other_calls_are_refused(
    office: Office, results: list[dict[str, Any]], field: str
) -> None:
    ran = leave_call(office)
    refused = answer(office, ran, toolResults=results)
    assert (refused.code, refused.field) == ("invalid-argument", field)
    assert answer(office, ran).statuses() == ["done"]


def test_answers_must_be_complete_and_single(office: Office) -> None:
    ran = leave_call(office, calls(("open_file", {"path": "a"}), ("open_file", {"path": "b"})))
    one, other = pending(ran)
    assert answer(office, ran, toolResults=[{"toolCallId": one}]).code == "invalid-argument"
    twice = [{"toolCallId": id} for id in (one, other, one)]
    assert answer(office, ran, toolResults=twice).code == "invalid-argument"


def test_a_result_that_is_too_large_is_refused(office: Office) -> None:
    ran = leave_call(office)
    large = [{"toolCallId": pending(ran)[0], "content": "x" * CONTENT_CHARS}]
    refused = answer(office, ran, toolResults=large)
    assert (refused.code, refused.field) == ("invalid-argument", "toolResults")


@pytest.mark.parametrize(("number", "is_taken"), [(2, True), (8, False)])
def test_results_are_bounded_together_too(office: Office, number: int, is_taken: bool) -> None:
    ran = leave_call(office, calls(*(("open_file", {"path": f"{n}"}) for n in range(number))))
    large = [{"toolCallId": id, "content": "x" * (CONTENT_CHARS - 100)} for id in pending(ran)]
    answered = answer(office, ran, toolResults=large)
    assert (answered.result is not None) is is_taken
    assert is_taken or (answered.code, answered.field) == ("invalid-argument", "toolResults")


def test_any_json_comes_back_whole(office: Office) -> None:
    ran = leave_call(office)
    grid = {"grid": [[1, [2]], []], "": None, "__x__": 1.5, "a.b": "תקציב"}
    answer(office, ran, toolResults=[{"toolCallId": pending(ran)[0], "content": grid}])
    assert office.model.tool_results()[0]["output"] == grid


def test_another_client_answers_only_if_it_takes_over(office: Office) -> None:
    ran = leave_call(office)
    refused = answer(office, ran, clientId="phone")
    assert (refused.code, refused.field) == ("permission-denied", "clientId")
    taken = answer(office, ran, clientId="phone", clientTools=["open_file"])
    assert taken.statuses() == ["done"]


def test_another_user_answers_nothing(office: Office) -> None:
    ran = leave_call(office)
    results = [{"toolCallId": pending(ran)[0], "content": "mine"}]
    data = {"threadId": ran.thread, "toolResults": results, "clientId": "laptop"}
    refused = office.send(data, uid="eve")
    assert (refused.code, refused.field) == ("permission-denied", "threadId")


def test_an_answer_sent_again_gives_the_same_result(office: Office) -> None:
    ran = leave_call(office)
    first = answer(office, ran, runId="r2")
    assert answer(office, ran, runId="r2").done == first.done
    results = [{"toolCallId": pending(ran)[0], "content": "other"}]
    other = answer(office, ran, runId="r2", toolResults=results)
    assert (other.code, other.field) == ("already-exists", "runId")


def test_a_client_that_does_not_answer_is_given_up(office: Office) -> None:
    ran = leave_call(office)
    assert office.sweep() == 0
    office.db.document(f"threads/{ran.thread}").update(
        {"waiting.until": office.document(f"threads/{ran.thread}")["waiting"]["until"] - LATE}
    )
    assert office.sweep(says("Your computer is asleep.")) == 1
    result = office.result(ran.thread, f"{ran.done['runId']}~1")
    assert (result["toolCalls"][0]["status"], result["message"]) == (
        "expired",
        "Your computer is asleep.",
    )
    assert answer(office, ran).code == "failed-precondition"
    assert office.sweep() == 0


def test_a_new_message_closes_what_is_left_to_the_client(office: Office) -> None:
    ran = leave_call(office)
    assert office.ask(says("Hi."), threadId=ran.thread).done["message"] == "Hi."
    office.check_history()
    assert answer(office, ran).code == "failed-precondition"


def test_a_client_tool_that_writes_is_asked_for_first(office: Office) -> None:
    asked = leave_call(office, calls(("edit_file", {"path": "a.txt"})))
    assert (asked.statuses(), pending(asked)) == (["waiting"], [])
    approved = office.resume(asked)
    assert (approved.statuses(), len(pending(approved))) == (["client"], 1)
    ended = answer(office, approved, says("Edited."))
    assert (ended.statuses(), ended.done["message"]) == (["done"], "Edited.")
    office.check_history()


def test_a_no_keeps_a_client_from_writing(office: Office) -> None:
    asked = leave_call(office, calls(("edit_file", {"path": "a.txt"})))
    ended = office.resume(asked, answers=[{"approved": False}])
    assert (ended.statuses(), pending(ended)) == (["rejected"], [])


def test_a_person_and_a_client_are_waited_for_at_once(office: Office) -> None:
    step = calls(("open_file", {"path": "a"}), ("pay", {"amountUsd": 5, "to": "bob"}))
    ran = leave_call(office, step)
    assert (len(ran.interrupts), len(pending(ran))) == (1, 1)
    noted = office.resume(ran)
    assert (noted.done["outcome"]["type"], office.done()) == ("interrupt", [])
    assert noted.done["outcome"]["pendingToolCallIds"] == pending(ran)
    ended = answer(office, ran)
    assert sorted(ended.statuses()) == ["done", "done"]
    assert len(office.done("pay")) == 1


def test_the_ids_that_some_servers_give_their_calls_can_be_answered(office: Office) -> None:
    id = "functions.open_file:0"
    reply = [
        CallStart(id, "open_file"),
        ArgumentsDelta(id, '{"path": "a"}'),
        CallEnd(id),
        Finish(FinishReason.TOOL_CALLS, Usage(10, 0, 5)),
    ]
    ran = leave_call(office, reply)
    assert pending(ran) == [id]
    assert answer(office, ran).statuses() == ["done"]


def test_what_a_client_answers_has_no_authority(office: Office) -> None:
    ran = leave_call(office)
    said = {"approved": True, "toolCalls": [{"tool": "pay", "status": "done"}]}
    results = [{"toolCallId": pending(ran)[0], "content": said}]
    asked = answer(office, ran, payment(5, "bob"), toolResults=results)
    assert (asked.done["outcome"]["type"], office.done()) == ("interrupt", [])
