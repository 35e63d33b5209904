"""Bad input for the messaging pack's functions: none is answered with INTERNAL."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from google.cloud.firestore import Client

from tests.support.bad_input import (
    check_arguments,
    own_functions,
    read_rows,
    wrong_answers,
)
from tests.support.local_functions import Functions
from tests.support.user_data import update_times

KEYS = ["limit", "query", "priorityLevel", "conversationIds", "conversationId", "maxLength"]
KEYS += ["focusArea", "maxIterations"]


@pytest.fixture
def functions(db: Client, monkeypatch: pytest.MonkeyPatch) -> Functions:
    for id, uid in (("mine", "ann"), ("eves", "eve")):
        db.document(f"conversations/{id}").set(
            {
                "name": id,
                "type": "group",
                "participantIds": [uid],
                "participantNames": {uid: uid},
                "lastMessageAt": datetime(2026, 3, 1, tzinfo=UTC),
                "messageCount": 0,
                "encryptedCount": 0,
            }
        )
    return own_functions(db, monkeypatch.setenv)


def test_every_row_of_the_corpus_gets_its_code_and_field(db: Client, functions: Functions) -> None:
    before = update_times(db)
    assert wrong_answers(functions, read_rows("packs/messaging/bad_requests.jsonl")) == []
    assert update_times(db) == before


def test_no_variation_of_arguments_is_answered_with_internal(functions: Functions) -> None:
    for name in (
        "get_user_conversations",
        "get_priority_messages",
        "get_conversation_action_items",
        "get_conversation_decisions",
        "summarize_conversation",
        "search_all_conversations",
    ):
        check_arguments(functions, name, KEYS)
