"""An error that the user can fix, shown without a traceback."""

from __future__ import annotations

from rollcall_cli.wording import error_text


class Problem(Exception):
    """An error that the user can fix. The text `error.<key>` says what is wrong and what to do."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = error_text(key, **values)
        super().__init__(str(self.message))
