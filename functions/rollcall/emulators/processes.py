"""Runs programs, and stops one with all processes it started.

firebase-tools starts Java and Python in process groups of their own, and leaves
the functions' servers running when it ends. Those stay in the groups they were
started in, so the groups are what is looked up first and killed last.


The folder for what is written while an app runs on this computer."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

_GRACE_S = 15.0
_GONE_S = 2.0


def output(command: Sequence[str | Path]) -> str:
    """What `command` prints, standard error included; nothing if it fails."""
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask `process` to end as Ctrl-C does, then kill what is left of its groups.

    It must have been started with `start_new_session=True`.
    """
    groups = _groups_below(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGINT)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        pass  # it had its time
    finally:  # on a second Ctrl-C too
        for group in groups:
            _signal(group, signal.SIGKILL)
    process.wait()
    # The killed let go of their ports a moment later.
    deadline = time.monotonic() + _GONE_S
    while time.monotonic() < deadline and any(_signal(group, 0) for group in groups):
        time.sleep(0.02)


def _groups_below(pid: int) -> set[int]:
    """The process groups of `pid` and of all that descends from it."""
    children = defaultdict(list)
    group_of = {}
    # Small images have no `ps`, and macOS has no /proc.
    lines = _proc_lines() if Path("/proc/self/stat").exists() else _ps_lines()
    for child, parent, group in (map(int, line.split()) for line in lines):
        children[parent].append(child)
        group_of[child] = group
    groups, waiting = {pid}, [pid]
    while waiting:
        current = waiting.pop()
        groups.add(group_of.get(current, pid))
        waiting += children[current]
    return groups


def _proc_lines() -> Iterator[str]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended just now
            # "123 (name) S parent group ...", and a name may hold anything.
            after_name = file.read_text().rpartition(")")[2].split()
            yield f"{file.parent.name} {after_name[1]} {after_name[2]}"


def _ps_lines() -> list[str]:
    command = ["ps", "-A", "-o", "pid=,ppid=,pgid="]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def _signal(group: int, number: int) -> bool:
    """Whether there was anything in `group` to send the signal to."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # macOS says the second of the dead
        return False
    return True


def scratch(root: Path) -> Path:
    """`.rollcall/` of the app in `root`, made where it is not there; git never sees it."""
    folder = root / ".rollcall"
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
    return folder
