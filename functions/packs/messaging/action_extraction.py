"""Rules that find action items in a chat: who is to do what by when, in English and Hebrew."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal

from packs.messaging.chat import ChatMessage, readable
from packs.messaging.cues import agrees, pattern, patterns, plain, refuses
from packs.messaging.dates import Deadline, find_deadline
from packs.messaging.people import People, Person
from packs.messaging.priority_rules import classify
from packs.messaging.task_wording import is_trivial, out_of_context, without_deadline
from packs.messaging.wording import TEXTS
from rollcall.core.text import language, sentences, terms

ActionPriority = Literal["high", "medium", "low", "unspecified"]

LEAST_CONFIDENCE = 0.5
_MOST_CONFIDENCE = 0.97
_REPLIES_WITHIN = timedelta(hours=24)
_REPLIES_LOOKED_AT = 4
_SAME_TASK = 0.6
_SAME_OBJECT = 0.75
_REPEATED_WITHIN = timedelta(hours=2)
_REFUSED = 0.0
_LESS_LIKELY = 0.5  # Factor for a request to nobody in particular that somebody refused.


@dataclass(frozen=True, slots=True)
class ActionItem:
    """A task.

    Attributes:
        id: The same whenever the same message is read again.
        assignee_id: None where the assignee is unknown or no participant.
        deadline: "2026-11-30", or with a time and zone.
        context: The sentence, with the reply that accepted it.
        confidence: 0 to 1; 0 for a request that its assignee refused.
    """

    id: str
    conversation_id: str
    message_id: str
    task: str
    assignee_id: str | None
    assignee: str | None
    deadline: str | None
    priority: ActionPriority
    context: str
    confidence: float
    said_at: datetime


def refers_back(item: ActionItem) -> bool:
    """Tell whether an item only accepts an earlier request: "I'll do that"."""
    return pattern("actions.points_back").match(item.task) is not None


def last_open_item(items: list[ActionItem], message: ChatMessage) -> int | None:
    """Return the position of the last item that this message may accept."""
    for place in range(len(items) - 1, max(-1, len(items) - 4), -1):
        item = items[place]
        fresh = message.sent_at - item.said_at <= _REPLIES_WITHIN
        if (
            fresh
            and item.message_id != message.id
            and item.assignee_id in (None, message.sender_id)
        ):
            return place
    return None


def with_replies(
    item: ActionItem, message: ChatMessage, later: Sequence[ChatMessage], people: People
) -> ActionItem:
    """Return the item, updated by the replies to it."""
    for reply in later[:_REPLIES_LOOKED_AT]:
        if reply.sent_at - message.sent_at > _REPLIES_WITHIN:
            break
        if reply.sender_id == message.sender_id:
            continue
        if item.assignee_id == message.sender_id:
            break  # A promise needs no acceptance.
        if item.assignee_id not in (None, reply.sender_id):
            continue
        if refuses(reply.text):
            of_them = item.assignee_id == reply.sender_id
            left = _REFUSED if of_them else item.confidence * _LESS_LIKELY
            return replace(item, confidence=round(left, 2))
        if agrees(reply.text):
            return with_acceptance(item, people.of(reply.sender_id), reply.text)
    return item


def is_refused(settled: ActionItem, item: ActionItem) -> bool:
    """Tell whether a likely item was refused, so that a stored copy of it must be removed."""
    return settled.confidence == _REFUSED and item.confidence >= LEAST_CONFIDENCE


def with_acceptance(item: ActionItem, person: Person, reply: str) -> ActionItem:
    """Return the item, accepted by a person."""
    return replace(
        item,
        assignee_id=item.assignee_id or person.id,
        assignee=item.assignee or person.name,
        confidence=round(min(_MOST_CONFIDENCE, item.confidence + 0.1), 2),
        context=f"{item.context} / {person.name}: {plain(reply)[:120]}",
    )


def add_item(items: list[ActionItem], item: ActionItem) -> None:
    """Add an item, or complete the earlier one that it repeats."""
    words = set(terms(item.task))
    for place, known in enumerate(items):
        same_person = None in (known.assignee_id, item.assignee_id) or (
            known.assignee_id == item.assignee_id
        )
        if known.confidence == _REFUSED or item.confidence == _REFUSED or not same_person:
            continue
        if not _is_repeated(known, item, words):
            continue
        items[place] = replace(
            known,
            assignee_id=known.assignee_id or item.assignee_id,
            assignee=known.assignee or item.assignee,
            deadline=item.deadline or known.deadline,
            confidence=round(
                min(_MOST_CONFIDENCE, max(known.confidence, item.confidence) + 0.03), 2
            ),
        )
        return
    items.append(item)


def _is_repeated(known: ActionItem, item: ActionItem, words: set[str]) -> bool:
    """Tell whether an item repeats an earlier one; in other words, only soon after it."""
    other = set(terms(known.task))
    if not words or not other:
        return False
    if _overlap(words, other) >= _SAME_TASK:
        return True
    shorter = min(len(words), len(other))
    return (
        known.assignee_id == item.assignee_id is not None
        and item.said_at - known.said_at <= _REPEATED_WITHIN
        and shorter >= 2
        and len(words & other) / shorter >= _SAME_OBJECT
    )


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task as a clause words it; `is_for_addressee` if "you" is to do it."""

    task: str
    confidence: float
    who: Person | None = None
    is_for_addressee: bool = False


