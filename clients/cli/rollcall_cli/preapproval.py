"""Approvals given in advance with `rollcall ask --yes-to`, where nobody can be asked.

Each names one tool: for tools that write files with a pattern of the path, for commands with the
whole command, because a pattern of commands would allow whatever a shell can append.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from rollcall_cli.approvals import is_mine
from rollcall_cli.dialogue import Interrupt

_FILES = ("write_file", "edit_file")
_COMMAND = "run_command"


@dataclass(frozen=True, slots=True)
class Preapproval:
    """The approval of calls of one tool. `pattern` is a glob of the path, or a whole command."""

    tool: str
    pattern: str | None = None

    @classmethod
    def parse(cls, text: str) -> Preapproval:
        """Parse "write_file=src/*", "run_command=pytest -q" or "send_message".

        Raises:
            ValueError: A required part is missing.
        """
        tool, equals, pattern = text.partition("=")
        if tool in _FILES and not pattern:
            raise ValueError(f"{tool} needs the files, as in {tool}=src/*.py")
        if tool == _COMMAND and not pattern:
            raise ValueError(f'{tool} needs the whole command, as in "{tool}=pytest -q"')
        if tool not in (*_FILES, _COMMAND) and equals:
            raise ValueError(f"nothing can stand behind {tool}=; name the tool alone")
        if not tool:
            raise ValueError("name a tool, as in send_message")
        return cls(tool, pattern or None)

    def covers(self, tool: str, arguments: dict[str, Any]) -> bool:
        if tool != self.tool:
            return False
        if tool == _COMMAND:
            return bool(arguments.get("command") == self.pattern)
        if tool in _FILES:
            path = str(arguments.get("path", ""))
            return ".." not in path.split("/") and fnmatchcase(path, str(self.pattern))
        return True


def resume_entries(
    waiting: Sequence[Interrupt], preapprovals: Sequence[Preapproval], *, uid: str
) -> list[dict[str, Any]] | None:
    """The entries of `resume` that approve all waiting interrupts; None if one of them is not
    covered, or has another decider."""
    for interrupt in waiting:
        about = interrupt["metadata"]
        if not is_mine(interrupt, uid):
            return None
        if not any(each.covers(about["tool"], about["arguments"]) for each in preapprovals):
            return None
    payload = {"approved": True}
    return [
        {"interruptId": each["id"], "status": "resolved", "payload": payload} for each in waiting
    ]
