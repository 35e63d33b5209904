"""How results are put into words."""

import json
from typing import Any

from rollcall.core.messages import ToolCall, ToolResult
from rollcall.models._offline.compose import tell
from rollcall.models._offline.fields import day, measured, one_line
from rollcall.models._offline.history import Step


def step(output: Any, *, name: str = "get_things", **more: Any) -> Step:
    content = json.dumps({"output": output, **more}, ensure_ascii=False)
    return Step(ToolCall("c1", name, {}), ToolResult("c1", name, content))


def test_a_number_takes_its_unit_from_its_name() -> None:
    assert measured("voltageDropV", 3.2, "en") == ("voltage drop", "3.2 V")
    assert measured("voltageDropPercent", 2.6667, "en") == ("voltage drop", "2.6667%")
    assert measured("messageCount", 1200, "en") == ("message count", "1,200")


def test_dates_are_short_and_local() -> None:
    assert day("2025-11-03T10:00:00Z", "en") == "3 Nov"
    assert day("2025-11-03", "he") == "3 בנובמבר"


def test_a_single_result_is_told_with_its_warnings() -> None:
    output = {"circuitName": "EV charger", "voltageDropV": 3.2, "warnings": ["long run"]}
    said = tell(step(output), "en")
    assert "**EV charger**" in said
    assert "- Voltage drop: 3.2 V" in said
    assert "- Warnings: long run" in said


def test_a_long_list_is_bounded_and_counted() -> None:
    output = {"items": [{"title": f"Item {n}"} for n in range(15)], "totalFound": 40}
    said = tell(step(output), "en")
    assert said.count("- **Item") == 10
    assert "and 30 more" in said


def test_an_empty_list_is_said_in_plain_words() -> None:
    assert tell(step({"tasks": [], "totalFound": 0}), "en") == "I found no tasks."
    assert tell(step({"tasks": []}, name="get_tasks"), "he") == "לא מצאתי משימות."


def test_each_item_is_marked_with_its_own_source_only() -> None:
    output = {
        "messages": [
            {"id": "m1", "conversationId": "c1", "content": "one"},
            {"id": "m2", "conversationId": "c1", "content": "two"},
        ]
    }
    sources = [{"n": n, "conversationId": "c1", "messageId": f"m{n}"} for n in (1, 2)]
    lines = tell(step(output, citations=sources), "en").splitlines()
    assert lines[-2].endswith("**one** [1]")
    assert lines[-1].endswith("**two** [2]")


def test_a_display_is_shown_as_it_was_meant() -> None:
    table = {"type": "table", "content": {"columns": ["Size", "A"], "rows": [["12", 25]]}}
    assert "| 12 | 25 |" in tell(step({}, display=table), "en")
    assert tell(step({}, display={"type": "text", "content": "Ready."}), "en") == "Ready."


def test_untrusted_text_loses_its_links_html_and_marks() -> None:
    said = one_line("see [1] ![x](http://evil.example/?q=1) <img src=x>\n\nnow")
    assert "](" not in said
    assert "[1]" not in said
    assert "<img" not in said
    assert "\n" not in said


def test_a_result_that_is_no_json_is_told_as_text() -> None:
    plain = Step(ToolCall("c1", "run", {}), ToolResult("c1", "run", "all tests passed"))
    assert tell(plain, "en") == "all tests passed"
