"""What the user reads of the workspace's tools, in one line each."""

from __future__ import annotations

from typing import Any

from rollcall.core.wording import isolated


def writing(given: dict[str, Any]) -> dict[str, str]:
    """Of write_file."""
    path = isolated(str(given["path"]))
    return {"en": f"Write the file {path}", "he": f"לכתוב את הקובץ {path}"}


def editing(given: dict[str, Any]) -> dict[str, str]:
    """Of edit_file."""
    path = isolated(str(given["path"]))
    if given.get("replaceAll"):
        return {
            "en": f"Change {path}, at every place that matches",
            "he": f"לשנות את {path}, בכל המקומות המתאימים",
        }
    return {"en": f"Change {path}", "he": f"לשנות את {path}"}


def running(given: dict[str, Any]) -> dict[str, str]:
    """Of run_command."""
    command = isolated(str(given["command"]))
    return {"en": f"Run {command}", "he": f"להריץ {command}"}
