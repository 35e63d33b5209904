"""Runs all tests, those that need emulators on one suite: python -m dev.test

Arguments go to pytest; with any, the JavaScript tests are left out, and the
emulators start only if a test that was chosen needs them.
"""

from __future__ import annotations

import heapq
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from dev import problem
from dev.commands import Command
from dev.emulators import WITH_WEB_APP, running
from dev.paths import PYTHON, ROOT
from dev.problem import Problem
from rollcall.emulators.addresses import NEEDED

_UNIT_FOLDERS = ["tests/unit"]
_FIRST_UNIT_FOLDERS = ("cli", "core", "models", "registry", "store")
"""Folders whose tests take half of the unit tests' time; the others run beside them."""
_EMULATOR_FOLDERS = ["tests/emulator", "tests/rules", "tests/clients"]
_NODE_UNIT_FOLDERS = ["clients/js/test"]
_NODE_FOLDERS = ["tests/rules", "tests/clients"]
_WEB = "tests/clients/web"
_EMULATOR_WORKERS = "4"  # half of what these tests do is to wait
_NOTHING_COLLECTED = 5  # pytest's exit code
_SLOWEST = 10
_NAME_CHARS = 120


@dataclass
class Part:
    """Tests that one process runs, the JUnit report that it writes, its exit code and time."""

    name: str
    command: Command
    report: Path
    code: int = 0
    seconds: float = 0.0

    def run(self, *, quietly: bool = False) -> str:
        """Run the command; return its output where `quietly` captures it."""
        output = subprocess.PIPE if quietly else None
        began = time.monotonic()
        done = subprocess.run(
            self.command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT, text=True
        )
        self.code, self.seconds = done.returncode, time.monotonic() - began
        return done.stdout or ""


def main() -> int:
    for folder in ("tests/unit", "tests/emulator"):
        if not any((ROOT / folder).rglob("test_*.py")):
            raise Problem(f"There are no tests in {folder} (test_*.py).")
    # pytest compiles test modules in its own way; without what it kept of them, that is most of
    # the time until the first test runs. The functions' processes start sooner as well.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        parts = _run_some(Path(folder), arguments) if arguments else _run_all(Path(folder))
        _print_slowest(parts)
    return _print_outcome(parts)


def _run_all(reports: Path) -> list[Part]:
    # Two processes, each with folders of its own: pytest's workers would each import and collect
    # all of them, and report every test to a third process.
    first, others = _unit_halves()
    units = [_pytest("Unit tests", reports, first), _pytest("Other unit tests", reports, others)]
    for each in units:
        # The emulators and their tests wait half of the time; these take what is left.
        each.command = ["nice", "-n", "5", *each.command]
    cores = os.cpu_count() or 1
    node_unit = _node("JavaScript unit tests", reports, _NODE_UNIT_FOLDERS, at_once=cores)
    node = _node("JavaScript tests on the emulators", reports, _NODE_FOLDERS, at_once=2)
    # Files share fixtures. They are begun in the order in which tests/conftest.py put them.
    spread = [f"--numprocesses={_EMULATOR_WORKERS}", "--dist=loadfile", "--no-loadscope-reorder"]
    python = _pytest("Python tests on the emulators", reports, _EMULATOR_FOLDERS, *spread)
    with ThreadPoolExecutor() as beside:
        quiet = [beside.submit(each.run, quietly=True) for each in (*units, node_unit)]
        # What pytest keeps of a module that it compiled, each worker would make again.
        compiling = _start_collection(_EMULATOR_FOLDERS, [])
        print("Starting the emulators beside the unit tests ...", flush=True)
        with running(WITH_WEB_APP, many_projects=True, seed=True):
            os.environ["SAMPLE_LOADED"] = "yes"  # tests need not load it themselves
            compiling.communicate()
            quiet.append(beside.submit(node.run, quietly=True))
            python.run()
            for printed in quiet:
                print(printed.result())
    return [*units, node_unit, node, python]


def _unit_halves() -> tuple[list[str], list[str]]:
    """The folders and files of unit tests in two lists that take about as long."""
    halves: tuple[list[str], list[str]] = ([], [])
    for place in sorted((ROOT / "tests/unit").glob("[!_]*")):
        if place.is_dir() or place.suffix == ".py":
            halves[place.name not in _FIRST_UNIT_FOLDERS].append(str(place))
    return halves


