from __future__ import annotations

import pytest

from tests.unit.cli.workspace.conftest import Place


def test_an_edit_is_shown_with_the_lines_around_it(place: Place) -> None:
    place.put("a.txt", "".join(f"{n}\n" for n in range(1, 21)))
    diff = place.workspace.diff("edit_file", {"path": "a.txt", "oldText": "10\n", "newText": ""})
    assert diff.splitlines() == [
        "--- a/a.txt",
        "+++ b/a.txt",
        "@@ -7,7 +7,6 @@",
        *(" 7", " 8", " 9", "-10", " 11", " 12", " 13"),
    ]


def test_places_far_apart_are_shown_apart(place: Place) -> None:
    place.put("a.txt", "x\n" + "-\n" * 20 + "x\n")
    arguments = {"path": "a.txt", "oldText": "x", "newText": "y", "replaceAll": True}
    lines = place.workspace.diff("edit_file", arguments).splitlines()
    assert [line for line in lines if line.startswith("@@")] == [
        "@@ -1,4 +1,4 @@",
        "@@ -19,4 +19,4 @@",
    ]


def test_a_new_file_is_all_added(place: Place) -> None:
    diff = place.workspace.diff("write_file", {"path": "new.txt", "content": "a\nb"})
    assert diff.splitlines() == [
        "--- /dev/null",
        "+++ b/new.txt",
        "@@ -0,0 +1,2 @@",
        "+a",
        "+b",
        "\\ No newline at end of file",
    ]
    assert not (place.root / "new.txt").exists()


def test_a_write_that_changes_nothing_shows_nothing(place: Place) -> None:
    place.put("a.txt", b"\xef\xbb\xbfone\r\n")
    assert place.workspace.diff("write_file", {"path": "a.txt", "content": "one\n"}) == ""


def test_a_diff_needs_no_digest_and_says_what_would_fail(place: Place) -> None:
    place.put("a.txt", "x x")
    write = {"path": "a.txt", "content": "y", "digest": "0" * 16}
    assert place.workspace.diff("write_file", write)
    with pytest.raises(Exception, match="ambiguous"):
        place.workspace.diff("edit_file", {"path": "a.txt", "oldText": "x", "newText": "y"})
    with pytest.raises(Exception, match="changes no file"):
        place.workspace.diff("run_command", {"command": "ls"})


def test_what_a_person_would_not_see_is_written_out(place: Place) -> None:
    content = "ok\x1b[8m; evil\r\nif a:\u202e x\u200b\ufeff\U000e0041\n"
    diff = place.workspace.diff("write_file", {"path": "a.txt", "content": content})
    assert "+ok<U+001B>[8m; evil<U+000D>\n" in diff
    assert "+if a:<U+202E> x<U+200B><U+FEFF><U+E0041>\n" in diff


def test_hebrew_and_emoji_stay_as_they_are(place: Place) -> None:
    content = "שָׁלוֹם 👩\u200d💻 ❤\ufe0f\u200d🔥 می\u200cخواهم\n"
    diff = place.workspace.diff("write_file", {"path": "a.txt", "content": content})
    assert "+" + content in diff


def test_a_very_different_long_text_is_compared_in_bounded_time_and_shown_whole(
    place: Place,
) -> None:
    place.put("a.txt", "".join(f"{n % 7}\n" for n in range(40_000)))
    content = "".join(f"{n % 11 + 10}\n" for n in range(40_000))
    diff = place.workspace.diff("write_file", {"path": "a.txt", "content": content})
    lines = diff.splitlines()
    assert [line[:1] for line in lines[3:]] == ["-"] * 40_000 + ["+"] * 40_000
