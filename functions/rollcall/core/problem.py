"""A problem for the person at the keyboard, told without a traceback."""

from __future__ import annotations

FAILED, USAGE = 1, 2
"""Exit codes of commands."""


class Problem(Exception):
    """Something a person can put right; the message says what and how."""

    def __init__(self, message: str, *, exit_code: int = FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
