"""Rules that find decisions in a chat: what was decided, by whom, when, in English and Hebrew."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache

from msgspec.structs import replace

from packs.messaging.chat import ChatMessage
from packs.messaging.cues import agrees, pattern, patterns, plain, refuses
from packs.messaging.findings import Decision, ImpactLevel, finding_id, new_findings
from packs.messaging.people import People
from packs.messaging.wording import TEXTS
from rollcall.core.text import sentences, terms

_CONTEXT_CHARS = 240
_PROPOSAL = 0.55  # Confidence in a proposal with one acceptance; each further one adds.
_PER_YES = 0.1
_SETTLEMENT = 0.62
_CHOICE = 0.6
_REPLIES_LOOKED_AT = 6
_REPLIES_WITHIN = timedelta(hours=24)
_MAX_WORDS_OF_A_CHOICE = 4
_TOPIC_CHARS = 140
_MIN_CONFIDENCE = 0.4
_MAX_CONFIDENCE = 0.97
_SUPERSEDED = 0.5
_SAME_MATTER = 0.5
_FEW_WORDS = 3
_PLAINLY_SAID = 0.85  # "We decided to see if": here "if" is no condition.


def extract_decisions(
    messages: Sequence[ChatMessage],
    *,
    conversation_id: str,
    names: Mapping[str, str],
    context: Sequence[ChatMessage] = (),
) -> list[Decision]:
    """Return the decisions of new messages, in time order; see `new_findings`."""
    return new_findings(
        _read, messages, conversation_id=conversation_id, names=names, context=context
    )


def _read(messages: list[ChatMessage], people: People, conversation_id: str) -> list[Decision]:
    decisions: list[Decision] = []
    for place, message in enumerate(messages):
        found = list(_stated_decisions(messages, place, people, conversation_id))
        if not found:
            reached = _accepted_proposal(messages, place, conversation_id)
            reached = reached or _decision_by_reply(messages, place, conversation_id)
            found = [reached] if reached else []
        for decision in found:
            _add_decision(decisions, decision, message.text)
    return decisions


def _quoted(message: ChatMessage) -> str:
    """Return a message's speaker and text, cut to a readable length."""
    text = plain(message.text)
    shown = text if len(text) <= _CONTEXT_CHARS else text[: _CONTEXT_CHARS - 1] + "…"
    return f"{message.sender_name}: {shown}"


def _tidy(what: str) -> str:
    """Return a text with a capital first letter, without asides and outer punctuation."""
    what = pattern("decisions.aside").sub("", " ".join(what.split()).strip(" ,;:-.!?"))
    return what[:1].upper() + what[1:]


def _impact_of(text: str) -> ImpactLevel:
    """Return the impact of a decision, by its words."""
    if pattern("decisions.low").search(text):
        return "low"
    return "high" if pattern("decisions.high").search(text) else "medium"


def _accepted_proposal(
    messages: Sequence[ChatMessage], place: int, conversation_id: str
) -> Decision | None:
    """Return a message's proposal, if others accepted it and nobody refused."""
    message = messages[place]
    what = _proposal_of(message.text)
    if what is None:
        return None
    yes: list[ChatMessage] = []
    for reply in messages[place + 1 : place + 1 + _REPLIES_LOOKED_AT]:
        if reply.sent_at - message.sent_at > _REPLIES_WITHIN:
            break
        if reply.sender_id == message.sender_id:
            continue
        if refuses(reply.text):
            return None
        if agrees(reply.text):
            yes.append(reply)
        elif not yes and _proposal_of(reply.text):
            return None  # Another proposal took its place.
    if not yes:
        return None
    confidence = min(_MAX_CONFIDENCE, _PROPOSAL + _PER_YES * len({m.sender_id for m in yes}))
    return Decision(
        id=finding_id(conversation_id, message, what),
        message=message,
        decision=what,
        decision_maker_id=yes[0].sender_id,
        decision_maker=yes[0].sender_name,
        decided_at=yes[0].sent_at,
        context=f"{_quoted(message)} / {_quoted(yes[0])}"[: 2 * _CONTEXT_CHARS],
        impact=_impact_of(what),
        confidence=round(confidence, 2),
        is_tentative=True,
    )


