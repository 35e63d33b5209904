"""A preview of what a call will write, while the model still streams its arguments."""

from __future__ import annotations

from rich.text import Text

from rollcall_cli.bidi import isolated
from rollcall_cli.console import tidy
from rollcall_cli.partial_json import NotJson, PartialJson
from rollcall_cli.tail import Tail
from rollcall_cli.wording import text_in

_LINES = 8
_PATH_CHARS = 200
_CONTENTS = {"write_file": "content", "edit_file": "newText", "run_command": "command"}
"""The argument of each tool that is previewed."""


class ArgumentPreview:
    """The streaming arguments of one call."""

    def __init__(self, tool: str) -> None:
        self._watched = _CONTENTS[tool]
        self._reader: PartialJson | None = PartialJson()
        self._path = ""
        self._chars = 0
        self._tail = Tail(_LINES)

    @staticmethod
    def of(tool: str) -> ArgumentPreview | None:
        """A preview for a call of this tool; None if the tool writes nothing."""
        return ArgumentPreview(tool) if tool in _CONTENTS else None

    def add(self, delta: str) -> None:
        """Add a delta of the arguments' JSON. Invalid JSON ends the preview: the server reports it
        to the model."""
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

    def status(self, language: str = "en") -> str:
        """The path and the length so far, in one line."""
        path = isolated(tidy(self._path.replace("\n", " ")))
        if not self._chars:
            return path
        line, chars = f"{self._tail.line_count:,}", f"{self._chars:,}"
        length = text_in(language, "writing", line=line, chars=chars)
        return f"{path}  {isolated(length)}".lstrip()

    def tail(self) -> Text | None:
        """The last lines of the content."""
        return self._tail.shown()
