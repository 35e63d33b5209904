from __future__ import annotations

import os
import stat
import threading

import pytest

from rollcall_cli.workspace import Limits, ToolError, Workspace
from rollcall_cli.workspace.files import digest
from tests.unit.cli.workspace.conftest import Sandbox


def test_a_new_file_is_written_with_its_folders(sandbox: Sandbox) -> None:
    assert sandbox.run("write_file", path="src/deep/a.py", content="שלום\n") == {
        "path": "src/deep/a.py",
        "size": 9,
        "digest": digest("שלום\n".encode()),
        "created": True,
    }
    assert (sandbox.root / "src/deep/a.py").read_text() == "שלום\n"


def test_a_file_that_exists_is_replaced_only_with_the_digest_of_what_is_there(
    sandbox: Sandbox,
) -> None:
    file = sandbox.put("a.txt", "one\n")
    read = sandbox.digest("a.txt")
    write = {"path": "a.txt", "content": "two\n"}
    assert sandbox.refusal("write_file", **write) == (
        "a.txt: it exists and was not read; read it first"
    )
    file.write_text("changed\n")
    assert sandbox.refusal("write_file", **write, digest=read) == (
        "a.txt: changed since it was read: read it again"
    )
    assert file.read_text() == "changed\n"
    written = sandbox.run("write_file", **write, digest=sandbox.digest("a.txt"))
    assert (written["created"], file.read_text()) == (False, "two\n")


