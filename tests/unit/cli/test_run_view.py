from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from rich.console import Console

from rollcall.core import events
from rollcall_cli.http import CallError
from rollcall_cli.markdown_stream import Block
from rollcall_cli.run_view import RunView
from rollcall_cli.screen import Screen

HEBREW = "הוצאנו 1,400 מתוך 90 אלף"


def _screen(*, terminal: bool = False, columns: int = 80, **env: str) -> tuple[Screen, Any]:
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=columns, _environ=env)
    return Screen(console=console, env=env), out


def _call(id: str, arguments: str, content: Any) -> list[dict[str, Any]]:
    half = len(arguments) // 2
    return [
        events.call_start(call_id=id, name="get_priority_messages", parent_id="m"),
        events.call_arguments(id, arguments[:half]),
        events.call_arguments(id, arguments[half:]),
        events.call_end(id),
        events.progress(call_id=id, text="reading", done=12, total=40),
        events.call_result(call_id=id, message_id="r", content=json.dumps(content)),
    ]


def _says(text: str) -> list[dict[str, Any]]:
    deltas = [events.text_content("m", text[at : at + 4]) for at in range(0, len(text), 4)]
    return [events.text_start("m"), *deltas, events.text_end("m")]


def _show(screen: Screen, shown: list[dict[str, Any]], question: str = "What now?") -> None:
    with RunView(screen, question) as view:
        for event in shown:
            view.take(event)


def test_pipe_gets_plain_lines_about_a_call() -> None:
    screen, out = _screen()
    _show(screen, _call("c1", '{"limit": 20}', {"output": {"totalFound": 12}}))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    assert lines[0] == "  → get_priority_messages  limit=20"
    assert lines[1] == "  … get_priority_messages  limit=20  reading (12 of 40)"
    assert lines[2].startswith("  ✓ get_priority_messages  limit=20  ")
    assert lines[2].endswith(" ms · 12 found")
    assert "\x1b" not in out.getvalue()


def test_a_call_takes_a_millisecond_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollcall_cli.call_card.time.monotonic", lambda: 1.0)
    screen, out = _screen()
    _show(screen, _call("c1", '{"limit": 20}', {"output": {"totalFound": 12}}))
    assert "limit=20  1 ms · 12 found" in out.getvalue()


def test_pipe_is_told_of_a_call_that_runs_here_when_it_begins_here() -> None:
    screen, out = _screen()
    with RunView(screen, "What now?", ours=["get_priority_messages"]) as view:
        for event in _call("c1", "{}", {"output": {}}):
            view.take(event)
    assert "→" not in out.getvalue()


def test_failed_call_says_what_went_wrong() -> None:
    screen, out = _screen()
    _show(screen, _call("c1", "{}", {"error": {"code": "unavailable", "message": "no luck"}}))
    assert "✗ get_priority_messages" in out.getvalue()
    assert "no luck" in out.getvalue()


def test_step_that_is_begun_a_second_time_says_that_it_comes_anew() -> None:
    screen, out = _screen()
    step, begun = events.step_started(1), events.text_content("m1", "Two are urg")
    _show(screen, [step, begun, step, *_says("Two are urgent.")])
    shown = " ".join(out.getvalue().split())
    assert "this comes anew: Two are urgent." in shown
    assert shown.count("Two are urg") == 1


def test_step_that_goes_on_with_its_calls_tells_only_their_results() -> None:
    screen, out = _screen()
    *call, result = _call("c1", '{"limit": 20}', {"output": {"totalFound": 12}})
    _show(screen, [events.step_started(1), *call, events.step_started(1), result])
    assert "✓ get_priority_messages" in out.getvalue()
    assert "anew" not in out.getvalue()


def test_call_without_a_result_is_not_left_out() -> None:
    screen, out = _screen()
    with pytest.raises(CallError), RunView(screen, "What now?") as view:
        view.take(_call("c1", "{}", {})[0])
        raise CallError("internal", "broke")
    assert "✗ get_priority_messages" in out.getvalue()


def test_answer_is_shown_as_markdown_once() -> None:
    screen, out = _screen(terminal=True, TERM="xterm-256color")
    _show(screen, _says("Two are **urgent**:\n\n- Sign [1]\n- Call Dan [2]\n"))
    # What is redrawn is printed without a line feed after it, what stays with one.
    assert re.findall(r"Call Dan \[2\]\s*\n", out.getvalue()) == ["Call Dan [2]\n"]
    assert "urgent**" not in out.getvalue()


