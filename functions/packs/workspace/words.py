"""What the user reads of the workspace's tools, in one line each."""

from __future__ import annotations

from typing import Any

from packs.workspace.wording import TEXTS
from rollcall.core.wording import isolated


def writing(given: dict[str, Any]) -> dict[str, str]:
    """Of write_file."""
    path = isolated(str(given["path"]))
    return TEXTS.by_language("words.write_the_file", path=path)


def editing(given: dict[str, Any]) -> dict[str, str]:
    """Of edit_file."""
    path = isolated(str(given["path"]))
    if given.get("replaceAll"):
        return TEXTS.by_language("words.change_at_every_place", path=path)
    return TEXTS.by_language("words.change", path=path)


def running(given: dict[str, Any]) -> dict[str, str]:
    """Of run_command."""
    command = isolated(str(given["command"]))
    return TEXTS.by_language("words.run", command=command)
