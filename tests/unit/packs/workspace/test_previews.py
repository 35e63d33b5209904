"""The preview of a file that will be written or a command that will be run."""

from __future__ import annotations

import time
from typing import Any

import pytest

from packs.workspace.tools import edit_file, run_command, write_file
from rollcall.core.capability import Capability, Preview
from rollcall.core.context import EarlierCall, ToolContext, User
from rollcall.core.errors import InvalidArgument
from tests.support.for_every import for_every

DIGEST = "0123456789abcdef"


def preview(function: Any, *earlier: EarlierCall, locale: str = "en", **arguments: Any) -> Preview:
    ctx = ToolContext(user=User("ann"), locale=locale, earlier=lambda: earlier)
    found = Capability.of(function).preview(ctx, arguments)
    assert found is not None
    return found


def text(function: Any, **arguments: Any) -> str:
    shown = preview(function, **arguments).display.text
    assert shown is not None
    return shown


def edit(old: str, new: str, **more: Any) -> str:
    return text(edit_file, path="a.py", oldText=old, newText=new, **more)


def test_a_change_is_shown_as_lines_that_stay_go_and_come() -> None:
    assert edit("a\nb\nc", "a\nB\nc\nd") == " a\n-b\n+B\n c\n+d"
    assert edit("a\n", "") == "-a\n "
    assert edit("a", "a\n") == " a\n+"
    found = preview(edit_file, path="a.py", oldText="a", newText="b", replaceAll=True)
    assert found.display.type == "diff"
    assert found.display.title == "Change \u2068a.py\u2069, at every place that matches"


def test_a_change_that_nobody_sees_is_shown_all_the_same() -> None:
    assert edit("if user:", "if us\u200ber:") == "-if user:\n+if us⟨U+200B⟩er:"
    assert edit("a = b", "a\u202e = b") == "-a = b\n+a⟨U+202E⟩ = b"
    assert edit("a b", "a\u00a0b") == "-a b\n+a⟨U+00A0⟩b"


def test_a_change_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="nothing would change"):
        edit("a", "a")


def test_a_file_is_shown_with_its_size_in_both_languages() -> None:
    content = "# שלום\nx\n"
    found = preview(write_file, path="src/a.md", content=content)
    assert (found.display.type, found.display.text) == ("code", content)
    assert found.display.title == "Write \u2068src/a.md\u2069: 2 lines, 13 bytes"
    hebrew = preview(write_file, path="src/a.md", content=content, locale="he").display.title
    assert hebrew is not None and hebrew.startswith("לכתוב את \u2068src/a.md\u2069: 2 שורות")


def test_one_line_is_told_as_one() -> None:
    title = preview(write_file, path="a", content="x").display.title
    assert title == "Write \u2068a\u2069: 1 line, 1 byte"
    hebrew = preview(write_file, path="a", content="x", locale="he").display.title
    assert hebrew == "לכתוב את \u2068a\u2069: שורה אחת, בית אחד"


def test_a_credential_that_would_be_written_over_is_pointed_out() -> None:
    found = preview(write_file, path="a", content='key = "[hidden]"').display.title
    assert found is not None and "where a credential was left out" in found
    given = {"path": "a", "oldText": "[hidden]", "newText": "x"}
    title = preview(edit_file, **given).display.title
    assert title == "Change \u2068a\u2069"


def test_a_command_is_shown_exactly() -> None:
    found = preview(run_command, command="pytest -q\nrm -rf build", timeoutS=90)
    assert (found.display.type, found.display.text) == ("code", "pytest -q\nrm -rf build")
    assert found.display.title == "Run this, for at most 90 seconds?"
    assert text(run_command, command="ls \u202etxt.exe") == "ls ⟨U+202E⟩txt.exe"


def test_of_a_long_content_the_beginning_and_the_end_are_shown() -> None:
    shown = text(write_file, path="a", content="b" + "x" * 120_000 + "e")
    assert (shown[0], shown[-1], len(shown) < 41_000) == ("b", "e", True)
    assert "[… 80,002 characters are not shown here …]" in shown


