"""`dev`: runs an app on the emulators and loads changes of its code until Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from rollcall.catalog import WRONG_DEFINITIONS
from rollcall.commands.app import CONFIG, App, find_app, require_app
from rollcall.commands.init import web_app
from rollcall.commands.init.plan import read_record
from rollcall.core.definition import read_text
from rollcall.core.errors import FAILED, Problem
from rollcall.core.options import function_name
from rollcall.emulators import requirements
from rollcall.emulators import suite as suites
from rollcall.emulators.addresses import NEEDED, Configuration, default_project
from rollcall.emulators.clock import run_clock, scheduled
from rollcall.emulators.suite import LOADED, REFUSED, Suite

_LOOK_S = 1.0
_FOLLOW_S = 0.2
_RELOAD_S = 120.0
_BEGUN = re.compile(r'(?:Beginning execution of|Finished) "(?:[a-z]+-[a-z]+\d+-)?(\w+)"')
_DISCOVERY = re.compile(
    "Serving Flask app|Debug mode: off|development server|Running on http|Press CTRL|GET /__/"
    f"|^Terminated$|Loaded environment variables|python-dotenv|{LOADED}|{REFUSED}"
)
"""What the discovery of functions writes: `_Server` says it in short."""
_SERVED = re.compile(r'hosting: .*HTTP/[\d.]+" [23]\d\d ')
"""A page or file that Hosting has served."""
_REFUSAL, _DISCOVERED = "ERROR serving: Exception on", "/__/functions.yaml HTTP"
"""Between these stands the traceback of code that does not load."""
_FRAME = re.compile(r'  File "(.+?)", line \d+')


def run(options: Namespace) -> int:
    """Serve the app that this folder is in."""
    app = require_app(find_app())
    return serve(app, project=options.project)


def serve(
    app: App, *, project: str | None = None, prepare: Callable[[], None] | None = None
) -> int:
    """Start the emulators with the app's functions and publish the registry; then run scheduled
    functions, load changed code and print logs.

    Args:
        project: Instead of the default one of .firebaserc.
        prepare: Is called once they run and the registry is published, such as to load data.

    Raises:
        Problem: Something is missing, or the code does not load.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):  # they unwind as Ctrl-C does
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells turn it off in the background
    configuration = Configuration(app.root)
    project = project or default_project(app.root)
    requirements.check_environment(app.functions, app.runtime)
    requirements.prepare_firestore(app.root)
    app.load_environment(project, emulator=True, env=os.environ)
    sources = Sources(app.functions)  # before the code is read: starting takes half a minute
    if problem := load_problem(app, project):
        raise Problem(f"{problem}\n\nNothing was started: this code does not load.")
    began = time.monotonic()
    firebase = requirements.find_firebase(configuration.root)
    there = [each for each in configuration.also if requirements.is_downloaded(firebase, each)]
    only = (*NEEDED, *there)
    _say(f"Starting the emulators: {', '.join(only)} ...")
    for name in (each for each in configuration.also if each not in there):
        _say(f"  without {name}: `firebase setup:emulators:{name}` downloads it")
    try:
        with suites.running(configuration, only, project=project) as suite:
            _publish(app)
            if prepare is not None:
                prepare()
            _show(app, suite, only, seconds=time.monotonic() - began)
            return _Server(app, suite, sources).run()
    except KeyboardInterrupt:
        _say("\nStopped.")
        return 0


def load_problem(app: App, project: str) -> str | None:
    """Return why the app's functions cannot be loaded, by Python's traceback in the app's files;
    None if they can. They are loaded in a separate process, as Firebase's discovery does."""
    env = {
        **{name: value for name, value in os.environ.items() if name != "FUNCTION_TARGET"},
        "FUNCTIONS_EMULATOR": "true",
        "GCLOUD_PROJECT": project,
        "FIREBASE_CONFIG": json.dumps({"projectId": project}),
    }
    done = _run_python(app, "-c", "import main", env=env)
    return _own_frames(done.stdout, app.functions) if done.returncode else None


