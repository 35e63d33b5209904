"""Starts the process that reads a file, and takes its pages as they come."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal

from rollcall.core.extras import is_installed
from rollcall.knowledge.reading.pages import PROBLEMS, CannotRead, Page

Kind = Literal["pdf", "text", "markdown"]

WALL_S = 400.0
"""How long reading one file may take, s."""
_FUNCTIONS = Path(__file__).parents[3]
_MOST_LINE_BYTES = 4_000_000

log = logging.getLogger("rollcall")


def read(kind: Kind, path: Path, *, seconds: float = WALL_S) -> Iterator[int | Page]:
    """How many pages the file has, and then each of them.

    Raises:
        CannotRead: Why there is no more to be had of it.
    """
    if kind == "pdf" and not is_installed("pypdf"):
        raise CannotRead("no_reader")
    command = [sys.executable, "-m", "rollcall.knowledge.reading.child", kind, str(path)]
    process = subprocess.Popen(
        command,
        cwd=_FUNCTIONS,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        assert process.stdout is not None
        yield from _said(process.stdout)
    finally:
        timer.cancel()
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _said(lines: IO[bytes]) -> Iterator[int | Page]:
    while line := lines.readline(_MOST_LINE_BYTES):
        said = _object(line)
        if "pages" in said:
            yield int(said["pages"])
        elif "text" in said:
            yield Page(said["page"], said["text"], frozenset(said["large"]))
        elif said.get("problem") in PROBLEMS:
            raise CannotRead(said["problem"])
        elif said.get("done"):
            return
        else:
            break
    log.warning("the process that read a file ended without a word")
    raise CannotRead("too_heavy")  # killed, by its bounds or by the clock


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _environment() -> dict[str, str]:
    """None of the functions' variables, which hold keys."""
    return {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }
