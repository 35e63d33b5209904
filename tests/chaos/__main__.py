"""Tries to break a run's guarantees, and reports which of them held: `make chaos`.

CHAOS_SEED     repeats what a seed did; by default another one each time
CHAOS_KILLS    about how many processes to kill, by default 250
CHAOS_ONLY     some of: generated, long, kills, stalls, races, providers, traffic, forgeries, money,
               copilotkit
CHAOS_TRAFFIC  a folder of recorded provider traffic to serve as well

Exits with 1 if a guarantee did not hold.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "functions")]

from rich.console import Console  # noqa: E402
from rich.markup import escape  # noqa: E402
from rich.table import Table  # noqa: E402

from tests.chaos import deployment, providers  # noqa: E402
from tests.chaos.forgeries import Forgeries  # noqa: E402
from tests.chaos.kills import Findings, try_kills  # noqa: E402
from tests.chaos.money import Money  # noqa: E402
from tests.chaos.races import Races  # noqa: E402
from tests.chaos.scenario import Broken, examine_spending  # noqa: E402
from tests.chaos.stalls import WAYS, StallRuns, all_stalls  # noqa: E402

KILLS = 250
_GENERATED = (
    "tests/emulator/endpoints/test_bad_input.py",
    "tests/emulator/endpoints/test_agui_bad_input.py",
    "tests/emulator/knowledge/test_upload_endpoints.py",
)
"""Tests on the emulator over generated input: what they send is never answered with `internal`."""
_LONG_IN_PYTHON = ("tests/unit", "tests/emulator", "tests/clients")
_LONG_IN_JAVASCRIPT = sorted(
    [ROOT / "tests/rules/rules.test.mjs", *(ROOT / "tests/clients").rglob("js_client.test.mjs")]
)
_FAILED = ("FAILED", "ERROR", "not ok")
PARTS = (
    "generated",
    "long",
    "kills",
    "stalls",
    "races",
    "providers",
    "traffic",
    "forgeries",
    "money",
    "copilotkit",
)


@dataclass
class Report:
    """A table of what was tried, and the guarantees that did not hold."""

    table: Table = field(
        default_factory=lambda: Table("tried", "how often", "what came of it", "held")
    )
    broken: list[str] = field(default_factory=list)

    def row(self, what: str, often: str, came: str, broken: list[str]) -> None:
        self.table.add_row(what, often, came, "yes" if not broken else f"NO ({len(broken)})")
        self.broken += [f"{what}: {each}" for each in broken]

    def attempt(self, what: str, often: str, work: Callable[[], str | None]) -> None:
        """Do one thing, which raises `Broken` where a guarantee did not hold."""
        try:
            self.row(what, often, work() or "", [])
        except Broken as error:
            self.row(what, often, "", [str(error)])


@dataclass
class Project:
    """A Firestore project, and a file outside of it that tools write to."""

    db: Any
    project: str
    file: str


def main() -> int:
    seed = int(os.environ.get("CHAOS_SEED") or random.SystemRandom().randrange(10**6))
    kills = int(os.environ.get("CHAOS_KILLS") or KILLS)
    only = (os.environ.get("CHAOS_ONLY") or ",".join(PARTS)).replace(" ", "").split(",")
    if unknown := set(only) - set(PARTS):
        print(f"CHAOS_ONLY takes {', '.join(PARTS)}, with commas; not {', '.join(sorted(unknown))}")
        return 2
    print(f"CHAOS_SEED={seed} CHAOS_KILLS={kills}", flush=True)
    logging.disable(logging.CRITICAL)
    deployment.install()
    report, began = Report(), time.monotonic()
    with _emulators(only), tempfile.TemporaryDirectory() as folder:
        project = create_project(Path(folder))
        parts: dict[str, Callable[[], None]] = {
            "generated": lambda: _generated(report, seed),
            "long": lambda: _long(report, seed),
            "kills": lambda: show_kills(report, _kills(project, seed, kills)),
            "stalls": lambda: _stalls(report, project),
            "races": lambda: _races(report, project),
            "providers": lambda: _providers(report, project),
            "traffic": lambda: _traffic(report, project),
            "forgeries": lambda: _forgeries(report, project),
            "money": lambda: _money(report),
            "copilotkit": lambda: _copilotkit(report, Path(folder)),
        }
        for name in sorted(only, key=PARTS.index):  # money, the last, has a world of its own
            print(f"{name} ...", flush=True)
            parts[name]()
        report.attempt("the days count what was spent", "1", lambda: examine_spending(project.db))
    console = Console(width=120)
    console.print(report.table)
    for each in report.broken:
        console.print(f"[bold]did not hold:[/bold] {escape(each)}")
    minutes = (time.monotonic() - began) / 60
    verdict = f"{len(report.broken)} did not hold" if report.broken else "All of it held"
    console.print(f"{verdict}; {minutes:.1f} minutes. CHAOS_SEED={seed} repeats this.")
    return 1 if report.broken else 0


def create_project(folder: Path) -> Project:
    """Create a project on the emulator of this environment, with a registry."""
    from google.auth.credentials import AnonymousCredentials
    from google.cloud.firestore import Client

    file = str(folder / "outside")
    os.environ[deployment.FILE] = file
    project = f"demo-{uuid.uuid4().hex[:12]}"
    client: Any = Client
    db = client(project=project, credentials=AnonymousCredentials())
    deployment.prepare(deployment.WorkerPlatform(db))
    return Project(db, project, file)


@contextlib.contextmanager
def _emulators(parts: list[str]) -> Iterator[None]:
    """The emulators of this environment, or those that the parts need, which are started."""
    if "FIRESTORE_EMULATOR_HOST" in os.environ:
        yield
        return
    from dev.emulators import WITH_WEB_APP, running

    if {"long", "copilotkit"} & {*parts}:  # clients sign in, and read the sample data
        with running(WITH_WEB_APP, seed=True, many_projects=True):
            yield
    else:
        with running(("firestore",)):
            yield


def _generated(report: Report, seed: int) -> None:
    """Run the tests over generated input, on more input and other input than `make test`."""
    for tests in (["tests/unit", "-m", "hypothesis"], [*_GENERATED, "-k", "internal"]):
        command = [sys.executable, "-m", "pytest", *tests, "--numprocesses=auto", "-qq", "-rf"]
        free = ["--hypothesis-profile=free", f"--hypothesis-seed={seed}"]
        done = subprocess.run([*command, *free], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        broken = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        if done.returncode:
            print(done.stdout)
            broken = broken or [f"pytest ended with code {done.returncode}"]
        report.row(f"generated input: {tests[0]}", "500 examples a claim", "", broken)


def _long(report: Report, seed: int) -> None:
    """Run in full the tests that `make test` runs in a short form."""
    full = {**os.environ, "CHAOS_FULL": "yes", "CHAOS_SEED": str(seed)}
    pytest = [sys.executable, "-m", "pytest", *_LONG_IN_PYTHON, "-m", "long"]
    for what, command in {
        "long tests in Python": [*pytest, "--numprocesses=2", "--dist=loadfile", "-qq", "-rfE"],
        "long tests in JavaScript": ["node", "--test", *map(str, _LONG_IN_JAVASCRIPT)],
    }.items():
        done = subprocess.run(command, cwd=ROOT, env=full, stdout=subprocess.PIPE, text=True)
        broken = [line for line in done.stdout.splitlines() if line.startswith(_FAILED)]
        if done.returncode:
            print(done.stdout)
            broken = broken or [f"{command[0]} ended with code {done.returncode}"]
        report.row(what, "in full", "", broken)


def _kills(project: Project, seed: int, kills: int) -> Findings:
    return try_kills(project.db, project.project, project.file, seed=seed, kills=kills)


_HOW = {
    "before": "killed before a commit was sent",
    "after": "killed after it was applied, before the answer",
    "between": "killed between two commits",
    "moment": "killed at a random moment",
    "stopped": "stopped, taken over, and let go on",
    "twice": "a commit applied and sent again",
    "unanswered": "a commit applied and reported as failed",
    "refused": "a commit lost",
    "left": "the client left",
}


def show_kills(report: Report, findings: Findings) -> None:
    """Add a row for all scenarios, and one for each kind of fault."""
    came = f"{findings.points} commits in all scenarios; {findings.kills} processes killed"
    report.row("scenarios with faults", str(findings.scenario_runs), came, findings.broken)
    for how, told in _HOW.items():
        if findings.struck[how]:
            report.row(f"  {told}", str(findings.struck[how]), "", [])


def _stalls(report: Report, project: Project) -> None:
    tried = StallRuns(project.db, project.project, project.file, f"stall{uuid.uuid4().hex[:6]}")
    for way in WAYS:
        chosen = [each for each in all_stalls() if each.way == way]
        what = f"stands still before a save, is {way}, and goes on"
        report.row(what, str(len(chosen)), "", tried.try_all(chosen))


def _races(report: Report, project: Project) -> None:
    races = Races(project.db, project.project, project.file, f"race{uuid.uuid4().hex[:6]}")
    for what, race in races.all().items():
        report.attempt(f"race: {what}", f"{races.callers} at once", race)


def _providers(report: Report, project: Project) -> None:
    for api in providers.MODELS:
        tried = list(providers.cases((api,)))
        broken = providers.try_cases(project.db, project.project, project.file, tried)
        faults = f"{len(providers.PATTERNS)} faults, streamed and in one piece"
        came = f"{faults}, once and always, at once and after a tool"
        report.row(f"provider at its worst: {api}", str(len(tried)), came, broken)


def _traffic(report: Report, project: Project) -> None:
    if folder := os.environ.get("CHAOS_TRAFFIC"):
        served, broken = providers.try_traffic(project.db, project.project, project.file, folder)
        report.row("recorded traffic", str(served), "", broken)


def _forgeries(report: Report, project: Project) -> None:
    forgeries = Forgeries(
        project.db, project.project, project.file, f"forged{uuid.uuid4().hex[:6]}"
    )
    for what, attempt in forgeries.all().items():
        report.attempt(f"forged: {what}", "1", attempt)


def _money(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        own = create_project(Path(folder))
        money = Money(own.db, own.project, own.file)
        what = "one tenant's processes reserve and settle"
        report.attempt(what, "100", lambda: money.processes_of_a_tenant(100, calls=3_000))
        report.attempt("runs against $0.10", "50 at once", lambda: money.runs_of_a_user(50))
        for what, more in {
            "messages of one user": {},
            "messages of one user, without the bound": {"at_once": None},
            "messages of as many users": {"users": 20},
        }.items():
            report.attempt(what, "20 at once", partial(money.messages_at_once, 20, **more))


def _copilotkit(report: Report, folder: Path) -> None:
    """Run CopilotKit's runtime, from the npm registry, in front of `agui`."""
    what = "CopilotKit's runtime: an answer, its stop button"
    install = ["npm", "install", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"]
    (folder / "package.json").write_text('{"private": true}')
    if subprocess.run([*install, "@copilotkit/runtime"], cwd=folder).returncode:
        report.table.add_row(what, "not run", "npm could not install it", "not known")
        return
    env = {"COPILOTKIT": str(folder), "COPILOTKIT_TELEMETRY_DISABLED": "true"}
    command = ["node", "--test", "tests/chaos/copilotkit.test.mjs"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **env})
    report.row(what, "1", "", [f"node ended with code {done.returncode}"] * bool(done.returncode))


if __name__ == "__main__":
    raise SystemExit(main())
