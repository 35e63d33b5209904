"""The data of a teacher's panel: the catalogue in words, presets, fields and limits."""

from __future__ import annotations

from typing import Any

import pytest

from packs.tutoring.catalogue import PRESETS, TOOLS
from packs.tutoring.configuration import read_configuration
from packs.tutoring.missions import preview_lesson
from packs.tutoring.panel import list_lesson_tools
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument
from rollcall.testing import context
from tests.support.catalogs import catalog


def list_tools(locale: str = "en") -> dict[str, Any]:
    found = Capability.of(list_lesson_tools).call(context(role="teacher", locale=locale), {})
    return dict(found)  # the context has no database, so nothing was read


def test_the_panel_is_told_the_whole_catalogue_and_no_other() -> None:
    found = list_tools()
    assert [each["toolId"] for each in found["tools"]] == list(TOOLS)
    for each in found["tools"]:
        tool, own = TOOLS[each["toolId"]], catalog.find_capability(each["toolId"])
        assert [trigger["type"] for trigger in each["triggers"]] == list(tool.triggers)
        assert each["runsOn"] == own.mark.runs_on
        assert each["category"] in {one["id"] for one in found["categories"]}
    assert [each["id"] for each in found["presets"]] == list(PRESETS)
    for each in found["presets"]:
        assert read_configuration(each["toolConfiguration"]).dump() == each["toolConfiguration"]


def test_what_is_told_of_the_fields_is_what_is_accepted() -> None:
    """The least and the most that a panel offers pass, and one more is refused at that field."""
    seen = set()
    for tool in list_tools()["tools"]:
        for trigger in tool["triggers"]:
            if (field := trigger.get("field")) is None:
                assert configure(tool, trigger, None, None) is None
                continue
            seen.add(field["name"])
            good, bad = values(field)
            for value in good:
                assert configure(tool, trigger, field, value) is None, (trigger, value)
            for value in bad:
                at = "toolConfiguration.tools.0.triggerCondition." + field["name"]
                assert str(configure(tool, trigger, field, value)).startswith(at), value
    assert seen == {"keywords", "minTurns", "minutesRemaining"}


def values(field: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    if field["type"] == "texts":
        words = [f"w{n}" for n in range(field["maxItems"] + 1)]
        long = "x" * field["maxChars"]
        return [words[:1], words[:-1], [long]], [[], words, [long + "x"]]
    if field["type"] == "integer":
        least, most = field["minimum"], field["maximum"]
        return [least, most], [least - 1, most + 1]
    return field["choices"], [min(field["choices"]) - 1, max(field["choices"]) + 1]


def configure(tool: Any, trigger: Any, field: Any, value: Any) -> str | None:
    """The field that a configuration of one tool was refused for, if it was."""
    condition = {"type": trigger["type"], **({field["name"]: value} if field else {})}
    data = {"toolId": tool["toolId"], "enabled": True, "triggerCondition": condition}
    try:
        read_configuration({"tools": [data]})
    except InvalidArgument as refused:
        return refused.field
    return None


def test_only_what_the_server_checks_is_said_to_be_checked() -> None:
    checked = {
        (tool["toolId"], trigger["type"])
        for tool in list_tools()["tools"]
        for trigger in tool["triggers"]
        if trigger["isChecked"]
    }
    assert ("mark_for_review", "turn_count") in checked
    assert ("mark_for_review", "error_detected") not in checked
    assert not any(tool == "play_student_audio" for tool, _ in checked)  # the device plays it


def test_the_panel_is_in_the_callers_language() -> None:
    english, hebrew = list_tools(), list_tools("he")
    for one, other in zip(english["tools"], hebrew["tools"], strict=True):
        assert one["name"] != other["name"] and one["description"] != other["description"]
        for left, right in zip(one["triggers"], other["triggers"], strict=True):
            assert left["name"] != right["name"] and left["type"] == right["type"]
            assert bool(left.get("field")) == bool(right.get("field"))
    assert english["limits"] == hebrew["limits"]


def test_the_limits_told_are_those_of_a_lesson() -> None:
    limits = list_tools()["limits"]
    ctx = context(role="teacher")
    ctx.platform.catalog = catalog  # type: ignore[union-attr,misc]
    preview = Capability.of(preview_lesson)
    for name, least, most in (
        ("durationMinutes", limits["minMinutes"], limits["maxMinutes"]),
        ("conversationPrompt", "", "x" * limits["promptChars"]),
        ("tasks", [], [{"text": "x" * limits["taskChars"]}] * limits["maxTasks"]),
    ):
        assert preview.call(ctx, {name: least}) and preview.call(ctx, {name: most})
        over = most + 1 if isinstance(most, int) else most + most[:1]
        with pytest.raises(InvalidArgument) as refused:
            preview.call(ctx, {name: over})
        assert str(refused.value.field).startswith(f"arguments.{name}")


def test_a_preview_shows_what_would_be_saved_and_what_was_switched_on() -> None:
    ctx = context(role="teacher", locale="he")
    ctx.platform.catalog = catalog  # type: ignore[union-attr,misc]
    preview = Capability.of(preview_lesson)
    lesson = {"preset": "conversation_only", "tasks": [{"text": "Order"}], "lessonType": "review"}
    found = preview.call(ctx, lesson)
    enabled = [each["toolId"] for each in found["toolConfiguration"]["tools"] if each["enabled"]]
    assert set(enabled) == {*PRESETS["review_lesson"], "mark_task_complete"}
    assert {each["name"] for each in found["functionDeclarations"]} == set(enabled)
    assert "הופעל: ביצוע משימות." in found["changes"] and len(found["changes"]) == 3
    off = {"toolId": "mark_task_complete", "enabled": False, "triggerCondition": {"type": "always"}}
    kept = preview.call(ctx, {**lesson, "preset": None, "toolConfiguration": {"tools": [off]}})
    assert "mark_task_complete" not in {each["name"] for each in kept["functionDeclarations"]}
    assert kept["warnings"][0] == "בשיעור יש משימות, ואין כלי שמסמן אותן."