class _Server:
    """What goes on while the emulators run."""

    def __init__(self, app: App, suite: Suite, sources: Sources) -> None:
        self._app = app
        self._suite = suite
        self._sources = sources
        self._names = _loaded_functions(suite.log_text())
        self._log = _LogView(self._by_clock())

    def run(self) -> int:
        """Return when the emulators end by themselves."""
        at, is_over = self._suite.addresses, threading.Event()
        clock = (at.functions, at.project, self._suite.functions, _say, is_over)
        threading.Thread(target=run_clock, args=clock, name="clock", daemon=True).start()
        looked = time.monotonic()
        try:
            with self._suite.log.open(errors="replace") as log:
                log.seek(0, os.SEEK_END)
                while self._suite.process.poll() is None:
                    self._log.show(log.read())
                    if time.monotonic() - looked > _LOOK_S:
                        self._take_up_changes()
                        looked = time.monotonic()
                    time.sleep(_FOLLOW_S)
        finally:
            is_over.set()
        _say(f"The emulators ended with code {self._suite.process.returncode}: {self._suite.log}")
        return FAILED

    def _take_up_changes(self) -> None:
        """Have the emulators load changed code, or say why it cannot be loaded."""
        changes = self._sources.changes()
        if not changes:
            return
        functions = self._app.functions
        shown = [
            f"{path.relative_to(functions)} is {kind}" for path, kind in list(changes.items())[:4]
        ]
        _say(f"\n{', '.join(shown)}{' ...' * (len(changes) > len(shown))}")
        before = len(self._suite.log_text())
        if set(changes.values()) != {"changed"}:
            self._announce()
        if problem := load_problem(self._app, self._suite.addresses.project):
            _say(f"{problem}\n\nThis code does not load; what ran before still runs.")
            return
        if not self._wait_until_loaded(before, _RELOAD_S / 4):
            self._announce()  # it did not hear of it
            if not self._wait_until_loaded(before, _RELOAD_S):
                _say(f"The emulator did not load this: {self._suite.log}")
                return
        known, self._names = self._names, _loaded_functions(self._suite.log_text()[before:])
        self._log.by_clock = self._by_clock()
        if new := ", ".join(sorted(self._names - known)):
            _say(f"new functions: {new}")
        if gone := ", ".join(sorted(known - self._names)):
            _say(f"gone functions: {gone} (the emulator lets calls of them hang)")
        _publish(self._app)

    def _announce(self) -> None:
        """Tell the emulator to look at the code again: it sees changes of the files that it knows,
        and no new ones."""
        (self._app.functions / "main.py").touch()
        self._sources.changes()

    def _wait_until_loaded(self, offset: int, seconds: float) -> bool:
        """Whether the emulator has loaded the code since its log was so long."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._suite.process.poll() is None:
            if LOADED in self._suite.log_text()[offset:]:
                return True
            time.sleep(_FOLLOW_S)
        return False

    def _by_clock(self) -> set[str]:
        return {str(each["name"]) for each in scheduled(self._suite.functions())}


class _LogView:
    """The emulators' log without what nobody reads: how functions are discovered, that the clock's
    begin and end, and what Hosting serves without trouble.

    Args:
        by_clock: Names of the functions that the clock runs.
    """

    def __init__(self, by_clock: set[str]) -> None:
        self.by_clock = by_clock
        self._is_refusal = False

    def show(self, added: str) -> None:
        """Print what was added to the log."""
        for line in added.splitlines():
            self._is_refusal = self._is_refusal or _REFUSAL in line
            told = _BEGUN.search(line)
            is_noise = (
                _DISCOVERY.search(line)
                or _SERVED.search(line)
                or (told and told[1] in self.by_clock)
            )
            is_own = line.startswith(">")  # a function's own words
            if line.strip() and not self._is_refusal and (is_own or not is_noise):
                _say(line)
            if _DISCOVERED in line:
                self._is_refusal = False


def _loaded_functions(log: str) -> set[str]:
    """The functions of the app's codebase, as the log tells them of its last discovery."""
    for line in reversed(log.splitlines()):
        if LOADED in line:
            names = line.partition("source:")[2].strip(" .").split(", ")
            if function_name("run_agent") in names:
                return set(names)
    return set()