def _decision_by_reply(
    messages: Sequence[ChatMessage], place: int, conversation_id: str
) -> Decision | None:
    """Return the decision that a message makes as a reply: an agreement, a permission, a choice."""
    message = messages[place]
    earlier = _replied_to(messages, place)
    if earlier is None or _proposal_of(earlier.text):
        return None  # `_accepted_proposal` handles proposals.
    for read, confidence in (
        (_settlement, _SETTLEMENT),
        (_permission, _SETTLEMENT),
        (_choice, _CHOICE),
    ):
        what = read(plain(message.text), plain(earlier.text))
        if what:
            return Decision(
                id=finding_id(conversation_id, message, what),
                message=message,
                decision=what,
                decision_maker_id=message.sender_id,
                decision_maker=message.sender_name,
                decided_at=message.sent_at,
                context=f"{_quoted(earlier)} / {_quoted(message)}",
                impact=_impact_of(what),
                confidence=confidence,
                is_tentative=read is _choice,
            )
    return None


def _replied_to(messages: Sequence[ChatMessage], place: int) -> ChatMessage | None:
    """Return the message that this one answers: somebody else's, one or two before it."""
    message = messages[place]
    near = reversed(messages[max(0, place - 2) : place])
    earlier = next((m for m in near if m.sender_id != message.sender_id), None)
    fresh = earlier is not None and message.sent_at - earlier.sent_at <= _REPLIES_WITHIN
    return earlier if fresh else None


def _settlement(text: str, earlier: str) -> str | None:
    """Read "approved", "deal" and the like, where the earlier message has something to accept."""
    match = pattern("decisions.settles").match(text)
    if match is None or pattern("decisions.promise").match(match["rest"]) or "?" in text:
        return None
    rest = _tidy(next(iter(sentences(match["rest"])), ""))
    if len(rest.split()) >= 4 and not pattern("decisions.adds").match(rest):
        return rest  # The reply repeats what it accepts.
    terms_named = pattern("decisions.number").search(earlier) and not pattern(
        "decisions.past"
    ).search(earlier)
    if pattern("decisions.open").search(earlier) or (
        terms_named and not rest and "?" not in earlier
    ):
        return _proposed_sentence(earlier)
    return None


def _permission(text: str, earlier: str) -> str | None:
    """Read "10% is fine" in reply to a request for 10%."""
    match = pattern("decisions.allows").match(text)
    if match is None or "?" in text or not pattern("decisions.open").search(earlier):
        return None
    what = match["what"]
    about = next((part for part in sentences(earlier) if _words(what) & _words(part)), None)
    return f"{_tidy(what)} ({_tidy(about)})" if about else None


def _choice(text: str, earlier: str) -> str | None:
    """Read "Paid day." in reply to a choice between a home assignment and a paid day."""
    answer = next(iter(sentences(text)), "")
    wanted = set(terms(answer))
    if "?" in answer or not wanted or len(answer.split()) > _MAX_WORDS_OF_A_CHOICE:
        return None
    for sentence in sentences(earlier):
        offered = sentence.endswith("?") and pattern("decisions.choice").search(sentence)
        if (
            not offered
            or pattern("decisions.no_choice").search(sentence)
            or not wanted < set(terms(sentence))
        ):
            continue
        if _impact_of(sentence) != "low":
            return f"{_tidy(answer)} ({_tidy(sentence)}?)"
    return None


def _words(text: str) -> set[str]:
    """Return the stems of a text, and its numbers."""
    return {*terms(text), *re.findall(r"\d+", text)}


def _proposed_sentence(text: str) -> str:
    """Return the sentence that asks for agreement, else the one with a number, else the last."""
    found = sentences(text)
    wanting = [sentence for sentence in found if pattern("decisions.open").search(sentence)]
    measured = [sentence for sentence in found if pattern("decisions.number").search(sentence)]
    matter = _tidy(pattern("decisions.asked").sub("", (wanting or measured or found)[-1]))
    return matter if len(matter) <= _TOPIC_CHARS else matter[: _TOPIC_CHARS - 1] + "…"


def _proposal_of(text: str) -> str | None:
    """Return the first proposal of a message, or None."""
    for sentence in sentences(text):
        sentence = plain(sentence)
        if pattern("decisions.undecided").search(sentence):
            continue
        for proposes, _ in patterns("decisions.proposes"):
            if (match := proposes.search(sentence)) and len(match["what"].split()) > 1:
                return _tidy(match["what"])
    return None


