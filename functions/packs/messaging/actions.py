"""Action items in a chat: who is to do what by when, in English and Hebrew.

Messages are read sentence by sentence. What the next few messages say about an
item ("sure, on it", "sorry, I can't") then changes how sure it is and whose.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

from packs.messaging.action_items import (
    LEAST_CONFIDENCE,
    ActionItem,
    ActionPriority,
    accepted,
    add_item,
    after_replies,
    is_refused,
    open_before,
    points_back,
)
from packs.messaging.asks import Ask, asks_of
from packs.messaging.chat import ChatMessage, readable
from packs.messaging.cues import plain
from packs.messaging.deadlines import Deadline, find_deadline
from packs.messaging.patterns import Pattern
from packs.messaging.people import People, Person
from packs.messaging.priority import classify
from packs.messaging.task_wording import is_trivial, out_of_context, without_deadline
from rollcall.core.text import sentences

_ANSWERS_WITHIN = timedelta(minutes=30)
_QUOTE = Pattern(r"^\s*>.*$", re.MULTILINE)


def extract_actions(
    messages: Sequence[ChatMessage],
    *,
    conversation_id: str,
    names: Mapping[str, str],
    context: Sequence[ChatMessage] = (),
) -> list[ActionItem]:
    """Return the action items of new messages, in time order.

    Args:
        names: Participant id to name; senders are added to it.
        context: Earlier messages, read already. Their items are returned only
            where a new message changed them (accepted, refused, said again).
            One that is refused comes with confidence 0.
    """
    everything = readable([*context, *messages])
    people = People({**{message.sender_id: message.sender_name for message in everything}, **names})
    found = _read(everything, people, conversation_id)
    new = {message.id for message in messages}
    if not context:
        return [item for item in found if item.confidence]
    before = {item.id: item for item in _read(readable(context), people, conversation_id)}
    return [
        item
        for item in found
        if (item.confidence if item.message_id in new else before.get(item.id) != item)
    ]


def _read(messages: list[ChatMessage], people: People, conversation_id: str) -> list[ActionItem]:
    items: list[ActionItem] = []
    for place, message in enumerate(messages):
        for item in _of_message(message, people, conversation_id, before=messages[:place]):
            if points_back(item) and (earlier := open_before(items, message)) is not None:
                items[earlier] = accepted(
                    items[earlier], people.of(message.sender_id), message.text
                )
                continue
            settled = after_replies(item, message, messages[place + 1 :], people)
            if settled.confidence >= LEAST_CONFIDENCE or is_refused(settled, item):
                add_item(items, settled)
    return items


def _of_message(
    message: ChatMessage, people: People, conversation_id: str, *, before: Sequence[ChatMessage]
) -> list[ActionItem]:
    items = list(_of_sentences(message, people, conversation_id, before=before))
    if len(items) == 1 and items[0].deadline is None:
        # "I need the sheet for the investors. By Thursday please."
        due = find_deadline(message.text, said_at=message.sent_at)
        if due and due.binding:
            return [replace(items[0], deadline=due.iso())]
    return items


def _of_sentences(
    message: ChatMessage, people: People, conversation_id: str, *, before: Sequence[ChatMessage]
) -> Iterator[ActionItem]:
    text = plain_lines(_QUOTE.sub("", message.text))
    called: Person | None = None
    seen: set[str] = set()
    for sentence in sentences(text):
        sentence = plain(sentence)
        person, rest = people.addressed(sentence)
        called = person or called
        for ask in asks_of(rest, people, message, called=called, calls=person is not None):
            task, deadline = without_deadline(ask.task, message.sent_at)
            task = out_of_context(task)
            deadline = deadline or find_deadline(sentence, said_at=message.sent_at)
            if (len(task.split()) < 2 and not (deadline or called)) or task.lower() in seen:
                continue
            if is_trivial(task):
                continue
            seen.add(task.lower())
            who = ask.who or (
                _addressee(people, message, called, before=before) if ask.you else None
            )
            yield _item(message, conversation_id, ask, task, who, deadline, sentence)


def plain_lines(text: str) -> str:
    """Return a text without blank ends of lines, so that lists are read line by line."""
    return "\n".join(line.strip(" \t-*•[]") for line in text.splitlines())


def _item(
    message: ChatMessage,
    conversation_id: str,
    ask: Ask,
    task: str,
    who: Person | None,
    deadline: Deadline | None,
    sentence: str,
) -> ActionItem:
    key = f"{conversation_id}|{message.id}|{task.lower()}"
    return ActionItem(
        id=sha256(key.encode()).hexdigest()[:20],
        conversation_id=conversation_id,
        message_id=message.id,
        task=task,
        assignee_id=who.id if who else None,
        assignee=who.name if who else None,
        deadline=deadline.iso() if deadline else None,
        priority=_priority(message),
        context=sentence,
        confidence=round(ask.confidence + (0.05 if deadline else 0.0), 2),
        said_at=message.sent_at,
    )


def _priority(message: ChatMessage) -> ActionPriority:
    """Return what the message says of urgency; asking alone says nothing of it."""
    level = classify(message.text).level
    if level in ("urgent", "high"):
        return "high"
    return "low" if level == "low" else "unspecified"


def _addressee(
    people: People, message: ChatMessage, called: Person | None, *, before: Sequence[ChatMessage]
) -> Person | None:
    """Return whom "you" means: who is called, the other of two, or who spoke just before."""
    if called is not None and called.id != message.sender_id:
        return called
    if other := people.other_than(message.sender_id):
        return other
    for earlier in before[-2:][::-1]:
        fresh = message.sent_at - earlier.sent_at <= _ANSWERS_WITHIN
        if fresh and earlier.sender_id != message.sender_id:
            return people.of(earlier.sender_id)
    return None
