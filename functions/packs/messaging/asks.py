"""The tasks one sentence sets: who promises, asks or assigns what."""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from packs.messaging import action_cues as cues
from packs.messaging.action_words import is_idle
from packs.messaging.chat import ChatMessage
from packs.messaging.cues import HYPOTHETICAL
from packs.messaging.deadlines import find_deadline
from packs.messaging.patterns import Pattern
from packs.messaging.people import People, Person
from packs.messaging.task_wording import without_deadline

_FILLER = Pattern(
    r"^(?:(?:ok(?:ay)?|so|and|also|then|yes|yeah|sure|great|good|thanks|agreed|perfect|right|fair|well|but"
    r"|no problem|got it|on it|אז|טוב|כן|סגור|מעולה|בסדר|אין בעיה|תודה|יופי|סבבה|אוקיי?|גם|אבל|ו)(?![\w'])[\s,.!:-]+)+",
    re.IGNORECASE,
)
_CUT = Pattern(
    r"\s*[,;:]\s+|\s+-\s+|\s+(?:and|but)\s+(?=i'll|i will|can you|could you|please)|(?<=\s)ו(?=אני )",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A task as a clause puts it; `you` where it is for whoever is addressed."""

    task: str
    confidence: float
    who: Person | None = None
    you: bool = False


def asks_of(
    sentence: str, people: People, message: ChatMessage, *, called: Person | None, calls: bool
) -> Iterator[Ask]:
    """Yield the tasks of one sentence, from its clauses left to right."""
    if cues.DONE.search(sentence):
        return
    if label := cues.LABEL.match(sentence):
        yield _labelled(label["task"], people, message)
        return
    starts = [0, *(match.end() for match in _CUT.finditer(sentence))]
    last_end = -1
    for start in starts:
        clause = _FILLER.sub("", sentence[start:])
        named = _name_before(sentence, start, people)
        bare = named is None and (start > 0 or not calls)
        ask = _ask_of(clause, people, message, bare=bare, called=called)
        if ask is None:
            continue
        if start < last_end and not _is_explicit(clause):
            continue
        last_end = len(sentence)
        before = sentence[:start] + " " + sentence[start:][: len(sentence[start:]) - len(clause)]
        if HYPOTHETICAL.search(before + " " + clause[:12]):
            # "If it is open, close it" still asks; "if it rains, I'll drive" hardly promises.
            ask = replace(ask, confidence=ask.confidence * (0.8 if ask.you else 0.5))
        if ask.you and named is not None:
            ask = replace(ask, who=named)
        yield replace(ask, task=_first_of(ask.task))


def _name_before(sentence: str, start: int, people: People) -> Person | None:
    """Return whom a clause in mid-sentence calls: "meanwhile Omer, write it down"."""
    words = sentence[:start].rstrip(" ,:;-").split(" ")
    return people.find(words[-1]) if start and words[-1] else None


def _first_of(task: str) -> str:
    """Cut a task where the sentence goes on to another promise or request."""
    return re.split(
        r",? (?:and|but) (?=i'll |i will |can you |could you )|, ?(?:ו)?אני ", task, flags=re.I
    )[0]


def _is_explicit(clause: str) -> bool:
    return (
        re.match(
            r"(?:i'll|i will|can you|could you|please|אני א|תוכלי?|בבקשה|[A-Z][a-z]+ (?:will|to) )",
            clause,
            re.I,
        )
        is not None
    )


def _labelled(task: str, people: People, message: ChatMessage) -> Ask:
    person, rest = people.addressed(task)
    for pattern, _ in cues.ASSIGNS:
        match = pattern.match(rest)
        if match and (named := people.named(match["name"])):
            return Ask(match["task"], 0.92, named)
    for pattern, _ in cues.COMMITS[:2]:
        if match := pattern.match(rest):
            return Ask(match["task"], 0.92, people.of(message.sender_id))
    return Ask(rest, 0.9, person)


def _ask_of(
    clause: str, people: People, message: ChatMessage, *, bare: bool, called: Person | None
) -> Ask | None:
    """Return the task a clause begins with, if any."""
    sender = people.of(message.sender_id)
    for patterns, who, you in (
        (cues.COMMITS, sender, False),
        (cues.REQUESTS, None, True),
        (cues.OWN_NEED, sender, False),
        (cues.JOINT, None, False),
    ):
        if ask := _first_match(patterns, clause, who=who, you=you):
            return ask
    return (
        _assigned(clause, people)
        or _wanted(clause, message, called=called)
        or _ordered(clause, message, bare=bare)
        or _elliptic(clause, people, message)
    )


def _first_match(
    patterns: Sequence[tuple[Pattern, float]], clause: str, *, who: Person | None, you: bool
) -> Ask | None:
    for pattern, confidence in patterns:
        match = pattern.match(clause)
        if match is None:
            continue
        verb = match.groupdict().get("verb") or ""
        if is_idle(match["task"], verb):
            return None
        return Ask(match["task"], confidence, who, you)
    return None


def _assigned(clause: str, people: People) -> Ask | None:
    for pattern, confidence in cues.ASSIGNS:
        match = pattern.match(clause)
        if match is None:
            continue
        hebrew = "א" <= match["name"][0] <= "ת"
        if person := people.named(match["name"], unknown=not hebrew):
            sure = confidence if person.id else confidence - 0.15
            return None if clause.endswith("?") else Ask(match["task"], sure, person)
    return None


def _wanted(clause: str, message: ChatMessage, *, called: Person | None) -> Ask | None:
    match = cues.WANTS.match(clause)
    if match is None:
        return None
    task = match["task"] or match["he"]
    due = find_deadline(clause, said_at=message.sent_at)
    if called or due or "from you" in clause or match["he"] or "your" in task[:5]:
        return Ask(f"Provide {task}" if match["task"] else f"לתת {task}", 0.68, None, True)
    return None


def _ordered(clause: str, message: ChatMessage, *, bare: bool) -> Ask | None:
    """Read "send me the slides": surer with a name, a please or a date around it."""
    match = cues.ORDER.match(clause)
    if match is None or clause.endswith("?"):
        return None
    meant = re.search(r"\b(?:me|us|him|her|them|please|your)\b", clause, re.I) is not None
    due = find_deadline(clause, said_at=message.sent_at) is not None
    confidence = 0.42 + 0.35 * (not bare) + 0.2 * meant + 0.15 * due
    if len(clause.split()) < 3 and bare:
        return None
    return Ask(match["task"], min(confidence, 0.85), None, True)


def _elliptic(clause: str, people: People, message: ChatMessage) -> Ask | None:
    """Read "Draft by Friday": a promise, or with a question mark a request."""
    match = cues.ELLIPTIC.match(clause)
    if match is None or len(clause.split()) > 9 or people.find(clause.split(" ")[0]):
        return None
    task, due = without_deadline(match["task"], message.sent_at)
    if due is None or not 1 <= len(task.split()) <= 6 or task.rstrip() == match["task"].rstrip():
        return None
    if not re.search(r"\b(?:by|until|before)\b|(?<![א-ת])עד(?![א-ת])", clause[len(task) :]):
        return None
    asks = clause.endswith("?")
    return Ask(task, 0.5, None if asks else people.of(message.sender_id), asks)
