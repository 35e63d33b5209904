"""What an operator wrote of an agent is taken, or told; nothing of it fails a run."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Status
from rollcall.registry.documents import unread_overrides, with_overrides

DESK = AgentProfile(id="desk", name={"en": "Desk"}, instructions="Help.", tools=("find_room",))


def test_what_is_of_the_right_kind_counts() -> None:
    document = {
        "overrides": {"status": "beta", "tools": ["*"], "maxSteps": 2, "note": {"by": "me"}}
    }
    found = with_overrides(DESK, document)
    assert (found.status, found.tools, found.max_steps) == (Status.BETA, ("*",), 2)
    assert unread_overrides(document) == []


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"maxSteps": 0}, "override maxSteps is left out: 0 is less than 1"),
        ({"maxSteps": 201}, "override maxSteps is left out: 201 is more than 200"),
        ({"tools": "find_room"}, 'override tools is left out: "find_room" is no list'),
        ({"maxCostUsd": "1"}, 'override maxCostUsd is left out: "1" is no number'),
        (
            {"maxCostUsd": float("inf")},
            "override maxCostUsd is left out: Infinity is no finite number",
        ),
        ({"max_steps": 3}, "overrides.max_steps means nothing"),
    ],
)
def test_what_is_not_is_told_in_words_and_changes_nothing(
    overrides: dict[str, Any], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "rollcall"):
        assert with_overrides(DESK, {"overrides": overrides}) == DESK
    assert [each.getMessage() for each in caplog.records] == [f"agent desk: {words}"]


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"status": "off"}, "overrides.status is none of active, beta, deprecated, disabled"),
        ({"status": {"x": 1}}, "overrides.status is none of"),
        ("off", "overrides are no object"),
        ({"approvals": "always"}, 'override approvals is left out: "always" is no object'),
    ],
)
def test_what_was_meant_to_close_an_agent_closes_it_and_says_so(
    overrides: Any, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "rollcall"):
        assert with_overrides(DESK, {"overrides": overrides}).status is Status.DISABLED
    assert any(words in each.getMessage() for each in caplog.records)
