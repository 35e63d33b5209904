"""The packed JavaScript client in a folder of its own, as its README installs it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dev.paths import ROOT
from tests.adoption.apps import (
    Library,
    RunningApp,
    check_output,
    make_tree,
    page_code,
    run,
    run_app,
)

CLIENT = ROOT / "clients" / "js"
HERE = Path(__file__).parent
PAGE = "add_a_capability.md"
QUESTION = "What does a meeting of 6 people for 2 hours cost?"


@pytest.fixture(scope="module")
def app(outside: Path, library: Library, functions_venv: Path) -> Iterator[RunningApp]:
    """An app with the capability and the agent that the page shows."""
    root = outside / "js_app"
    root.mkdir()
    done = library.init("--yes", cwd=root)
    assert done.returncode == 0, done.stdout
    pack = {name: page_code(PAGE, name) for name in ("meetings.py", "agents.py")}
    make_tree(root / "functions" / "capabilities" / "office", {"__init__.py": "", **pack})
    (root / "functions" / "venv").symlink_to(functions_venv)
    with run_app(root, "functions") as app:
        yield app


def _ask(folder: Path, app: RunningApp) -> dict[str, Any]:
    shutil.copy(HERE / "js_client.mjs", folder)
    given = {"project": app.project, "ports": app.ports, "message": QUESTION}
    told: dict[str, Any] = json.loads(
        check_output("node", "js_client.mjs", json.dumps(given), cwd=folder)
    )
    return told


def _command(version: str) -> list[str]:
    """The README's command, with a version of Firebase and the path of the package."""
    found = re.search(r"```sh\n(npm install .*)\n```", (CLIENT / "README.md").read_text("utf-8"))
    assert found is not None
    words = found[1].replace(" firebase ", f" firebase@{version} ").split()
    return [*words[:-1], str(CLIENT)]


@pytest.mark.parametrize("version", ["12", "13"])
def test_it_works_as_its_readme_installs_it(app: RunningApp, outside: Path, version: str) -> None:
    folder = make_tree(outside / f"js{version}", {"package.json": '{"type": "module"}'})
    done = run(*_command(version), cwd=folder)
    if done.returncode and "ETARGET" in done.stdout:
        pytest.skip(f"the registry has not all that Firebase {version} needs")
    assert done.returncode == 0, done.stdout
    assert not (folder / "node_modules" / "@rollcall" / "client").is_symlink()
    told = _ask(folder, app)
    assert "error" not in told, told
    assert told["version"].startswith(f"{version}.")
    assert "720" in told["answer"] and told["followed"] == told["answer"]
    assert [each["agent"] for each in told["threads"]] == ["office"]
    assert told["price"] == {"usd": 720}


def test_a_second_copy_of_firebase_is_told_with_its_cure(app: RunningApp, outside: Path) -> None:
    folder = make_tree(outside / "js_linked", {"package.json": '{"type": "module"}'})
    check_output(*(word for word in _command("12") if word != "--install-links"), cwd=folder)
    assert (folder / "node_modules" / "@rollcall" / "client").is_symlink()
    error = _ask(folder, app)["error"]
    assert error["code"] == "failed-precondition" and "two copies of Firebase" in error["message"]
    assert "--install-links" in error["hint"]
