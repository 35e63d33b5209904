"""The sample company's conversations and the labels that go with them."""

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from rollcall.core.text import language
from seed.messaging.days import workday
from seed.messaging.sample import FOLDER, conversations
from seed.target import DEMO_USER

TODAY = date(2026, 11, 24)
LABELS = json.loads(
    (Path(__file__).parents[4] / "evals/packs/messaging/sample_labels.json").read_text(
        encoding="utf-8"
    )
)
SAMPLES = list(conversations(today=TODAY))
MESSAGES = {message.id: message for _, messages in SAMPLES for message in messages}
PEOPLE = {c.id: c.participant_names for c, _ in SAMPLES}
CONVERSATION = {m.id: c.id for c, messages in SAMPLES for m in messages}


def test_every_conversation_has_messages_and_no_id_is_used_twice() -> None:
    described = json.loads((FOLDER / "conversations.json").read_text(encoding="utf-8"))
    assert [c.id for c, _ in SAMPLES] == list(described["documents"])
    assert sum(len(messages) for _, messages in SAMPLES) == len(MESSAGES) >= 300


def test_everybody_who_speaks_takes_part() -> None:
    for conversation, messages in SAMPLES:
        assert {m.sender_id for m in messages} <= set(conversation.participant_ids)
        assert conversation.created_by in conversation.participant_ids
        assert (conversation.type == "direct") == (len(conversation.participant_ids) == 2)


def test_the_demo_user_is_in_most_conversations_but_not_in_all() -> None:
    outside = {c.id for c, _ in SAMPLES if DEMO_USER.uid not in c.participant_ids}
    assert outside == {"sample-board", "sample-surprise"}


def test_both_languages_are_at_least_thirty_percent() -> None:
    spoken = Counter(language(m.text) for m in MESSAGES.values() if not m.encrypted)
    assert min(spoken["he"], spoken["en"]) >= 0.3 * spoken.total()


def test_one_chat_is_encrypted_throughout_and_holds_no_plain_words() -> None:
    by_chat = {c.id: [m.encrypted for m in messages] for c, messages in SAMPLES}
    assert all(by_chat.pop("sample-rina-private"))
    assert not any(encrypted for marks in by_chat.values() for encrypted in marks)
    assert all(m.text.startswith("v1.") for m in MESSAGES.values() if m.encrypted)


@pytest.mark.parametrize("today", [TODAY + timedelta(days=n) for n in range(7)])
def test_messages_are_in_order_and_just_past_on_any_day_of_seeding(today: date) -> None:
    start = datetime.combine(today, datetime.min.time(), UTC)
    for _, messages in conversations(today=today):
        assert all(a.sent_at < b.sent_at for a, b in pairwise(messages))
        assert all(timedelta() < start - m.sent_at < timedelta(days=25) for m in messages)
        assert "{" not in "".join(m.text for m in messages)


def test_labels_name_readable_messages_and_people_of_their_conversation() -> None:
    found = [(item["messageId"], item["assignee"]) for item in LABELS["actionItems"]]
    found += [(item["messageId"], item["decisionMaker"]) for item in LABELS["decisions"]]
    found += [(id, MESSAGES[id].sender_id) for id in LABELS["priorities"]]
    for id, uid in found:
        assert not MESSAGES[id].encrypted
        # The managing director signs a contract that he is not asked about himself.
        assert uid in PEOPLE[CONVERSATION[id]] or (id, uid) == ("sample-valvotec-23", "dan")


def test_labelled_deadlines_come_after_their_messages() -> None:
    for item in LABELS["actionItems"]:
        if (count := item.get("deadlineWorkdaysAgo")) is not None:
            sent = MESSAGES[item["messageId"]].sent_at.date()
            assert sent <= workday(count, today=TODAY)


def test_what_the_demo_asks_about_is_there() -> None:
    own = {c for c, people in PEOPLE.items() if DEMO_USER.uid in people}
    decided = [d for d in LABELS["decisions"] if CONVERSATION[d["messageId"]] in own]
    assert sum("budget" in d["decision"] or "60k" in d["decision"] for d in decided) >= 2
    assert {language(d["decision"]) for d in decided} == {"en", "he"}
    mine = [item for item in LABELS["actionItems"] if item["assignee"] == DEMO_USER.uid]
    assert len(mine) >= 10
    assert Counter(LABELS["priorities"].values()).keys() == {"urgent", "high"}
