from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.api_core.exceptions import PermissionDenied
from google.auth.exceptions import RefreshError

from dev.paths import ROOT
from rollcall.__main__ import main, parser
from rollcall.core.errors import Problem, Unavailable
from tests.support.for_every import for_every

COMMANDS = ("list", "show", "disable", "enable", "search", "doctor", "usage", "enrich")


@for_every(
    "arguments",
    [
        [],
        ["registry"],
        ["registry", "lst"],
        ["registry", "show"],
        ["registry", "list", "--status", "sleeping"],
        ["registry", "search", "x", "--role", "king"],
        ["registry", "enable", "pay", "--status", "disabled"],
        ["registry", "usage", "--days", "0"],
        ["registry", "usage", "--days", "many"],
        ["ask", "Hi", "--as", ""],
        ["ask", "Hi", "--as", "ann@"],
        ["call", "ping", "{"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [
        (["registry", "search", "pay", "--limit", "5"], "registry search [-h]"),
        (["registry", "list", "everything"], "registry list [-h]"),
        (["sync", "--force"], "sync [-h]"),
    ],
    ids=str,
)
def test_what_a_subcommand_does_not_know_is_told_with_what_it_does(
    arguments: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    told = capsys.readouterr().err
    assert left.value.code == 2
    assert usage in told and f"unrecognized arguments: {' '.join(arguments[-1:])}" in told.replace(
        "--limit ", ""
    )


@pytest.mark.parametrize(
    ("arguments", "listed"),
    [([], ("init", "dev", "registry")), (["registry"], ("list", "doctor", "enrich"))],
    ids=["top", "registry"],
)
def test_without_a_command_those_there_are_are_listed(
    arguments: list[str], listed: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    told = capsys.readouterr().err
    assert left.value.code == 2
    assert all(f"\n    {name} " in told for name in listed)


def test_every_option_of_every_command_is_explained() -> None:
    def explained(each: argparse.ArgumentParser) -> Iterator[str]:
        for action in each._actions:
            if isinstance(action, argparse._SubParsersAction):
                for command in action.choices.values():
                    yield from explained(command)
            elif not action.help:
                yield f"{each.prog} {action.dest}"

    assert list(explained(parser())) == []


@pytest.mark.parametrize("user", ["ann@example.com", "ann@localhost", "developer", "a/b c"])
def test_a_users_id_and_an_address_that_the_emulator_takes_are_users(user: str) -> None:
    assert parser().parse_args(["ask", "Hi", "--as", user]).user == user


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["registry", name, "--help"])
    assert left.value.code == 0
    assert "--project" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["list", "show x", "search x", "doctor", "usage"])
def test_what_reads_can_answer_in_json(name: str) -> None:
    assert parser().parse_args(["registry", *name.split(), "--json"]).json


def test_sync_is_a_command_of_its_own_for_the_deploys_hook() -> None:
    assert not parser().parse_args(["sync"]).dry_run


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionDenied("Missing or insufficient permissions."), "insufficient permissions"),
        (RefreshError("Reauthentication is needed."), "Reauthentication is needed"),
        (Unavailable("the registry is being published", hint="try again"), "try again"),
        (Problem("There is none."), "There is none."),
        (FileNotFoundError(2, "No such file or directory", "/x/y.d.ts"), "/x/y.d.ts: No such file"),
        (ConnectionError("the network is unreachable"), "the network is unreachable"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else "",
)
def test_a_failure_is_told_in_words_and_is_exit_code_1(
    error: Exception,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*arguments: object) -> int:
        raise error

    monkeypatch.setenv("FIRESTORE_EMULATOR_HOST", "127.0.0.1:9")
    monkeypatch.setenv("GCLOUD_PROJECT", "demo-x")  # which main sets, and which is put back
    monkeypatch.setattr("rollcall.commands.registry.records.run", fail)
    monkeypatch.setattr("rollcall.commands.sync.check", fail)
    for arguments in (["registry", "list", "--project", "demo-x"], ["check"]):
        assert main(arguments) == 1
        assert words in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "functions")
    assert main(["types", str(tmp_path / "none" / "rollcall.d.ts")]) == 1
    expected = f"{tmp_path / 'none' / 'rollcall.d.ts'}: No such file or directory\n"
    assert capsys.readouterr().err == expected


def test_the_end_of_input_at_a_question_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(*arguments: object) -> int:
        raise EOFError

    monkeypatch.setattr("rollcall.commands.sync.check", end)
    assert main(["check"]) == 130


def test_without_a_project_it_is_said_that_this_is_no_app_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("GCLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT", "FIRESTORE_EMULATOR_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    assert main(["registry", "list"]) == 2
    told = capsys.readouterr().err
    assert "Which project?" in told and f"{tmp_path} is in no app with Rollcall" in told
