"""Checks that a call runs only as it was approved on this client.

The server decides which calls this client runs. A call that needed approval here runs only after
that approval, with the arguments that were shown, and changes only the lines that were shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rollcall_cli.dialogue import Call
from rollcall_cli.workspace import ToolError

Diff = Callable[[str, dict[str, Any]], str]
"""Returns the diff that a write would make now; raises `ToolError`."""


class LocalApprovals:
    """The calls of one session that needed approval here, by id."""

    def __init__(self) -> None:
        self._arguments: dict[str, dict[str, Any] | None] = {}
        self._changes: dict[str, int] = {}

    def request(self, call_id: str, diff: str | None = None) -> None:
        """Record that a call needs approval; until then it does not run.

        Args:
            diff: The diff that the person is shown, for a write.
        """
        self._arguments[call_id] = None
        self._changes.pop(call_id, None)
        if diff is not None:
            self._changes[call_id] = _changes(diff)

    def approve(self, call_id: str, shown: dict[str, Any], *, edited: bool = False) -> None:
        """Record an approval of these arguments, which the person may have edited."""
        self._arguments[call_id] = _relevant(shown)
        if edited:
            self._changes.pop(call_id, None)

    def check(self, call: Call, diff: Diff) -> None:
        """Check a call before it runs. One that needed no approval here passes.

        Raises:
            ToolError: It differs from what was approved.
        """
        if call["id"] not in self._arguments:
            return
        approved = self._arguments[call["id"]]
        if approved is None:
            raise ToolError("not run: nobody said yes to it here")
        if approved != _relevant(call["arguments"]):
            raise ToolError("not run: its arguments are others than those that were approved here")
        shown = self._changes.get(call["id"])
        if shown is not None and shown != _changes(diff(call["tool"], call["arguments"])):
            raise ToolError(
                "changed since it was approved: other lines would go or come than were shown; "
                "read it again"
            )


def _relevant(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without the digest, which a server may fill in later, and without those that
    are null or false, which mean the same as leaving them out."""
    return {
        name: value
        for name, value in arguments.items()
        if name != "digest" and value is not None and value is not False
    }


def _changes(diff: str) -> int:
    """A hash of the removed and added lines; line numbers may change with another edit."""
    _, _, lines = diff.partition("\n+++ ")
    return hash(tuple(line for line in lines.split("\n")[1:] if line[:1] in ("+", "-")))
