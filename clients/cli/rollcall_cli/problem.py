"""A problem for the person at the keyboard, told without a traceback."""

from __future__ import annotations

from rollcall_cli.wording import error_text


class Problem(Exception):
    """Something a person can put right; `error.<key>` of the texts says what and how."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = error_text(key, **values)
        super().__init__(str(self.message))
