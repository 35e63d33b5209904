"""How results are put into words."""

import json
from typing import Any

import pytest

from rollcall.core.messages import ToolCall, ToolResult
from rollcall.models._offline import compose
from rollcall.models._offline.failures import failures
from rollcall.models._offline.fields import day, measured, one_line
from rollcall.models._offline.history import Step
from rollcall.models._offline.items import reader
from rollcall.models._offline.listing import Asked
from rollcall.models._offline.people import is_called
from rollcall.models._offline.plan import Goal, Progress
from rollcall.models._offline.reasons import translated
from rollcall.models.base import ToolSpec
from tests.support.rules import for_every


def step(output: Any, *, name: str = "get_things", **more: Any) -> Step:
    content = json.dumps({"output": output, **more}, ensure_ascii=False)
    return Step(ToolCall("c1", name, {}), ToolResult("c1", name, content))


def tell(told: Step, language: str, text: str = "", *, name: str = "", **more: Any) -> str:
    return compose.tell(told, Asked(reader(language, text, name=name), text, **more))


def test_a_number_takes_its_unit_from_its_name() -> None:
    assert measured("voltageDropV", 3.2, "en") == ("voltage drop", "3.2 V")
    assert measured("voltageDropPercent", 2.6667, "en") == ("voltage drop", "2.6667%")
    assert measured("messageCount", 1200, "en") == ("message count", "1,200")
    assert measured("costUsd", -12.5, "en") == ("cost", "-$12.5")


def test_a_number_whose_name_is_its_unit_stands_alone() -> None:
    assert tell(step({"usd": 720.0}), "en") == "- $720"
    assert tell(step({"volts": 240, "amps": 20}), "en") == "- 240 V\n- 20 A"


def test_dates_are_short_and_local() -> None:
    assert day("2025-11-03T10:00:00Z", "en") == "3 Nov"
    assert day("2025-11-03", "he") == "3 בנובמבר"


def test_a_single_result_is_told_with_its_warnings() -> None:
    output = {"circuitName": "EV charger", "voltageDropV": 3.2, "warnings": ["long run"]}
    said = tell(step(output), "en")
    assert "**EV charger**" in said
    assert "- Voltage drop: 3.2 V" in said
    assert "- Warnings: long run" in said
    assert said.startswith("**EV charger**")


def test_a_long_list_is_bounded_and_counted() -> None:
    output = {"items": [{"title": f"Item {n}"} for n in range(15)], "totalFound": 40}
    said = tell(step(output), "en")
    assert said.startswith("**Items (6 of 40)**")
    assert said.count("- **Item") == 6
    assert "and 34 more" in said


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
    assert lines[-2].endswith("- one [1]")
    assert lines[-1].endswith("- two [2]")


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


def test_machinery_is_not_told() -> None:
    output = {
        "tasks": [{"task": "Call the bank", "status": "open", "supersededBy": "f47d89454ea46cae9"}],
        "searchedAll": True,
        "shardsRead": 16,
        "messagesRead": 0,
        "moreFound": True,
        "summarizedBy": "rules",
    }
    said = tell(step(output), "en")
    assert said == "**Tasks (1)**\n\n- Call the bank — replaced since"


def test_what_was_not_searched_is_said_in_words() -> None:
    part = Progress(
        Goal("", ToolSpec("", "", {})), steps=(step({"a": [{}], "searchedAll": False}),)
    )
    assert "not everything was searched" in compose.answer([part], "en")
    assert "לא הכול נסרק" in compose.answer([part], "he")


def test_a_task_is_told_with_who_and_by_when() -> None:
    task = {"task": "Send it", "assignee": "Dana", "deadline": "2025-11-19", "priority": "high"}
    output = {"tasks": [{**task, "conversationName": "Launch", "timestamp": "2025-11-01"}]}
    assert "- Send it — Dana · due 19 Nov · high" in tell(step(output), "en")
    assert "- Send it — Dana · עד 19 בנובמבר · גבוהה" in tell(step(output), "he")


def test_urgent_items_come_first_and_are_marked() -> None:
    first = {"content": "Sign here", "priority": "high"}
    second = {"content": "Urgent: call back", "priority": "urgent"}
    lines = tell(step({"messages": [first, second]}), "en").splitlines()
    assert lines[2:] == ["- **Urgent:** Call back", "- Sign here — high"]
    assert "**דחוף:**" in tell(step({"messages": [second]}), "he")


def test_a_long_text_is_cut_around_what_is_asked_and_a_name_is_said_once() -> None:
    content = f"{'so it goes ' * 30}the valve is stuck {'and on ' * 30}"
    item = {"content": content, "senderName": "Maya", "conversationName": "Maya"}
    line = tell(step({"messages": [item]}), "en", "the valve").splitlines()[-1]
    assert "valve is stuck" in line
    assert len(line) < 180
    assert line.endswith("… — Maya")