def _run_some(reports: Path, arguments: list[str]) -> list[Part]:
    """Run what pytest's arguments choose; the emulators start if that needs them."""
    paths = [each for each in arguments if _is_path(each)]
    options = [each for each in arguments if each not in paths]
    units = _chosen_paths(_UNIT_FOLDERS, paths, options)
    others = _chosen_paths(_EMULATOR_FOLDERS, paths, options)
    unit = _pytest("Unit tests", reports, units, *options)
    python = _pytest("Python tests on the emulators", reports, others, *options)
    unit.code = python.code = _NOTHING_COLLECTED
    # Beside the unit tests, because importing what is tested takes seconds.
    collecting = _start_collection(others, options) if others else None
    if units:
        unit.run()
    if collecting is None:
        return [unit, python]
    output, _ = collecting.communicate()
    if collecting.returncode == 0:
        print("Starting the emulators ...", flush=True)
        # The web app is built for those tests alone that look at it.
        with running(WITH_WEB_APP if _WEB in output else NEEDED, many_projects=True):
            python.run()
    else:
        python.code = collecting.returncode
        if collecting.returncode != _NOTHING_COLLECTED:
            print(output)
    return [unit, python]


def _is_path(argument: str) -> bool:
    """Whether an argument names a test file or folder, such as tests/unit/core or file.py::test."""
    path = argument.partition("::")[0]
    return "/" in path and (ROOT / path).exists()


def _chosen_paths(folders: list[str], paths: list[str], options: list[str]) -> list[str]:
    """The files and folders that pytest has to collect: those of the paths that lie in these
    folders; without paths, all folders, or, where `-k` is the name of a test, the files that
    contain it."""
    if paths:
        return [path for path in paths if path.startswith(tuple(folders))]
    name = options[1] if len(options) > 1 and options[0] == "-k" else ""
    if not re.fullmatch(r"test_\w+", name):
        return folders
    files = (file for folder in folders for file in (ROOT / folder).rglob("test_*.py"))
    return [
        str(file.relative_to(ROOT))
        for file in sorted(files)
        if name.lower() in file.name.lower() or name.lower() in file.read_text("utf-8").lower()
    ]


def _start_collection(places: list[str], options: list[str]) -> subprocess.Popen[str]:
    """Start pytest's collection of these places, to learn which tests its options choose."""
    return subprocess.Popen(
        [PYTHON, "-m", "pytest", *places, *options, "--collect-only", "-qq"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _pytest(name: str, reports: Path, folders: list[str], *arguments: str) -> Part:
    report = reports / f"{name}.xml"
    command: Command = [PYTHON, "-m", "pytest", *folders, f"--junit-xml={report}", *arguments]
    return Part(name, command, report)


def _node(name: str, reports: Path, folders: list[str], *, at_once: int) -> Part:
    """JavaScript tests of these folders, each of which must have some."""
    scripts: list[Path] = []
    for folder in folders:
        found = sorted((ROOT / folder).rglob("*.test.mjs"))
        if not found:
            raise Problem(f"There are no tests in {folder} (*.test.mjs).")
        scripts += found
    report = reports / f"{name}.xml"
    reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
    reporters += ["--test-reporter=junit", f"--test-reporter-destination={report}"]
    command: Command = ["node", "--test", f"--test-concurrency={at_once}", *reporters, *scripts]
    return Part(name, command, report)


def _print_slowest(parts: list[Part]) -> None:
    """Print the tests that took longest, out of all that ran."""
    times = [
        (float(case.get("time", 0)), f"{case.get('classname')}::{case.get('name')}", part.name)
        for part in parts
        if part.report.exists()
        for case in ElementTree.parse(part.report).iter("testcase")
    ]
    if times:
        print(f"\nThe slowest of {len(times)} tests:")
    for seconds, name, part in heapq.nlargest(_SLOWEST, times):
        short = name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"
        print(f"{seconds:7.2f} s  {short}  ({part})")


def _print_outcome(parts: list[Part]) -> int:
    """Print a line for each part; 1 if one failed, or if no test was run.

    A choice by pytest's arguments may well leave one part without tests.
    """
    print()
    outcomes = {0: "passed", _NOTHING_COLLECTED: "no such tests"}
    for part in parts:
        outcome = outcomes.get(part.code, f"FAILED ({part.code})")
        print(f"{part.name}: {outcome} ({part.seconds:.0f} s)")
    return 0 if {part.code for part in parts} in ({0}, {0, _NOTHING_COLLECTED}) else 1


if __name__ == "__main__":
    problem.run(main)
