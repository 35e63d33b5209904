"""Apps outside of this repository, which have only its wheel.

One thing is borrowed: firebase-tools, as a program on PATH, since it takes minutes to install and
is no part of an app. The Firebase SDKs that the apps use are installed from the registries.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dev.paths import NODE_MODULES, ROOT
from rollcall.emulators import requirements
from rollcall.emulators.addresses import Configuration

Json = dict[str, Any]
_NOT_OF_THE_APP = {"venv", "node_modules", ".rollcall", "__pycache__"}
"""What is installed, and what `dev`, which may run, and Python write on and on."""
_START_S = 300
_OURS = ("PYTHON", "PYTEST", "VIRTUAL_ENV", "ROLLCALL", "FIRE", "FUNCTION", "GCLOUD", "GOOGLE_")
"""Beginnings of variables that might lead back to this repository, or to emulators of another."""


def environment() -> dict[str, str]:
    """This process's variables without those that concern this repository."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    path = [
        each for each in os.environ["PATH"].split(os.pathsep) if not Path(each).is_relative_to(ROOT)
    ]
    programs = [str(NODE_MODULES / ".bin"), *path]
    if (found := requirements.find_java(ROOT)) is not None:
        programs.append(str(found.parent))
    return {**own, "PATH": os.pathsep.join(programs), "NO_COLOR": "1"}


def run(
    *command: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, in the folder and with the variables of an app."""
    return subprocess.run(
        command,
        cwd=cwd,
        env={**environment(), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def check_output(*command: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run a program that must succeed; its output."""
    done = run(*command, cwd=cwd, env=env)
    assert done.returncode == 0, done.stdout
    return done.stdout


def installed_bytes(venv: Path) -> int:
    """The size of all that is installed in an environment, bytecode included."""
    (packages,) = venv.glob("lib/python*/site-packages")
    return sum(file.stat().st_size for file in packages.rglob("*") if file.is_file())


@dataclass(frozen=True)
class Library:
    """The wheel, and an environment with nothing else in it."""

    wheel: Path
    packages: Path
    """Wheels of all that it needs, so that the registry is asked once."""
    python: Path

    def init(self, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run `python -m rollcall init`."""
        return run(self.python, "-m", "rollcall", "init", *arguments, cwd=cwd)

    @property
    def offline(self) -> dict[str, str]:
        """The variables that have pip take packages from the folder."""
        return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.packages)}


def make_tree(root: Path, files: Mapping[str, str]) -> Path:
    """Write an app's files."""
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    return root


def tree(root: Path) -> dict[str, str]:
    """Every file of an app itself, with a hash of its content."""
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if each not in _NOT_OF_THE_APP]
        for name in names:
            file = Path(folder, name)
            found[file.relative_to(root).as_posix()] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


class Client:
    """The Firebase JavaScript SDK, in a folder of its own, signed in at an app's emulators."""

    def __init__(self, folder: Path, app: RunningApp) -> None:
        self._folder = folder
        self._app = app

    def __call__(self, user: str, *steps: Json) -> list[Json]:
        """Do one thing after another as a user; what each came to: `value`, or `error`."""
        given = {"project": self._app.project, "ports": self._app.ports, "user": user}
        done = subprocess.run(
            ["node", "client.mjs", json.dumps({**given, "steps": steps})],
            cwd=self._folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{self._app.log()}"
        found: list[Json] = json.loads(done.stdout)
        return found


@dataclass(frozen=True)
class RunningApp:
    """An app on the emulators, by `python -m rollcall dev`."""

    root: Path
    process: subprocess.Popen[bytes]
    output: Path

    @property
    def project(self) -> str:
        content = json.loads((self.root / ".firebaserc").read_text(encoding="utf-8"))
        return str(content["projects"]["default"])

    @property
    def ports(self) -> dict[str, int]:
        return Configuration(self.root).ports()

    def log(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    def wait(self, condition: Callable[[], bool], what: str) -> None:
        """Return once something holds."""
        deadline = time.monotonic() + _START_S
        while not condition():
            assert self.process.poll() is None, self.log()
            assert time.monotonic() < deadline, f"waited {_START_S} s for {what}:\n{self.log()}"
            time.sleep(0.2)

    def documents(self, path: str) -> dict[str, Json]:
        """The documents of a collection by id, read with the rights of a server."""
        host = f"http://127.0.0.1:{self.ports['firestore']}"
        url = f"{host}/v1/projects/{self.project}/databases/(default)/documents/{path}?pageSize=300"
        request = urllib.request.Request(url, headers={"Authorization": "Bearer owner"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            found = json.load(answer).get("documents", [])
        return {each["name"].rpartition("/")[2]: each.get("fields", {}) for each in found}


@contextmanager
def run_app(root: Path, functions: str) -> Iterator[RunningApp]:
    """Start an app's emulators by `python -m rollcall dev`, and stop them as Ctrl-C does."""
    output = root.parent / f"{root.name}.dev.log"
    python = root / functions / "venv" / "bin" / "python"
    with output.open("wb") as written:
        process = subprocess.Popen(
            [python, "-m", "rollcall", "dev"],
            cwd=root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    app = RunningApp(root, process, output)
    try:
        app.wait(lambda: "\nReady after" in app.log(), "the emulators")
        yield app
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert process.returncode == 0, app.log()


def next_commands(told: str) -> list[str]:
    """The commands that init says come next."""
    return [line.strip() for line in told.partition("Next:\n")[2].splitlines() if line.strip()]


def page_code(page: str, name: str) -> str:
    """The code of a file that a page of the documentation shows, as it stands there.

    Args:
        name: The file's name, or how the sentence before the code calls it.
    """
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"`{re.escape(name)}`[^`]*```python\n(.*?)```", text, re.DOTALL)
    assert found, f"docs/{page} shows no {name}"
    return found[1]
