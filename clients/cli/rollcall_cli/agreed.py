"""What a person said yes to here: nothing else is run in its name.

A server says which calls are left to this client. One that the person was asked about here runs
only after a yes here, with the arguments that were shown, and changes only the lines that were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rollcall_cli.dialogue import Call
from rollcall_cli.workspace import ToolError

Diff = Callable[[str, dict[str, Any]], str]
"""What a write would change on the disk now; raises `ToolError`."""


class Agreed:
    """Calls that were asked about in one sitting, by id."""

    def __init__(self) -> None:
        self._arguments: dict[str, dict[str, Any] | None] = {}
        self._changes: dict[str, int] = {}

    def asked(self, call_id: str, diff: str | None = None) -> None:
        """The person is asked about a call; until they say yes it does not run.

        Args:
            diff: What they were shown of it, for a write.
        """
        self._arguments[call_id] = None
        self._changes.pop(call_id, None)
        if diff is not None:
            self._changes[call_id] = _changes(diff)

    def said_yes(self, call_id: str, shown: dict[str, Any], *, edited: bool = False) -> None:
        """They said yes to these arguments, or `edited` those they were shown into these."""
        self._arguments[call_id] = _meant(shown)
        if edited:
            self._changes.pop(call_id, None)

    def check(self, call: Call, diff: Diff) -> None:
        """Check a call that is about to run; one that was not asked about here passes.

        Raises:
            ToolError: It is not what was approved.
        """
        if call["id"] not in self._arguments:
            return
        approved = self._arguments[call["id"]]
        if approved is None:
            raise ToolError("not run: nobody said yes to it here")
        if approved != _meant(call["arguments"]):
            raise ToolError("not run: its arguments are others than those that were approved here")
        shown = self._changes.get(call["id"])
        if shown is not None and shown != _changes(diff(call["tool"], call["arguments"])):
            raise ToolError(
                "changed since it was approved: other lines would go or come than were shown; "
                "read it again"
            )


def _meant(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments without the digest, which a server may fill in later, and without those that
    say no more than leaving them out does."""
    return {
        name: value
        for name, value in arguments.items()
        if name != "digest" and value is not None and value is not False
    }


def _changes(diff: str) -> int:
    """A mark of the lines that go and come; where they stand may differ after another edit."""
    _, _, lines = diff.partition("\n+++ ")
    return hash(tuple(line for line in lines.split("\n")[1:] if line[:1] in ("+", "-")))