def _stated_decisions(
    messages: Sequence[ChatMessage], place: int, people: People, conversation_id: str
) -> Iterator[Decision]:
    """Yield the decisions that a message states, at most one a sentence."""
    message = messages[place]
    own_sentences = [plain(sentence) for sentence in sentences(message.text)]
    for number, sentence in enumerate(own_sentences):
        if sentence.endswith("?") or pattern("decisions.undecided").search(sentence):
            continue
        if (read := _decision_in_sentence(sentence)) is None:
            continue
        what, maker, confidence = read
        # Whether it depends on something that has to happen first.
        is_conditional = any(
            pattern(f"decisions.{key}").search(sentence) for key in ("depends", "after")
        )
        if is_conditional and confidence < _PLAINLY_SAID:
            continue
        earlier = _replied_to(messages, place)
        before = _proposed_sentence(plain(earlier.text)) if earlier else ""
        what = _with_explanation(what, own_sentences[number + 1 :], before)
        begins = sentence.lower().find(what[:12].lower())
        if pattern("talk.hypothetical").search(sentence[: begins + 1] or sentence[:12]):
            confidence *= 0.45
        person = people.named(maker) if maker else people.of(message.sender_id)
        decision = Decision(
            id=finding_id(conversation_id, message, what),
            message=message,
            decision=what,
            decision_maker_id=person.id if person else None,
            decision_maker=person.name if person else maker or message.sender_name,
            decided_at=message.sent_at,
            context=" / ".join(map(_quoted, messages[max(0, place - 1) : place + 1])),
            impact=_impact_of(f"{sentence} {what}"),
            confidence=round(confidence, 2),
        )
        if decision.confidence >= _MIN_CONFIDENCE:
            yield decision


def _with_explanation(what: str, rest: list[str], before: str) -> str:
    """Return a decision of few words with its explanation: the next sentence, or the question."""
    if len(what.split()) > _FEW_WORDS:
        return what
    if pattern("decisions.points_back").search(what):
        return f"{what} ({before})" if before else what
    if pattern("decisions.alone").search(what) and rest and not rest[0].endswith("?"):
        return f"{what}: {rest[0][:1].lower()}{_tidy(rest[0])[1:]}"
    return what


def _decision_in_sentence(sentence: str) -> tuple[str, str | None, float] | None:
    """Return a sentence's decision, its maker if named, and the confidence."""
    for decides, confidence in patterns("decisions.decides"):
        match = decides.search(sentence)
        if match is None:
            continue
        groups = match.groupdict()
        what = groups.get("what") or groups.get("what2") or sentence
        maker = groups.get("maker")
        if maker and maker.lower() in ("we", "i", "they", "it", "he", "she", "you", "nobody"):
            maker = None
        if not _topic_words(sentence):
            return None  # "Approved." refers to another message.
        return _tidy(what if len(what.split()) > 1 else sentence), maker, confidence
    return None


def _add_decision(decisions: list[Decision], decision: Decision, text: str) -> None:
    """Add a decision, mark the earlier one that it replaces, or drop it if it repeats one."""
    words = _topic_words(decision.decision)
    takes_back = pattern("decisions.takes_back").search(plain(text)) is not None
    for place in range(len(decisions) - 1, -1, -1):
        known = decisions[place]
        if known.superseded_by or not words:
            continue
        other = _topic_words(known.decision)
        shared = len(words & other) / max(1, min(len(words), len(other)))
        if set(terms(known.decision)) == set(terms(decision.decision)):
            decisions[place] = replace(
                known, confidence=round(min(_MAX_CONFIDENCE, known.confidence + 0.05), 2)
            )
            return
        if shared >= _SAME_MATTER or (takes_back and words & other):
            is_overtaken = known.is_tentative and not (decision.is_tentative or takes_back)
            decisions[place] = replace(
                known,
                confidence=0.0 if is_overtaken else round(known.confidence * _SUPERSEDED, 2),
                superseded_by=decision.id,
            )
            break
    decisions.append(decision)


def _topic_words(text: str) -> set[str]:
    """Return the topic words of a decision, without dates and numbers."""
    ignored = _decision_verbs()
    return {term for term in terms(text) if term not in ignored and not term[0].isdigit()}


@cache
def _decision_verbs() -> frozenset[str]:
    return frozenset(terms(" ".join(TEXTS.phrases("cues.decisions.words_of_deciding"))))
