"""The six tools of the workspace pack, for one folder of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rollcall_cli.workspace import diffs, write_tools
from rollcall_cli.workspace.arguments import TOOLS, check_arguments
from rollcall_cli.workspace.command_tool import run_command
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.guard import Guard
from rollcall_cli.workspace.limits import Limits, Permission
from rollcall_cli.workspace.read_tools import list_directory, read_file, search_files
from rollcall_cli.workspace.root import Root

Run = Callable[..., dict[str, Any]]


class Workspace:
    """The tools, confined to one folder.

    It asks for no approval: the caller of `run` has obtained it.
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
            root: The folder. A symbolic link is resolved once, now.
            limits: Limits of the tools.
            allow: Refusals that the user lifts.
            environment: Names of further environment variables that commands get.
            own: Files and folders of this client, which are refused inside the root.
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
            "write_file": write_tools.write_file,
            "edit_file": write_tools.edit_file,
            "run_command": run_command,
        }

    @property
    def tools(self) -> dict[str, Run]:
        """The tools by id. Each takes arguments, `on_output` and `stop`, as `run` does."""
        return {tool: partial(self.run, tool) for tool in TOOLS}

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
            on_output: Receives a command's output while it runs, as text that is safe to print.
            stop: Setting it ends the call, and a command with all its processes.
        Returns:
            The tool's result, as JSON within the server's size limit.
        Raises:
            ToolError: The call failed; the message is for the model.
            Stopped: `stop` was set.
        """
        named = check_arguments(tool, arguments)
        context = replace(
            self._context,
            stop=stop or threading.Event(),
            on_output=on_output or (lambda text: None),
        )
        return self._functions[tool](context, **named)

    def diff(self, tool: str, arguments: dict[str, Any]) -> str:
        """The unified diff of the change that a call would make now, safe to print.

        It is empty where nothing would change. Nothing is written. Whether the model has read the
        file before is checked by `run` alone.

        Raises:
            ToolError: The call would fail, or the tool does not write files.
        """
        named = check_arguments(tool, arguments)
        named.pop("digest", None)
        if tool == "write_file":
            return diffs.unified_diff(write_tools.change_of_write(self._context, **named))
        if tool == "edit_file":
            named.setdefault("replace_all", False)
            return diffs.unified_diff(write_tools.change_of_edit(self._context, **named))
        raise ToolError(f"{tool} changes no file that is known beforehand")

    def close(self) -> None:
        """Close the folder."""
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