def test_a_file_that_was_read_and_is_gone_is_created_again(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt")
    read = sandbox.digest("a.txt")
    file.unlink()
    assert sandbox.run("write_file", path="a.txt", content="x", digest=read)["created"] is True


def test_edit_replaces_what_is_there_once(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt", "one\ntwo\nthree\n")
    edited = sandbox.run("edit_file", path="a.txt", oldText="two\n", newText="2\n2\n")
    assert file.read_text() == "one\n2\n2\nthree\n"
    assert edited == {
        "path": "a.txt",
        "size": 14,
        "digest": sandbox.digest("a.txt"),
        "replaced": 1,
    }


@pytest.mark.parametrize(
    ("text", "old", "words"),
    [
        ("x = 1\ny\nx = 1\n", "x = 1", "ambiguous: oldText is in 2 places (lines 1, 3)"),
        ("aaa\n", "aa", "ambiguous: oldText is in 2 places (lines 1, 1)"),
        ("x\n" * 50, "x", "in 50 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"),
        ("x\n", "y", "not in the file; read it again"),
        ("if a:\n    b\n", "if a:\n\tb", "with other spaces or line ends"),
        ("x\n", "", "oldText is empty"),
        ("x\n", "x", "are the same"),
    ],
)
def test_an_edit_that_would_be_a_guess_is_refused(
    sandbox: Sandbox, text: str, old: str, words: str
) -> None:
    file = sandbox.put("a.txt", text)
    new = "x" if old == "x" and len(text) == 2 else "z"
    assert words in sandbox.refusal("edit_file", path="a.txt", oldText=old, newText=new)
    assert file.read_text() == text


def test_replace_all_replaces_every_place(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt", "x y x y x")
    arguments = {"path": "a.txt", "oldText": "x", "newText": "long", "replaceAll": True}
    assert sandbox.run("edit_file", **arguments)["replaced"] == 3
    assert file.read_text() == "long y long y long"


def test_an_edit_is_refused_where_the_file_changed_since_it_was_read(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt", "one\ntwo\n")
    edit = {"path": "a.txt", "oldText": "two", "newText": "2", "digest": sandbox.digest("a.txt")}
    file.write_text("one\ntwo\nsomebody else's\n")
    assert sandbox.refusal("edit_file", **edit) == "a.txt: changed since it was read: read it again"
    edit["digest"] = sandbox.digest("a.txt")
    assert sandbox.run("edit_file", **edit)["digest"] == sandbox.digest("a.txt")


def test_edits_side_by_side_wait_for_one_another(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt", "".join(f"line {n};\n" for n in range(20)))
    edits = [
        threading.Thread(
            target=sandbox.run,
            args=("edit_file",),
            kwargs={"path": "a.txt", "oldText": f"line {n};", "newText": f"done {n};"},
        )
        for n in range(20)
    ]
    for edit in edits:
        edit.start()
    for edit in edits:
        edit.join()
    assert file.read_text() == "".join(f"done {n};\n" for n in range(20))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\r\ntwo\r\n", b"one\r\n2\r\n3\r\n"),
        (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\n2\n3\n"),
        (b"\xef\xbb\xbfone\r\ntwo", b"\xef\xbb\xbfone\r\n2\r\n3"),
        (b"one\r\nx\ntwo\n", b"one\r\nx\n2\n3\n"),
    ],
)
def test_line_ends_and_a_byte_order_mark_are_kept(
    sandbox: Sandbox, before: bytes, after: bytes
) -> None:
    file = sandbox.put("a.txt", before)
    sandbox.run("edit_file", path="a.txt", oldText="two", newText="2\n3")
    assert file.read_bytes() == after


def test_a_whole_file_that_is_replaced_keeps_its_form_too(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt", b"\xef\xbb\xbfone\r\n")
    sandbox.run("write_file", path="a.txt", content="1\n2\r\n", digest=sandbox.digest("a.txt"))
    assert file.read_bytes() == b"\xef\xbb\xbf1\r\n2\r\n"


def test_a_new_file_is_written_exactly_as_given(sandbox: Sandbox) -> None:
    sandbox.run("write_file", path="a.txt", content="\ufeffone\r\ntwo\n")
    assert (sandbox.root / "a.txt").read_bytes() == b"\xef\xbb\xbfone\r\ntwo\n"


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o664])
def test_the_mode_of_a_file_is_kept(sandbox: Sandbox, mode: int) -> None:
    file = sandbox.put("a.sh")
    file.chmod(mode)
    sandbox.run("edit_file", path="a.sh", oldText="text", newText="other")
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_new_file_has_the_mode_that_the_user_gives_new_files(sandbox: Sandbox) -> None:
    before = os.umask(0o027)
    try:
        sandbox.run("write_file", path="a.txt", content="x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((sandbox.root / "a.txt").stat().st_mode) == 0o640


def test_a_read_only_file_is_left_alone(sandbox: Sandbox) -> None:
    file = sandbox.put("a.txt")
    file.chmod(0o444)
    edit = {"path": "a.txt", "oldText": "text", "newText": "other"}
    assert sandbox.refusal("edit_file", **edit) == "a.txt: the file is read-only"
    assert file.read_text() == "text\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [("a\0b", "NUL"), ("a\ud800", "character 1"), ("x" * 1001, "1,001 bytes; at most")],
)
def test_content_that_is_no_text_or_too_long_is_refused(
    sandbox: Sandbox, content: str, words: str
) -> None:
    with (
        Workspace(sandbox.root, limits=Limits(file_bytes=1000)) as workspace,
        pytest.raises(ToolError, match=words),
    ):
        workspace.run("write_file", {"path": "a.txt", "content": content})
    assert list(sandbox.root.iterdir()) == []


def test_an_edit_that_would_grow_a_file_beyond_the_limit_is_refused_before_it_is_made(
    sandbox: Sandbox,
) -> None:
    sandbox.put("a.txt", "x" * 1_000_000)
    edit = {"path": "a.txt", "oldText": "x", "newText": "y" * 100_000, "replaceAll": True}
    assert "at most 10 MB" in sandbox.refusal("edit_file", **edit)


def test_an_unlikely_text_takes_no_time_to_count(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "a" * 5_000_000)
    edit = {"path": "a.txt", "oldText": "a" * 2_000_000, "newText": "b"}
    assert "ambiguous" in sandbox.refusal("edit_file", **edit)