def test_dumb_terminal_is_never_redrawn() -> None:
    screen, out = _screen(terminal=True, TERM="dumb")
    _show(screen, _says("Hello there."))
    assert not screen.redraws
    assert "\x1b[2K" not in out.getvalue()


def test_lines_fit_eighty_columns_and_break_no_word() -> None:
    screen, out = _screen()
    words = "alpha beta gamma delta epsilon " * 12
    _show(screen, _says(words))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert out.getvalue().split() == words.split()


def test_hebrew_stays_in_reading_order_in_a_pipe() -> None:
    screen, out = _screen()
    _show(screen, _says(HEBREW))
    assert HEBREW in out.getvalue()


def test_hebrew_is_marked_where_the_terminal_orders_it() -> None:
    screen, out = _screen(terminal=True, TERM="xterm", VTE_VERSION="7000")
    screen.say(screen.block(Block(HEBREW, apart=True), from_right=True))
    line = out.getvalue().splitlines()[-1]
    assert f"\u2067{HEBREW}\u2069" in line
    assert line.startswith(" " * 40)  # it stands on the right


def test_hebrew_is_put_in_order_where_the_terminal_does_not() -> None:
    screen, out = _screen(terminal=True, TERM="xterm", XTERM_VERSION="XTerm(390)")
    screen.say(screen.block(Block(HEBREW, apart=True), from_right=True))
    assert out.getvalue().splitlines()[-1].endswith("ףלא 90 ךותמ 1,400 ונאצוה")


@pytest.mark.parametrize("bidi", ["yes", "no"])
def test_code_in_a_hebrew_answer_reads_from_the_left(bidi: str) -> None:
    screen, out = _screen(terminal=True, TERM="dumb", ROLLCALL_BIDI=bidi)
    code = "-rw-r--r-- 1 root root 12 cart.py"
    screen.say(screen.block(Block(f"הפלט:\n```\n{code}\n```", apart=True), from_right=True))
    _, head, _, line = out.getvalue().splitlines()
    assert head.startswith(" " * 40)
    assert line.strip() == code
    assert line.index(code) < 8


def test_a_list_item_reads_as_the_name_that_it_begins_with() -> None:
    screen, out = _screen(terminal=True, TERM="dumb", XTERM_VERSION="XTerm(390)")
    for item in ("- `cart.py` (12 בתים)", "- `סל.py` (12 בתים)"):
        screen.say(screen.block(Block(item, apart=False), from_right=True))
    latin, hebrew = out.getvalue().splitlines()
    assert latin.strip().startswith("• cart.py")
    assert hebrew.startswith(" " * 40)


def test_names_and_values_are_put_in_order_once_where_the_terminal_does_not() -> None:
    screen, out = _screen(terminal=True, TERM="dumb", XTERM_VERSION="XTerm(390)")
    title = "רינה חדד · 3 November"
    screen.sources([{"n": 2, "title": title, "quote": None}], answer="")
    _show(screen, _call("c1", '{"to": "רינה", "at": "\u2068Dan\u2069"}', {"output": {}}))
    shown = out.getvalue()
    assert "[2] דדח הניר · 3 November" in shown
    assert 'to="הניר", at="Dan"' in shown


def test_sources_name_conversation_sender_date_and_words() -> None:
    screen, out = _screen()
    title = "Next quarter's budget · רינה חדד · 3 November 2026"
    citation = {"n": 2, "type": "message", "title": title, "quote": "אין\nכסף"}
    screen.sources([citation], answer="No money [2]")
    shown = out.getvalue()
    assert "[2] Next quarter's budget · \u2068רינה חדד\u2069 · 3 November 2026" in shown
    assert "“אין כסף”" in shown


def test_words_that_the_answer_gives_are_not_repeated() -> None:
    screen, out = _screen()
    screen.sources([{"n": 1, "title": "Dan", "quote": "Sign it."}], answer="- Sign it. [1]")
    assert "[1] Dan" in out.getvalue()
    assert "“" not in out.getvalue()


def test_failure_is_told_in_words_with_what_to_do() -> None:
    screen, out = _screen()
    screen.failure(CallError("not-found", "there is no agent 'x'", {"hint": "known: messaging"}))
    assert "there is no agent 'x'" in out.getvalue()
    assert "known: messaging" in out.getvalue()
