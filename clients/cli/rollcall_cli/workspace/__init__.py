"""Tools that work in one folder of the user's machine, inside it only."""

from rollcall_cli.workspace.control_chars import visible
from rollcall_cli.workspace.environment import hide_process
from rollcall_cli.workspace.errors import Stopped, ToolError
from rollcall_cli.workspace.limits import Limits, Permission
from rollcall_cli.workspace.workspace import Workspace

__all__ = [
    "Limits",
    "Permission",
    "Stopped",
    "ToolError",
    "Workspace",
    "hide_process",
    "visible",
]
