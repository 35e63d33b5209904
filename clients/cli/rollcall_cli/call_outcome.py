"""The outcome of a tool call: its status, and a few words about it."""

from __future__ import annotations

import json
from typing import Any

from rollcall_cli.wording import counted, text_in

_ERROR_STATUSES = ("rejected", "expired", "unknown")
_COUNTS = ("totalFound", "totalCount", "total")


def of_result(content: str, language: str) -> tuple[str, str]:
    """The status of a call from its result on the server, and how much it found or what failed."""
    done = text_in(language, "outcome.done")
    try:
        result = json.loads(content)
    except ValueError:
        return "done", done
    if not isinstance(result, dict):
        return "done", done
    if "error" not in result:
        return "done", _found(result.get("output"), language)
    error = result["error"] or {}
    status = error["code"] if error.get("code") in _ERROR_STATUSES else "failed"
    if status == "rejected" and error.get("reason"):
        return status, text_in(language, "outcome.rejected_because", reason=error["reason"])
    if status == "rejected" or not error.get("message"):
        return status, text_in(language, f"outcome.{status}")
    return status, str(error["message"])


def of_local_call(tool: str, result: dict[str, Any], language: str) -> tuple[str, str]:
    """The same for a call that ran in this client; `result` is its entry of `toolResults`."""
    if "error" in result:
        return "failed", result["error"]
    found = result["content"]
    match tool:
        case "read_file":
            numbers = {name: f"{found[name]:,}" for name in ("startLine", "endLine", "lines")}
            return "done", text_in(language, "outcome.lines_read", **numbers)
        case "list_directory":
            return "done", counted(language, "outcome.entries", len(found["entries"]))
        case "search_files":
            lines = counted(language, "outcome.lines", found["total"])
            files = counted(language, "outcome.files", found["files"])
            return "done", text_in(language, "outcome.lines_in_files", lines=lines, files=files)
        case "write_file":
            key = "outcome.created" if found["created"] else "outcome.replaced"
            size = counted(language, "outcome.bytes", found["size"])
            return "done", text_in(language, key, size=size)
        case "edit_file":
            return "done", counted(language, "outcome.places_changed", found["replaced"])
        case "run_command":
            if found.get("timedOut"):
                return "failed", text_in(language, "outcome.timed_out")
            code = found["exitCode"]
            status = "done" if code == 0 else "failed"
            return status, text_in(language, "outcome.exit_code", code=code)
    return "done", _found(found, language)


def _found(output: Any, language: str) -> str:
    """The number of results: the count that the result states, or the length of its only list."""
    values = list(output.values()) if isinstance(output, dict) else [output]
    lists = [len(value) for value in values if isinstance(value, list)]
    shown = lists[0] if len(lists) == 1 else None
    counts = [output.get(name) for name in _COUNTS] if isinstance(output, dict) else []
    total = next((count for count in counts if isinstance(count, int)), shown)
    if total is None:
        return text_in(language, "outcome.done")
    if shown in (None, total):
        return text_in(language, "outcome.found", total=f"{total:,}")
    return text_in(language, "outcome.found_of", shown=f"{shown:,}", total=f"{total:,}")
