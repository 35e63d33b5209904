"""An app with functions in Node gets a second codebase; both answer on the same emulators."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adoption.apps import Client, Library, RunningApp, make_tree, run, run_app, tree

FIREBASE_JSON = """\
{
  // What the web team deploys.
  "functions": {
    "source": "functions"
  },
  "firestore": { "rules": "firestore.rules" /* ask Ann before */ }
}
"""
INDEX_JS = """\
const { onCall } = require("firebase-functions/v2/https");

exports.double = onCall((request) => ({ value: 2 * request.data.value }));
"""
RULES = """\
rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /users/{user} {
      allow read, write: if request.auth.uid == user;
    }
  }
}
"""
APP = {
    "firebase.json": FIREBASE_JSON,
    ".firebaserc": '{"projects": {"default": "demo-node"}}\n',
    "firestore.rules": RULES,
    "functions/index.js": INDEX_JS,
}


@pytest.fixture(scope="module")
def root(outside: Path, library: Library, functions_venv: Path, node_functions: Path) -> Path:
    root = make_tree(outside / "node_app", APP)
    package = (node_functions / "package.json").read_text(encoding="utf-8")
    make_tree(root / "functions", {"package.json": package})
    (root / "functions" / "node_modules").symlink_to(node_functions / "node_modules")
    done = library.init("--yes", cwd=root)
    assert done.returncode == 0, done.stdout
    (root / "functions-python" / "venv").symlink_to(functions_venv)
    return root


@pytest.fixture(scope="module")
def app(root: Path) -> Iterator[RunningApp]:
    with run_app(root, "functions-python") as app:
        yield app


@pytest.fixture
def client(app: RunningApp, client_folder: Path) -> Client:
    return Client(client_folder, app)


def test_init_adds_a_codebase_and_leaves_the_functions_in_node(root: Path) -> None:
    assert (root / "functions" / "index.js").read_text(encoding="utf-8") == INDEX_JS
    text = (root / "firebase.json").read_text(encoding="utf-8")
    assert "// What the web team deploys." in text and "/* ask Ann before */" in text
    assert '"codebase": "rollcall"' in text
    names = {each.name for each in (root / "functions").iterdir()}
    assert names == {"index.js", "package.json", "node_modules"}


def test_a_function_in_node_and_a_capability_answer(client: Client) -> None:
    node, capability = client(
        "ann",
        {"call": "double", "data": {"value": 21}},
        {"call": "estimate_meeting_cost", "data": {"people": 6, "hours": 2}},
    )
    assert node["value"] == {"value": 42}
    assert capability["value"] == {"usd": 720}


def test_the_registry_says_which_codebase_declares_a_capability(app: RunningApp) -> None:
    found = app.documents("capabilities")
    assert found["estimate_meeting_cost"]["codebase"] == {"stringValue": "rollcall"}
    assert {json.dumps(each["codebase"]) for each in found.values()} == {
        json.dumps({"stringValue": "rollcall"})
    }


def test_the_registry_is_listed_without_an_extra(app: RunningApp, library: Library) -> None:
    env = {
        "FIRESTORE_EMULATOR_HOST": f"127.0.0.1:{app.ports['firestore']}",
        "GCLOUD_PROJECT": app.project,
    }
    list_all = (library.python, "-m", "rollcall", "registry", "list")
    for options in ((), ("--json",)):
        done = run(*list_all, *options, cwd=app.root, env=env)
        assert done.returncode == 0 and "estimate_meeting_cost" in done.stdout, done.stdout


def test_a_second_init_changes_nothing(root: Path, library: Library) -> None:
    before = tree(root)
    done = library.init("--yes", cwd=root)
    assert (done.returncode, tree(root)) == (0, before), done.stdout
