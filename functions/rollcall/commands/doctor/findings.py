"""What a check found: how it is, in a plain sentence, and what mends it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict, replace

from rollcall.commands.doctor.google import Refused

Level = Literal["ok", "warn", "fail", "skip"]


class Finding(Struct, frozen=True):
    """One line of the doctor's.

    Args:
        level: "fail" where something does not work, "warn" where something is worth a look, "skip"
            where nothing was looked at.
        mend: The command, or the place in the console.
    """

    level: Level
    topic: str
    text: str
    mend: str = ""

    def about(self, project: str) -> Finding:
        """With the project's id in what mends it."""
        return replace(self, mend=self.mend.replace("{project}", project))

    def plain(self) -> dict[str, str]:
        return asdict(self)


def firebase(command: str) -> str:
    """What mends it, typed in the repository's root; `{project}` stands for the project."""
    return f"node_modules/.bin/firebase {command} --project {{project}}"


def rollcall(command: str) -> str:
    """The same for this command."""
    return f"cd functions && venv/bin/python -m rollcall {command} --project {{project}}"


Check = Callable[[], Iterable[Finding]]


def guarded(topic: str, check: Check) -> Iterator[Finding]:
    """The findings of a check; that Google does not answer it is one too."""
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError
    from requests import RequestException

    try:
        yield from check()
    except Refused as refused:
        mend = f"give your account the role {refused.role}" if refused.role else ""
        if refused.status == 403:
            text = f"it may not be looked at with these credentials: {refused}"
        else:
            text = f"Google answered {refused.status}: {refused}"
        yield Finding("warn", topic, text, mend)
    except (GoogleAPIError, GoogleAuthError, RequestException) as error:
        yield Finding("warn", topic, f"no answer: {' '.join(str(error).split())[:300]}")


def listed(names: Iterable[str], *, most: int = 8) -> str:
    """Names in a sentence; of many the first, and how many more."""
    found = list(names)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
