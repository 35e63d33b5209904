"""`list_directory`: what is in a directory."""

from __future__ import annotations

from typing import Any

from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.names import directory_parts
from rollcall_cli.workspace.walking import Walk


def list_directory(context: Context, *, path: str = ".", depth: int = 1) -> dict[str, Any]:
    """List a directory and, to `depth`, those below it.

    Returns:
        {"path", "entries": [{"path", "type": "file" | "directory" | "link", "size"?}],
        "truncated": true where there is more}. Paths are relative to the workspace. A link is
        listed and never followed, so nothing below one is here and none can be read.
    Raises:
        ToolError: There is no such directory.
    """
    parts = directory_parts(path)
    if reason := context.guard.unreadable(parts):
        raise ToolError(f"{path}: {reason}")
    walk = Walk(context)
    entries: list[dict[str, Any]] = []
    chars = 0
    is_cut = False
    for entry in walk.entries(parts, depth):
        chars += len(entry.path)
        if len(entries) >= context.limits.entries or chars > context.limits.content_chars:
            is_cut = True
            break
        size = {} if entry.size is None else {"size": entry.size}
        entries.append({"path": entry.path, "type": entry.kind, **size})
    return {
        "path": path,
        "entries": entries,
        **({"truncated": True} if is_cut or walk.is_cut else {}),
    }