def _publish(app: App) -> None:
    """Publish what the code declares to the emulator's registry, by the code as it is now."""
    done = _run_python(app, "-m", "rollcall", "sync")
    lines = done.stdout.strip().splitlines()
    if done.returncode:
        _say("\n".join(["The registry was not published:", *lines]))
        return
    for line in lines:
        if line.startswith(("written", "withdrawn", "refused", "left alone", "warning")):
            _say(f"registry: {line}")


def _show(app: App, suite: Suite, only: tuple[str, ...], *, seconds: float) -> None:
    at, configuration = suite.addresses, suite.configuration
    ports = configuration.ports()
    _say(f"\nReady after {seconds:.0f} s: project {at.project}")
    _say(f"  functions  {at.functions_url}")
    for name in (name for name in only if name != "functions"):
        _say(f"  {name:<10} 127.0.0.1:{ports[name]}")
    record = read_record(app.functions)
    if record is not None and record.web is not None:
        text = read_text(app.root / CONFIG)
        web = record.web.folder
        address = web_app.address(text, web, suite.log_text())
        _say(f"\nThe web app: {address or f'no site of Hosting serves {web}'}")
    before = f"PORT_OFFSET={configuration.offset} " if configuration.offset else ""
    other = f" --project {at.project}" if at.project != default_project(app.root) else ""
    is_installed = not (app.functions / "rollcall").is_dir()
    folder = Path.cwd() if is_installed else app.functions
    python = shlex.quote(os.path.relpath(app.functions / "venv/bin/python", folder))
    _say(f"\nIn another terminal, in {folder}:")
    _say(f'  {before}{python} -m rollcall ask{other} "What can you do?"')
    _say("\nWhat the functions log follows. Changes are taken up; Ctrl-C stops everything.")


def _run_python(
    app: App, *arguments: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the app's Python in its functions folder; what it prints comes with its errors."""
    return subprocess.run(
        [app.functions / "venv/bin/python", *arguments],
        cwd=app.functions,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def _own_frames(text: str, functions: Path) -> str:
    """A traceback without the frames of installed packages. Where definitions are wrong it is these
    alone: each says its own file and line."""
    if definitions := text.partition(f"ValueError: {WRONG_DEFINITIONS}")[2].strip():
        return definitions
    kept: list[str] = []
    is_own = True
    for line in text.rstrip().splitlines():
        if frame := _FRAME.match(line):
            path = Path(frame[1])
            is_own = path.is_relative_to(functions) and not path.is_relative_to(functions / "venv")
        elif not line.startswith("    "):
            is_own = True
        if is_own:
            kept.append(line)
    return "\n".join(kept)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")  # at once: the clock's threads say something too
    sys.stdout.flush()


_SKIPPED = {"venv", ".venv", "node_modules", "__pycache__"}
_READ = (".py", ".json", ".txt")


class Sources:
    """The content of a functions folder when it was last looked at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = self._look()

    def changes(self) -> dict[Path, str]:
        """Return the files that are "new", "changed" or "gone" since the last time."""
        before, self._seen = self._seen, self._look()
        return {
            Path(name): "new" if name not in before else "changed" if name in self._seen else "gone"
            for name in sorted(before.keys() | self._seen.keys())
            if before.get(name) != self._seen.get(name)
        }

    def _look(self) -> dict[str, tuple[int, int]]:
        """Size and time of each file."""
        found = {}
        for folder, folders, names in os.walk(self._folder):
            folders[:] = [each for each in folders if each not in _SKIPPED and each[0] != "."]
            for name in names:
                if name.endswith(_READ) or name.startswith(".env"):
                    path = f"{folder}/{name}"
                    try:
                        state = os.stat(path)  # noqa: PTH116  # of a thousand files, each second
                    except OSError:
                        continue  # it went just now
                    found[path] = (state.st_mtime_ns, state.st_size)
        return found
