"""Reading, writing and running on the user's client: which calls are left to it, and which need
approval."""

from __future__ import annotations

import json

import pytest

from rollcall.testing import calls, says
from tests.support.packs.workspace.desk import Desk, Folder, digest, pending, told

READ = ("read_file", {"path": "app.py"})
EDIT = ("edit_file", {"path": "app.py", "oldText": "1", "newText": "2"})


def test_a_task_is_worked_through_with_a_client(desk: Desk, folder: Folder) -> None:
    ran = folder.ask(calls(("list_directory", {}), ("search_files", {"query": "total"})))
    assert len(pending(ran)) == 2
    ran = folder.answer(ran, calls(READ, ("read_file", {"path": "src/lib.py"})))
    ran = folder.answer(ran, calls(EDIT))
    assert folder.files["app.py"] == "total = 1\n"
    ran = folder.decide(ran)
    ran = folder.answer(ran, calls(("run_command", {"command": "pytest -q"})))
    assert folder.files["app.py"] == "total = 2\n"
    ran = folder.decide(ran)
    ran = folder.answer(ran, says("Done and tested."))
    assert (ran.done["message"], ran.done["outcome"]) == ("Done and tested.", {"type": "success"})
    assert [tool for tool, _ in folder.ran][-2:] == ["edit_file", "run_command"]
    desk.check_history()


def test_a_write_gets_the_digest_of_what_was_read_last(desk: Desk, folder: Folder) -> None:
    ran = folder.answer(folder.ask(calls(READ)), calls(EDIT))
    (interrupt,) = ran.interrupts
    assert interrupt["metadata"]["arguments"]["digest"] == digest("total = 1\n")
    left = folder.decide(ran)
    assert left.done["toolCalls"][-1]["arguments"] == interrupt["metadata"]["arguments"]
    again = ("edit_file", {"path": "./app.py", "oldText": "2", "newText": "3"})
    ran = folder.answer(left, calls(again))
    assert ran.interrupts[0]["metadata"]["arguments"]["digest"] == digest("total = 2\n")
    ran = folder.answer(folder.decide(ran))
    assert (ran.statuses()[-1], folder.files["app.py"]) == ("done", "total = 3\n")


@pytest.mark.parametrize("arguments", [{}, {"digest": "0123456789abcdef"}])
def test_a_digest_that_the_model_made_up_is_overruled(
    desk: Desk, folder: Folder, arguments: dict[str, str]
) -> None:
    edit = ("edit_file", {**EDIT[1], **arguments})
    unknown = folder.ask(calls(edit))
    assert "digest" not in unknown.interrupts[0]["metadata"]["arguments"]
    ran = folder.answer(folder.ask(calls(READ)), calls(edit))
    assert ran.interrupts[0]["metadata"]["arguments"]["digest"] == digest("total = 1\n")


def test_a_file_that_changed_since_is_not_written(desk: Desk, folder: Folder) -> None:
    ran = folder.answer(folder.ask(calls(READ)), calls(EDIT))
    folder.files["app.py"] = "total = 1 + 1\n"
    ran = folder.answer(folder.decide(ran), calls(READ))
    assert "changed since it was read" in told(desk)["error"]["message"]
    assert "do not repeat" in told(desk)["error"]["hint"]
    assert folder.files["app.py"] == "total = 1 + 1\n"
    ran = folder.answer(ran, calls(EDIT))
    assert ran.interrupts[0]["metadata"]["arguments"]["digest"] == digest("total = 1 + 1\n")


def test_of_two_edits_side_by_side_the_second_is_not_bound_to_what_the_first_changes(
    desk: Desk, folder: Folder
) -> None:
    other = ("edit_file", {"path": "app.py", "oldText": "total", "newText": "sum"})
    ran = folder.answer(folder.ask(calls(READ)), calls(EDIT, other))
    first, second = (each["metadata"]["arguments"] for each in ran.interrupts)
    assert ("digest" in first, "digest" in second) == (True, False)
    ran = folder.answer(folder.decide(ran))
    assert folder.files["app.py"] == "sum = 2\n"


