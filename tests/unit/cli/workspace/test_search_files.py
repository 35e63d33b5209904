from __future__ import annotations

import json
import threading
import time

import pytest

from rollcall_cli.workspace import Limits, Stopped, ToolError, Workspace
from tests.support.full_form import cases
from tests.unit.cli.workspace.conftest import Sandbox

SLOW = ["(a+)+$", "(a|a)*$", "(a|aa)+$", "([a-z]+)*$", "(?:a*)*$", r"(\w*)*$", "(.*)*x"]


def _found(sandbox: Sandbox, **arguments: object) -> list[str]:
    matches = sandbox.run("search_files", **arguments)["matches"]
    return [f"{match['path']}:{match['line']}" for match in matches]


def test_lines_are_found_with_their_numbers_and_counted(sandbox: Sandbox) -> None:
    sandbox.put("src/a.py", "def one():\n    pass\n\ndef two():\n")
    sandbox.put("b.txt", "default\r\n")
    assert sandbox.run("search_files", query="def") == {
        "query": "def",
        "matches": [
            {"path": "b.txt", "line": 1, "text": "default"},
            {"path": "src/a.py", "line": 1, "text": "def one():"},
            {"path": "src/a.py", "line": 4, "text": "def two():"},
        ],
        "files": 2,
        "total": 3,
    }


def test_case_counts_only_where_it_is_asked_for(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "Todo\ntodo\nÄRGER\n")
    assert _found(sandbox, query="TODO") == ["a.txt:1", "a.txt:2"]
    assert _found(sandbox, query="todo", caseSensitive=True) == ["a.txt:2"]
    assert _found(sandbox, query="ärger") == ["a.txt:3"]


def test_plain_text_is_no_pattern(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "f(x) = [1]*\nf x\n")
    assert _found(sandbox, query="f(x) = [1]*") == ["a.txt:1"]


def test_regular_expressions_match_line_by_line(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "one\n  two\nשלום 12\n")
    assert _found(sandbox, query=r"^\s+\w", isRegex=True) == ["a.txt:2"]
    assert _found(sandbox, query=r"^ש.*\d$", isRegex=True) == ["a.txt:3"]
    assert _found(sandbox, query="ONE$", isRegex=True, caseSensitive=True) == []


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("*.py", ["a.py:1", "src/b.py:1"]),
        ("src/*.py", ["src/b.py:1"]),
        ("**/*.py", ["a.py:1", "src/b.py:1"]),
        ("src/**", ["src/b.py:1", "src/c.ts:1", "src/deep/d.tsx:1"]),
        ("*.{ts,tsx}", ["src/c.ts:1", "src/deep/d.tsx:1"]),
        ("./a.py", ["a.py:1"]),
        ("[ab].py", ["a.py:1", "src/b.py:1"]),
    ],
)
def test_a_glob_chooses_files(sandbox: Sandbox, glob: str, found: list[str]) -> None:
    for path in ("a.py", "src/b.py", "src/c.ts", "src/deep/d.tsx"):
        sandbox.put(path)
    assert _found(sandbox, query="text", glob=glob) == found


def test_one_file_or_folder_can_be_searched(sandbox: Sandbox) -> None:
    sandbox.put("a.txt")
    sandbox.put("src/b.txt")
    assert _found(sandbox, query="text", path="src") == ["src/b.txt:1"]
    assert _found(sandbox, query="text", path="a.txt") == ["a.txt:1"]
    assert "no such" in sandbox.refusal("search_files", query="text", path="none")


def test_binary_ignored_and_dependency_files_are_passed_over(sandbox: Sandbox) -> None:
    sandbox.put("a.bin", b"text\0")
    sandbox.put("node_modules/a.js")
    sandbox.put(".gitignore", "*.log")
    sandbox.put("a.log")
    sandbox.put("latin.txt", b"caf\xe9 text\n")
    assert _found(sandbox, query="text") == ["latin.txt:1"]


