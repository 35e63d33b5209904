"""What the user wants: a goal for every part of the message, read with what came before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rollcall.core.messages import Json, ModelMessage, UserMessage
from rollcall.core.text import tokens
from rollcall.models._offline.choose import best
from rollcall.models._offline.fill import Source, answer, fill
from rollcall.models._offline.history import Step, Turn, read
from rollcall.models._offline.lexicon import all_features, wordset
from rollcall.models._offline.options import yes_or_no
from rollcall.models._offline.plan import Goal, Question, advance
from rollcall.models._offline.schema import Param, params
from rollcall.models._offline.split import split
from rollcall.models.base import ModelRequest, ToolSpec

_CANCEL = wordset("cancel stop forget never nevermind בטל עזוב עזבי תעזוב לבטל")
_SHORT = 8
_DEEPEST = 4
_ORDINALS = {
    "first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "last": -1,
    "ראשון": 0, "ראשונה": 0, "שני": 1, "שנייה": 1, "שניה": 1, "שלישי": 2, "שלישית": 2, "אחרון": -1,
    "אחרונה": -1,
}  # fmt: skip


def goals(turn: Turn, request: ModelRequest, *, depth: int = 0) -> list[Goal]:
    """Return a goal for each part of the turn's message that a tool fits."""
    question = pending(turn, request, depth=depth)
    if question is not None:
        answered = _answered(question, turn, request)
        if answered is not None:
            return [answered]
    found = [
        goal
        for part in split(turn.text, request.tools)
        if part.choice
        for goal in _repeated(part.text, part.choice.tool, part.pieces, turn, request)
    ]
    return found or _follow_up(turn, request)


def _repeated(
    text: str, tool: ToolSpec, pieces: Sequence[str], turn: Turn, request: ModelRequest
) -> list[Goal]:
    """Return one goal, or several where pieces give one required parameter different values.

    What a later piece leaves out ("…and the other with a radius of 10 m") is as before.
    """
    required = {p.name: p for p in params(tool) if p.required and p.kind != "array"}
    rounds: list[tuple[str, dict[str, Json]]] = []
    for piece in pieces if required else ():
        found = fill(tool, Source(piece, request.now_iso, turn.entities)).arguments
        if not rounds:
            rounds.append((piece, found))
            continue
        said, had = rounds[-1]
        if _is_another(piece, tool, found, had, required):
            rounds.append((piece, {**had, **found}))
        else:
            rounds[-1] = (f"{said}, {piece}", {**found, **had})
    complete = len(rounds) > 1 and all(set(required) <= set(given) for _, given in rounds)
    return [Goal(said, tool, given) for said, given in rounds] if complete else [Goal(text, tool)]


def _is_another(
    piece: str,
    tool: ToolSpec,
    found: dict[str, Json],
    had: dict[str, Json],
    required: dict[str, Param],
) -> bool:
    """Tell whether a piece asks for the tool once more: it says so itself, or names the number."""
    differs = [name for name in required if name in found and found[name] != had.get(name)]
    if not differs or not set(required) <= set(had):
        return False
    if best(piece, [tool]) and set(required) <= set(found):
        return True
    said = set(all_features(piece))
    return any(
        required[name].kind in ("integer", "number") and required[name].names <= said
        for name in differs
    )


def pending(turn: Turn, request: ModelRequest, *, depth: int = 0) -> Question | None:
    """Return the question that the last reply asked, worked out again from its own history."""
    last = turn.before[-1] if turn.before else None
    if depth >= _DEEPEST or not isinstance(last, ModelMessage) or last.tool_calls:
        return None
    if not last.text.rstrip().endswith("?"):
        return None
    asked = read(turn.before[:-1], request.locale)
    for goal in goals(asked, request, depth=depth + 1):
        question = advance(goal, asked, request).question
        if question is not None:
            return question
    return None


def _answered(question: Question, turn: Turn, request: ModelRequest) -> Goal | None:
    """Return the asked-about goal with the answer in it; None where the text is no answer."""
    if set(tokens(turn.text)) & _CANCEL:
        return None
    value = chosen(question, turn.text)
    goal, param = question.goal, question.param
    if value is None and not _is_new_request(turn.text, question, request.tools):
        source = Source(turn.text, request.now_iso, turn.entities)
        value = answer(param, turn.text, source)
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
    places = [_ORDINALS[word] for word in (*said, *_bare(said)) if word in _ORDINALS]
    if places and len(said) <= 4 and len(question.options) > max(places[0], 0):
        return _as_list(question, question.options[places[0]][1])
    if len(question.options) == 1 and len(said) <= 2 and yes_or_no(text):
        return _as_list(question, question.options[0][1])
    within = [value for label, value in question.options if set(tokens(label)) & set(said)]
    return _as_list(question, within[0]) if len(within) == 1 else None


def _as_list(question: Question, value: Json) -> Json:
    return [value] if question.param.kind == "array" else value


def _bare(said: list[str]) -> list[str]:
    """Hebrew words without "the" or "in" in front."""
    return [word[1:] for word in said if word[:1] in "הבל"]


def _is_new_request(text: str, question: Question, tools: Sequence[ToolSpec]) -> bool:
    """Tell an answer from a change of mind: it is long, or asks clearly for another tool."""
    choice = best(text, tools)
    other = choice is not None and choice.tool.name != question.goal.tool.name
    size = len(text.split())
    return size > 40 or (other and size > 3) or (size > 3 and text.rstrip().endswith("?"))


_ELLIPSIS = re.compile(
    r"^(?:and|also|what about|how about|now|same|instead|only|just|but|ומה|מה לגבי|ומה עם|וגם|רק|"
    r"אבל|עכשיו|ו)(?:\s|(?<=ו))",
    re.IGNORECASE,
)


def _follow_up(turn: Turn, request: ModelRequest) -> list[Goal]:
    """Read "and for grade 5?" as the last call with something changed."""
    text = turn.text.strip()
    last = _last_call(turn)
    if last is None or not (_ELLIPSIS.match(text) or len(text.split()) <= _SHORT // 2):
        return []
    tool = next((tool for tool in request.tools if tool.name == last.call.name), None)
    if tool is None or len(text.split()) > _SHORT:
        return []
    source = Source(text, request.now_iso, turn.entities)
    changed = fill(tool, source).arguments
    if not changed:
        return []
    return [Goal(text, tool, {**(last.call.arguments or {}), **changed})]


def _last_call(turn: Turn) -> Step | None:
    """Return the last call of the turn before this one."""
    users = [at for at, m in enumerate(turn.before) if isinstance(m, UserMessage)]
    if not users:
        return None
    previous = read(turn.before[users[-1] :], "en")
    return previous.steps[-1] if previous.steps else None
