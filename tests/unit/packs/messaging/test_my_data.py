"""The data about users that the messaging pack stores."""

from __future__ import annotations

from packs.messaging.my_data import USER_DATA


def test_messages_conversations_and_tasks_are_among_it() -> None:
    kinds = {section.kind for section in USER_DATA.sections}
    assert {"chatMessages", "conversations", "tasks"} <= kinds
