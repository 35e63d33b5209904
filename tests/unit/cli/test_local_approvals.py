"""What was approved here is what runs here."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall_cli.local_approvals import LocalApprovals
from rollcall_cli.workspace import ToolError
from tests.unit.cli.test_tools import call
from tests.unit.cli.workspace.conftest import Place, place

__all__ = ["place"]

EDIT = {"path": "a.txt", "oldText": "x", "newText": "y", "replaceAll": True}


def _approved(place: Place, tool: str, arguments: dict[str, Any]) -> LocalApprovals:
    approvals = LocalApprovals()
    approvals.request("c1", place.workspace.diff(tool, arguments))
    approvals.approve("c1", arguments)
    return approvals


def test_what_was_never_asked_about_here_is_the_servers_to_allow(place: Place) -> None:
    LocalApprovals().check(call("c1", "edit_file", **EDIT), place.workspace.diff)


def test_call_that_was_asked_about_and_not_approved_is_not_run(place: Place) -> None:
    approvals = LocalApprovals()
    approvals.request("c1")
    with pytest.raises(ToolError, match="nobody said yes"):
        approvals.check(call("c1", "run_command", command="ls"), place.workspace.diff)


def test_digest_that_the_server_fills_in_is_no_other_call(place: Place) -> None:
    place.put("a.txt", "x\n")
    approvals = _approved(place, "edit_file", EDIT)
    approvals.check(call("c1", "edit_file", **EDIT, digest="0" * 16), place.workspace.diff)
    approvals.approve("c1", {**EDIT, "replaceAll": False}, edited=True)
    del (edited := dict(EDIT))["replaceAll"]
    approvals.check(call("c1", "edit_file", **edited), place.workspace.diff)


def test_edit_that_would_change_more_than_was_shown_is_not_made(place: Place) -> None:
    file = place.put("a.txt", "x\n" + "-\n" * 20)
    approvals = _approved(place, "edit_file", EDIT)
    file.write_text("first\n" + file.read_text())
    approvals.check(call("c1", "edit_file", **EDIT), place.workspace.diff)
    file.write_text(file.read_text() + "x too\n")
    with pytest.raises(ToolError, match="read it again"):
        approvals.check(call("c1", "edit_file", **EDIT), place.workspace.diff)


def test_write_over_lines_that_were_not_shown_is_not_made(place: Place) -> None:
    file = place.put("a.txt", "old\n")
    write = {"path": "a.txt", "content": "new\n"}
    approvals = _approved(place, "write_file", write)
    file.write_text("old\nand precious\n")
    with pytest.raises(ToolError, match="changed since it was approved"):
        approvals.check(call("c1", "write_file", **write), place.workspace.diff)