def test_the_digest_of_an_earlier_turn_counts(desk: Desk, folder: Folder) -> None:
    ran = folder.answer(folder.ask(calls(READ)), says("Read."))
    ran = folder.ask(calls(EDIT), threadId=ran.thread)
    assert ran.interrupts[0]["metadata"]["arguments"]["digest"] == digest("total = 1\n")


def test_changed_arguments_get_their_digest_too(desk: Desk, folder: Folder) -> None:
    ran = folder.answer(folder.ask(calls(READ)), calls(EDIT))
    edited = {"path": "app.py", "oldText": "total", "newText": "sum"}
    left = folder.decide(ran, answers=[{"approved": True, "editedArguments": edited}])
    arguments = {**edited, "digest": digest("total = 1\n")}
    assert left.done["toolCalls"][-1]["arguments"] == arguments
    ended = folder.answer(left)
    assert (folder.files["app.py"], ended.statuses()[-1]) == ("sum = 1\n", "done")
    record = ended.done["toolCalls"][-1]
    assert record["arguments"] == arguments
    assert desk.approvals()[record["approvalId"]]["editedFrom"] == ran.interrupts[0]["id"]


def test_a_write_left_without_asking_is_completed_too(desk: Desk, folder: Folder) -> None:
    patterns = {"argument": "path", "matches": "path", "patterns": ["*.py", "docs/**"]}
    desk.override("agents/office", approvals={"edit_file": {"ask": "outside", **patterns}})
    ran = folder.answer(folder.ask(calls(READ)), calls(EDIT))
    assert (ran.interrupts, len(pending(ran))) == ([], 1)
    assert ran.done["toolCalls"][-1]["arguments"]["digest"] == digest("total = 1\n")
    ran = folder.answer(ran, calls(("edit_file", {**EDIT[1], "path": "src/app.py"})))
    assert len(ran.interrupts) == 1
    assert desk.approvals().keys() == {ran.interrupts[0]["id"]}


def test_an_edit_that_changes_nothing_is_not_asked_about(desk: Desk, folder: Folder) -> None:
    same = ("edit_file", {"path": "app.py", "oldText": "1", "newText": "1"})
    ran = folder.ask(calls(same), says("Nothing to do."))
    assert (ran.statuses(), desk.approvals()) == (["failed"], {})


@pytest.mark.parametrize(
    "path", ["../x", "/etc/passwd", "a/../../x", "C:\\x", "a\\b", "a\nb", "~/x"]
)
def test_a_path_that_leads_outside_reaches_no_client(desk: Desk, folder: Folder, path: str) -> None:
    ran = folder.ask(
        calls(("read_file", {"path": path}), ("write_file", {"path": path, "content": ""}))
    )
    assert (ran.statuses(), pending(ran), ran.interrupts) == (["failed", "failed"], [], [])


def test_large_contents_arrive_whole(desk: Desk, folder: Folder) -> None:
    content = ('שורה של טקסט עם "מרכאות"\n' * 2_000)[:45_000]
    arguments = json.dumps({"path": "big.txt", "content": content}, ensure_ascii=False)
    ran = folder.ask(calls(("write_file", arguments)))
    assert ran.interrupts[0]["metadata"]["arguments"]["content"] == content
    display = ran.interrupts[0]["metadata"]["display"]
    assert (display["type"], len(display["text"]) < 60_000) == ("code", True)
    left = folder.decide(ran)
    stored = desk.result(left.thread, left.done["runId"])
    assert stored["toolCalls"][-1]["arguments"] == {"path": "big.txt", "content": content}
    ended = folder.answer(left)
    assert folder.files["big.txt"] == content
    assert ended.done["toolCalls"][-1]["status"] == "done"


def test_what_was_refused_by_the_person_is_told_as_that(desk: Desk, folder: Folder) -> None:
    ran = folder.ask(calls(EDIT))
    ended = folder.decide(ran, answers=[{"approved": False, "reason": "not this file"}])
    assert (ended.statuses(), folder.ran) == (["rejected"], [])
    assert told(desk)["error"]["reason"] == "not this file"
    assert "do not ask for the same again" in told(desk)["error"]["hint"]
