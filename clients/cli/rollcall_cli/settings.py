"""The settings: the project and the sign-in, in a file that only its owner can read.

The file is in the user's configuration folder. It has a refresh token, never a password.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rollcall_cli.deployment import DEFAULT_REGION, Deployment
from rollcall_cli.problem import Problem

_OTHERS = 0o077


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A project, and its signed-in user."""

    project: str
    region: str = DEFAULT_REGION
    api_key: str
    refresh_token: str
    email: str | None = None
    prefix: str = ""

    @property
    def deployment(self) -> Deployment:
        return Deployment.production(
            project=self.project, api_key=self.api_key, region=self.region, prefix=self.prefix
        )


def settings_file(env: Mapping[str, str]) -> Path:
    """ROLLCALL_CONFIG, or a file in the user's configuration folder."""
    if chosen := env.get("ROLLCALL_CONFIG"):
        return Path(chosen)
    home = env.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "rollcall" / "config.json"


def load(file: Path) -> Settings | None:
    """Load the settings; None if there are none.

    Raises:
        Problem: Other users may read the file, or it is invalid.
    """
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            text = opened.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Problem("sign_in_unreadable", file=file, why=error.strerror) from error
    if os.name == "posix" and mode & _OTHERS:
        raise Problem("sign_in_open", file=file)
    try:
        return _settings(json.loads(text))
    except (ValueError, TypeError) as error:
        raise Problem("sign_in_broken", file=file, why=error) from error


def save(file: Path, settings: Settings) -> None:
    """Write the settings atomically, readable for their owner only.

    Raises:
        Problem: They cannot be written there.
    """
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            json.dump(asdict(settings), opened, indent=2)
            opened.write("\n")
        unfinished.replace(file)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise Problem("sign_in_unwritable", file=file, why=error.strerror) from error


def forget(file: Path) -> bool:
    """Remove the settings; return whether there were any.

    Raises:
        Problem: They cannot be removed.
    """
    try:
        file.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise Problem("unremovable", file=file, why=error.strerror) from error
    return True


def _settings(found: Any) -> Settings:
    """
    Raises:
        TypeError: A value is missing, unknown or no text.
    """
    settings = Settings(**found)
    for name, value in asdict(settings).items():
        if not isinstance(value, str) and not (name == "email" and value is None):
            raise TypeError(f"{name} is no text")
    return settings
