"""Configurations of lessons: each pair of tool and trigger, and random ones."""

from __future__ import annotations

from random import Random
from typing import Any

from packs.tutoring.catalogue import TOOLS
from packs.tutoring.configuration import ToolConfiguration, read_configuration

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

CODE = "```python\nif x:\n    y  =  1\n\n\n    z\n```"
TABLE = "| a  | b |\n|----|---|\n| 1  |   |"
NESTED = "- one\n  - two  words\n    indented"


def setting(tool: str, type: str, *, enabled: bool = True, **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"type": type}
    given |= {"keyword": {"keywords": ["food"]}, "turn_count": {"minTurns": 3}}.get(type, {})
    given |= {"minutesRemaining": 2} if type == "time_remaining" else {}
    return {"toolId": tool, "enabled": enabled, "triggerCondition": given, **more}


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
