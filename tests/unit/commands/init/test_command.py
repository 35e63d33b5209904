from __future__ import annotations

import io
from pathlib import Path

import pytest

from rollcall.__main__ import main
from rollcall.commands.init import command
from rollcall.commands.init.files import Change
from tests.unit.commands.init import apps
from tests.unit.commands.init.apps import make, tree

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library as if it were installed from a wheel."""
    monkeypatch.setattr(command, "installed_wheel", apps.wheel)
    monkeypatch.setattr(command, "platform", apps.platform)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_without_a_person_to_ask_the_plan_is_printed_and_nothing_written(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert main(["init", str(tmp_path)]) == 2
    assert tree(tmp_path) == {}
    printed = capsys.readouterr().out
    assert "new      functions/main.py (3 lines)" in printed
    assert "Nothing was written. Add --yes to write these 13 files." in printed


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("", 2), ("n", 2)])
def test_a_person_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
    assert main(["init", str(tmp_path)]) == code
    assert bool(tree(tmp_path)) is (code == 0)


def test_yes_writes_and_says_what_to_do_next(tmp_path: Path, capsys: Output) -> None:
    app = tmp_path / "my app"
    assert main(["init", str(app), "--yes"]) == 0
    printed = capsys.readouterr().out
    assert f"cd '{app}'" in printed
    assert "-m venv functions/venv && functions/venv/bin/python -m pip install -r" in printed
    assert "functions/venv/bin/python -m rollcall dev" in printed
    assert "ANTHROPIC_API_KEY" in printed and "costs it money" in printed
    assert main(["init", str(app), "--yes"]) == 0
    assert capsys.readouterr().out == f"App: {app}\nNothing to change.\n"


def test_each_codebase_is_installed_with_the_python_of_its_runtime(
    tmp_path: Path, capsys: Output
) -> None:
    ours = '{"source": "a", "runtime": "python313"}'
    part = '{"source": "b", "codebase": "b", "runtime": "python311"}'
    bind = "from rollcall import bind\nbind(globals()"
    make(
        tmp_path,
        {
            "firebase.json": f'{{"functions": [{ours}, {part}]}}',
            "a/main.py": f"{bind})\n",
            "b/main.py": f"{bind}, without=['engine'])\n",
        },
    )
    assert main(["init", str(tmp_path), "--yes"]) == 0
    printed = capsys.readouterr().out
    assert "python3.13 -m venv a/venv" in printed and "python3.11 -m venv b/venv" in printed


def test_after_an_upgrade_only_the_installation_is_left_to_do(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["init", str(tmp_path), "--yes"]) == 0
    (tmp_path / "functions/venv").mkdir()
    capsys.readouterr()
    monkeypatch.setattr(command, "installed_wheel", lambda: apps.wheel("0.2.0+g2", "two"))
    assert main(["init", str(tmp_path), "--yes"]) == 0
    assert capsys.readouterr().out.endswith(
        f"Next:\n  cd {tmp_path}\n"
        "  functions/venv/bin/python -m pip install -r functions/requirements.txt\n"
    )


def test_what_stands_against_it_is_told_with_exit_code_1(tmp_path: Path, capsys: Output) -> None:
    make(tmp_path, {"firestore.rules": "service cloud.firestore {", "firebase.json": "{}"})
    assert main(["init", str(tmp_path), "--yes"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("firestore.rules:1: a } is missing")
    assert told.endswith(f"Nothing was changed in {tmp_path}.\n")


@pytest.mark.parametrize("prefix", ["RC", "rc_", "1a", "a" * 17, ""])
def test_a_prefix_that_names_cannot_begin_with_is_refused(
    tmp_path: Path, capsys: Output, prefix: str
) -> None:
    assert main(["init", str(tmp_path), "--prefix", prefix]) == 2
    assert "a lower-case letter, then up to 15" in capsys.readouterr().err


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    make(tmp_path, {"app": ""})
    assert main(["init", str(tmp_path / "app")]) == 2


def test_the_app_is_found_from_a_folder_inside_it(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": "{}", "functions/main.py": ""})
    (tmp_path / "new").mkdir()
    assert command.choose_root(None, tmp_path / "functions") == tmp_path
    assert command.choose_root(None, tmp_path / "new") == tmp_path / "new"
    assert command.choose_root("functions", tmp_path) == tmp_path / "functions"
    assert command.choose_root("../app", tmp_path / "functions") == tmp_path / "app"


def test_changes_of_texts_are_shown_as_a_diff() -> None:
    shown = command.show(
        (
            Change("a.txt", "שלום\nold\n".encode(), "שלום\nnew\n".encode()),
            Change("b.whl", None, b"PK\0" * 1000),
            Change("c.whl", b"PK\0", None),
        )
    )
    assert shown == (
        "changed  a.txt\n    @@ -1,2 +1,2 @@\n     שלום\n    -old\n    +new\n"
        "new      b.whl (3 kB)\ndeleted  c.whl"
    )


def test_of_many_new_lines_the_first_are_shown() -> None:
    new = "".join(f"line {number}\n" for number in range(300)).encode()
    shown = command.show((Change("a.txt", b"line 0\n", new),)).splitlines()
    assert shown[-2:] == ["    +line 12", "    + ... and 287 more lines"]
    assert len(shown) == 16
