from __future__ import annotations

import os
import threading

import pytest

from rollcall_cli.workspace import Limits, Stopped, Workspace
from tests.unit.cli.workspace.conftest import Sandbox


def _paths(sandbox: Sandbox, **arguments: object) -> list[str]:
    return [entry["path"] for entry in sandbox.run("list_directory", **arguments)["entries"]]


def test_a_folder_is_listed_by_name_with_types_and_sizes(sandbox: Sandbox) -> None:
    sandbox.put("b.txt", "12345")
    sandbox.put("a/c.txt")
    (sandbox.root / "link").symlink_to("b.txt")
    os.mkfifo(sandbox.root / "pipe")
    assert sandbox.run("list_directory") == {
        "path": ".",
        "entries": [
            {"path": "a", "type": "directory"},
            {"path": "b.txt", "type": "file", "size": 5},
            {"path": "link", "type": "link"},
        ],
    }


def test_depth_goes_down_nearest_first(sandbox: Sandbox) -> None:
    sandbox.put("a/b/c/d.txt")
    sandbox.put("z.txt")
    assert _paths(sandbox, depth=2) == ["a", "z.txt", "a/b"]
    assert _paths(sandbox, path="a/b", depth=5) == ["a/b/c", "a/b/c/d.txt"]


def test_dependencies_caches_and_unfinished_files_are_left_out(sandbox: Sandbox) -> None:
    for path in (".git/HEAD", "node_modules/x/a.js", "venv/a.py", "src/__pycache__/a.pyc"):
        sandbox.put(path)
    sandbox.put(".rollcall-0123456789abcdef.tmp")
    sandbox.put("src/a.py")
    assert _paths(sandbox, depth=5) == ["src", "src/a.py"]
    assert _paths(sandbox, path="node_modules", depth=2) == [
        "node_modules/x",
        "node_modules/x/a.js",
    ]


@pytest.mark.parametrize(
    ("rules", "left_out", "kept"),
    [
        ("*.log", ["x.log", "deep/er/x.log"], ["x.log.txt"]),
        ("build/", ["build/a", "src/build/a"], ["builds/a"]),
        ("/build", ["build/a"], ["src/build/a"]),
        ("docs/*.html", ["docs/a.html"], ["docs/sub/a.html", "x/docs/a.html"]),
        ("docs/**/*.html", ["docs/a.html", "docs/x/y/a.html"], ["a.html"]),
        ("**/temp", ["temp/a", "x/y/temp/a"], ["temporary/a"]),
        ("*.log\n!keep.log", ["x.log"], ["keep.log"]),
        ("# *.txt\n\n  \n*.[oa]", ["x.o", "x.a"], ["x.txt", "x.c"]),
        ("file?.txt", ["file1.txt"], ["file10.txt"]),
        ("קובץ*", ["קובץ-זמני.txt"], ["אחר.txt"]),
    ],
)
def test_what_gitignore_says_is_left_out(
    sandbox: Sandbox, rules: str, left_out: list[str], kept: list[str]
) -> None:
    sandbox.put(".gitignore", rules)
    for path in left_out + kept:
        sandbox.put(path)
    listed = set(_paths(sandbox, depth=5))
    assert listed.isdisjoint(left_out)
    assert listed.issuperset(kept)


def test_a_gitignore_counts_below_its_own_folder(sandbox: Sandbox) -> None:
    sandbox.put("a/.gitignore", "/x.txt\n!y.txt")
    sandbox.put(".gitignore", "y.txt")
    for path in ("a/x.txt", "a/y.txt", "a/b/x.txt", "b/x.txt", "b/y.txt"):
        sandbox.put(path)
    listed = _paths(sandbox, depth=3)
    assert [path for path in listed if path.endswith(("x.txt", "y.txt"))] == [
        "a/y.txt",
        "b/x.txt",
        "a/b/x.txt",
    ]


def test_a_folder_that_was_asked_for_is_listed_although_it_is_ignored(sandbox: Sandbox) -> None:
    sandbox.put(".gitignore", "build/")
    sandbox.put("build/out.txt")
    assert _paths(sandbox, path="build") == ["build/out.txt"]


@pytest.mark.parametrize("rules", ["a" * 70_000, "*" * 200 + "b", "[", "\0\0", "**/" * 60 + "x"])
def test_a_hostile_gitignore_neither_fails_nor_hangs(sandbox: Sandbox, rules: str) -> None:
    sandbox.put(".gitignore", rules)
    sandbox.put("a" * 200)
    assert "a" * 200 in _paths(sandbox)


def test_a_gitignore_that_is_a_link_is_not_followed(sandbox: Sandbox) -> None:
    (sandbox.outside / "rules").write_text("*.txt")
    (sandbox.root / ".gitignore").symlink_to(sandbox.outside / "rules")
    sandbox.put("a.txt")
    assert _paths(sandbox) == [".gitignore", "a.txt"]


def test_a_long_listing_is_cut_and_says_so(sandbox: Sandbox) -> None:
    for number in range(30):
        sandbox.put(f"{number:02}.txt")
    for limits in (Limits(entries=10), Limits(scanned=10), Limits(content_chars=60)):
        with Workspace(sandbox.root, limits=limits) as workspace:
            listed = workspace.run("list_directory", {})
        assert (len(listed["entries"]), listed["truncated"]) == (10, True)


def test_names_that_would_write_to_a_terminal_are_shown_without_that(sandbox: Sandbox) -> None:
    (sandbox.root / "a\x1b[2Jb\u202e.txt").write_text("")
    (sandbox.root / os.fsdecode(b"\xff.txt")).write_text("")
    assert _paths(sandbox) == ["a�[2Jb�.txt", "�.txt"]


def test_a_stop_ends_a_listing(sandbox: Sandbox) -> None:
    sandbox.put("a.txt")
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        sandbox.workspace.run("list_directory", {}, stop=stop)
