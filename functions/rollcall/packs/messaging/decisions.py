"""Decisions in a chat: what was decided, by whom, when, in English and Hebrew.

A sentence can decide by itself ("we decided to…", "approved") or be a proposal
that others agree to. A later decision on the same matter supersedes the earlier
one, which stays, with less confidence.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Literal

from rollcall.core.text import sentences, terms
from rollcall.packs.messaging import decision_cues as cues
from rollcall.packs.messaging.chat import ChatMessage, readable
from rollcall.packs.messaging.cues import HYPOTHETICAL, agrees, plain, refuses
from rollcall.packs.messaging.people import People

ImpactLevel = Literal["high", "medium", "low"]

_LEAST_CONFIDENCE = 0.4
_MOST_CONFIDENCE = 0.97
_PROPOSAL = 0.55  # Of a proposal with one yes; each further yes adds.
_PER_YES = 0.1
_SETTLED = 0.62
_SUPERSEDED = 0.5
_SAME_MATTER = 0.5
_REPLIES_LOOKED_AT = 6
_REPLIES_WITHIN = timedelta(hours=24)
_CONTEXT_LENGTH = 240
_WORDS_OF_DECIDING = """
decide decision agree approve go with change instead move final new date plan monday
tuesday wednesday thursday friday saturday sunday next week month
accepted settled done deal הולכים מאושר מאשר מאשרת אושר אישרתי סגור סוכם מקובל
"""


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that was decided.

    Attributes:
        id: The same whenever the same message is read again.
        decision_maker: A name; who said it where a group ("we") decided, who
            agreed where it was a proposal.
        context: What was said, with the message it answers or the yes to it.
        confidence: 0 to 1; lower once `superseded_by` names a later decision.
    """

    id: str
    conversation_id: str
    message_id: str
    decision: str
    decision_maker_id: str | None
    decision_maker: str
    decided_at: datetime
    context: str
    impact: ImpactLevel
    confidence: float
    superseded_by: str | None = None


def extract_decisions(
    messages: Sequence[ChatMessage],
    *,
    conversation_id: str,
    names: Mapping[str, str],
    context: Sequence[ChatMessage] = (),
) -> list[Decision]:
    """Return the decisions of new messages, in time order.

    Args:
        names: Participant id to name; senders are added to it.
        context: Earlier messages, read already. Their decisions are returned
            only where a new message changed them (agreed to, superseded).
    """
    everything = readable([*context, *messages])
    people = People({**{message.sender_id: message.sender_name for message in everything}, **names})
    found = _read(everything, people, conversation_id)
    if not context:
        return found
    new = {message.id for message in messages}
    before = {item.id: item for item in _read(readable(context), people, conversation_id)}
    return [item for item in found if item.message_id in new or before.get(item.id) != item]


def _read(messages: list[ChatMessage], people: People, conversation_id: str) -> list[Decision]:
    decisions: list[Decision] = []
    for place, message in enumerate(messages):
        spoken = list(_of_message(messages, place, people, conversation_id))
        spoken = spoken or list(_proposed(messages, place, conversation_id))
        spoken = spoken or list(_settled(messages, place, conversation_id))
        for decision in spoken:
            _add(decisions, decision, message.text)
    return decisions


def _of_message(
    messages: Sequence[ChatMessage], place: int, people: People, conversation_id: str
) -> Iterator[Decision]:
    """Yield what a message says was decided, at most one decision a sentence."""
    message = messages[place]
    for sentence in sentences(message.text):
        sentence = plain(sentence)
        if sentence.endswith("?") or cues.UNDECIDED.search(sentence):
            continue
        if (found := _decided(sentence)) is None:
            continue
        what, maker, confidence = found
        if HYPOTHETICAL.search(sentence[: sentence.find(what[:12]) + 1] or sentence[:12]):
            confidence *= 0.45
        person = people.named(maker) if maker else people.of(message.sender_id)
        decision = Decision(
            id=_identifier(conversation_id, message.id, what),
            conversation_id=conversation_id,
            message_id=message.id,
            decision=what,
            decision_maker_id=person.id if person else None,
            decision_maker=person.name if person else maker or message.sender_name,
            decided_at=message.sent_at,
            context=_context(messages, place),
            impact=_impact(sentence),
            confidence=round(confidence, 2),
        )
        if decision.confidence >= _LEAST_CONFIDENCE:
            yield decision


def _decided(sentence: str) -> tuple[str, str | None, float] | None:
    """Return what a sentence decides, who it says did, and how sure that is."""
    for pattern, confidence in cues.DECIDES:
        match = pattern.search(sentence)
        if match is None:
            continue
        groups = match.groupdict()
        what = groups.get("what") or groups.get("what2") or sentence
        maker = groups.get("maker")
        if maker and maker.lower() in ("we", "i", "they", "it", "he", "she", "you", "nobody"):
            maker = None
        if not _matter(sentence):
            return None  # "Approved." decides what somebody else has said.
        return _tidy(what if len(what.split()) > 1 else sentence), maker, confidence
    return None


