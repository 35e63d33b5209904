"""Approvals given beforehand, for `rollcall ask`, where nobody is there to be asked.

Each names one tool. A file needs a pattern of its path beside it, and a command the whole of it:
a pattern of commands would allow whatever a shell can add to one.
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
class YesTo:
    """A yes to calls of one tool, where `given` fits: a path's pattern, or a command."""

    tool: str
    given: str | None = None

    @classmethod
    def parse(cls, text: str) -> YesTo:
        """Read "write_file=src/*", "run_command=pytest -q" or "send_message".

        Raises:
            ValueError: What it must say is missing.
        """
        tool, equals, given = text.partition("=")
        if tool in _FILES and not given:
            raise ValueError(f"{tool} needs the files, as in {tool}=src/*.py")
        if tool == _COMMAND and not given:
            raise ValueError(f'{tool} needs the whole command, as in "{tool}=pytest -q"')
        if tool not in (*_FILES, _COMMAND) and equals:
            raise ValueError(f"nothing can stand behind {tool}=; name the tool alone")
        if not tool:
            raise ValueError("name a tool, as in send_message")
        return cls(tool, given or None)

    def covers(self, tool: str, arguments: dict[str, Any]) -> bool:
        if tool != self.tool:
            return False
        if tool == _COMMAND:
            return bool(arguments.get("command") == self.given)
        if tool in _FILES:
            path = str(arguments.get("path", ""))
            return ".." not in path.split("/") and fnmatchcase(path, str(self.given))
        return True


def entries(
    waiting: Sequence[Interrupt], yes_to: Sequence[YesTo], *, uid: str
) -> list[dict[str, Any]] | None:
    """The entries of `resume` that say yes to all that waits; None where one is not covered, or is
    somebody else's to decide: then nothing is said."""
    for interrupt in waiting:
        about = interrupt["metadata"]
        if not is_mine(interrupt, uid):
            return None
        if not any(each.covers(about["tool"], about["arguments"]) for each in yes_to):
            return None
    payload = {"approved": True}
    return [
        {"interruptId": each["id"], "status": "resolved", "payload": payload} for each in waiting
    ]
