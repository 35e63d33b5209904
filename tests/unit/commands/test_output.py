from __future__ import annotations

import io

import pytest
from rich.console import Console

from rollcall.commands.output import ID, Column, Screen, load_screen, quantity
from rollcall.core import extras
from rollcall.core.errors import FailedPrecondition

NAME = "קביעת עדיפות להודעה"
COLUMNS = [ID, Column("Name"), Column("Effect", whole=True), Column("Digest", from_width=100)]
ROWS = [("set_message_priority", NAME, "write", "0123abcd")]


def screen(*, columns: int = 80, terminal: bool = False) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    env = {"COLUMNS": str(columns)}
    console = Console(
        file=out, width=columns, force_terminal=terminal, _environ=env, color_system=None
    )
    return Screen(console, env=env), out


def test_a_number_has_its_noun() -> None:
    nouns = "capability", "capabilities"
    assert [quantity(n, *nouns) for n in (0, 1, 2)] == [
        "0 capabilities",
        "1 capability",
        "2 capabilities",
    ]


@pytest.mark.parametrize("columns", [80, 100, 120, 200])
def test_tables_fit_80_to_120_columns(columns: int) -> None:
    shown, out = screen(columns=columns)
    long = "a sentence that says what a tool is good for " * 6
    shown.table(COLUMNS, [("get_conversation_action_items" * 2, long, "write", "0123abcd")])
    assert max(map(len, out.getvalue().splitlines())) <= min(columns, 120)
    assert "".join(out.getvalue().split()).count("good") == 6


@pytest.mark.parametrize("terminal", [True, False])
def test_what_others_wrote_commands_no_terminal(terminal: bool) -> None:
    shown, out = screen(terminal=terminal)
    evil = "pay\x1b[31m\x1b]0;title\x07 \u202egnp.exe"
    shown.table(COLUMNS, [("id", evil, "read", "")])
    shown.say(evil)
    shown.pairs([("name", evil)])
    assert out.getvalue().count("pay⟨U+001B⟩[31m") == 3
    assert not set("\x1b\x07\u202e") & set(
        out.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[2m", "")
    )


def test_columns_that_matter_less_are_left_out_where_it_is_narrow() -> None:
    for columns, is_shown in ((80, False), (110, True)):
        shown, out = screen(columns=columns)
        shown.table(COLUMNS, ROWS)
        assert ("0123abcd" in out.getvalue()) is is_shown


def test_a_pipe_gets_reading_order_isolated_and_no_blanks_at_the_end() -> None:
    shown, out = screen()
    shown.table(COLUMNS, ROWS)
    row = out.getvalue().splitlines()[1]
    assert f"\u2068{NAME}\u2069" in row
    assert row == row.rstrip()
    assert "\x1b" not in row


def test_each_line_of_a_hebrew_cell_is_isolated() -> None:
    shown, out = screen(columns=40, terminal=True)
    shown.table([ID, Column("Name")], [("set_message_priority", f"{NAME} {NAME}")])
    lines = [line for line in out.getvalue().splitlines() if "ה" in line]
    assert len(lines) > 1
    assert all(line.count("\u2068") == line.count("\u2069") == 1 for line in lines)


def test_numbers_stand_on_the_right() -> None:
    shown, out = screen()
    shown.table([Column("Score", right=True), ID], [("1.50", "a"), ("12.25", "b")])
    assert [line.split("  ")[0] for line in out.getvalue().splitlines()[1:]] == [" 1.50", "12.25"]


def test_what_is_whole_stays_whole_and_long_texts_give_way_first() -> None:
    shown, out = screen()
    shown.table(COLUMNS, [("set_message_priority", "a long name " * 20, "write", "")])
    first, *others = out.getvalue().splitlines()[1:]
    assert first.startswith("set_message_priority  a long name")
    assert first.endswith("write") and len(others) > 2


def test_without_rich_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda package: False)
    with pytest.raises(FailedPrecondition, match=r"needs the extra \[terminal\]") as error:
        load_screen()
    assert "pip install 'rollcall-firebase[terminal]'" in str(error.value.hint)
    assert "--json" in error.value.message
