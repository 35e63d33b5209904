"""What a call is about to write, while the model is still saying it. Nothing is done with it."""

from __future__ import annotations

from rich.text import Text

from rollcall_cli.bidi import isolated
from rollcall_cli.partial_json import NotJson, PartialJson
from rollcall_cli.safe import tidy
from rollcall_cli.tail import Tail

_LINES = 8
_PATH_CHARS = 200
_CONTENTS = {"write_file": "content", "edit_file": "newText", "run_command": "command"}
"""The argument of each tool that is worth watching."""


class Writing:
    """The arguments of one call as they come, delta by delta."""

    def __init__(self, tool: str) -> None:
        self._watched = _CONTENTS[tool]
        self._reader: PartialJson | None = PartialJson()
        self._path = ""
        self._chars = 0
        self._tail = Tail(_LINES)

    @staticmethod
    def of(tool: str) -> Writing | None:
        """For a call of this tool; None if it writes nothing worth watching."""
        return Writing(tool) if tool in _CONTENTS else None

    def add(self, delta: str) -> None:
        """Take more of the arguments' JSON. What is no JSON is not watched further: the server
        says so to the model."""
        if self._reader is None:
            return
        try:
            changes = self._reader.feed(delta)
        except NotJson:
            self._reader = None
            return
        for change in changes:
            if change.text is None:
                continue
            if change.path == ("path",):
                self._path = (self._path + change.text)[:_PATH_CHARS]
            elif change.path == (self._watched,):
                self._chars += len(change.text)
                self._tail.add(change.text)

    def told(self) -> str:
        """How far it is, in one line."""
        path = isolated(tidy(self._path.replace("\n", " ")))
        if not self._chars:
            return path
        return f"{path}  line {self._tail.line_count:,}, {self._chars:,} characters".lstrip()

    def shown(self) -> Text | None:
        """The last lines of what is being written."""
        return self._tail.shown()
