"""Answers to a question that the planner has asked: which was chosen, what was said."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rollcall.core.messages import Json
from rollcall.core.text import tokens
from rollcall.models._offline.choose import best
from rollcall.models._offline.fill import Source, answer
from rollcall.models._offline.history import Turn
from rollcall.models._offline.lexicon import wordset
from rollcall.models._offline.options import yes_or_no
from rollcall.models._offline.ordinals import ORDINALS, bare
from rollcall.models._offline.people import is_called
from rollcall.models._offline.plan import Goal, Question
from rollcall.models.base import ModelRequest, ToolSpec

_CANCEL = wordset("cancel stop forget never nevermind בטל עזוב עזבי תעזוב לבטל")


def answered(question: Question, turn: Turn, request: ModelRequest) -> Goal | None:
    """Return the asked-about goal with the answer in it; None where the text is no answer."""
    if set(tokens(turn.text)) & _CANCEL:
        return None
    value = chosen(question, turn.text)
    goal, param = question.goal, question.param
    if value is None and not _is_new_request(turn.text, question, request.tools):
        source = Source(turn.text, request.now_iso, turn.entities, request.names)
        value = answer(param, turn.text, source)
        if param.refers_to and question.options and value not in _offered(question):
            return None  # other words than those that were offered name no such thing
    if value is None:
        return None
    given = {**goal.given, param.name: value}
    return replace(goal, given=given)


def chosen(question: Question, text: str) -> Json | None:
    """Return the offered answer that a text picks: by its words or by its place."""
    said = tokens(text)
    for label, value in question.options:
        if tokens(label) == said or str(value).lower() == text.strip().lower():
            return _as_list(question, value)
    places = [ORDINALS[word] for word in (*said, *bare(said)) if word in ORDINALS]
    if places and len(said) <= 4 and len(question.options) > max(places[0], 0):
        return _as_list(question, question.options[places[0]][1])
    if len(question.options) == 1 and len(said) <= 2 and yes_or_no(text):
        return _as_list(question, question.options[0][1])
    called = [value for label, value in question.options if is_called(label, text)]
    if len(called) == 1:
        return _as_list(question, called[0])
    within = [value for label, value in question.options if set(tokens(label)) & set(said)]
    return _as_list(question, within[0]) if len(within) == 1 else None


def _offered(question: Question) -> list[Json]:
    return [_as_list(question, value) for _, value in question.options]


def _as_list(question: Question, value: Json) -> Json:
    return [value] if question.param.kind == "array" else value


def _is_new_request(text: str, question: Question, tools: Sequence[ToolSpec]) -> bool:
    """Tell an answer from a change of mind: it is long, or asks clearly for another tool."""
    choice = best(text, tools)
    other = choice is not None and choice.tool.name != question.goal.tool.name
    size = len(text.split())
    return size > 40 or (other and size > 3) or (size > 3 and text.rstrip().endswith("?"))