def requests_of(
    sentence: str,
    people: People,
    message: ChatMessage,
    *,
    called: Person | None,
    has_addressee: bool,
) -> Iterator[TaskRequest]:
    """Yield the tasks of one sentence, from its clauses left to right."""
    if pattern("actions.done").search(sentence):
        return
    if label := pattern("actions.label").match(sentence):
        yield _labelled_request(label["task"], people, message)
        return
    starts = [0, *(match.end() for match in pattern("actions.cut").finditer(sentence))]
    last_end = -1
    for start in starts:
        clause = pattern("actions.filler").sub("", sentence[start:])
        named = _name_before(sentence, start, people)
        is_unaddressed = named is None and (start > 0 or not has_addressee)
        request = _request_in_clause(
            clause, people, message, is_unaddressed=is_unaddressed, called=called
        )
        if request is None:
            continue
        if start < last_end and not _is_explicit(clause):
            continue
        last_end = len(sentence)
        before = sentence[:start] + " " + sentence[start:][: len(sentence[start:]) - len(clause)]
        if pattern("talk.hypothetical").search(before + " " + clause[:12]):
            # "If it is open, close it" still asks; "if it rains, I'll drive" hardly promises.
            request = replace(
                request, confidence=request.confidence * (0.8 if request.is_for_addressee else 0.5)
            )
        if request.is_for_addressee and named is not None:
            request = replace(request, who=named)
        yield replace(request, task=_up_to_next_request(request.task))


def _name_before(sentence: str, start: int, people: People) -> Person | None:
    """Return whom a clause in mid-sentence addresses: "meanwhile Omer, write it down"."""
    words = sentence[:start].rstrip(" ,:;-").split(" ")
    return people.find(words[-1]) if start and words[-1] else None


def _up_to_next_request(task: str) -> str:
    """Cut a task where the sentence goes on to another promise or request."""
    return pattern("actions.goes_on").split(task)[0]


def _is_explicit(clause: str) -> bool:
    return pattern("actions.explicit").match(clause) is not None


def _labelled_request(task: str, people: People, message: ChatMessage) -> TaskRequest:
    person, rest = people.addressed(task)
    for assigns, _ in patterns("actions.assigns"):
        match = assigns.match(rest)
        if match and (named := people.named(match["name"])):
            return TaskRequest(match["task"], 0.92, named)
    for commits, _ in patterns("actions.commits")[:2]:
        if match := commits.match(rest):
            return TaskRequest(match["task"], 0.92, people.of(message.sender_id))
    return TaskRequest(rest, 0.9, person)


def _request_in_clause(
    clause: str,
    people: People,
    message: ChatMessage,
    *,
    is_unaddressed: bool,
    called: Person | None,
) -> TaskRequest | None:
    """Return the task a clause begins with, if any."""
    sender = people.of(message.sender_id)
    for key, who, is_for_addressee in (
        ("actions.commits", sender, False),
        ("actions.requests", None, True),
        ("actions.own_need", sender, False),
        ("actions.joint", None, False),
    ):
        if request := _first_match(key, clause, who=who, is_for_addressee=is_for_addressee):
            return request
    return (
        _assignment(clause, people)
        or _wish(clause, message, called=called)
        or _order(clause, message, is_unaddressed=is_unaddressed)
        or _elliptic_request(clause, people, message)
    )


def _first_match(
    key: str, clause: str, *, who: Person | None, is_for_addressee: bool
) -> TaskRequest | None:
    for each, confidence in patterns(key):
        match = each.match(clause)
        if match is None:
            continue
        verb = match.groupdict().get("verb") or ""
        if _is_no_task(match["task"], verb):
            return None
        return TaskRequest(match["task"], confidence, who, is_for_addressee)
    return None


def _assignment(clause: str, people: People) -> TaskRequest | None:
    for each, confidence in patterns("actions.assigns"):
        match = each.match(clause)
        if match is None:
            continue
        hebrew = "א" <= match["name"][0] <= "ת"
        if person := people.named(match["name"], unknown=not hebrew):
            sure = confidence if person.id else confidence - 0.15
            return None if clause.endswith("?") else TaskRequest(match["task"], sure, person)
    return None


