"""Nothing untrusted moves a terminal."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from rollcall_cli.console import SafeConsole, escaped_json, tidy

PLANTED = "a\x1b[8mb\x1b]0;title\x07c\x9b2Jd\u202ee\x7f"
TAME = "a[8mb]0;titlec2Jde"


def test_prose_keeps_its_words_and_loses_what_a_terminal_obeys() -> None:
    assert tidy(PLANTED) == TAME
    assert tidy("שלום\tעולם\n\u2068Dan\u2069") == "שלום\tעולם\n\u2068Dan\u2069"


@pytest.mark.parametrize("shown", [PLANTED, Text(PLANTED), Markdown(PLANTED)])
def test_console_prints_no_controls_but_its_own(shown: str | Text | Markdown) -> None:
    out = io.StringIO()
    console = SafeConsole(file=out, force_terminal=True, color_system=None, markup=False)
    console.print(shown)
    assert not set(out.getvalue()) & set("\x1b\x07\x9b\u202e\x7f")
    assert "titlec" in out.getvalue()


def test_colours_of_ours_still_reach_the_terminal() -> None:
    out = io.StringIO()
    SafeConsole(file=out, force_terminal=True, color_system="standard").print(Text("x", "red"))
    assert "\x1b[31m" in out.getvalue()
    assert isinstance(SafeConsole(), Console)


def test_json_means_the_same_and_shows_what_is_not_seen() -> None:
    text = escaped_json(json.dumps({"x": PLANTED, "he": "שלום"}, ensure_ascii=False))
    assert json.loads(text) == {"x": PLANTED, "he": "שלום"}
    assert not set(text) & set("\x1b\x07\x9b\u202e\x7f")
    assert "שלום" in text
