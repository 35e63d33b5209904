"""Approvals given beforehand: narrow, or none."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall_cli.preapproval import Preapproval, resume_entries


def interrupt(id: str, tool: str, uid: str = "noa", **arguments: Any) -> dict[str, Any]:
    about = {"tool": tool, "arguments": arguments, "decider": {"uid": uid}}
    return {"id": id, "metadata": about}


@pytest.mark.parametrize(
    "text", ["write_file", "edit_file=", "run_command", "send_message=x", "", "=x"]
)
def test_a_yes_that_is_not_narrow_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"needs|nothing can|name a tool"):
        Preapproval.parse(text)


@pytest.mark.parametrize(
    ("path", "covered"),
    [("src/a.py", True), ("src/deep/b.py", True), ("a.py", False), ("src/../a.py", False)],
)
def test_files_are_covered_by_their_path(path: str, covered: bool) -> None:
    assert Preapproval.parse("write_file=src/*").covers("write_file", {"path": path}) is covered
    assert not Preapproval.parse("write_file=src/*").covers("edit_file", {"path": path})


@pytest.mark.parametrize(
    "command", ["pytest -q; rm -rf .", "pytest -q && x", "pytest -qq", " pytest -q", "pytest *"]
)
def test_a_command_is_covered_letter_for_letter(command: str) -> None:
    yes = Preapproval.parse("run_command=pytest -q")
    assert yes.covers("run_command", {"command": "pytest -q"})
    assert not yes.covers("run_command", {"command": command})


def test_all_that_waits_is_covered_or_nothing_is_answered() -> None:
    yes = [Preapproval.parse("send_message")]
    mine, other = interrupt("a1", "send_message"), interrupt("a2", "withdraw_message")
    (entry,) = resume_entries([mine], yes, uid="noa") or []
    assert entry == {"interruptId": "a1", "status": "resolved", "payload": {"approved": True}}
    assert resume_entries([mine, other], yes, uid="noa") is None
    assert resume_entries([interrupt("a3", "send_message", uid="dan")], yes, uid="noa") is None
