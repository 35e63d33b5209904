"""Search patterns: literal text in this process, regular expressions in one with a time limit."""

from __future__ import annotations

import json
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Protocol

from rollcall_cli.workspace import matcher
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError

MAX_CHARS = 1000
_STEP_S = 0.1
_PROGRAM = (sys.executable, "-I", "-S", str(Path(matcher.__file__)))

Matches = tuple[int, list[tuple[int, str]]]
"""The number of matching lines, and the first of them as line number and text."""


class Pattern(Protocol):
    def matching_lines(self, data: bytes, path: str, left_s: float) -> Matches:
        """The lines of a file that match.

        Raises:
            ToolError: It takes longer than `left_s` seconds.
        """

    def close(self) -> None: ...


class Literal:
    """A literal text. A search takes time in proportion to the text searched."""

    def __init__(self, query: str, *, ignore_case: bool, limit: int) -> None:
        self._pattern = re.compile(re.escape(query), re.IGNORECASE if ignore_case else 0)
        self._limit = limit

    def matching_lines(self, data: bytes, path: str, left_s: float) -> Matches:
        text = data.decode("utf-8", "replace")
        if not self._pattern.search(text):
            return 0, []
        return matcher.matching_lines(self._pattern, text, self._limit)

    def close(self) -> None:
        pass


class Regex:
    """A regular expression, matched in a process that is killed when it takes too long."""

    def __init__(self, context: Context, query: str, *, ignore_case: bool, limit: int) -> None:
        """Start the process.

        Raises:
            ToolError: The pattern is invalid, or takes too long to compile.
        """
        self._context = context
        self._process = subprocess.Popen(
            _PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
        )
        request = {"pattern": query, "ignoreCase": ignore_case, "limit": limit}
        try:
            answer = self._ask(json.dumps(request).encode() + b"\n", "the pattern", 5.0)
            if "error" in answer:
                raise ToolError(f"query: not a regular expression: {answer['error']}")
        except BaseException:
            self.close()
            raise

    def matching_lines(self, data: bytes, path: str, left_s: float) -> Matches:
        answer = self._ask(b"%d\n%b" % (len(data), data), path, left_s)
        return answer["total"], [(number, text) for number, text in answer["lines"]]

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _ask(self, message: bytes, path: str, left_s: float) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        deadline = time.monotonic() + left_s
        try:
            stdin.write(message)
            stdin.flush()
            while not select.select([stdout], [], [], _STEP_S)[0]:
                self._context.check_stop()
                if time.monotonic() > deadline:
                    raise ToolError(
                        f"query: this regular expression takes too long on {path}; "
                        "use a simpler one, without repeats inside repeats"
                    )
            answer = stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            raise ToolError(f"query: this regular expression needs too much memory on {path}")
        read: dict[str, Any] = json.loads(answer)
        return read


def pattern_of(
    context: Context, query: str, *, is_regex: bool, case_sensitive: bool, limit: int
) -> Pattern:
    """The pattern of a search.

    Raises:
        ToolError: The query is empty, too long, of several lines, or no regular expression.
    """
    if not query or len(query) > MAX_CHARS:
        raise ToolError(f"query: 1 to {MAX_CHARS} characters, not {len(query)}")
    if "\n" in query:
        raise ToolError("query: files are searched line by line; search for one line of it")
    ignore_case = not case_sensitive
    if is_regex:
        return Regex(context, query, ignore_case=ignore_case, limit=limit)
    return Literal(query, ignore_case=ignore_case, limit=limit)
