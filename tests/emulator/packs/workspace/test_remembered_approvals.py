"""Approvals that cover later calls of their thread: when they are offered, what they cover, what
ends them."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall.core.context import Call, User
from rollcall.endpoints.my_data import clear_thread
from rollcall.testing import calls, says
from tests.support.office import RunResponse
from tests.support.packs.workspace.desk import Desk, Folder, pending


def writing(path: str) -> Any:
    return calls(("write_file", {"path": path, "content": "x\n"}))


def run_command(command: str) -> Any:
    return calls(("run_command", {"command": command}))


def remembered(folder: Folder, reply: Any, pattern: str, **more: Any) -> RunResponse:
    """A call that was approved with a pattern, run and answered."""
    ran = folder.ask(reply, **more)
    left = folder.decide(ran, answers=[{"approved": True, "remember": pattern}])
    return folder.answer(left, says("Done."))


def asks(folder: Folder, thread: str, reply: Any) -> bool:
    ran = folder.ask(reply, threadId=thread)
    assert ran.interrupts or pending(ran)
    return bool(ran.interrupts)


def test_an_approval_offers_what_a_yes_may_stand_for(desk: Desk, folder: Folder) -> None:
    offered = folder.ask(writing("src/new.py")).interrupts[0]["metadata"]["remember"]
    assert offered == ["src/new.py", "src/**"]
    (approval,) = desk.approvals().values()
    assert approval["remember"] == offered
    offered = folder.ask(run_command("pytest -q tests")).interrupts[0]["metadata"]["remember"]
    assert offered == ["pytest -q tests", "pytest -q *"]
    assert "remember" not in folder.ask(run_command("a && b")).interrupts[0]["metadata"]


def test_the_answers_schema_says_what_may_be_named(desk: Desk, folder: Folder) -> None:
    (interrupt,) = folder.ask(run_command("pytest")).interrupts
    properties = interrupt["responseSchema"]["properties"]
    assert properties["remember"] == {"type": "string", "enum": ["pytest", "pytest *"]}
    (interrupt,) = folder.ask(run_command("a && b")).interrupts
    assert "remember" not in interrupt["responseSchema"]["properties"]


def test_a_folder_is_not_asked_about_again_in_this_thread(desk: Desk, folder: Folder) -> None:
    thread = remembered(folder, writing("src/new.py"), "src/**").thread
    assert not asks(folder, thread, writing("src/deep/other.py"))
    assert asks(folder, thread, writing("docs/new.md"))
    assert asks(folder, thread, writing("src/.env"))
    assert asks(
        folder, thread, calls(("edit_file", {"path": "src/lib.py", "oldText": "a", "newText": "b"}))
    )
    assert folder.ask(writing("src/other.py")).interrupts


def test_patterns_add_up(desk: Desk, folder: Folder) -> None:
    thread = remembered(folder, run_command("pytest -q"), "pytest -q").thread
    remembered(folder, run_command("git status src"), "git status *", threadId=thread)
    for command in ("pytest -q", "git status docs"):
        assert not asks(folder, thread, run_command(command))
    for command in ("pytest", "git push", "git diff --output=x", "git diff; rm x"):
        assert asks(folder, thread, run_command(command))


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        ({"approved": True, "remember": "**"}, "resume.0.payload.remember"),
        ({"approved": True, "remember": "src/*"}, "resume.0.payload.remember"),
        ({"approved": False, "remember": "src/**"}, "resume.0.payload"),
        (
            {
                "approved": True,
                "remember": "src/**",
                "editedArguments": {"path": "src/b", "content": ""},
            },
            "resume.0.payload.remember",
        ),
    ],
)
def test_what_was_not_offered_is_refused_and_stays_open(
    desk: Desk, folder: Folder, answer: dict[str, Any], field: str
) -> None:
    ran = folder.ask(writing("src/new.py"))
    refused = folder.decide(ran, answers=[answer])
    assert (refused.code, refused.field) == ("invalid-argument", field)
    assert len(pending(folder.decide(ran))) == 1


def test_the_refusal_says_what_was_offered(desk: Desk, folder: Folder) -> None:
    refused = folder.decide(
        folder.ask(writing("src/new.py")), answers=[{"approved": True, "remember": "**"}]
    )
    assert refused.error is not None
    assert "'src/new.py', 'src/**'" in refused.error["message"]


def test_only_the_one_who_decides_may_have_it_remembered(desk: Desk, folder: Folder) -> None:
    ran = folder.ask(writing("src/new.py"))
    answers = [{"approved": True, "remember": "src/**"}]
    refused = desk.resume(ran, answers=answers, uid="eve")
    assert refused.code in ("not-found", "permission-denied")


def test_nothing_is_offered_where_somebody_else_decides(desk: Desk, folder: Folder) -> None:
    desk.override("capabilities/write_file", approval={"ask": "always", "deciderRole": "teacher"})
    ran = folder.ask(writing("src/new.py"))
    assert "remember" not in ran.interrupts[0]["metadata"]
    answers = [{"approved": True, "remember": "src/**"}]
    refused = desk.resume(ran, answers=answers, uid="tess", claims={"role": "teacher"})
    assert (refused.code, refused.field) == ("invalid-argument", "resume.0.payload.remember")


def test_an_operator_who_wants_every_one_asked_about_is_obeyed(desk: Desk, folder: Folder) -> None:
    thread = remembered(folder, writing("src/new.py"), "src/**").thread
    desk.override("capabilities/write_file", approval={"ask": "always"})
    assert asks(folder, thread, writing("src/new.py"))


def test_clearing_the_thread_forgets_it(desk: Desk, folder: Folder) -> None:
    thread = remembered(folder, writing("src/new.py"), "src/**").thread
    clear_thread(desk.platform, Call(User("ann"), {"threadId": thread}))
    assert asks(folder, thread, writing("src/new.py"))


def test_another_version_of_the_capability_is_asked_about(desk: Desk, folder: Folder) -> None:
    thread = remembered(folder, writing("src/new.py"), "src/**").thread
    allowed = desk.document(f"threads/{thread}")["allowed"]["write_file"]
    assert allowed["patterns"] == ["src/**"]
    older = {**allowed, "digest": "another"}
    desk.db.document(f"threads/{thread}").update({"allowed": {"write_file": older}})
    assert asks(folder, thread, writing("src/new.py"))


def test_the_same_yes_again_is_the_same_and_another_pattern_is_not(
    desk: Desk, folder: Folder
) -> None:
    ran = folder.ask(writing("src/new.py"))
    yes = [{"approved": True, "remember": "src/**"}]
    first = folder.decide(ran, answers=yes, runId="r2")
    assert folder.decide(ran, answers=yes, runId="r2").done == first.done
    other = folder.decide(ran, answers=[{"approved": True, "remember": "src/new.py"}])
    assert other.code == "failed-precondition"
