"""An app that uses Rollcall's names for something else: refused, and accepted with a prefix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adoption.apps import Client, Library, RunningApp, make_tree, run_app, tree

RULES = """\
rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /threads/{thread} {
      allow create: if request.resource.data.owner == request.auth.uid;
      allow read: if resource.data.owner == request.auth.uid;
    }
  }
}
"""
MAIN = """\
from firebase_admin import initialize_app
from firebase_functions import https_fn

initialize_app()


@https_fn.on_call()
def run_agent(request: https_fn.CallableRequest) -> str:
    return "the app's own agent"


@https_fn.on_call()
def get_file(request: https_fn.CallableRequest) -> str:
    return "the app's own file"
"""
APP = {
    "firebase.json": '{"functions": [{"source": "backend", "runtime": "python311"}],'
    ' "firestore": {"rules": "firestore.rules"}}\n',
    ".firebaserc": '{"projects": {"default": "demo-threads"}}\n',
    "firestore.rules": RULES,
    "backend/main.py": MAIN,
    "backend/requirements.txt": "firebase-functions~=0.6.0\n",
}
QUESTION = "What does a meeting of 6 people for 2 hours cost?"


@pytest.fixture(scope="module")
def root(outside: Path, library: Library, functions_venv: Path) -> Path:
    root = make_tree(outside / "threads_app", APP)
    done = library.init("--yes", "--prefix", "rc", cwd=root)
    assert done.returncode == 0, done.stdout
    (root / "backend" / "venv").symlink_to(functions_venv)
    return root


@pytest.fixture(scope="module")
def app(root: Path) -> Iterator[RunningApp]:
    with run_app(root, "backend") as app:
        yield app


@pytest.fixture
def client(app: RunningApp, client_folder: Path) -> Client:
    return Client(client_folder, app)


def test_init_stops_and_names_the_places(tmp_path: Path, library: Library) -> None:
    make_tree(tmp_path, APP)
    before = tree(tmp_path)
    done = library.init("--yes", cwd=tmp_path)
    assert done.returncode != 0
    assert tree(tmp_path) == before
    for told in (
        "the collection threads: firestore.rules:4",
        "the function run_agent: backend/main.py:8",
        "the function get_file: backend/main.py:13",
        "--prefix rc",
    ):
        assert told in done.stdout


def test_a_run_goes_by_the_prefixed_names(app: RunningApp, client: Client) -> None:
    data = {"agent": "assistant", "message": QUESTION}
    uid, done, own = client(
        "ann",
        {"uid": ""},
        {"stream": "rc_run_agent", "data": data},
        {"call": "run_agent", "data": {}},
    )
    answer = done["value"]["answer"]
    assert "720" in answer["message"]
    assert own["value"] == "the app's own agent"
    threads = app.documents("rc_threads")
    assert threads[answer["threadId"]]["uid"] == {"stringValue": uid["value"]}
    assert answer["threadId"] not in app.documents("threads")
    assert app.documents(f"rc_threads/{answer['threadId']}/rc_messages")


def test_rules_hold_for_the_apps_documents_and_for_ours(client: Client) -> None:
    data = {"agent": "assistant", "message": QUESTION}
    done, _, mine, own = client(
        "ann",
        {"call": "rc_run_agent", "data": data},
        {"set": "threads/ann", "data": {"owner": "$uid", "title": "The app's own"}},
        {"get": "threads/ann"},
        {"call": "get_file", "data": {}},
    )
    assert mine["value"]["title"] == "The app's own"
    assert own["value"] == "the app's own file"
    thread = f"rc_threads/{done['value']['threadId']}"
    (ours,) = client("ann", {"get": thread})
    assert ours["value"]["agent"] == "assistant"
    others = client("ben", {"get": "threads/ann"}, {"get": thread})
    assert [each["error"]["code"] for each in others] == ["permission-denied"] * 2


def test_a_second_init_changes_nothing(root: Path, library: Library) -> None:
    before = tree(root)
    done = library.init("--yes", cwd=root)
    assert (done.returncode, tree(root)) == (0, before), done.stdout
