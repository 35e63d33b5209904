from __future__ import annotations

import json

import pytest

from rollcall.commands.output import print_json, quantity, say, table

NAME = "קביעת עדיפות להודעה"
EVIL = "pay\x1b[31m\x1b]0;title\x07 \u202egnp.exe"


def test_a_number_has_its_noun() -> None:
    nouns = "capability", "capabilities"
    assert [quantity(n, *nouns) for n in (0, 1, 2)] == [
        "0 capabilities",
        "1 capability",
        "2 capabilities",
    ]


def test_columns_are_as_wide_as_their_longest_cell(capsys: pytest.CaptureFixture[str]) -> None:
    table(("Capability", "Effect", "Name"), [("pay", "write", "Pay"), ("find_a_room", "read", "")])
    assert capsys.readouterr().out.splitlines() == [
        "Capability   Effect  Name",
        "pay          write   Pay",
        "find_a_room  read",
    ]


def test_a_table_without_rows_is_its_titles(capsys: pytest.CaptureFixture[str]) -> None:
    table(("Capability", "Name"), [])
    assert capsys.readouterr().out == "Capability  Name\n"


def test_a_hebrew_cell_is_isolated_and_the_next_column_stands_where_it_should(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table(("Name", "Effect"), [(NAME, "write"), ("Pay", "read")])
    _, hebrew, english = capsys.readouterr().out.splitlines()
    assert hebrew == f"\u2068{NAME}\u2069  write"
    assert english.index("read") == len(NAME) + 2


def test_columns_are_counted_as_a_terminal_shows_them(capsys: pytest.CaptureFixture[str]) -> None:
    names = {"会議の費用": 10, "Cost 💰": 7, "שָׁלוֹם": 4, "cafe\u0301": 4, "plain text": 10}
    table(("Name", "Effect"), [(name, "read") for name in names])
    lines = capsys.readouterr().out.splitlines()[1:]
    for line, (name, width) in zip(lines, names.items(), strict=True):
        blanks = line.removesuffix("read").replace(name, "").strip("\u2068\u2069")
        assert (len(blanks), name) == (12 - width, name)


def test_a_cell_stays_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    table(("Name", "Effect"), [("a\nb\tc", "read")])
    assert capsys.readouterr().out.splitlines()[1] == "a b c  read"


def test_what_others_wrote_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    table(("Name",), [(EVIL,)])
    say(EVIL)
    out = capsys.readouterr().out
    assert out.count("pay⟨U+001B⟩[31m") == 2
    assert not set("\x1b\x07\u202e") & set(out)


def test_json_commands_no_terminal_and_loses_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": EVIL, "he": NAME, "odd": "\x7f\x9b\u2028\U000e0041"}
    print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == value
    assert NAME in out
    assert all(each.isprintable() for each in out.replace("\n", ""))
