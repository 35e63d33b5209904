"""A command as a person sees it before saying yes."""

from __future__ import annotations

import io

from rich.console import Console

from rollcall_cli import diffs
from rollcall_cli.layout import Order
from rollcall_cli.wording import texts


def _rendered(command: str) -> str:
    out = io.StringIO()
    Console(file=out, width=60).print(diffs.command(command, order=Order.READER, say=texts("en")))
    return out.getvalue()


def test_all_of_a_long_line_is_shown() -> None:
    shown = _rendered(f"echo {'a' * 500}; rm -rf {'b' * 500} # harmless")
    joined = "".join(shown.split())
    assert "a" * 500 + ";rm-rf" + "b" * 500 in joined


def test_command_whose_beginning_may_be_off_the_screen_says_how_long_it_is() -> None:
    assert "102 lines: read it from the first" in _rendered("rm -rf x" + "\n" * 101 + "ls")
    assert "read it" not in _rendered("cd src\nls")


def test_carriage_return_does_not_write_over_what_runs() -> None:
    assert "$ rm -rf x<U+000D>ls" in _rendered("rm -rf x\rls")


def test_empty_lines_of_a_command_and_of_a_diff_are_shown() -> None:
    lines = [line.strip() for line in _rendered("cat <<E\n\nx\nE").split("\n")]
    assert lines == ["$ cat <<E", "", "x", "E", ""]
    out = io.StringIO()
    shown = diffs.diff(" a\n \n-b\n+c\n \n", order=Order.READER, say=texts("en"))
    Console(file=out, width=60).print(shown)
    assert [line.strip() for line in out.getvalue().split("\n")] == ["a", "", "-b", "+c", "", ""]
