"""The folder for what is written while an app runs on this computer."""

from __future__ import annotations

from pathlib import Path


def scratch(root: Path) -> Path:
    """`.rollcall/` of the app in `root`, made where it is not there; git never sees it."""
    folder = root / ".rollcall"
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    return folder
