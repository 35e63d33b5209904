from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console
from rich.spinner import Spinner

from rollcall.core import events
from rollcall_cli.call_card import CallCard, call_id
from rollcall_cli.call_outcome import of_local_call, of_result


def _card(content: Any) -> CallCard:
    card = CallCard("search")
    text = content if isinstance(content, str) else json.dumps(content)
    card.take(events.call_result(call_id="c", message_id="m", content=text))
    return card


def _rendered(card: CallCard) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(card.marked(Spinner("dots")))
    return console.file.getvalue().strip()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ({"output": {"totalFound": 178, "results": [1, 2]}}, "2 of 178 found"),
        ({"output": {"totalFound": 2, "results": [1, 2]}}, "2 found"),
        ({"output": {"items": [1, 2, 3], "timestamp": "t"}}, "3 found"),
        ({"output": {"a": [], "b": [1]}}, "done"),
        ({"output": [1]}, "1 found"),
        ({"output": None}, "done"),
        ("not JSON", "done"),
    ],
)
def test_outcome_counts_what_was_found(content: Any, outcome: str) -> None:
    assert (_card(content).status, _card(content).outcome) == ("done", outcome)


@pytest.mark.parametrize(
    ("content", "outcome"),
    [
        ({"output": {"totalFound": 178, "results": [1, 2]}}, "נמצאו 2 מתוך 178"),
        ({"output": None}, "בוצע"),
        ({"error": {"code": "rejected", "message": "m", "reason": "not now"}}, "נדחה: not now"),
        ({"error": {"code": "unknown"}}, "לא ידוע"),
    ],
)
def test_an_outcome_is_told_in_the_language_of_the_card(content: Any, outcome: str) -> None:
    shown = of_result(json.dumps(content), "he")[1]
    assert shown.translate(dict.fromkeys(map(ord, "\u2068\u2069"))) == outcome


@pytest.mark.parametrize(
    ("tool", "content", "english", "hebrew"),
    [
        ("list_directory", {"entries": [1]}, "1 entry", "פריט אחד (1)"),
        ("edit_file", {"replaced": 3}, "3 places changed", "3 מקומות שונו"),
        ("run_command", {"exitCode": 2}, "exit code 2", "קוד יציאה 2"),
        ("search_files", {"total": 2, "files": 1}, "2 lines in 1 file", "2 שורות, קובץ אחד (1)"),
    ],
)
def test_a_call_that_ran_here_is_told_in_both_languages(
    tool: str, content: dict[str, Any], english: str, hebrew: str
) -> None:
    shown = of_local_call(tool, {"content": content}, "he")[1]
    assert shown.translate(dict.fromkeys(map(ord, "\u2068\u2069"))) == hebrew
    assert of_local_call(tool, {"content": content}, "en")[1] == english


@pytest.mark.parametrize(
    ("error", "status", "mark", "outcome"),
    [
        ({"code": "unavailable", "message": "no luck"}, "failed", "✗", "no luck"),
        ({"code": "rejected", "message": "m", "reason": "not now"}, "rejected", "✗", "not now"),
        ({"code": "rejected", "message": "m"}, "rejected", "✗", "rejected"),
        ({"code": "expired", "message": "too late"}, "expired", "✗", "too late"),
        ({"code": "unknown", "message": "cut off"}, "unknown", "!", "cut off"),
    ],
)
def test_error_and_verdict_are_outcomes_too(
    error: dict[str, Any], status: str, mark: str, outcome: str
) -> None:
    card = _card({"error": error})
    assert card.status == status
    shown = _rendered(card)
    assert shown.startswith(f"{mark} search")
    assert outcome in shown


@pytest.mark.parametrize(
    ("status", "shown"),
    [("waiting", "waits for a decision"), ("client", "left to the user's own device")],
)
def test_call_that_waits_says_for_whom(status: str, shown: str) -> None:
    card = CallCard("send_message")
    card.wait(status)
    assert _rendered(card) == f"? send_message  {shown}"


def test_arguments_show_while_they_are_not_complete() -> None:
    card = CallCard("search")
    card.take(events.call_arguments("c", '{"query": "bud'))
    assert card.line().plain == 'search  {"query": "bud'
    card.take(events.call_arguments("c", 'get", "limit": 5}'))
    assert card.line().plain == 'search  query="budget", limit=5'


def test_long_value_is_cut_inside_its_isolate() -> None:
    card = CallCard("search", arguments=json.dumps({"query": "תקציב " * 30}))
    line = card.line().plain
    assert line.endswith("…\u2069")
    assert len(line) < 90


def test_events_name_the_call_they_are_about() -> None:
    assert call_id(events.call_end("c1")) == "c1"
    assert call_id(events.progress(call_id="c2", text="reading", done=1, total=2)) == "c2"
    assert call_id(events.call_result(call_id="c3", message_id="m", content="{}")) == "c3"
    assert call_id(events.step_started(1)) is None
