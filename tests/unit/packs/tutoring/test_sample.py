"""The sample's lessons, and the recorded lessons of the demo that go with them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dev.demo import TOURS
from dev.paths import ROOT
from dev.recorded_model import read_recording
from packs.tutoring.configuration import read_configuration, with_defaults
from packs.tutoring.lesson_prompt import preview
from packs.tutoring.missions import read_lesson
from tests.support.catalogs import catalog


def documents(name: str) -> dict[str, Any]:
    file = ROOT / "seed/tutoring" / f"{name}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["documents"]
    return found


MISSIONS = documents("missions")


@pytest.mark.parametrize("id", sorted(MISSIONS))
def test_every_lesson_of_the_sample_is_as_configure_lesson_would_have_saved_it(id: str) -> None:
    data = MISSIONS[id]
    configuration = read_configuration(data["toolConfiguration"])
    assert configuration.dump() == data["toolConfiguration"]
    is_review = data["lessonType"] == "review"
    assert with_defaults(configuration, has_tasks=True, is_review=is_review) == configuration
    assert documents("courses")[data["courseId"]]["teacherIds"] == [data["teacherUid"]] == ["demo"]
    shown = preview(read_lesson(data), catalog=catalog)
    assert not shown.warnings and data["conversationPrompt"] in shown.system_prompt


def test_the_recorded_lessons_call_what_their_lessons_have_and_do_all_tasks() -> None:
    recording = read_recording("tutor")
    for lesson in TOURS["tutor"].lessons:
        mission = MISSIONS[lesson.mission_id]
        enabled = read_configuration(mission["toolConfiguration"]).enabled
        calls = [
            call
            for message in lesson.messages
            for step in recording[message]
            for call in step.get("calls", ())
        ]
        for call in calls:
            assert call["name"] in enabled
            capability = catalog.find_capability(call["name"])
            assert capability.frozen(call["arguments"], field="arguments")
        done = {c["arguments"]["taskId"] for c in calls if c["name"] == "mark_task_complete"}
        assert done == {each["id"] for each in mission["tasks"]}
        assert calls[-1]["name"] == "show_session_summary"