def test_matches_are_bounded_and_still_counted(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "text\n" * 500)
    result = sandbox.run("search_files", query="text", maxMatches=3)
    assert (len(result["matches"]), result["total"], result["truncated"]) == (3, 500, True)


def test_long_lines_show_what_is_around_the_match(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "x" * 5000 + "needle" + "y" * 5000)
    text = sandbox.run("search_files", query="needle")["matches"][0]["text"]
    assert text.startswith("…xxx")
    assert "needleyyy" in text
    assert len(text) < 250


def test_results_stay_small_however_much_is_found(sandbox: Sandbox) -> None:
    for number in range(20):
        sandbox.put(f"{number}.txt", "needle " * 40 + "\n" + "needle\n" * 2000)
    result = sandbox.run("search_files", query="needle", maxMatches=1000, isRegex=True)
    assert len(json.dumps(result)) < 150_000
    assert result["total"] == 20 * 2001


def test_results_stay_small_where_json_escapes_what_is_found(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "\x1b" * 200 + "needle\n" + ("\x01" * 200 + "needle\n") * 2000)
    result = sandbox.run("search_files", query="needle", maxMatches=1000)
    assert len(json.dumps(result)) < 150_000
    assert result["truncated"] is True


@pytest.mark.parametrize("limits", [Limits(searched_bytes=10), Limits(scanned=2)])
def test_a_search_that_ends_early_says_so(sandbox: Sandbox, limits: Limits) -> None:
    for number in range(10):
        sandbox.put(f"{number}.txt")
    with Workspace(sandbox.root, limits=limits) as workspace:
        result = workspace.run("search_files", {"query": "text"})
    assert result["truncated"] is True
    assert 0 < result["total"] < 10


@pytest.mark.long
@pytest.mark.parametrize("query", cases(SLOW, 0, 6))
def test_a_regular_expression_without_end_is_ended(sandbox: Sandbox, query: str) -> None:
    sandbox.put("a.txt", "a" * 60 + "!\n")
    with Workspace(sandbox.root, limits=Limits(walk_s=0.3)) as workspace:
        started = time.monotonic()
        with pytest.raises(ToolError, match=r"takes too long on a\.txt"):
            search = {"query": query, "isRegex": True, "path": "a.txt"}
            workspace.run("search_files", search)
        assert time.monotonic() - started < 10


def test_a_stop_ends_a_regular_expression(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "a" * 60 + "!\n")
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Stopped):
        sandbox.workspace.run("search_files", {"query": "(a+)+$", "isRegex": True}, stop=stop)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("(", "not a regular expression: missing )"),
        ("*", "nothing to repeat"),
        ("[z-a]", "bad character range"),
        ("(?P<n>a)(?P<n>b)", "redefinition"),
        ("a{99999999999}", "too large"),
        ("", "1 to 1000 characters"),
        ("x" * 1001, "1 to 1000 characters"),
        ("a\nb", "line by line"),
    ],
)
def test_a_query_that_is_none_is_refused_in_words(sandbox: Sandbox, query: str, words: str) -> None:
    sandbox.put("a.txt")
    assert words in sandbox.refusal("search_files", query=query, isRegex=True)


@pytest.mark.parametrize("glob", ["x" * 201, "{a,b}" * 10, "{,}" * 60])
def test_a_glob_that_is_too_much_is_refused(sandbox: Sandbox, glob: str) -> None:
    assert sandbox.refusal("search_files", query="x", glob=glob).startswith("glob: ")


def test_a_glob_of_many_stars_takes_no_time(sandbox: Sandbox) -> None:
    sandbox.put("a" * 200)
    assert _found(sandbox, query="text", glob="*a" * 90 + "b") == []


def test_a_file_that_is_binary_far_from_its_beginning_is_passed_over(sandbox: Sandbox) -> None:
    sandbox.put("a.bin", b"x" * 10_000 + b"\nneedle \x00 here\n")
    assert sandbox.run("search_files", query="needle")["total"] == 0
