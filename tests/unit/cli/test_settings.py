"""The file that keeps who is signed in."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from rollcall_cli.problem import Problem
from rollcall_cli.settings import Settings, forget, load, save, settings_file

KEPT = Settings(project="my-project", api_key="AIza", refresh_token="r", email="noa@example.com")


def test_settings_come_back_and_are_for_their_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "rollcall" / "config.json"
    save(file, KEPT)
    assert load(file) == KEPT
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [each.name for each in file.parent.iterdir()] == ["config.json"]


def test_settings_know_the_prefix_and_those_of_before_have_none(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    save(file, replace(KEPT, prefix="rc"))
    found = load(file)
    assert found is not None
    assert found.deployment.path("threads") == "rc_threads"
    file.write_text('{"project": "x", "api_key": "k", "refresh_token": "r"}')
    before = load(file)
    assert before is not None
    assert before.deployment.path("threads") == "threads"


def test_settings_that_others_may_read_are_not_used(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    save(file, KEPT)
    file.chmod(0o644)
    with pytest.raises(Problem, match="chmod 600"):
        load(file)


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"project": "x"}',
        b'{"nonsense": 1}',
        b'{"project": 5, "api_key": "k", "refresh_token": "r"}',
        b'{"project": "x", "api_key": "k", "refresh_token": null}',
    ],
)
def test_settings_that_are_none_say_so(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(text)
    file.chmod(0o600)
    with pytest.raises(Problem, match="rollcall login --anew"):
        load(file)


def test_settings_that_cannot_be_read_written_or_removed_say_why(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot be read: Is a directory"):
        load(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(Problem, match="cannot be written: "):
        save(tmp_path / "file" / "config.json", KEPT)
    with pytest.raises(Problem, match="cannot be written: Is a directory"):
        save(tmp_path, KEPT)
    with pytest.raises(Problem, match="cannot be removed"):
        forget(tmp_path)
    assert [each.name for each in tmp_path.parent.glob(".*.*")] == []


def test_signing_out_removes_them(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    save(file, KEPT)
    assert (forget(file), forget(file), load(file)) == (True, False, None)


def test_file_is_where_it_is_wanted(tmp_path: Path) -> None:
    assert settings_file({"ROLLCALL_CONFIG": "/x/y.json"}) == Path("/x/y.json")
    assert settings_file({"XDG_CONFIG_HOME": "/x"}) == Path("/x/rollcall/config.json")


def test_place_of_the_settings_is_the_project() -> None:
    deployment = KEPT.deployment
    assert deployment.functions_url == "https://us-central1-my-project.cloudfunctions.net/"
    assert deployment.documents == "projects/my-project/databases/(default)/documents"
    assert not deployment.is_local
