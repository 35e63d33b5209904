"""Rules that find action items in a chat: who is to do what by when, in English and Hebrew."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from packs.messaging.chat import ChatMessage
from packs.messaging.cues import agrees, pattern, patterns, plain, refuses
from packs.messaging.dates import find_deadline
from packs.messaging.findings import ActionItem, ActionPriority, finding_id, new_findings
from packs.messaging.people import People, Person
from packs.messaging.priority_rules import classify
from packs.messaging.task_wording import is_trivial, out_of_context, without_deadline
from packs.messaging.wording import TEXTS
from rollcall.core.text import language, sentences, terms

_MIN_CONFIDENCE = 0.5
_MAX_CONFIDENCE = 0.97
_REPLIES_WITHIN = timedelta(hours=24)
_REPLIES_LOOKED_AT = 4
_ANSWERS_WITHIN = timedelta(minutes=30)
_SAME_TASK = 0.6
_SAME_OBJECT = 0.75
_REPEATED_WITHIN = timedelta(hours=2)
_REFUSED = 0.0
_LESS_LIKELY = 0.5  # Factor for a request to nobody in particular that somebody refused.
_PRIORITIES: dict[str, ActionPriority] = {"urgent": "high", "high": "high", "low": "low"}
"""The priority of a task by that of its message; a request alone says nothing about it."""


def extract_actions(
    messages: Sequence[ChatMessage],
    *,
    conversation_id: str,
    names: Mapping[str, str],
    context: Sequence[ChatMessage] = (),
) -> list[ActionItem]:
    """Return the action items of new messages, in time order; see `new_findings`."""
    return new_findings(
        _read, messages, conversation_id=conversation_id, names=names, context=context
    )


def _read(messages: list[ChatMessage], people: People, conversation_id: str) -> list[ActionItem]:
    items: list[ActionItem] = []
    for place, message in enumerate(messages):
        for item in _of_message(message, people, conversation_id, before=messages[:place]):
            # "I'll do that" only accepts an earlier request.
            refers_back = pattern("actions.points_back").match(item.task) is not None
            if refers_back and (earlier := _last_open_item(items, message)) is not None:
                items[earlier] = _with_acceptance(items[earlier], people, message)
                continue
            settled = _with_replies(item, messages[place + 1 :], people)
            # A likely item that was refused stays, so that a stored copy of it is removed.
            if (settled.confidence or item.confidence) >= _MIN_CONFIDENCE:
                _add_item(items, settled)
    return items


def _last_open_item(items: list[ActionItem], message: ChatMessage) -> int | None:
    """Return the position of the last item that this message may accept."""
    for place in range(len(items) - 1, max(-1, len(items) - 4), -1):
        item = items[place]
        fresh = message.sent_at - item.message.sent_at <= _REPLIES_WITHIN
        if (
            fresh
            and item.message.id != message.id
            and item.assignee_id in (None, message.sender_id)
        ):
            return place
    return None


def _with_replies(item: ActionItem, later: Sequence[ChatMessage], people: People) -> ActionItem:
    """Return the item, updated by the replies to it."""
    message = item.message
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
            return _with_acceptance(item, people, reply)
    return item


def _with_acceptance(item: ActionItem, people: People, reply: ChatMessage) -> ActionItem:
    """Return the item, accepted by the sender of a reply."""
    person = people.of(reply.sender_id)
    return replace(
        item,
        assignee_id=item.assignee_id or person.id,
        assignee=item.assignee or person.name,
        confidence=round(min(_MAX_CONFIDENCE, item.confidence + 0.1), 2),
        context=f"{item.context} / {person.name}: {plain(reply.text)[:120]}",
    )


def _add_item(items: list[ActionItem], item: ActionItem) -> None:
    """Add an item, or complete the earlier one that it repeats."""
    for place, known in enumerate(items):
        if _is_repeated(known, item):
            items[place] = replace(
                known,
                assignee_id=known.assignee_id or item.assignee_id,
                assignee=known.assignee or item.assignee,
                deadline=item.deadline or known.deadline,
                confidence=round(
                    min(_MAX_CONFIDENCE, max(known.confidence, item.confidence) + 0.03), 2
                ),
            )
            return
    items.append(item)


def _is_repeated(known: ActionItem, item: ActionItem) -> bool:
    """Tell whether an item repeats an earlier one; in other words, only soon after it."""
    is_same_person = known.assignee_id == item.assignee_id
    if _REFUSED in (known.confidence, item.confidence) or not (
        is_same_person or None in (known.assignee_id, item.assignee_id)
    ):
        return False
    words, other = set(terms(item.task)), set(terms(known.task))
    if not words or not other:
        return False
    shared, shorter = len(words & other), min(len(words), len(other))
    return shared / len(words | other) >= _SAME_TASK or (
        is_same_person
        and item.assignee_id is not None
        and item.message.sent_at - known.message.sent_at <= _REPEATED_WITHIN
        and shorter >= 2
        and shared / shorter >= _SAME_OBJECT
    )


class TaskRequest(Struct, frozen=True):
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
    is_first = True
    for start in (0, *(match.end() for match in pattern("actions.cut").finditer(sentence))):
        rest = sentence[start:]
        clause = pattern("actions.filler").sub("", rest)
        # A clause in mid-sentence may address somebody: "meanwhile Omer, write it down".
        last_word = sentence[:start].rstrip(" ,:;-").split(" ")[-1]
        named = people.find(last_word) if last_word else None
        is_unaddressed = named is None and (start > 0 or not has_addressee)
        request = _request_in_clause(
            clause, people, message, is_unaddressed=is_unaddressed, called=called
        )
        if request is None or not (is_first or pattern("actions.explicit").match(clause)):
            continue
        is_first = False
        confidence = request.confidence
        before = f"{sentence[:start]} {rest[: len(rest) - len(clause)]}"
        if pattern("talk.hypothetical").search(f"{before} {clause[:12]}"):
            # "If it is open, close it" still asks; "if it rains, I'll drive" hardly promises.
            confidence *= 0.8 if request.is_for_addressee else 0.5
        who = named if request.is_for_addressee and named is not None else request.who
        # The sentence may go on to another promise or request.
        task = pattern("actions.goes_on").split(request.task)[0]
        yield replace(request, task=task, confidence=confidence, who=who)


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
        # What follows "I'll" or "can you" may be no task: "be late", "tell me why".
        is_idle = (match.groupdict().get("verb") or "").lower() in TEXTS.phrases(
            "cues.actions.idle"
        )
        if is_idle and pattern("actions.idle_except").match(match["task"]) is None:
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


def _of_message(
    message: ChatMessage, people: People, conversation_id: str, *, before: Sequence[ChatMessage]
) -> list[ActionItem]:
    text = pattern("actions.quote").sub("", message.text)
    # Bullets and outer spaces are left out, so that lists are read by line.
    text = "\n".join(line.strip(" \t-*•[]") for line in text.splitlines())
    called: Person | None = None
    found: dict[str, ActionItem] = {}
    for sentence in map(plain, sentences(text)):
        person, rest = people.addressed(sentence)
        called = person or called
        for request in requests_of(
            rest, people, message, called=called, has_addressee=person is not None
        ):
            task, deadline = without_deadline(request.task, message.sent_at)
            task = out_of_context(task)
            deadline = deadline or find_deadline(sentence, said_at=message.sent_at)
            is_too_short = len(task.split()) < 2 and not (deadline or called)
            if is_too_short or task.lower() in found or is_trivial(task):
                continue
            who = request.who
            if who is None and request.is_for_addressee:
                who = _addressee(people, message, called, before=before)
            found[task.lower()] = ActionItem(
                id=finding_id(conversation_id, message, task),
                message=message,
                task=task,
                assignee_id=who.id if who else None,
                assignee=who.name if who else None,
                deadline=deadline.iso() if deadline else None,
                priority=_PRIORITIES.get(classify(message.text).level, "unspecified"),
                context=sentence,
                confidence=round(request.confidence + (0.05 if deadline else 0.0), 2),
            )
    items = list(found.values())
    if len(items) == 1 and items[0].deadline is None:
        # "I need the sheet for the investors. By Thursday please."
        due = find_deadline(message.text, said_at=message.sent_at)
        if due and due.binding:
            return [replace(items[0], deadline=due.iso())]
    return items


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
