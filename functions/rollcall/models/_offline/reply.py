"""A whole reply for a request: small talk, calls, a question or an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rollcall.core.text import language, tokens
from rollcall.models._offline import compose
from rollcall.models._offline.earlier_tries import noted
from rollcall.models._offline.explaining import explained
from rollcall.models._offline.fields import label, one_line, which_word
from rollcall.models._offline.files.hands import hands_of
from rollcall.models._offline.goals import goals, pending
from rollcall.models._offline.history import Turn, read
from rollcall.models._offline.lexicon import wordset
from rollcall.models._offline.people import user_name
from rollcall.models._offline.phrases import say, small_talk
from rollcall.models._offline.plan import Goal, Progress, Question, Reply, advance
from rollcall.models._offline.split import ranked
from rollcall.models._offline.units import printed, unit_in_name
from rollcall.models._offline.unmet import unmet
from rollcall.models.base import ModelRequest, ToolSpec

_MOST_HELP = 3
_MOST_REPLIES = 6
_MOST_CALLS = 8
_MOST_STEPS = 24
_CANCEL = wordset("cancel stop forget nevermind בטל עזוב עזבי לבטל")


def reply(request: ModelRequest) -> Reply:
    """Work out the next reply."""
    turn = read(request.messages, request.locale)
    return noted(_reply(turn, request), request, turn.language)


def _reply(turn: Turn, request: ModelRequest) -> Reply:
    if request.tool_choice == "none":
        return _so_far(turn)
    talk = None if turn.steps else small_talk(turn.text)
    about_files = _about_files(turn, request, talk)
    if about_files:
        return about_files
    if talk:
        return _talk(talk, turn, request.tools or request.abilities)
    known = None if turn.steps else explained(turn.text, request.notes)
    if known:
        return Reply(known)
    parts = [advance(goal, turn, request) for goal in goals(turn, request)]
    calls = tuple({call.key: call for part in parts for call in part.calls}.values())
    if calls and len(turn.steps) < _MOST_STEPS:
        return Reply(calls=calls[:_MOST_CALLS])
    return _told(parts, turn, request)


def _about_files(turn: Turn, request: ModelRequest, talk: str | None) -> Reply | None:
    hands = hands_of(request.tools)
    if hands is None:
        return None
    # A third of a second of patterns, which agents without files have no use for.
    from rollcall.models._offline.files.answering import answer_about_files

    return answer_about_files(turn, request, hands, talk)


def _told(parts: list[Progress], turn: Turn, request: ModelRequest) -> Reply:
    """Tell all there is, what other models called in this turn included, then ask."""
    told = {step.call.id for part in parts for step in part.steps}
    me = user_name(request.instructions)
    text = compose.answer(parts, turn.language, name=me)
    if not told and turn.steps and not any(part.question for part in parts):
        text = compose.answer([_all_steps(turn)], turn.language, name=me)
    question = next((part.question for part in parts if part.question), None)
    if question:
        asked, replies = ask(question, turn.language)
        return Reply("\n\n".join(filter(None, (text, asked))), quick_replies=replies)
    if text:
        left = unmet(turn.text, request.tools, turn.language) if told else ""
        return Reply("\n\n".join(filter(None, (text, left))))
    if set(tokens(turn.text)) & _CANCEL and pending(turn, request):
        return Reply(say("cancelled", turn.language))
    tools = request.tools or request.abilities
    return _offer("nothing_fits", turn, ranked(turn.text, tools))


def _so_far(turn: Turn) -> Reply:
    if not turn.steps:
        return Reply(say("nothing_so_far", turn.language))
    told = compose.answer([_all_steps(turn)], turn.language)
    return Reply(f"{say('so_far', turn.language)}\n\n{told}")


def _all_steps(turn: Turn) -> Progress:
    nobody = ToolSpec("", "", {})
    return Progress(Goal(turn.text, nobody), steps=turn.steps)


def _talk(kind: str, turn: Turn, tools: Sequence[ToolSpec]) -> Reply:
    if kind in ("thanks", "bye"):
        return Reply(say(kind, turn.language))
    if kind == "who":
        offer = _offer("help", turn, tools)
        return Reply(f"{say('who', turn.language)} {offer.text}", quick_replies=offer.quick_replies)
    if kind == "hello" and not tools:
        return Reply(say("hello_bare", turn.language))
    return _offer(kind, turn, tools)


def _offer(opening: str, turn: Turn, tools: Sequence[ToolSpec]) -> Reply:
    """Say what the offered tools are for, with their examples to tap."""
    if not tools:
        return Reply(say("no_tools", turn.language))
    asked = [text for text in (_example(tool, turn.language) for tool in tools) if text]
    leads = [text for text in (_lead(tool, turn.language) for tool in tools) if text]
    lines = [say(opening, turn.language), ""]
    # Without their question marks: the answer itself asks nothing.
    named = leads or [say("quoted", turn.language, text=text.rstrip("?")) for text in asked]
    lines += [f"- {text}" for text in named[:_MOST_HELP]]
    return Reply("\n".join(lines), quick_replies=tuple(dict.fromkeys(asked))[:_MOST_HELP])


def _example(tool: ToolSpec, language_: str) -> str:
    """Return a request for a tool in a language, as its own examples put it."""
    texts = (one_line(str(example.get("userRequest", ""))) for example in tool.examples)
    return next((text for text in texts if text and language(text) == language_), "")


def _lead(tool: ToolSpec, language_: str) -> str:
    """Return what a tool does in a few words; "" where it says so in another language only."""
    lead = re.split(r"\. |[:,;(\n]", tool.description.strip(), maxsplit=1)[0].rstrip(". ")
    lead = re.sub(r"\b(?:one of |all of )?the user's\b", "your", lead)
    lead = re.sub(r"\bthe user (\w+?)s\b", r"you \1", lead)
    return one_line(lead, most=80) if language(lead) == language_ else ""


def ask(question: Question, language_: str) -> tuple[str, tuple[str, ...]]:
    """Return one question in the user's language, and the answers to offer."""
    param = question.param
    noun = param.refers_to or re.sub(r" (?:name|description)$", "", param.label)
    unit = unit_in_name(noun)
    bare = noun.rpartition(" ")[0] if unit and " " in noun else noun
    what = label(bare, language_) + (f" ({printed(unit)})" if unit and bare != noun else "")
    about = param.description.partition(".")[0].partition(" (")[0].strip()
    repeats = set(tokens(about)) <= {*tokens(f"{param.label} {what}"), "its", "the", "in"}
    if param.kind == "boolean":
        yes_no = (say("yes", language_), say("no", language_))
        return say("whether", language_, about=about or what), yes_no
    names = tuple(text for text, _ in question.options)
    if names and len(names) <= _MOST_REPLIES:
        or_ = f" {say('or', language_)} "
        listed = or_.join(filter(None, (", ".join(names[:-1]), names[-1])))
        which = which_word(what)
        return say("choose", language_, what=what, which=which, options=listed), names
    if names:
        asked = say("which", language_, what=what, which=which_word(what))
        return asked, names[:_MOST_REPLIES]
    if about and not repeats and language(about) == language_ and about.lower() != what:
        return say("what_about", language_, what=what, about=about), ()
    return say("what", language_, what=what), ()
