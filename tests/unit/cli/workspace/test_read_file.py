from __future__ import annotations

import hashlib
import json

import pytest

from rollcall_cli.workspace import Limits, ToolError, Workspace
from tests.unit.cli.workspace.conftest import Sandbox


def test_a_file_is_read_with_its_size_digest_and_lines(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "שלום\nworld\n")
    assert sandbox.run("read_file", path="a.txt") == {
        "path": "a.txt",
        "content": "שלום\nworld\n",
        "size": 15,
        "digest": hashlib.sha256("שלום\nworld\n".encode()).hexdigest()[:16],
        "lines": 2,
        "startLine": 1,
        "endLine": 2,
    }


@pytest.mark.parametrize(
    ("start", "end", "content", "last"),
    [(2, 3, "two\nthree\n", 3), (3, None, "three\nfour", 4), (4, 99, "four", 4)],
)
def test_some_lines_are_read_with_the_digest_of_all(
    sandbox: Sandbox, start: int, end: int | None, content: str, last: int
) -> None:
    sandbox.put("a.txt", "one\ntwo\nthree\nfour")
    read = sandbox.run("read_file", path="a.txt", startLine=start, endLine=end)
    assert (read["content"], read["endLine"], read["lines"]) == (content, last, 4)
    assert read["digest"] == sandbox.digest("a.txt")
    assert "truncated" not in read


def test_lines_that_are_not_there_are_refused_with_how_many_there_are(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "one\n")
    said = sandbox.refusal("read_file", path="a.txt", startLine=3)
    assert said == "a.txt: it has 1 lines; startLine is 3"
    said = sandbox.refusal("read_file", path="a.txt", startLine=1, endLine=0)
    assert said.startswith("read_file: endLine is a whole number from 1")


def test_an_empty_file_has_no_lines(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "")
    read = sandbox.run("read_file", path="a.txt")
    assert (read["content"], read["lines"], read["endLine"]) == ("", 0, 0)


def test_only_a_new_line_ends_a_line(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "one\x0ctwo\u2028three\rfour\n")
    assert sandbox.run("read_file", path="a.txt")["lines"] == 1


def test_windows_line_ends_and_a_byte_order_mark_are_not_shown(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert sandbox.run("read_file", path="a.txt")["content"] == "one\ntwo\n"


def test_mixed_line_ends_are_shown_as_they_are(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", b"one\r\ntwo\n")
    assert sandbox.run("read_file", path="a.txt")["content"] == "one\r\ntwo\n"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a binary file"),
        ("שלום".encode("utf-16"), "not UTF-8"),
        ("שלום".encode("iso-8859-8"), "not UTF-8 (byte 0)"),
        (b"a\xc0\xafb", "not UTF-8 (byte 1)"),
    ],
)
def test_what_is_not_utf_8_text_is_refused_in_words(
    sandbox: Sandbox, data: bytes, words: str
) -> None:
    sandbox.put("a.txt", data)
    assert words in sandbox.refusal("read_file", path="a.txt")
    assert words in sandbox.refusal("edit_file", path="a.txt", oldText="a", newText="b")


def test_a_long_file_is_read_in_parts_that_join(sandbox: Sandbox) -> None:
    text = "".join(f'line {n} of "many"\t\\ שלום\n' for n in range(20_000))
    sandbox.put("a.txt", text)
    parts, start = [], 1
    while start <= 20_000:
        read = sandbox.run("read_file", path="a.txt", startLine=start)
        assert len(json.dumps(read["content"], ensure_ascii=False)) <= 50_002
        assert read.get("truncated", False) is (read["endLine"] < 20_000)
        parts.append(read["content"])
        start = read["endLine"] + 1
    assert "".join(parts) == text


@pytest.mark.parametrize("char", ["x", '"', "\x01", "ש", "😀"])
def test_one_line_that_is_too_long_is_cut(sandbox: Sandbox, char: str) -> None:
    sandbox.put("a.txt", char * 300_000)
    read = sandbox.run("read_file", path="a.txt")
    chars = len(json.dumps(read["content"], ensure_ascii=False)) - 2
    assert 49_900 <= chars <= 50_000
    assert (read["truncated"], read["endLine"]) == (True, 1)


def test_a_file_above_the_limit_is_refused_with_its_size_and_the_limit(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "x" * 1001)
    with (
        Workspace(sandbox.root, limits=Limits(file_bytes=1000)) as workspace,
        pytest.raises(ToolError, match="1,001 bytes; at most"),
    ):
        workspace.run("read_file", {"path": "a.txt"})


def test_a_file_far_above_the_limit_is_not_read_to_find_that_out(sandbox: Sandbox) -> None:
    with sandbox.put("a.txt").open("wb") as file:
        file.truncate(2**40)  # a hole: it takes no room on the disk
    assert "1,099,511,627,776 bytes" in sandbox.refusal("read_file", path="a.txt")
    assert sandbox.run("search_files", query="text")["total"] == 0


def test_a_file_that_grows_while_it_is_read_is_bounded_all_the_same(sandbox: Sandbox) -> None:
    with Workspace(sandbox.root, limits=Limits(file_bytes=1000)) as workspace:
        file = sandbox.put("a.txt", "x" * 1000)
        assert workspace.run("read_file", {"path": "a.txt"})["size"] == 1000
        file.write_text("x" * 5000)
        with pytest.raises(ToolError, match="bytes; at most"):
            workspace.run("read_file", {"path": "a.txt"})


def test_a_missing_file_and_a_directory_are_said_to_be_so(sandbox: Sandbox) -> None:
    sandbox.put("src/a.txt")
    assert sandbox.refusal("read_file", path="b.txt") == (
        "b.txt: there is no such file or directory"
    )
    assert sandbox.refusal("read_file", path="src") == "src: a directory, not a file"
    assert "not a directory" in sandbox.refusal("list_directory", path="src/a.txt")
