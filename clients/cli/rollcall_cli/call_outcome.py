"""The outcome of a tool call: its status, and a few words about it."""

from __future__ import annotations

import json
from typing import Any

_ERROR_STATUSES = ("rejected", "expired", "unknown")
_COUNTS = ("totalFound", "totalCount", "total")


def of_result(content: str) -> tuple[str, str]:
    """The status of a call from its result on the server, and how much it found or what failed."""
    try:
        result = json.loads(content)
    except ValueError:
        return "done", "done"
    if not isinstance(result, dict):
        return "done", "done"
    if "error" not in result:
        return "done", _found(result.get("output"))
    error = result["error"] or {}
    status = error["code"] if error.get("code") in _ERROR_STATUSES else "failed"
    if status == "rejected":
        return status, f"rejected: {error['reason']}" if error.get("reason") else "rejected"
    return status, str(error.get("message") or status)


def of_local_call(tool: str, result: dict[str, Any]) -> tuple[str, str]:
    """The same for a call that ran in this client; `result` is its entry of `toolResults`."""
    if "error" in result:
        return "failed", result["error"]
    found = result["content"]
    match tool:
        case "read_file":
            first, last = found["startLine"], found["endLine"]
            return "done", f"lines {first:,} to {last:,} of {found['lines']:,}"
        case "list_directory":
            return "done", _counted(len(found["entries"]), "entry", "entries")
        case "search_files":
            lines = _counted(found["total"], "line", "lines")
            return "done", f"{lines} in {_counted(found['files'], 'file', 'files')}"
        case "write_file":
            done = "created" if found["created"] else "replaced"
            return "done", f"{done}, {_counted(found['size'], 'byte', 'bytes')}"
        case "edit_file":
            return "done", f"{_counted(found['replaced'], 'place', 'places')} changed"
        case "run_command":
            if found.get("timedOut"):
                return "failed", "took too long and was ended"
            code = found["exitCode"]
            return ("done" if code == 0 else "failed"), f"exit code {code}"
    return "done", _found(found)


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _found(output: Any) -> str:
    """The number of results: the count that the result states, or the length of its only list."""
    values = list(output.values()) if isinstance(output, dict) else [output]
    lists = [len(value) for value in values if isinstance(value, list)]
    shown = lists[0] if len(lists) == 1 else None
    counts = [output.get(name) for name in _COUNTS] if isinstance(output, dict) else []
    total = next((count for count in counts if isinstance(count, int)), shown)
    if total is None:
        return "done"
    return f"{total:,} found" if shown in (None, total) else f"{shown:,} of {total:,} found"
