"""A function starts as fast with the library from the wheel as from this repository's layout."""

from __future__ import annotations

import compileall
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dev.paths import FUNCTIONS
from tests.adoption.apps import environment

ROUNDS = 11
MAX_RATIO = 1.02
MAX_ABOVE = 9
"""More pairs than these, of eleven, lie above the true median once in 170 times."""


def start(python: Path, folder: Path, target: str) -> tuple[float, float]:
    """Start a process that serves one function; its seconds, and those of the processor."""
    variables = {**environment(), "FUNCTION_TARGET": target, "GCLOUD_PROJECT": "demo-start"}
    began = time.perf_counter()
    process = subprocess.Popen([python, "-c", "import main"], cwd=folder, env=variables)
    _, code, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(code)
    assert process.returncode == 0
    return seconds, used.ru_utime + used.ru_stime


@pytest.mark.parametrize("target", ["estimate_meeting_cost", "run_agent"])
def test_a_function_starts_as_fast_from_the_wheel(
    tmp_path: Path,
    new_app: Path,
    functions_venv: Path,
    figure: Callable[[str], None],
    target: str,
) -> None:
    python = functions_venv / "bin" / "python"
    wheel, layout = tmp_path / "wheel", tmp_path / "layout"
    for folder in (wheel, layout):
        shutil.copytree(new_app / "functions" / "capabilities", folder / "capabilities")
        shutil.copy(new_app / "functions" / "main.py", folder)
    unused = shutil.ignore_patterns("__pycache__")
    shutil.copytree(FUNCTIONS / "rollcall", layout / "rollcall", ignore=unused)
    for folder in (wheel, layout):
        compileall.compile_dir(folder, quiet=1)
        start(python, folder, target)
    pairs = []
    for number in range(ROUNDS):
        order = (wheel, layout) if number % 2 else (layout, wheel)
        times = {folder: start(python, folder, target) for folder in order}
        pairs.append((times[wheel], times[layout]))
    of_wheel, of_layout = zip(*pairs, strict=True)
    seconds, cpu = (
        statistics.median(each[at] for each in of_wheel)
        / statistics.median(each[at] for each in of_layout)
        for at in (0, 1)
    )
    median = statistics.median(each[0] for each in of_wheel)
    figure(
        f"Cold start of {target} from the wheel: {median:.3f} s, over this layout "
        f"{seconds:.3f} (processor time {cpu:.3f}), medians of {ROUNDS} pairs"
    )
    # One median of a busy computer is off by a tenth, so slower is what nearly every pair says; by
    # the processor's time, since other processes lengthen seconds as they like.
    above = sum(ours[1] > MAX_RATIO * other[1] for ours, other in pairs)
    assert above <= MAX_ABOVE or cpu <= MAX_RATIO
