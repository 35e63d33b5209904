"""The six tools of the workspace pack, on one folder of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rollcall_cli.workspace import diffs, editing
from rollcall_cli.workspace.arguments import TOOLS, checked
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.guard import Guard
from rollcall_cli.workspace.limits import Limits, Permission
from rollcall_cli.workspace.listing import list_directory
from rollcall_cli.workspace.reading import read_file
from rollcall_cli.workspace.root import Root
from rollcall_cli.workspace.running import run_command
from rollcall_cli.workspace.searching import search_files

Run = Callable[..., dict[str, Any]]


class Workspace:
    """A folder that tools may work in, and nothing outside of it.

    Nothing here asks for permission: whoever calls `run` has it.
    """

    def __init__(
        self,
        root: Path,
        *,
        limits: Limits | None = None,
        allow: Collection[Permission] = (),
        environment: Collection[str] = (),
        own: Collection[Path] = (),
    ) -> None:
        """Open a folder.

        Args:
            root: The folder. If it is a symbolic link, what it points to now.
            limits: How much is read, returned and run at most.
            allow: What the user allows of what is refused otherwise.
            environment: Names of environment variables that commands get beyond the usual few.
            own: Files and folders of this client; where they are inside the root they are refused.
        Raises:
            ToolError: It is no folder, or this system cannot keep paths inside one.
        """
        self._root = Root(root)
        below = root.resolve()
        owned = [path.resolve() for path in own]
        self._context = Context(
            root=self._root,
            guard=Guard(
                allow, [one.relative_to(below).parts for one in owned if one.is_relative_to(below)]
            ),
            limits=limits or Limits(),
            environment=tuple(environment),
        )
        self._functions: dict[str, Run] = {
            "list_directory": list_directory,
            "read_file": read_file,
            "search_files": search_files,
            "write_file": editing.write_file,
            "edit_file": editing.edit_file,
            "run_command": run_command,
        }

    @property
    def tools(self) -> dict[str, Run]:
        """What can be run, by id: each takes the arguments, `on_output` and `stop` as `run`."""
        return {tool: partial(self.run, tool) for tool in TOOLS}

    def validate(self, tool: str, arguments: dict[str, Any]) -> None:
        """Check a call without running it.

        Raises:
            ToolError: There is no such tool, or it does not take these arguments.
        """
        checked(tool, arguments)

    def run(
        self,
        tool: str,
        arguments: dict[str, Any],
        *,
        on_output: Callable[[str], None] | None = None,
        stop: threading.Event | None = None,
    ) -> dict[str, Any]:
        """Run a tool.

        Args:
            on_output: Takes a command's output while it runs, as text that is safe to print.
            stop: Ends the call when it is set, and a command with everything it started.
        Returns:
            The tool's result, as JSON that fits into what the server takes.
        Raises:
            ToolError: It could not be done; its words are for the model.
            Stopped: `stop` was set.
        """
        named = checked(tool, arguments)
        context = replace(
            self._context,
            stop=stop or threading.Event(),
            on_output=on_output or (lambda text: None),
        )
        return self._functions[tool](context, **named)

    def diff(self, tool: str, arguments: dict[str, Any]) -> str:
        """The unified diff of what a call would change on disk as it is now, safe to print.

        Empty where nothing would change. The file is read and nothing is written; whether the
        file was read before is left to `run`.

        Raises:
            ToolError: The call would fail, or the tool does not write files.
        """
        named = checked(tool, arguments)
        named.pop("digest", None)
        if tool == "write_file":
            return diffs.unified(editing.writing_of(self._context, **named))
        if tool == "edit_file":
            named.setdefault("replace_all", False)
            return diffs.unified(editing.edit_of(self._context, **named))
        raise ToolError(f"{tool} changes no file that is known beforehand")

    def close(self) -> None:
        """Let go of the folder."""
        self._root.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
