"""Nothing outside of the root is read, listed or written, whatever a path looks like."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from rollcall_cli.workspace import ToolError, Workspace
from tests.unit.cli.workspace import attacks
from tests.unit.cli.workspace.conftest import MARK, Sandbox

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("list_directory", {"depth": 5}),
    ("read_file", {}),
    ("search_files", {"query": MARK}),
    ("search_files", {"query": ".", "isRegex": True}),
    ("write_file", {"content": "written by the test"}),
    ("edit_file", {"oldText": MARK, "newText": "changed by the test"}),
]
NO_ATTACK_WORKS = ("encoded",)
"""Names that are ordinary: what they would mean elsewhere is not what they mean here."""


@pytest.fixture
def trap(sandbox: Sandbox) -> Sandbox:
    """A workspace with every kind of way out in it."""
    root = sandbox.root
    sandbox.put("a.txt")
    sandbox.put("src/b.txt")
    for name, target in (
        ("link-to-file", sandbox.outside / "secret.txt"),
        ("link-to-folder", sandbox.outside),
        ("link-up", Path("..")),
        ("link-to-root", Path("/")),
        ("link-to-proc", Path("/proc")),
        ("link-to-itself", Path("link-to-itself")),
        ("link-to-nothing", sandbox.outside / "new.txt"),
        ("link-inside", Path("a.txt")),
        ("src/link-in-folder", Path("../../outside")),
        ("chain", Path("link-to-folder")),
    ):
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    os.link(sandbox.outside / "secret.txt", root / "hard-link.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(root)  # the path of a socket may have 107 bytes at most
        listener.bind("socket")
    return sandbox


def _outside(sandbox: Sandbox) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sandbox.outside.iterdir()}


@pytest.fixture(autouse=True)
def _stay_here() -> Any:
    here = Path.cwd()
    yield
    os.chdir(here)


@pytest.mark.parametrize("kind", attacks.ALL)
@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_no_path_leads_outside(
    trap: Sandbox, kind: str, tool: str, arguments: dict[str, Any]
) -> None:
    before = _outside(trap)
    beside = sorted(path.name for path in trap.root.parent.iterdir())
    for path in attacks.ALL[kind]:
        try:
            result = trap.run(tool, path=path, **arguments)
        except ToolError as refused:
            assert MARK not in str(refused)
            assert str(trap.root.parent) not in str(refused)
        else:
            assert kind in NO_ATTACK_WORKS, path
            assert MARK not in json.dumps({**result, "query": ""})
    assert _outside(trap) == before
    assert sorted(path.name for path in trap.root.parent.iterdir()) == beside


@pytest.mark.parametrize("kind", [kind for kind in attacks.ALL if kind not in NO_ATTACK_WORKS])
def test_every_attack_is_refused_before_anything_is_written(trap: Sandbox, kind: str) -> None:
    before = sorted(trap.root.rglob("*"))
    for path in attacks.ALL[kind]:
        with pytest.raises(ToolError):
            trap.run("write_file", path=path, content="x")
        with pytest.raises(ToolError):
            trap.workspace.diff("write_file", {"path": path, "content": "x"})
    assert sorted(trap.root.rglob("*")) == before


def test_encoded_names_are_names_and_nothing_more(sandbox: Sandbox) -> None:
    sandbox.run("write_file", path="%2e%2e/%2e%2e%2fx", content="here\n")
    assert (sandbox.root / "%2e%2e" / "%2e%2e%2fx").read_text() == "here\n"


@pytest.mark.parametrize(
    "path",
    [
        "קובץ.txt",
        "תיקייה/שלום עולם.md",
        "проверка.txt",
        "e\u0301t\u00e9.txt",
        "emoji 😀.txt",
        "👩\u200d💻.md",
        "[slug]/page (1).tsx",
        ".gitignore",
        ".github/workflows/test.yml",
        ".env.example",
        "a..b",
        "..a",
        "-rf",
        "%2e",
        "console.log",
        "auxiliary/nullable.py",
        "./x",
        "a//b",
        "monkey.py",
        "key.py",
    ],
)
def test_ordinary_names_are_taken(sandbox: Sandbox, path: str) -> None:
    sandbox.run("write_file", path=path, content="text\n")
    assert sandbox.run("read_file", path=path)["content"] == "text\n"


def test_a_name_in_another_unicode_form_is_the_same_file(sandbox: Sandbox) -> None:
    sandbox.put("e\u0301te\u0301/re\u0301sume\u0301.txt", "composed otherwise\n")
    read = sandbox.run("read_file", path="été/résumé.txt")
    assert read["content"] == "composed otherwise\n"
    edited = sandbox.run("edit_file", path="été/résumé.txt", oldText="otherwise", newText="here")
    assert edited["replaced"] == 1
    assert [path.name for path in (sandbox.root / "e\u0301te\u0301").iterdir()] == [
        "re\u0301sume\u0301.txt"
    ]


def test_links_are_listed_as_links_and_nothing_below_them(trap: Sandbox) -> None:
    entries = trap.run("list_directory", depth=5)["entries"]
    links = [entry["path"] for entry in entries if entry["type"] == "link"]
    assert len(links) == 10
    assert not [entry for entry in entries if entry["path"].startswith("link-to-folder/")]


def test_search_follows_no_link_and_reads_no_hard_link_or_pipe(trap: Sandbox) -> None:
    assert trap.run("search_files", query=MARK)["total"] == 0


def test_a_refused_link_says_that_links_are_not_followed(trap: Sandbox) -> None:
    assert "links are never followed" in trap.refusal("read_file", path="link-inside")
    assert "symbolic link" in trap.refusal("list_directory", path="link-to-folder")
    assert "pipe" in trap.refusal("read_file", path="pipe")
    assert "hard link" in trap.refusal("read_file", path="hard-link.txt")


def test_hard_links_are_read_and_parted_where_the_user_allows_them(trap: Sandbox) -> None:
    with Workspace(trap.root, allow=["hard-links"]) as workspace:
        edit = {"path": "hard-link.txt", "oldText": MARK, "newText": "mine"}
        assert workspace.run("edit_file", edit)["replaced"] == 1
    assert (trap.outside / "secret.txt").read_text() == MARK


def test_a_root_that_is_a_link_is_the_folder_it_led_to_at_the_start(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "which.txt").write_text(name)
    (tmp_path / "root").symlink_to("one")
    with Workspace(tmp_path / "root") as workspace:
        (tmp_path / "root").unlink()
        (tmp_path / "root").symlink_to("two")
        assert workspace.run("read_file", {"path": "which.txt"})["content"] == "one"
        said = workspace.run("run_command", {"command": "cat which.txt"})
        assert said["output"] == "one"


def test_the_whole_disk_and_what_is_no_folder_are_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for root, words in (
        (Path("/"), "whole disk"),
        (tmp_path / "none", "no such"),
        (tmp_path / "file", "not a folder"),
    ):
        with pytest.raises(ToolError, match=words):
            Workspace(root)
