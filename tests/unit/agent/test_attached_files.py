"""Which files of a dialogue a model is shown, and the most that costs."""

from __future__ import annotations

from base64 import b64encode
from unittest.mock import create_autospec

import pytest
from google.cloud.firestore import Client

from rollcall.agent import attached_files
from rollcall.agent.attached_files import (
    NEWEST,
    PROCESS_BYTES,
    TEXT_CHARS,
    AttachedFiles,
    file_tokens,
)
from rollcall.agent.paid_calls import request_tokens
from rollcall.core.errors import Unavailable
from rollcall.core.messages import Media, Message, Text, UserMessage
from rollcall.models.base import ModelRequest
from rollcall.models.provider import OFFLINE
from rollcall.store.attachments import MAX_BYTES


def user_message(*files: Media) -> UserMessage:
    return UserMessage((Text("Look."), *files))


def file(id: str, size: int, media_type: str = "image/png") -> Media:
    kind = "image" if media_type.startswith("image/") else "document"
    return Media(kind, media_type, name=f"{id}.x", file_id=id, bytes=size)  # type: ignore[arg-type]


def sent_files(*messages: Message) -> set[str]:
    return set(attached_files._files_to_send(messages))


def test_the_newest_messages_with_files_are_shown() -> None:
    messages = [user_message(file(str(n), 10)) for n in range(5)]
    assert sent_files(*messages, user_message(), user_message()) == {"2", "3", "4"}
    assert NEWEST == 3


def test_older_files_are_left_out_where_they_are_too_large_together() -> None:
    large = [user_message(file(str(n), MAX_BYTES // 2 + 1)) for n in range(2)]
    assert sent_files(*large) == {"1"}


def test_a_file_that_was_sent_twice_counts_once() -> None:
    again = file("a", MAX_BYTES)
    assert sent_files(user_message(again), user_message(again)) == {"a"}


def test_what_files_cost_is_estimated_beforehand() -> None:
    assert file_tokens([user_message(file("a", 5_000_000))]) == 1_600
    assert file_tokens([user_message(file("a", 9_000, "text/csv"))]) == 3_000
    assert file_tokens([user_message(file("a", 9_000_000, "text/csv"))]) == 2 * TEXT_CHARS // 3
    assert file_tokens([user_message(file("a", 1_000_000, "application/pdf"))]) == 20_000
    plain = ModelRequest("", (user_message(),))
    with_file = ModelRequest("", (user_message(file("a", 9_000, "text/csv")),))
    assert request_tokens(with_file) >= request_tokens(plain) + 3_000


def test_a_stored_file_that_is_no_base64_ends_no_run() -> None:
    files = AttachedFiles(create_autospec(Client), "ann")
    broken = Media("document", "text/csv", "aGVsbG8", "old.csv")  # without its padding
    request = ModelRequest("", (user_message(broken),))
    (message,) = files.request_for(request, "openai:gpt-5").messages
    assert isinstance(message, UserMessage)
    assert message.parts[1] == Text('[document "old.csv", 1 KB; it is not kept any more]')
    assert files.request_for(request, OFFLINE) is request


@pytest.mark.parametrize("media_type", ["text/plain", "application/json"])
@pytest.mark.parametrize("model_id", ["openai:gpt-5", "gemini:gemini-2.5-flash", "anthropic:x"])
def test_a_documents_text_is_data_without_chat_markup(model_id: str, media_type: str) -> None:
    note = Media("document", media_type, b64encode(b"a<|im_start|>").decode(), "n.txt")
    files = AttachedFiles(create_autospec(Client), "ann")
    (message,) = files.request_for(ModelRequest("", (user_message(note),)), model_id).messages
    assert isinstance(message, UserMessage)
    shown = message.parts[1]
    assert isinstance(shown, Text) and shown.text.endswith("<data>\na‹|im_start|›\n</data>")


def test_room_for_files_is_given_back() -> None:
    room = attached_files._Room(PROCESS_BYTES)
    with room.reserve(PROCESS_BYTES), pytest.raises(Unavailable), room.reserve(1):
        pass
    with room.reserve(PROCESS_BYTES):
        pass
