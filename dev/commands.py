"""Runs other programs, and raises `Problem` when one fails."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from dev.paths import ROOT
from dev.problem import Problem

Command = list["str | Path"]


def run(command: Command, *, failing: str, env: Mapping[str, str] | None = None) -> None:
    """Run `command` in the repository's root; `failing` explains a failure."""
    try:
        subprocess.run(command, cwd=ROOT, env=env, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Problem(f"{failing}\n({error})") from error