def _wish(clause: str, message: ChatMessage, *, called: Person | None) -> TaskRequest | None:
    match = pattern("actions.wants").match(clause)
    if match is None:
        return None
    task, said_in = match["task"], language(match["task"])
    due = find_deadline(clause, said_at=message.sent_at)
    if called or due or "from you" in clause or said_in == "he" or "your" in task[:5]:
        return TaskRequest(TEXTS.say(said_in, "tasks.provide", task=task), 0.68, None, True)
    return None


def _order(clause: str, message: ChatMessage, *, is_unaddressed: bool) -> TaskRequest | None:
    """Read "send me the slides", with more confidence near a name, a "please" or a date."""
    match = pattern("actions.order").match(clause)
    if match is None or clause.endswith("?"):
        return None
    meant = re.search(r"\b(?:me|us|him|her|them|please|your)\b", clause, re.I) is not None
    due = find_deadline(clause, said_at=message.sent_at) is not None
    confidence = 0.42 + 0.35 * (not is_unaddressed) + 0.2 * meant + 0.15 * due
    if len(clause.split()) < 3 and is_unaddressed:
        return None
    return TaskRequest(match["task"], min(confidence, 0.85), None, True)


def _elliptic_request(clause: str, people: People, message: ChatMessage) -> TaskRequest | None:
    """Read "Draft by Friday": a promise, or with a question mark a request."""
    match = pattern("actions.elliptic").match(clause)
    if match is None or len(clause.split()) > 9 or people.find(clause.split(" ")[0]):
        return None
    task, due = without_deadline(match["task"], message.sent_at)
    if due is None or not 1 <= len(task.split()) <= 6 or task.rstrip() == match["task"].rstrip():
        return None
    if not pattern("actions.due").search(clause[len(task) :]):
        return None
    asks = clause.endswith("?")
    return TaskRequest(task, 0.5, None if asks else people.of(message.sender_id), asks)


_ANSWERS_WITHIN = timedelta(minutes=30)


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
        context: Earlier messages, read before. Their items are returned only where a new message
            changed them (accepted, refused, repeated). A refused one comes with confidence 0.
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
            if refers_back(item) and (earlier := last_open_item(items, message)) is not None:
                items[earlier] = with_acceptance(
                    items[earlier], people.of(message.sender_id), message.text
                )
                continue
            settled = with_replies(item, message, messages[place + 1 :], people)
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
    text = plain_lines(pattern("actions.quote").sub("", message.text))
    called: Person | None = None
    seen: set[str] = set()
    for sentence in sentences(text):
        sentence = plain(sentence)
        person, rest = people.addressed(sentence)
        called = person or called
        for request in requests_of(
            rest, people, message, called=called, has_addressee=person is not None
        ):
            task, deadline = without_deadline(request.task, message.sent_at)
            task = out_of_context(task)
            deadline = deadline or find_deadline(sentence, said_at=message.sent_at)
            if (len(task.split()) < 2 and not (deadline or called)) or task.lower() in seen:
                continue
            if is_trivial(task):
                continue
            seen.add(task.lower())
            who = request.who or (
                _addressee(people, message, called, before=before)
                if request.is_for_addressee
                else None
            )
            yield _item(message, conversation_id, request, task, who, deadline, sentence)


def plain_lines(text: str) -> str:
    """Return a text without bullets and outer spaces of lines, so that lists are read by line."""
    return "\n".join(line.strip(" \t-*•[]") for line in text.splitlines())


def _item(
    message: ChatMessage,
    conversation_id: str,
    request: TaskRequest,
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
        confidence=round(request.confidence + (0.05 if deadline else 0.0), 2),
        said_at=message.sent_at,
    )


def _priority(message: ChatMessage) -> ActionPriority:
    """Return the message's urgency by its words; a request alone says nothing about it."""
    level = classify(message.text).level
    if level in ("urgent", "high"):
        return "high"
    return "low" if level == "low" else "unspecified"


def _addressee(
    people: People, message: ChatMessage, called: Person | None, *, before: Sequence[ChatMessage]
) -> Person | None:
    """Return whom "you" means: the person called by name, the other of two, or the last speaker."""
    if called is not None and called.id != message.sender_id:
        return called
    if other := people.other_than(message.sender_id):
        return other
    for earlier in before[-2:][::-1]:
        fresh = message.sent_at - earlier.sent_at <= _ANSWERS_WITHIN
        if fresh and earlier.sender_id != message.sender_id:
            return people.of(earlier.sender_id)
    return None


def _is_no_task(task: str, verb: str) -> bool:
    """Tell whether the words after "I'll" or "can you" are no task ("be late", "tell me why")."""
    if verb.lower() not in TEXTS.phrases("cues.actions.idle"):
        return False
    return pattern("actions.idle_except").match(task) is None