def _proposed(
    messages: Sequence[ChatMessage], place: int, conversation_id: str
) -> Iterator[Decision]:
    """Yield a message's proposal, if others said yes to it and nobody no."""
    message = messages[place]
    what = _proposal(message.text)
    if what is None:
        return
    yes: list[ChatMessage] = []
    for reply in messages[place + 1 : place + 1 + _REPLIES_LOOKED_AT]:
        if reply.sent_at - message.sent_at > _REPLIES_WITHIN:
            break
        if reply.sender_id == message.sender_id:
            continue
        if refuses(reply.text):
            return
        if agrees(reply.text):
            yes.append(reply)
        elif not yes and _proposal(reply.text):
            return  # Another idea took over.
    if not yes:
        return
    confidence = min(_MOST_CONFIDENCE, _PROPOSAL + _PER_YES * len({m.sender_id for m in yes}))
    yield Decision(
        id=_identifier(conversation_id, message.id, what),
        conversation_id=conversation_id,
        message_id=message.id,
        decision=what,
        decision_maker_id=yes[0].sender_id,
        decision_maker=yes[0].sender_name,
        decided_at=yes[0].sent_at,
        context=f"{_said(message)} / {_said(yes[0])}"[: 2 * _CONTEXT_LENGTH],
        impact=_impact(what),
        confidence=round(confidence, 2),
    )


def _settled(
    messages: Sequence[ChatMessage], place: int, conversation_id: str
) -> Iterator[Decision]:
    """Yield what a message settles that answers "approved" or "deal" to the one before it."""
    message = messages[place]
    match = cues.SETTLES.match(plain(message.text))
    earlier = next(
        (
            m
            for m in reversed(messages[max(0, place - 2) : place])
            if m.sender_id != message.sender_id
        ),
        None,
    )
    if match is None or earlier is None or cues.promises(match["rest"]) or "?" in message.text:
        return
    if message.sent_at - earlier.sent_at > _REPLIES_WITHIN or _proposal(earlier.text):
        return  # Proposals collect their own yes.
    rest = _tidy(next(iter(sentences(match["rest"])), ""))
    restated = len(rest.split()) >= 4 and not re.match(r"(?:and|but|ו[א-ת]|אבל) ?", rest, re.I)
    if not restated and not cues.OPEN.search(plain(earlier.text)):
        return
    what = rest if restated else _tidy(sentences(plain(earlier.text))[-1])
    yield Decision(
        id=_identifier(conversation_id, message.id, what),
        conversation_id=conversation_id,
        message_id=message.id,
        decision=what,
        decision_maker_id=message.sender_id,
        decision_maker=message.sender_name,
        decided_at=message.sent_at,
        context=f"{_said(earlier)} / {_said(message)}",
        impact=_impact(f"{what} {earlier.text}"),
        confidence=_SETTLED,
    )


def _proposal(text: str) -> str | None:
    """Return what a message proposes."""
    for sentence in sentences(text):
        sentence = plain(sentence)
        if cues.UNDECIDED.search(sentence):
            continue
        for pattern in cues.PROPOSES:
            if (match := pattern.search(sentence)) and len(match["what"].split()) > 1:
                return _tidy(match["what"])
    return None


def _add(decisions: list[Decision], decision: Decision, text: str) -> None:
    """Add a decision; mark the earlier one it replaces, or drop it as said again."""
    words = _matter(decision.decision)
    takes_back = cues.TAKES_BACK.search(plain(text)) is not None
    for place in range(len(decisions) - 1, -1, -1):
        known = decisions[place]
        if known.superseded_by or not words:
            continue
        other = _matter(known.decision)
        shared = len(words & other) / max(1, min(len(words), len(other)))
        if set(terms(known.decision)) == set(terms(decision.decision)):
            decisions[place] = replace(
                known, confidence=round(min(_MOST_CONFIDENCE, known.confidence + 0.05), 2)
            )
            return
        if shared >= _SAME_MATTER or (takes_back and words & other):
            decisions[place] = replace(
                known,
                confidence=round(known.confidence * _SUPERSEDED, 2),
                superseded_by=decision.id,
            )
            break
    decisions.append(decision)


def _matter(text: str) -> set[str]:
    """Return the words that tell what a decision is about, dates and numbers left out."""
    deciding = _words_of_deciding()
    return {term for term in terms(text) if term not in deciding and not term[0].isdigit()}


@cache
def _words_of_deciding() -> frozenset[str]:
    return frozenset(terms(_WORDS_OF_DECIDING))


def _impact(text: str) -> ImpactLevel:
    if cues.LOW_IMPACT.search(text):
        return "low"
    return "high" if cues.HIGH_IMPACT.search(text) else "medium"


def _context(messages: Sequence[ChatMessage], place: int) -> str:
    """Return the deciding message with the one before it, cut to a readable length."""
    parts = [_said(message) for message in messages[max(0, place - 1) : place + 1]]
    return " / ".join(parts)


def _said(message: ChatMessage) -> str:
    text = plain(message.text)
    shown = text if len(text) <= _CONTEXT_LENGTH else text[: _CONTEXT_LENGTH - 1] + "…"
    return f"{message.sender_name}: {shown}"


def _tidy(what: str) -> str:
    what = re.sub(r"\s+", " ", what).strip(" ,;:-.!?")
    return what[:1].upper() + what[1:]


def _identifier(conversation_id: str, message_id: str, what: str) -> str:
    return sha256(f"{conversation_id}|{message_id}|{what.lower()}".encode()).hexdigest()[:20]
