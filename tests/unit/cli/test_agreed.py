"""What was approved here is what runs here."""

from __future__ import annotations

from typing import Any

import pytest

from rollcall_cli.agreed import Agreed
from rollcall_cli.workspace import ToolError
from tests.unit.cli.test_tools import call
from tests.unit.cli.workspace.conftest import Place, place

__all__ = ["place"]

EDIT = {"path": "a.txt", "oldText": "x", "newText": "y", "replaceAll": True}


def _approved(place: Place, tool: str, arguments: dict[str, Any]) -> Agreed:
    agreed = Agreed()
    agreed.asked("c1", place.workspace.diff(tool, arguments))
    agreed.said_yes("c1", arguments)
    return agreed


def test_what_was_never_asked_about_here_is_the_servers_to_allow(place: Place) -> None:
    Agreed().check(call("c1", "edit_file", **EDIT), place.workspace.diff)


def test_call_that_was_asked_about_and_not_approved_is_not_run(place: Place) -> None:
    agreed = Agreed()
    agreed.asked("c1")
    with pytest.raises(ToolError, match="nobody said yes"):
        agreed.check(call("c1", "run_command", command="ls"), place.workspace.diff)


def test_digest_that_the_server_fills_in_is_no_other_call(place: Place) -> None:
    place.put("a.txt", "x\n")
    agreed = _approved(place, "edit_file", EDIT)
    agreed.check(call("c1", "edit_file", **EDIT, digest="0" * 16), place.workspace.diff)
    agreed.said_yes("c1", {**EDIT, "replaceAll": False}, edited=True)
    del (edited := dict(EDIT))["replaceAll"]
    agreed.check(call("c1", "edit_file", **edited), place.workspace.diff)


def test_edit_that_would_change_more_than_was_shown_is_not_made(place: Place) -> None:
    file = place.put("a.txt", "x\n" + "-\n" * 20)
    agreed = _approved(place, "edit_file", EDIT)
    file.write_text("first\n" + file.read_text())
    agreed.check(call("c1", "edit_file", **EDIT), place.workspace.diff)
    file.write_text(file.read_text() + "x too\n")
    with pytest.raises(ToolError, match="read it again"):
        agreed.check(call("c1", "edit_file", **EDIT), place.workspace.diff)


def test_write_over_lines_that_were_not_shown_is_not_made(place: Place) -> None:
    file = place.put("a.txt", "old\n")
    write = {"path": "a.txt", "content": "new\n"}
    agreed = _approved(place, "write_file", write)
    file.write_text("old\nand precious\n")
    with pytest.raises(ToolError, match="changed since it was approved"):
        agreed.check(call("c1", "write_file", **write), place.workspace.diff)
