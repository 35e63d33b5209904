"""init from the installed wheel: where it stops, and what people do to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.adoption import test_name_conflicts
from tests.adoption.apps import Library, check_output, environment, make_tree, run, tree

OPEN_RULES = """\
rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /{document=**} { allow read, write: if request.auth != null; }
  }
}
"""
RULES = OPEN_RULES.replace("/{document=**}", "/posts/{post}")
MAIN = """\
from firebase_functions import https_fn


@https_fn.on_call()
def greet(request: https_fn.CallableRequest) -> str:
    return "Hello"
"""
APP = {
    "firebase.json": '{\n  "functions": {"source": "functions", "runtime": "python311"},\n'
    '  "firestore": {"rules": "firestore.rules"}\n}\n',
    "firestore.rules": RULES,
    "functions/main.py": MAIN,
    "functions/requirements.txt": "firebase-functions~=0.6.0\n",
}


def test_an_open_wildcard_stops_it_and_nothing_is_written(tmp_path: Path, library: Library) -> None:
    make_tree(tmp_path, {**APP, "firestore.rules": OPEN_RULES})
    before = tree(tmp_path)
    done = library.init("--yes", cwd=tmp_path)
    assert done.returncode != 0
    assert tree(tmp_path) == before
    assert "firestore.rules:4: `allow read, write` under `match /{document=**}`" in done.stdout
    assert "Write your own collections in place of the wildcard" in done.stdout
    assert "Nothing was changed" in done.stdout


def test_the_requirements_that_firebase_init_writes_are_told_by_their_line(
    tmp_path: Path, library: Library
) -> None:
    make_tree(tmp_path, {**APP, "functions/requirements.txt": "firebase_functions~=0.5.0"})
    done = library.init("--yes", cwd=tmp_path)
    assert done.returncode != 0 and "Nothing was changed" in done.stdout
    assert "functions/requirements.txt:1: `firebase_functions~=0.5.0` and " in done.stdout


def test_without_yes_nothing_is_written(tmp_path: Path, library: Library) -> None:
    make_tree(tmp_path, APP)
    before = tree(tmp_path)
    done = library.init(cwd=tmp_path)
    assert (done.returncode, tree(tmp_path)) == (2, before)
    assert "new      functions/capabilities/meetings.py" in done.stdout


@pytest.mark.parametrize("where", ["functions", "another folder", "inside deeper"])
def test_the_app_is_found_from_elsewhere(tmp_path: Path, library: Library, where: str) -> None:
    root = make_tree(tmp_path / "app", {**APP, "functions/lib/util.py": ""})
    other = tmp_path / "other"
    other.mkdir()
    if where == "another folder":
        done = library.init("--yes", os.path.relpath(root, other), cwd=other)
    else:
        folder = root / "functions" / ("" if where == "functions" else "lib")
        done = library.init("--yes", cwd=folder)
    assert done.returncode == 0, done.stdout
    assert (root / "functions" / "capabilities" / "agents.py").is_file()
    assert not list(other.iterdir())
    assert f"cd {root}" in done.stdout


def test_windows_line_ends_stay(tmp_path: Path, library: Library) -> None:
    make_tree(tmp_path, {name: text.replace("\n", "\r\n") for name, text in APP.items()})
    assert library.init("--yes", cwd=tmp_path).returncode == 0
    for name in APP:
        content = (tmp_path / name).read_bytes()
        assert content.count(b"\n") == content.count(b"\r\n") > 1, name
    before = tree(tmp_path)
    assert library.init("--yes", cwd=tmp_path).returncode == 0
    assert tree(tmp_path) == before


def test_changes_that_are_not_committed_survive(tmp_path: Path, library: Library) -> None:
    make_tree(tmp_path, APP)
    git = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    check_output("git", "init", "--quiet", cwd=tmp_path)
    check_output("git", "add", ".", cwd=tmp_path)
    check_output(*git, "commit", "--quiet", "--message", "The app", cwd=tmp_path)
    make_tree(tmp_path, {"functions/main.py": MAIN.replace("Hello", "Hi"), "notes.txt": "Mine\n"})
    assert library.init("--yes", cwd=tmp_path).returncode == 0
    main = (tmp_path / "functions" / "main.py").read_text(encoding="utf-8")
    assert '"Hi"' in main and main.rstrip().endswith("bind(globals())")
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "Mine\n"
    status = check_output("git", "status", "--porcelain", "--untracked-files=all", cwd=tmp_path)
    assert "functions/vendor/rollcall_firebase-" in status  # git does not ignore the wheel


def test_it_needs_no_node(tmp_path: Path, library: Library) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    app = make_tree(tmp_path / "app", APP)
    command = (library.python, "-m", "rollcall", "init", "--yes")
    assert "PATH" in environment()
    done = run(*command, cwd=app, env={"PATH": str(programs)})
    assert done.returncode == 0, done.stdout


def test_a_prefix_that_is_none_is_told(tmp_path: Path, library: Library) -> None:
    make_tree(tmp_path, test_name_conflicts.APP)
    before = tree(tmp_path)
    done = library.init("--yes", "--prefix", "my_app", cwd=tmp_path)
    assert (done.returncode, tree(tmp_path)) == (2, before)
    assert "'my_app'" in done.stdout and 'such as "rc"' in done.stdout