def test_long_texts_are_compared_in_no_time() -> None:
    began = time.process_time()
    shown = edit("a\nb\n" * 20_000, "b\na\n" * 20_000)
    assert shown.startswith("-a\n-b\n")
    edit("a\nb\n" * 240, "b\na\n" * 240)
    assert time.process_time() - began < 3


@for_every(
    ("earlier", "digest"),
    [
        ([], None),
        ([EarlierCall("read_file", {"path": "a.py"}, {"digest": DIGEST})], DIGEST),
        ([EarlierCall("write_file", {"path": "./a.py"}, {"digest": DIGEST})], DIGEST),
        ([EarlierCall("read_file", {"path": "b.py"}, {"digest": DIGEST})], None),
        ([EarlierCall("run_command", {"path": "a.py"}, {"digest": DIGEST})], None),
        ([EarlierCall("read_file", {"path": "a.py"}, {"digest": "made up"})], None),
        ([EarlierCall("read_file", {"path": ["a.py"]}, {"digest": DIGEST})], None),
        ([EarlierCall("edit_file", {"path": "a.py"}, is_open=True)], None),
        (
            [
                EarlierCall("read_file", {"path": "a.py"}, is_open=True),
                EarlierCall("edit_file", {"path": "a.py"}),
                EarlierCall("edit_file", {"path": "a.py"}, {"digest": DIGEST}),
                EarlierCall("read_file", {"path": "a.py"}, {"digest": "f" * 16}),
            ],
            DIGEST,
        ),
        (
            [
                EarlierCall("edit_file", {"path": "a.py"}, is_open=True),
                EarlierCall("read_file", {"path": "a.py"}, {"digest": DIGEST}),
            ],
            None,
        ),
    ],
)
@for_every("made_up", [{}, {"digest": "a" * 16}])
def test_the_digest_is_what_the_thread_knows(
    earlier: list[EarlierCall], digest: str | None, made_up: dict[str, str]
) -> None:
    given = {"path": "a.py", "oldText": "1", "newText": "2", **made_up}
    arguments = preview(edit_file, *earlier, **given).arguments
    assert arguments is not None and arguments.get("digest") == digest
    content = {"path": "a.py", "content": "x", **made_up}
    arguments = preview(write_file, *earlier, **content).arguments
    assert arguments is not None and arguments.get("digest") == digest


def test_what_else_was_asked_for_stays_as_it_was() -> None:
    given: dict[str, Any] = {"path": "./a.py", "oldText": "1", "newText": "2", "replaceAll": True}
    assert preview(edit_file, **given).arguments == given
    assert preview(run_command, command="ls").arguments is None


@for_every(
    ("path", "reason"),
    [
        ("Makefile", "a build runs what it says"),
        ("tests/conftest.py", "a test runner or a linter runs it"),
        (".mcp.json", "a coding agent starts what it says"),
        ("lib/HEAD", "a folder becomes a git repository"),
    ],
)
def test_a_change_of_what_some_program_runs_says_so(path: str, reason: str) -> None:
    for found in (
        preview(write_file, path=path, content="x"),
        preview(edit_file, path=path, oldText="a", newText="b"),
    ):
        assert found.display.title is not None and reason in found.display.title
    hebrew = preview(write_file, path=path, content="x", locale="he").display.title
    assert hebrew is not None and reason not in hebrew and hebrew.endswith(")")


def test_a_preview_says_whether_it_shows_all() -> None:
    assert "content" in preview(write_file, path="a", content="x" * 1_000).shows
    assert "content" not in preview(write_file, path="a", content="x" * 100_000).shows
    assert "newText" in preview(edit_file, path="a", oldText="a", newText="b").shows
    assert "newText" not in preview(edit_file, path="a", oldText="a", newText="b" * 100_000).shows
    assert preview(run_command, command="ls").shows == ("command", "timeoutS")
