"""What the thread knows of a file: the digest it had when it was last read or written here.

The client refuses to change a file that has another one. So a model cannot make one up, and a file
that somebody else changed meanwhile is read again first.
"""

from __future__ import annotations

import re
from typing import Any

from rollcall.core.context import EarlierCall, ToolContext

_WRITES = ("write_file", "edit_file")
_TOOLS = ("read_file", *_WRITES)
_DIGEST = re.compile("[0-9a-f]{16}")


def known_digest(ctx: ToolContext, path: str) -> dict[str, str]:
    """`{digest}` from the newest result about this file; empty where nothing is known, or where a
    call that is made beside this one may change it first."""
    for call in ctx.earlier():
        if call.tool not in _TOOLS or _plain(call.arguments.get("path")) != _plain(path):
            continue
        if call.is_open and call.tool in _WRITES:
            return {}
        if (digest := _digest(call)) is not None:
            return {"digest": digest}
    return {}


def _digest(call: EarlierCall) -> str | None:
    found: Any = call.result.get("digest") if isinstance(call.result, dict) else None
    return found if isinstance(found, str) and _DIGEST.fullmatch(found) else None


def _plain(path: Any) -> str | None:
    """The path as it is compared: `./a//b` is `a/b`."""
    if not isinstance(path, str):
        return None
    return "/".join(part for part in path.split("/") if part not in ("", "."))