def test_a_search_shows_its_five_best_and_no_weak_ones() -> None:
    found = [{"content": f"m{n}", "relevanceScore": 0.9, "messageId": str(n)} for n in range(7)]
    weak = {"content": "weak", "relevanceScore": 0.1, "messageId": "w"}
    said = tell(step({"results": [*found, weak], "totalFound": 100}), "en")
    assert said.startswith("**Messages**")
    assert said.count("\n- m") == 5
    assert "weak" not in said
    assert said.endswith("…and 2 more.")


def test_a_when_is_answered_by_what_holds_a_date_first() -> None:
    found = [{"content": text, "relevance": 1} for text in ("the launch!", "launch on 3 December")]
    lines = tell(step({"results": found}), "en", "When is the launch?").splitlines()
    assert lines[2] == "- launch on 3 December"


def test_the_users_own_items_are_told_where_they_ask_for_theirs() -> None:
    tasks = [{"task": "Mine", "assignee": "Noa Levi"}, {"task": "Not mine", "assignee": "Dana"}]
    said = tell(step({"tasks": tasks}), "en", "What are my tasks?", name="Noa Levi")
    assert said.startswith("**Your tasks (1)**")
    assert "Not mine" not in said
    assert said.endswith("…and 1 of others.")
    more = tell(
        step({"tasks": tasks, "totalFound": 9}), "en", "What are my tasks?", name="Noa Levi"
    )
    assert more.endswith("…and 1 of others; these are the first 2 of 9.")


@pytest.mark.parametrize("text", ["What are Omer's tasks?", "מה המשימות של עומר?"])
def test_a_person_is_known_by_sound_in_the_other_script(text: str) -> None:
    tasks = [{"task": name, "assignee": name} for name in ("עומר כץ", "אמיר נאסר", "Dana Or")]
    said = tell(step({"tasks": tasks}), "en", text)
    assert said.startswith("**Tasks · עומר כץ (1)**")


@pytest.mark.parametrize(
    ("name", "text"), [("Maya Cohen", "מה המשימות?"), ("Dana Or", "של דן"), ("Tom", "what to do")]
)
def test_other_words_are_no_names(name: str, text: str) -> None:
    assert not is_called(name, text)


def test_a_reason_that_several_calls_share_is_said_once() -> None:
    calls = [failed("get_tasks"), failed("get_tasks"), failed("read_file")]
    assert failures(calls, "en") == [
        "I couldn't get the tasks or read the file: the index is being rebuilt."
    ]
    assert failures(calls[:1], "he") == [
        "לא הצלחתי להשלים את „משימות”: \u2066The index is being rebuilt\u2069."
    ]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("not-found", "לא נמצא"),
        ("permission-denied", "אין הרשאה לכך"),
        ("unavailable", "השירות לא זמין כרגע"),
    ],
)
def test_a_hebrew_answer_says_in_hebrew_why_something_failed(code: str, why: str) -> None:
    said = failures([failed("get_tasks", code=code)], "he")
    assert said == [
        f"לא הצלחתי להשלים את „משימות”: {why} (\u2066The index is being rebuilt\u2069)."
    ]


@for_every(
    ("said", "told"),
    [
        ("changed since it was read: read it again", "הקובץ השתנה מאז שנקרא"),
        ("changed since it was approved: other lines would go", "הקובץ השתנה מאז שהתקבל האישור"),
        ("it exists and was not read; read it first", "הקובץ קיים ועדיין לא נקרא"),
        ("ambiguous: oldText is in 3 places (lines 1, 2, 3)", "הטקסט מופיע ביותר ממקום אחד"),
        ("oldText is not in the file: read it again", "הטקסט לא נמצא בקובץ"),
        ("it may hold secrets; the user can allow this", "ייתכן שיש בקובץ סודות"),
        ("a part of it is a symbolic link, not a directory", "זה קישור סימבולי, ואין עוקבים אחריו"),
        ("paths cannot go up or use names of dots", "המקום הוא מחוץ לתיקיית העבודה"),
        ("this regular expression takes too long on a.txt", "זה אורך יותר מדי זמן"),
        ("12,000,000 bytes; at most 10 MB is written", "זה גדול מדי"),
        ("a directory, not a file", "זו תיקייה ולא קובץ"),
        ("not run: nobody said yes to it here", "זה לא אושר כאן"),
    ],
)
def test_what_clients_refuse_is_told_in_hebrew(said: str, told: str) -> None:
    assert translated(said) == told


def failed(name: str, **more: str) -> Step:
    content = json.dumps({"error": {"message": "The index is being rebuilt.", **more}})
    return Step(ToolCall("c1", name, {}), ToolResult("c1", name, content, is_error=True))
