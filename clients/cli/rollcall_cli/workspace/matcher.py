"""Lines of a text that a pattern is in. Also a program: it matches in a process of its own.

A regular expression from a model can take longer than the universe has; a process can be ended.
Run as a program it takes one line of JSON, {"pattern", "ignoreCase", "limit"}, answers with one
({} or {"error"}), then takes texts, each a line with its length in bytes and the bytes, and
answers each with a line of JSON: {"total", "lines": [[number, text], …]}.

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


def matching(pattern: re.Pattern[str], text: str, limit: int) -> tuple[int, list[tuple[int, str]]]:
    """How many lines match, and the first of them: their numbers and what is around the match."""
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


def _bound() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    if sys.platform != "darwin":  # which accepts no such limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _serve() -> None:
    _bound()
    source, answers = sys.stdin.buffer, sys.stdout
    asked: dict[str, Any] = json.loads(source.readline())
    try:
        pattern = re.compile(asked["pattern"], re.IGNORECASE if asked["ignoreCase"] else 0)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        print(json.dumps({"error": str(error) or type(error).__name__}), flush=True)
        return
    print("{}", file=answers, flush=True)
    while head := source.readline():
        text = source.read(int(head)).decode("utf-8", "replace")
        total, lines = matching(pattern, text, asked["limit"])
        print(json.dumps({"total": total, "lines": lines}), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
