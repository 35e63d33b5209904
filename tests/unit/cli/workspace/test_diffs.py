from __future__ import annotations

import pytest

from tests.unit.cli.workspace.conftest import Sandbox


def test_an_edit_is_shown_with_the_lines_around_it(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "".join(f"{n}\n" for n in range(1, 21)))
    diff = sandbox.workspace.diff("edit_file", {"path": "a.txt", "oldText": "10\n", "newText": ""})
    assert diff.splitlines() == [
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -7,7 +7,6 @@",
        *(" 7", " 8", " 9", "-10", " 11", " 12", " 13"),
    ]


def test_places_far_apart_are_shown_apart(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "x\n" + "-\n" * 20 + "x\n")
    arguments = {"path": "a.txt", "oldText": "x", "newText": "y", "replaceAll": True}
    lines = sandbox.workspace.diff("edit_file", arguments).splitlines()
    assert [line for line in lines if line.startswith("@@")] == [
        "@@ -1,4 +1,4 @@",
        "@@ -19,4 +19,4 @@",
    ]


def test_a_new_file_is_all_added(sandbox: Sandbox) -> None:
    diff = sandbox.workspace.diff("write_file", {"path": "new.txt", "content": "a\nb"})
    assert diff.splitlines() == [
        "--- /dev/null",
        "+++ b/new.txt",
        "@@ -0,0 +1,2 @@",
        "+a",
        "+b",
        "\\ No newline at end of file",
    ]
    assert not (sandbox.root / "new.txt").exists()


def test_a_write_that_changes_nothing_shows_nothing(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", b"\xef\xbb\xbfone\r\n")
    assert sandbox.workspace.diff("write_file", {"path": "a.txt", "content": "one\n"}) == ""


def test_a_diff_needs_no_digest_and_says_what_would_fail(sandbox: Sandbox) -> None:
    sandbox.put("a.txt", "x x")
    write = {"path": "a.txt", "content": "y", "digest": "0" * 16}
    assert sandbox.workspace.diff("write_file", write)
    with pytest.raises(Exception, match="ambiguous"):
        sandbox.workspace.diff("edit_file", {"path": "a.txt", "oldText": "x", "newText": "y"})
    with pytest.raises(Exception, match="changes no file"):
        sandbox.workspace.diff("run_command", {"command": "ls"})


def test_what_a_person_would_not_see_is_written_out(sandbox: Sandbox) -> None:
    content = "ok\x1b[8m; evil\r\nif a:\u202e x\u200b\ufeff\U000e0041\n"
    diff = sandbox.workspace.diff("write_file", {"path": "a.txt", "content": content})
    assert "+ok<U+001B>[8m; evil<U+000D>\n" in diff
    assert "+if a:<U+202E> x<U+200B><U+FEFF><U+E0041>\n" in diff


def test_hebrew_and_emoji_stay_as_they_are(sandbox: Sandbox) -> None:
    content = "שָׁלוֹם 👩\u200d💻 ❤\ufe0f\u200d🔥 می\u200cخواهم\n"
    diff = sandbox.workspace.diff("write_file", {"path": "a.txt", "content": content})
    assert "+" + content in diff


def test_a_very_different_long_text_is_compared_in_bounded_time_and_shown_whole(
    sandbox: Sandbox,
) -> None:
    sandbox.put("a.txt", "".join(f"{n % 7}\n" for n in range(40_000)))
    content = "".join(f"{n % 11 + 10}\n" for n in range(40_000))
    diff = sandbox.workspace.diff("write_file", {"path": "a.txt", "content": content})
    lines = diff.splitlines()
    assert [line[:1] for line in lines[3:]] == ["-"] * 40_000 + ["+"] * 40_000
