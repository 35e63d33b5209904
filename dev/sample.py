"""A copy of the sample folder for an agent to work in, which is gone at the end."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dev.paths import ROOT
from rollcall_cli.workspace import Workspace

SAMPLE = ROOT / "dev/sample_workspace"


@contextlib.contextmanager
def sample_workspace() -> Iterator[Workspace]:
    """The tools of a copy of the sample folder."""
    with tempfile.TemporaryDirectory(prefix="rollcall-") as folder:
        copy = Path(folder) / "basket"
        shutil.copytree(SAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        with Workspace(copy) as workspace:
            yield workspace
