"""Search for a pattern in the lines of a text. Also a program, to do so in its own process.

A regular expression from a model can run practically forever; a process can be killed. The program
reads one line of JSON, {"pattern", "ignoreCase", "limit"}, and writes one: {} or {"error"}. Then it
reads texts, each a line with its length in bytes followed by the bytes, and answers each with a
line of JSON: {"total", "lines": [[number, text], …]}.

It imports nothing but the standard library, so that it starts fast.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

MEMORY_BYTES = 512 * 1024 * 1024
_TEXT_CHARS = 240
_BEFORE_CHARS = 60


def matching_lines(
    pattern: re.Pattern[str], text: str, limit: int
) -> tuple[int, list[tuple[int, str]]]:
    """The number of matching lines, and the first of them as line number and text around it."""
    total = 0
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        line = line.removesuffix("\r")
        if match := pattern.search(line):
            total += 1
            if len(found) < limit:
                found.append((number, _around(line, match.start())))
    return total, found


def _around(line: str, at: int) -> str:
    start = max(at - _BEFORE_CHARS, 0) if len(line) > _TEXT_CHARS else 0
    text = line[start : start + _TEXT_CHARS]
    return ("…" if start else "") + text + ("…" if start + _TEXT_CHARS < len(line) else "")


def _limit_memory() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    if sys.platform != "darwin":  # which accepts no such limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _serve() -> None:
    _limit_memory()
    source, answers = sys.stdin.buffer, sys.stdout
    request: dict[str, Any] = json.loads(source.readline())
    try:
        pattern = re.compile(request["pattern"], re.IGNORECASE if request["ignoreCase"] else 0)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        print(json.dumps({"error": str(error) or type(error).__name__}), flush=True)
        return
    print("{}", file=answers, flush=True)
    while head := source.readline():
        text = source.read(int(head)).decode("utf-8", "replace")
        total, lines = matching_lines(pattern, text, request["limit"])
        print(json.dumps({"total": total, "lines": lines}), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
