"""Decisions made by a yes: to a proposal, a request, an offer, or one of two choices."""

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

from packs.messaging import proposal_cues as cues
from packs.messaging.chat import ChatMessage
from packs.messaging.cues import agrees, plain, refuses
from packs.messaging.decided import CONTEXT_CHARS, Decision, identifier, said, tidy
from packs.messaging.decision_cues import UNDECIDED
from packs.messaging.impact import impact_of
from rollcall.core.text import sentences, terms

_MOST_CONFIDENCE = 0.97
_PROPOSAL = 0.55  # Of a proposal with one yes; each further yes adds.
_PER_YES = 0.1
_SETTLED = 0.62
_CHOSEN = 0.6
_REPLIES_LOOKED_AT = 6
_REPLIES_WITHIN = timedelta(hours=24)
_MOST_WORDS_OF_A_CHOICE = 4
_MATTER_CHARS = 140


def proposed(
    messages: Sequence[ChatMessage], place: int, conversation_id: str
) -> Iterator[Decision]:
    """Yield a message's proposal, if others said yes to it and nobody no."""
    message = messages[place]
    what = proposal_of(message.text)
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
        elif not yes and proposal_of(reply.text):
            return  # Another idea took over.
    if not yes:
        return
    confidence = min(_MOST_CONFIDENCE, _PROPOSAL + _PER_YES * len({m.sender_id for m in yes}))
    yield Decision(
        id=identifier(conversation_id, message.id, what),
        conversation_id=conversation_id,
        message_id=message.id,
        decision=what,
        decision_maker_id=yes[0].sender_id,
        decision_maker=yes[0].sender_name,
        decided_at=yes[0].sent_at,
        context=f"{said(message)} / {said(yes[0])}"[: 2 * CONTEXT_CHARS],
        impact=impact_of(what),
        confidence=round(confidence, 2),
        is_tentative=True,
    )


def answered(
    messages: Sequence[ChatMessage], place: int, conversation_id: str
) -> Iterator[Decision]:
    """Yield what a message decides as the answer to the one before it: a yes, or a choice."""
    message = messages[place]
    earlier = _before(messages, place)
    if earlier is None or proposal_of(earlier.text):
        return  # Proposals collect their own yes.
    for read, confidence in (
        (_settled, _SETTLED),
        (_allowed, _SETTLED),
        (_chosen, _CHOSEN),
    ):
        what = read(plain(message.text), plain(earlier.text))
        if what:
            yield Decision(
                id=identifier(conversation_id, message.id, what),
                conversation_id=conversation_id,
                message_id=message.id,
                decision=what,
                decision_maker_id=message.sender_id,
                decision_maker=message.sender_name,
                decided_at=message.sent_at,
                context=f"{said(earlier)} / {said(message)}",
                impact=impact_of(what),
                confidence=confidence,
                is_tentative=read is _chosen,
            )
            return


def asked(messages: Sequence[ChatMessage], place: int) -> str:
    """Return what the message before this one wants decided, else what it says; "" for none."""
    earlier = _before(messages, place)
    return _matter(plain(earlier.text)) if earlier else ""


def _before(messages: Sequence[ChatMessage], place: int) -> ChatMessage | None:
    """Return what a message answers: somebody else's, one or two before it."""
    message = messages[place]
    near = reversed(messages[max(0, place - 2) : place])
    earlier = next((m for m in near if m.sender_id != message.sender_id), None)
    fresh = earlier is not None and message.sent_at - earlier.sent_at <= _REPLIES_WITHIN
    return earlier if fresh else None


def _settled(text: str, earlier: str) -> str | None:
    """Read "approved", "deal" and the like, where there is something to say yes to."""
    match = cues.SETTLES.match(text)
    if match is None or cues.promises(match["rest"]) or "?" in text:
        return None
    rest = tidy(next(iter(sentences(match["rest"])), ""))
    if len(rest.split()) >= 4 and not re.match(
        r"(?:and|but|only|just|ו[א-ת]|אבל|רק) ?", rest, re.I
    ):
        return rest  # What was settled, said again.
    terms_named = cues.NUMBER.search(earlier) and not cues.PAST.search(earlier)
    if cues.OPEN.search(earlier) or (terms_named and not rest and "?" not in earlier):
        return _matter(earlier)
    return None


def _allowed(text: str, earlier: str) -> str | None:
    """Read "10% is fine" where 10% was asked for."""
    match = cues.ALLOWS.match(text)
    if match is None or "?" in text or not cues.OPEN.search(earlier):
        return None
    what = match["what"] or match["he"]
    about = next((part for part in sentences(earlier) if _words(what) & _words(part)), None)
    return f"{tidy(what)} ({tidy(about)})" if about else None


def _chosen(text: str, earlier: str) -> str | None:
    """Read "Paid day." where the choice was a home assignment or a paid day."""
    answer = next(iter(sentences(text)), "")
    wanted = set(terms(answer))
    if "?" in answer or not wanted or len(answer.split()) > _MOST_WORDS_OF_A_CHOICE:
        return None
    for sentence in sentences(earlier):
        offered = sentence.endswith("?") and cues.CHOICE.search(sentence)
        if not offered or cues.NO_CHOICE.search(sentence) or not wanted < set(terms(sentence)):
            continue
        if impact_of(sentence) != "low":
            return f"{tidy(answer)} ({tidy(sentence)}?)"
    return None


def _words(text: str) -> set[str]:
    """Return the stems of a text, and its numbers."""
    return {*terms(text), *re.findall(r"\d+", text)}


def _matter(text: str) -> str:
    """Return the sentence of a message that most wants a yes, without the words of asking."""
    found = sentences(text)
    wanting = [sentence for sentence in found if cues.OPEN.search(sentence)]
    measured = [sentence for sentence in found if cues.NUMBER.search(sentence)]
    matter = tidy(cues.asked_for((wanting or measured or found)[-1]))
    return matter if len(matter) <= _MATTER_CHARS else matter[: _MATTER_CHARS - 1] + "…"


def proposal_of(text: str) -> str | None:
    """Return what a message proposes."""
    for sentence in sentences(text):
        sentence = plain(sentence)
        if UNDECIDED.search(sentence):
            continue
        for pattern in cues.PROPOSES:
            if (match := pattern.search(sentence)) and len(match["what"].split()) > 1:
                return tidy(match["what"])
    return None
