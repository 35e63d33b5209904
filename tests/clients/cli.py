"""The terminal client as people run it: a process, by a pipe or on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from dev.paths import CLIENT

COMMAND = [sys.executable, "-m", "rollcall_cli"]


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """An environment that leads to the emulators that run, and keeps what the client keeps in
    `tmp_path`."""
    names = ("GCLOUD_PROJECT", "FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST")
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(CLIENT),
        "ROLLCALL_CONFIG": str(tmp_path / "rollcall" / "config.json"),
        "FUNCTIONS_EMULATOR_HOST": os.environ["FUNCTIONS_EMULATOR_HOST"],
        **{name: os.environ[name] for name in names},
        **more,
    }


def rollcall(
    *arguments: str, env: Mapping[str, str], input: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *arguments],
        env=env,
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        text=True,
        timeout=120,
    )
