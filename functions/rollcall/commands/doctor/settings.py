"""What the functions are deployed with: `functions/.env` and the project's own file after it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

_LINE = re.compile(
    r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*="
    r"\s*(?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<bare>[^#\n]*?))\s*(?:#.*)?"
)
_IN_SECRET_MANAGER = "in Secret Manager"


class Settings(Struct, frozen=True):
    """Variables as the functions get them.

    Attributes:
        given: Those with a value in a file, or, on the emulators, in this shell.
        secrets: Names that functions are bound to; their values are nobody's business.
        file: Where this project's own stand, from the repository's root.
        on_emulator: Whether they are the emulators'.
    """

    given: dict[str, str]
    secrets: tuple[str, ...]
    file: str
    on_emulator: bool = False

    @property
    def env(self) -> dict[str, str]:
        """As code sees them, with something in the place of each secret."""
        return {**self.given, **dict.fromkeys(self.secrets, _IN_SECRET_MANAGER)}


def read_settings(
    functions: Path, project: str, *, emulator: bool, shell: Mapping[str, str]
) -> Settings:
    """Read the files that firebase-tools hands on; on the emulators, this shell's variables too."""
    own = ".env.local" if emulator else f".env.{project}"
    names = dict.fromkeys([".env", f".env.{project}", own])
    given: dict[str, str] = {}
    for name in names:
        path = functions / name
        if path.is_file():
            given |= parsed(path.read_text(encoding="utf-8"))
    if emulator:
        known = ("ROLLCALL_", "GEMINI_", "GOOGLE_API_KEY", "OPENAI_", "THREADS", "ENFORCE_")
        given |= {name: value for name, value in shell.items() if name.startswith(known)}
    listed = (name.strip() for name in given.get("ROLLCALL_SECRETS", "").split(","))
    return Settings(given, tuple(name for name in listed if name), f"functions/{own}", emulator)


def parsed(text: str) -> dict[str, str]:
    """The variables of a dotenv file; a value that goes over several lines is cut."""
    found = {}
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            values = (match["single"], match["double"], match["bare"])
            found[match["name"]] = next(value for value in values if value is not None)
    return found
