"""Lessons as configured: the 42 pairs of tool and trigger, defaults, prompts, triggers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from packs.tutoring.catalogue import PRESETS, TOOLS
from packs.tutoring.configuration import (
    ToolConfiguration,
    Trigger,
    of_old_mission,
    preset,
    read_configuration,
    with_defaults,
)
from packs.tutoring.lesson_prompt import Task, optimised, preview
from packs.tutoring.missions import preview_lesson
from packs.tutoring.triggers import check_trigger, mentions, says_goodbye
from rollcall.core.capability import Capability
from rollcall.core.errors import FailedPrecondition, InvalidArgument
from rollcall.testing import context
from tests.support.catalogs import catalog

TYPES = (
    "always",
    "keyword",
    "turn_count",
    "time_remaining",
    "task_context",
    "error_detected",
    "session_ending",
)
ACCEPTED = {
    "mark_for_review": {"error_detected", "always", "keyword", "turn_count"},
    "update_user_profile": {"always", "turn_count", "keyword"},
    "show_session_summary": {"session_ending", "time_remaining"},
    "mark_task_complete": {"task_context", "always", "keyword"},
    "mark_item_mastered": {"always", "keyword"},
    "play_student_audio": {"always", "keyword"},
}
NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


def setting(tool: str, type: str, *, enabled: bool = True, **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"type": type}
    given |= {"keyword": {"keywords": ["food"]}, "turn_count": {"minTurns": 3}}.get(type, {})
    given |= {"minutesRemaining": 2} if type == "time_remaining" else {}
    return {"toolId": tool, "enabled": enabled, "triggerCondition": given, **more}


def test_sixteen_pairs_are_accepted_and_twenty_six_refused_with_their_field() -> None:
    accepted = 0
    for tool in TOOLS:
        for type in TYPES:
            data = {"tools": [setting(tool, type)]}
            if type in ACCEPTED[tool]:
                assert read_configuration(data).enabled.keys() == {tool}
                accepted += 1
                continue
            with pytest.raises(InvalidArgument) as refused:
                read_configuration(data)
            assert refused.value.field == "toolConfiguration.tools.0.triggerCondition.type"
            assert refused.value.hint == f"accepted: {', '.join(TOOLS[tool].triggers)}"
    assert accepted == 16


def changed(**trigger: Any) -> dict[str, Any]:
    found = setting("mark_for_review", trigger.pop("type", "keyword"))
    found["triggerCondition"] |= trigger
    return {"tools": [found]}


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"tools": [setting("fly", "always")]}, "tools.0.toolId"),
        ({"tools": [setting("mark_for_review", "always")] * 2}, "tools.1.toolId"),
        (changed(keywords=[]), "tools.0.triggerCondition.keywords"),
        (changed(keywords=["a", " A "]), "tools.0.triggerCondition.keywords"),
        (changed(keywords=[f"w{n}" for n in range(21)]), "tools.0.triggerCondition.keywords"),
        (changed(keywords=["--"]), "tools.0.triggerCondition.keywords.0"),
        (changed(type="turn_count", minTurns=0), "tools.0.triggerCondition.minTurns"),
        (changed(type="turn_count", minTurns=101), "tools.0.triggerCondition.minTurns"),
        (changed(type="always", minTurns=3), "tools.0.triggerCondition.minTurns"),
        (
            {"tools": [setting("mark_for_review", "always", customInstructions="x" * 501)]},
            "tools.0.customInstructions",
        ),
        (
            {"tools": [setting("mark_for_review", "always", customInstructions="say {{name}}")]},
            "tools.0.customInstructions",
        ),
        ({"tools": [], "globalInstructions": "\x00"}, "globalInstructions"),
        ({"tools": "all"}, "tools"),
    ],
)
def test_what_is_no_configuration_is_refused_with_its_field(data: Any, field: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        read_configuration(data)
    assert refused.value.field == f"toolConfiguration.{field}"


def test_minutes_remaining_are_of_four() -> None:
    for minutes in (0, 4, 6, None):
        data = setting("show_session_summary", "time_remaining")
        data["triggerCondition"]["minutesRemaining"] = minutes
        with pytest.raises(InvalidArgument, match="how long before the end") as refused:
            read_configuration({"tools": [data]})
        assert refused.value.hint == "1, 2, 3 or 5"


def random_configuration(random: Random) -> ToolConfiguration:
    tools = random.sample(sorted(TOOLS), random.randint(0, 6))
    return read_configuration(
        {
            "tools": [
                setting(
                    tool,
                    random.choice(sorted(ACCEPTED[tool])),
                    enabled=random.random() < 0.7,
                    setBy=random.choice(["teacher", "auto"]),
                    customInstructions=random.choice([None, "Be kind."]),
                )
                for tool in tools
            ]
        }
    )


def test_defaults_keep_a_teachers_choice_and_change_no_input() -> None:
    random = Random(5)
    for _ in range(500):
        own = random_configuration(random)
        before = own.dump()
        lesson = {"has_tasks": random.random() < 0.5, "is_review": random.random() < 0.5}
        found = with_defaults(own, **lesson)
        assert own.dump() == before and with_defaults(found, **lesson) == found
        for each in own.tools:
            kept = next(other for other in found.tools if other.tool_id == each.tool_id)
            assert kept == each or (each.set_by == "auto" and not each.enabled and kept.enabled)
        if not own.tools:
            assert not found.tools
    assert not with_defaults(preset("no_tracking"), has_tasks=True, is_review=True).tools
    tasks = with_defaults(preset("conversation_only"), has_tasks=True, is_review=False)
    assert "mark_task_complete" in tasks.enabled


def test_presets_and_old_missions() -> None:
    for name, tools in PRESETS.items():
        assert tuple(preset(name).enabled) == tools
    assert not of_old_mission({"functionCallingEnabled": False}).tools
    old = of_old_mission({"functionCallingInstructions": "Be slow."})
    assert len(old.tools) == 4 and old.global_instructions == "Be slow."


CODE = "```python\nif x:\n    y  =  1\n\n\n    z\n```"
TABLE = "| a  | b |\n|----|---|\n| 1  |   |"
NESTED = "- one\n  - two  words\n    indented"


def test_the_optimiser_leaves_code_tables_and_lists_and_does_it_once() -> None:
    random = Random(7)
    pieces = [CODE, TABLE, NESTED, "Talk  about food.   ", "## ", "#", "", "", "## Real", "\t code"]
    for _ in range(1_000):
        text = "\n".join(random.choices(pieces, k=random.randint(1, 12)))
        short = optimised(text)
        assert optimised(short) == short
        assert short.count(CODE) == text.count(CODE) and short.count(TABLE) == text.count(TABLE)
        assert "   \n" not in short.replace(CODE, "") and len(short) <= len(text)
    assert optimised("a\n\n\n\nb\n## \n\nc  d\n") == "a\n\nb\n\nc  d"


def test_a_prompt_names_only_what_is_on_and_leaves_no_place_open() -> None:
    random = Random(3)
    tasks = (Task(id="t1", text="Order soup"),)
    for _ in range(200):
        own = random_configuration(random)
        shown = [
            preview(
                "Talk.",
                own,
                catalog=catalog,
                tasks=tasks,
                duration_minutes=20,
                level="A2",
                locale=locale,
            )
            for locale in ("en", "he", "en")
        ]
        assert shown[0] == shown[2]
        for each in shown[:2]:
            assert "{{" not in each.system_prompt and "t1: Order soup" in each.system_prompt
            named = {tool for tool in TOOLS if tool in each.system_prompt}
            assert named == own.enabled.keys()
            assert {one["name"] for one in each.function_declarations} == named
            tokens = each.estimated_tokens
            assert tokens.total == tokens.prompt + tokens.declarations


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
    ("text", "keyword", "expected"),
    [
        ("I have two hobbies", "hobby", True),
        ("My Favorite food", "favorite food", True),
        ("והתחביב שלי", "תחביב", True),
        ("אֲנִי אוֹהֵב כַּדּוּרֶגֶל", "כדורגל", True),
        ("the hobbit is a book", "hobby", False),
        ("", "food", False),
    ],
)
def test_keywords_are_found_in_their_forms(text: str, keyword: str, expected: bool) -> None:
    assert mentions([text], [keyword]) is expected


def test_a_goodbye_is_known_in_both_languages() -> None:
    assert says_goodbye("OK bye bye") and says_goodbye("טוב, להתראות!")
    assert not says_goodbye("What does goodness mean?") and not says_goodbye("מה שלומך?")
