"""Running commands in the workspace."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from packs.workspace import previews, recaps, words
from packs.workspace.arguments import Command
from packs.workspace.elsewhere import on_the_client
from packs.workspace.shapes import CommandRun
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext


@capability(
    category="workspace",
    related=["read_file", "edit_file"],
    effect="write",
    runs_on="client",
    summary=words.running,
    preview=previews.running,
    recap=recaps.running,
)
def run_command(
    ctx: ToolContext,
    *,
    command: Command,
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 60,
) -> CommandRun:
    """Run a command in the workspace's root, such as its tests, and read what it wrote. The user
    sees the command and is asked first. Nobody can type into it while it runs.

    Args:
        command: The command as it would be typed, such as "pytest -q tests".
        timeout_s: How long it may take, s.
    """
    raise on_the_client("run_command")
