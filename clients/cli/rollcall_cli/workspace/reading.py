"""`read_file`: a text file, or some of its lines."""

from __future__ import annotations

import json
from typing import Any

from rollcall_cli.workspace import files
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.names import file_parts


def read_file(
    context: Context, *, path: str, start_line: int = 1, end_line: int | None = None
) -> dict[str, Any]:
    """Read lines of a file, as many as one result may hold.

    Returns:
        {"path", "content", "size" (bytes of the file), "digest" (of the whole file), "lines"
        (of the whole file), "startLine", "endLine" (the last that is in `content`), "truncated":
        true where lines that were asked for are missing or cut}.
    Raises:
        ToolError: There is no such text file, or it has no such lines.
    """
    file = files.read(
        context.root, context.guard, path, file_parts(path), context.limits.file_bytes
    )
    lines = _lines(files.Form.of(file).text(file.data, path))
    if start_line > max(len(lines), 1):
        raise ToolError(f"{path}: it has {len(lines)} lines; startLine is {start_line}")
    if end_line is not None and end_line < start_line:
        raise ToolError(f"{path}: endLine {end_line} is before startLine {start_line}")
    wanted = lines[start_line - 1 : end_line]
    given = _fitting(wanted, context.limits.content_chars)
    return {
        "path": path,
        "content": "".join(given),
        "size": len(file.data),
        "digest": file.digest,
        "lines": len(lines),
        "startLine": start_line,
        "endLine": start_line + len(given) - 1,
        **({"truncated": True} if given != wanted else {}),
    }


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; only "\\n" ends one."""
    *ended, rest = text.split("\n")
    return [line + "\n" for line in ended] + ([rest] if rest else [])


def _fitting(lines: list[str], limit: int) -> list[str]:
    """The first lines that fit in `limit` characters of JSON; a longer first line is cut."""
    chars = 0
    for count, line in enumerate(lines):
        chars += _json_chars(line)
        if chars > limit:
            return lines[:count] or [_cut(line, limit)]
    return lines


def _cut(line: str, limit: int) -> str:
    text = line[:limit]
    while (over := _json_chars(text) - limit) > 0:
        # No character takes more than the six of "\\u0000".
        text = text[: -(over // 6 + 1)]
    return text


def _json_chars(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False)) - 2
