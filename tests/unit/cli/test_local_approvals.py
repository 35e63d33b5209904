"""What was approved here is what runs here."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall_cli.local_approvals import LocalApprovals
from rollcall_cli.workspace import ToolError
from tests.unit.cli.test_tools import call
from tests.unit.cli.workspace.conftest import Sandbox, sandbox

__all__ = ["sandbox"]

EDIT = {"path": "a.txt", "oldText": "x", "newText": "y", "replaceAll": True}


def _approved(sandbox: Sandbox, tool: str, arguments: dict[str, Any]) -> LocalApprovals:
    approvals = LocalApprovals()
    approvals.request("c1", sandbox.workspace.diff(tool, arguments))
    approvals.approve("c1", arguments)
    return approvals


def test_what_was_never_asked_about_here_is_the_servers_to_allow(sandbox: Sandbox) -> None:
    LocalApprovals().check(call("c1", "edit_file", **EDIT), sandbox.workspace.diff)


def test_call_that_was_asked_about_and_not_approved_is_not_run(sandbox: Sandbox) -> None:
    approvals = LocalApprovals()
    approvals.request("c1")
    with pytest.raises(ToolError, match="nobody said yes"):
        approvals.check(call("c1", "run_command", command="ls"), sandbox.workspace.diff)


def test_digest_that_the_server_fills_in_is_no_other_call(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "x\n")
    approvals = _approved(sandbox, "edit_file", EDIT)
    approvals.check(call("c1", "edit_file", **EDIT, digest="0" * 16), sandbox.workspace.diff)
    approvals.approve("c1", {**EDIT, "replaceAll": False}, edited=True)
    del (edited := dict(EDIT))["replaceAll"]
    approvals.check(call("c1", "edit_file", **edited), sandbox.workspace.diff)


def test_edit_that_would_change_more_than_was_shown_is_not_made(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt", "x\n" + "-\n" * 20)
    approvals = _approved(sandbox, "edit_file", EDIT)
    file.write_text("first\n" + file.read_text())
    approvals.check(call("c1", "edit_file", **EDIT), sandbox.workspace.diff)
    file.write_text(file.read_text() + "x too\n")
    with pytest.raises(ToolError, match="read it again"):
        approvals.check(call("c1", "edit_file", **EDIT), sandbox.workspace.diff)


def test_write_over_lines_that_were_not_shown_is_not_made(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt", "old\n")
    write = {"path": "a.txt", "content": "new\n"}
    approvals = _approved(sandbox, "write_file", write)
    file.write_text("old\nand precious\n")
    with pytest.raises(ToolError, match="changed since it was approved"):
        approvals.check(call("c1", "write_file", **write), sandbox.workspace.diff)
