"""Decisions in a chat: what was decided, by whom, when, in English and Hebrew.

A sentence can decide by itself ("we decided to…", "approved") or be a proposal
that others agree to. A later decision on the same matter supersedes the earlier
one, which stays, with less confidence.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from packs.messaging import decision_cues as cues
from packs.messaging.agreements import answered, asked, proposed
from packs.messaging.chat import ChatMessage, readable
from packs.messaging.cues import HYPOTHETICAL, plain
from packs.messaging.decided import Decision, identifier, said, tidy
from packs.messaging.impact import impact_of
from packs.messaging.people import People
from rollcall.core.text import sentences, terms

_LEAST_CONFIDENCE = 0.4
_MOST_CONFIDENCE = 0.97
_SUPERSEDED = 0.5
_SAME_MATTER = 0.5
_FEW_WORDS = 3
_WORDS_OF_DECIDING = """
decide decision agree approve go with change instead move final new date plan monday
tuesday wednesday thursday friday saturday sunday next week month
accepted settled done deal הולכים מאושר מאשר מאשרת אושר אישרתי סגור סוכם מקובל
"""


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
            only where a new message changed them (agreed to, superseded). A
            proposal that was overtaken comes with confidence 0.
    """
    everything = readable([*context, *messages])
    people = People({**{message.sender_id: message.sender_name for message in everything}, **names})
    found = _read(everything, people, conversation_id)
    if not context:
        return [item for item in found if item.confidence]
    new = {message.id for message in messages}
    before = {item.id: item for item in _read(readable(context), people, conversation_id)}
    return [
        item
        for item in found
        if (item.confidence if item.message_id in new else before.get(item.id) != item)
    ]


def _read(messages: list[ChatMessage], people: People, conversation_id: str) -> list[Decision]:
    decisions: list[Decision] = []
    for place, message in enumerate(messages):
        spoken = list(_of_message(messages, place, people, conversation_id))
        spoken = spoken or list(proposed(messages, place, conversation_id))
        spoken = spoken or list(answered(messages, place, conversation_id))
        for decision in spoken:
            _add(decisions, decision, message.text)
    return decisions


def _of_message(
    messages: Sequence[ChatMessage], place: int, people: People, conversation_id: str
) -> Iterator[Decision]:
    """Yield what a message says was decided, at most one decision a sentence."""
    message = messages[place]
    spoken = [plain(sentence) for sentence in sentences(message.text)]
    for number, sentence in enumerate(spoken):
        if sentence.endswith("?") or cues.UNDECIDED.search(sentence):
            continue
        if (found := _decided(sentence)) is None:
            continue
        what, maker, confidence = found
        what = _explained(what, spoken[number + 1 :], asked(messages, place))
        if HYPOTHETICAL.search(sentence[: sentence.find(what[:12]) + 1] or sentence[:12]):
            confidence *= 0.45
        person = people.named(maker) if maker else people.of(message.sender_id)
        decision = Decision(
            id=identifier(conversation_id, message.id, what),
            conversation_id=conversation_id,
            message_id=message.id,
            decision=what,
            decision_maker_id=person.id if person else None,
            decision_maker=person.name if person else maker or message.sender_name,
            decided_at=message.sent_at,
            context=_context(messages, place),
            impact=impact_of(f"{sentence} {what}"),
            confidence=round(confidence, 2),
        )
        if decision.confidence >= _LEAST_CONFIDENCE:
            yield decision


def _explained(what: str, rest: list[str], before: str) -> str:
    """Return a decision with what its few words mean: what is said next, or what was asked."""
    if len(what.split()) > _FEW_WORDS:
        return what
    if cues.POINTS_BACK.search(what):
        return f"{what} ({before})" if before else what
    if cues.ALONE.search(what) and rest and not rest[0].endswith("?"):
        return f"{what}: {rest[0][:1].lower()}{tidy(rest[0])[1:]}"
    return what


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
        return tidy(what if len(what.split()) > 1 else sentence), maker, confidence
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
            overtaken = known.is_tentative and not (decision.is_tentative or takes_back)
            decisions[place] = replace(
                known,
                confidence=0.0 if overtaken else round(known.confidence * _SUPERSEDED, 2),
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


def _context(messages: Sequence[ChatMessage], place: int) -> str:
    """Return the deciding message with the one before it, cut to a readable length."""
    parts = [said(message) for message in messages[max(0, place - 1) : place + 1]]
    return " / ".join(parts)
