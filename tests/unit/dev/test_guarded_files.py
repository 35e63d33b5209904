"""The guarded files: the clients' copies are current, and both Python guards judge alike."""

from __future__ import annotations

import json

import pytest

from dev import guarded_files
from rollcall.core.guarded_files import FILE, guarded_file, guarded_in_word
from rollcall.core.texts import TEXTS
from rollcall_cli.workspace.guard import _find_guarded
from rollcall_cli.workspace.paths import fold
from tests.support.for_every import for_every

ROWS = json.loads(FILE.read_text("utf-8"))["files"]


def test_the_copies_of_the_clients_are_current() -> None:
    for file, text in guarded_files.render().items():
        assert file.read_text("utf-8") == text, f"{file.name} is out of date: run make format"


def test_each_row_has_a_reason_of_its_own_in_each_language() -> None:
    assert len({row["reason"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        for language in TEXTS.languages:
            assert TEXTS.say(language, f"guarded_files.{row['reason']}")


def test_each_path_of_the_list_is_found_where_the_server_and_the_terminal_look() -> None:
    for row in ROWS:
        for path in row["paths"]:
            name = path.replace("*", "x") + ("file" if path.endswith("/") else "")
            for place in (name, f"a/b/{name}", name.upper()):
                found = guarded_file(place)
                assert found is not None, place
                names = tuple(fold(part) for part in place.split("/"))
                assert (
                    found.kind,
                    TEXTS.say("en", f"guarded_files.{found.reason}"),
                ) == _find_guarded(names), place


@for_every("path", ["src/app.py", ".env.example", "config.toml", "id_rsa.pub", "environment.ts"])
def test_other_files_are_not_guarded(path: str) -> None:
    assert guarded_file(path) is None


@pytest.mark.parametrize("word", ["HEAD:.env", "--file=.npmrc", "@server.pem", "a,b:.git/config"])
def test_a_path_is_found_within_a_word(word: str) -> None:
    assert guarded_in_word(word) is not None
