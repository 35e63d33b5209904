"""Lessons as configured: the 42 pairs of tool and trigger, defaults, prompts, triggers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from packs.tutoring.catalogue import PRESETS, TOOLS
from packs.tutoring.configuration import (
    Trigger,
    check_plain,
    legacy_configuration,
    preset,
    read_configuration,
    with_defaults,
)
from packs.tutoring.lesson_prompt import Lesson, optimise, preview
from packs.tutoring.missions import preview_lesson
from packs.tutoring.triggers import check_trigger, mentions, says_goodbye
from packs.tutoring.wording import TEXTS
from rollcall.core.capability import Capability
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.testing import context
from tests.support.catalogs import catalog
from tests.support.full_form import amount
from tests.support.packs.tutoring.configurations import (
    CODE,
    NESTED,
    TABLE,
    setting,
)
from tests.support.packs.tutoring.properties import (
    default_problems,
    due_date_problems,
    pairs,
    prompt_problems,
)

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def test_sixteen_pairs_are_accepted_and_twenty_six_refused_with_their_field() -> None:
    assert pairs() == (16, 26, [])


def changed(**trigger: Any) -> dict[str, Any]:
    found = setting("mark_for_review", trigger.pop("type", "keyword"))
    found["triggerCondition"] |= trigger
    return {"tools": [found]}


AT = "tools.0.triggerCondition"


@pytest.mark.parametrize(
    ("data", "field", "accepted"),
    [
        ({"tools": [setting("fly", "always")]}, "tools.0.toolId", "'play_student_audio'"),
        ({"tools": [setting("mark_for_review", "fly")]}, f"{AT}.type", "'session_ending'"),
        (
            {"tools": [setting("mark_for_review", "always")] * 2},
            "tools.1.toolId",
            "name each tool once",
        ),
        (changed(keywords=[]), f"{AT}.keywords", "1 to 20 of them"),
        (changed(keywords=["a", " A "]), f"{AT}.keywords", "1 to 20 of them"),
        (changed(keywords=[f"w{n}" for n in range(21)]), f"{AT}.keywords", "1 to 20 of them"),
        (changed(keywords=["--"]), f"{AT}.keywords.0", "letters or digits"),
        (changed(keywords=["x" * 61]), f"{AT}.keywords.0", "at most 60"),
        (changed(type="turn_count", minTurns=0), f"{AT}.minTurns", "1 to 100"),
        (changed(type="turn_count", minTurns=101), f"{AT}.minTurns", "1 to 100"),
        (changed(type="always", minTurns=3), f"{AT}.minTurns", "leave it out"),
        (
            {"tools": [setting("mark_for_review", "always", customInstructions="x" * 501)]},
            "tools.0.customInstructions",
            "at most 500",
        ),
        (
            {"tools": [setting("mark_for_review", "always", customInstructions="say {{name}}")]},
            "tools.0.customInstructions",
            "replace it with the text itself",
        ),
        ({"tools": [], "globalInstructions": "\x00"}, "globalInstructions", "line ends and tabs"),
        ({"tools": [], "globalInstructions": "x" * 2_001}, "globalInstructions", "at most 2,000"),
        ({"tools": [], "schemaVersion": 2}, "schemaVersion", "1"),
        ({"tools": "all"}, "tools", "array"),
    ],
)
def test_what_is_no_configuration_is_refused_with_its_field_and_what_is_accepted(
    data: Any, field: str, accepted: str
) -> None:
    with pytest.raises(InvalidArgument) as refused:
        read_configuration(data)
    assert refused.value.code == "invalid-argument"
    assert refused.value.field == f"toolConfiguration.{field}"
    assert accepted in f"{refused.value.hint} {refused.value.message}"


def test_a_teacher_is_told_in_both_languages_what_is_wrong() -> None:
    with pytest.raises(InvalidArgument) as caught:
        check_plain("Dear {{name}}", "conversationPrompt")
    assert caught.value.message == "the text has {{, which looks like a template placeholder"
    told = caught.value.translate("he")
    assert told.message == "\u2068{{\u2069 מסמן מקום שאיש אינו ממלא"
    assert told.hint == "יש לכתוב את מה שצריך לעמוד שם"


def test_minutes_remaining_are_of_four() -> None:
    for minutes in (0, 4, 6, None):
        data = setting("show_session_summary", "time_remaining")
        data["triggerCondition"]["minutesRemaining"] = minutes
        with pytest.raises(InvalidArgument, match="how many minutes before the end") as refused:
            read_configuration({"tools": [data]})
        assert refused.value.hint == "1, 2, 3 or 5"


@pytest.mark.long
def test_generated_lessons_and_reviews_have_no_problem() -> None:
    """Of each kind some; the evals try a thousand."""
    for problems_of in (prompt_problems, default_problems, due_date_problems):
        found = {seed: problems_of(Random(seed)) for seed in range(amount(15, full=60))}
        assert not any(found.values()), {seed: each for seed, each in found.items() if each}


def test_defaults_switch_on_what_a_lesson_needs() -> None:
    assert not with_defaults(preset("no_tracking"), has_tasks=True, is_review=True).tools
    tasks = with_defaults(preset("conversation_only"), has_tasks=True, is_review=False)
    assert "mark_task_complete" in tasks.enabled


def test_presets_and_old_missions() -> None:
    for name, tools in PRESETS.items():
        assert tuple(preset(name).enabled) == tools
    assert not legacy_configuration({"functionCallingEnabled": False}).tools
    old = legacy_configuration({"functionCallingInstructions": "Be slow."})
    assert len(old.tools) == 4 and old.global_instructions == "Be slow."


def test_the_optimiser_trims_and_leaves_blocks_as_they_are() -> None:
    assert optimise("a\n\n\n\nb\n## \n\nc  d\n") == "a\n\nb\n\nc  d"
    for block in (CODE, TABLE, NESTED):
        assert optimise(f"Talk.  \n\n\n\n{block}\n\n") == f"Talk.\n\n{block}"
    own = read_configuration({"tools": []})
    lesson = Lesson(conversation_prompt="\n  \n    x  = 1\n", tool_configuration=own)
    shown = preview(lesson, catalog=catalog)
    assert shown.system_prompt == "    x  = 1"


def test_preview_reads_nothing_and_warns() -> None:
    called = Capability.of(preview_lesson)
    given = {"preset": "no_tracking", "tasks": [{"text": "Order"}], "conversationPrompt": ""}
    ctx = context(role="teacher")  # it has no database
    ctx.platform.catalog = catalog  # type: ignore[union-attr,misc]
    found = called.call(ctx, given)
    assert found["functionDeclarations"] == [] and len(found["warnings"]) == 2
    for wrong, field in (
        ({"durationMinutes": 91}, "arguments.durationMinutes"),
        ({"targetLevel": "D1"}, "arguments.targetLevel"),
        ({"tasks": [{"text": "x"}] * 21}, "arguments.tasks"),
        ({"tasks": [{"text": "x"}, {"text": " \n"}]}, "arguments.tasks.1.text"),
        ({"conversationPrompt": "{{x}}"}, "conversationPrompt"),
        ({"tasks": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}, "tasks.1.id"),
    ):
        with pytest.raises(InvalidArgument) as refused:
            called.call(ctx, wrong)
        assert refused.value.field == field


def fires(trigger: Trigger, **state: Any) -> bool:
    given = {
        "turns": 1,
        "texts": ["hello"],
        "now": NOW,
        "ends_at": NOW + timedelta(minutes=10),
        "all_tasks_done": lambda: False,
        **state,
    }
    try:
        check_trigger("mark_for_review", trigger, **given)
    except FailedPrecondition as refused:
        assert "Nothing was written" in refused.message and refused.hint
        return False
    return True


def test_triggers_fire_when_they_have_come_and_not_before() -> None:
    turns = Trigger(type="turn_count", min_turns=6)
    assert [fires(turns, turns=n) for n in (1, 5, 6, 7)] == [False, False, True, True]
    left = Trigger(type="time_remaining", minutes_remaining=2)
    ends = [NOW + timedelta(seconds=s) for s in (121, 120, -5)]
    assert [fires(left, ends_at=each) for each in ends] == [False, True, True]
    ending = Trigger(type="session_ending")
    assert not fires(ending) and fires(ending, all_tasks_done=lambda: True)
    assert fires(ending, texts=["ok, goodbye!"]) and not fires(ending, texts=["hi", "goodbye"])
    assert fires(ending, ends_at=NOW)
    for type in ("always", "error_detected", "task_context"):
        assert fires(Trigger(type=type))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("locale", "trigger", "said"),
    [
        ("en", {"type": "time_remaining", "minutesRemaining": 1}, "in the last minute."),
        ("en", {"type": "time_remaining", "minutesRemaining": 2}, "in the last 2 minutes."),
        ("he", {"type": "time_remaining", "minutesRemaining": 1}, "בדקה האחרונה."),
        ("he", {"type": "time_remaining", "minutesRemaining": 5}, "ב-5 הדקות האחרונות."),
        ("en", {"type": "turn_count", "minTurns": 1}, "after at least one of the student's turns."),
        ("he", {"type": "turn_count", "minTurns": 1}, "אחרי תור אחד של התלמיד לפחות."),
    ],
)
def test_one_minute_and_one_turn_are_said_as_such(
    locale: str, trigger: dict[str, Any], said: str
) -> None:
    tool = "show_session_summary" if "minutesRemaining" in trigger else "mark_for_review"
    own = {"tools": [setting(tool, trigger["type"]) | {"triggerCondition": trigger}]}
    lesson = Lesson(locale=locale, tool_configuration=read_configuration(own))
    shown = preview(lesson, catalog=catalog)
    assert said in shown.system_prompt


def test_the_minutes_that_are_left_are_more_than_the_tool_waits_for() -> None:
    trigger = Trigger(type="time_remaining", minutes_remaining=2)
    with pytest.raises(FailedPrecondition, match=r"in the last 2 minutes; 3 are left"):
        check_trigger(
            "show_session_summary",
            trigger,
            turns=1,
            texts=[],
            now=NOW,
            ends_at=NOW + timedelta(minutes=2, seconds=10),
            all_tasks_done=lambda: False,
        )


@pytest.mark.parametrize(
    ("text", "keyword", "expected"),
    [
        ("I have two hobbies", "hobby", True),
        ("My Favorite food", "favorite food", True),
        ("והתחביב שלי", "תחביב", True),
        ("אֲנִי אוֹהֵב כַּדּוּרֶגֶל", "כדורגל", True),
        ("the hobbit is a book", "hobby", False),
        ("כואב לי הלב", "כלב", False),
        ("food is my favorite", "favorite food", True),
        ("", "food", False),
    ],
)
def test_keywords_are_found_in_their_forms(text: str, keyword: str, expected: bool) -> None:
    assert mentions([text], [keyword]) is expected
    assert mentions(["…", text], ["nothing of it", keyword]) is expected


def test_a_phrase_is_looked_for_in_each_message_alone() -> None:
    assert not mentions(["my favorite", "I eat food"], ["favorite food"])


def test_a_goodbye_is_known_in_both_languages() -> None:
    assert says_goodbye("OK bye bye") and says_goodbye("טוב, להתראות!")
    assert says_goodbye("תודה ולהתראות")
    assert not says_goodbye("What does goodness mean?") and not says_goodbye("מה שלומך?")


@pytest.mark.parametrize("locale", ["en", "he"])
def test_what_a_tutor_suggests_names_no_id(locale: str) -> None:
    said = TEXTS.data(locale, "capabilities")
    for tool in TOOLS:
        for example in said[tool].get("examples", ()):
            given = example["parameters"]
            ids = {given[name] for name in ("taskId", "itemId") if name in given}
            assert not any(id in example["userRequest"] for id in ids), example
