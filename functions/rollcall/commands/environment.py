"""Variables of deployed functions, from `functions/.env` and its kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from rollcall.commands.init.files import append_lines
from rollcall.models.provider import providers

_LINE = re.compile(
    r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*="
    r"\s*(?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<bare>[^#\n]*?))\s*(?:#.*)?"
)
_IN_SECRET_MANAGER = "in Secret Manager"
_SHELL_NAMES = (
    "ROLLCALL_",
    *(name for provider in providers() for name in provider.variables),
    "THREADS",
    "ENFORCE_",
)


class Settings(Struct, frozen=True):
    """Variables as functions get them.

    Attributes:
        given: Those with a value in a file, or, on the emulators, in this shell.
        secrets: Names of secrets that functions are bound to, without their values.
        file: The project's own file, from the repository's root.
        on_emulator: Whether they are the emulators'.
    """

    given: dict[str, str]
    secrets: tuple[str, ...]
    file: str
    on_emulator: bool = False

    @property
    def env(self) -> dict[str, str]:
        """The variables as code sees them, with a placeholder for each secret."""
        return {**self.given, **dict.fromkeys(self.secrets, _IN_SECRET_MANAGER)}


def read_settings(
    functions: Path, project: str, *, emulator: bool, shell: Mapping[str, str]
) -> Settings:
    """Read the files that firebase-tools hands on; on the emulators, this shell's variables too."""
    given = read_files(functions, project, emulator=emulator)
    if emulator:
        given |= {name: value for name, value in shell.items() if name.startswith(_SHELL_NAMES)}
    listed = (name.strip() for name in given.get("ROLLCALL_SECRETS", "").split(","))
    own = ".env.local" if emulator else f".env.{project}"
    return Settings(given, tuple(name for name in listed if name), f"functions/{own}", emulator)


def read_files(functions: Path, project: str, *, emulator: bool) -> dict[str, str]:
    """Read `.env`, the project's own file and, on the emulators, `.env.local`; later ones win."""
    given: dict[str, str] = {}
    for name in (".env", f".env.{project}", *([".env.local"] if emulator else [])):
        path = functions / name
        if path.is_file():
            given |= parse(path.read_text(encoding="utf-8"))
    return given


def parse(text: str) -> dict[str, str]:
    """Return the variables of a dotenv file; a value over several lines is cut at the first."""
    found = {}
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            values = (match["single"], match["double"], match["bare"])
            found[match["name"]] = next(value for value in values if value is not None)
    return found


def merge(text: str, settings: Sequence[tuple[str, str, str]]) -> str:
    """Add variables that a dotenv file does not set, each as its name, value and comment."""
    for name, wanted, comment in settings:
        if name not in parse(text):
            text = append_lines(text, f"# {comment}\n{name}={wanted}\n")
    return text
