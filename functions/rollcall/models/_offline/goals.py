"""What the user wants: a goal for every part of the message, read with what came before it."""

from __future__ import annotations

from collections.abc import Sequence

from rollcall.core.messages import Json, ModelMessage
from rollcall.models._offline import answers, chain, follow, pronouns, topic, writes
from rollcall.models._offline.asked import content_of, looked_up, refuses, searcher
from rollcall.models._offline.choose import best, said_in_full, vocabulary
from rollcall.models._offline.commands import then_asks
from rollcall.models._offline.fill import Source, fill
from rollcall.models._offline.history import Turn, read
from rollcall.models._offline.lexicon import all_features, features
from rollcall.models._offline.plan import Goal, Progress, Question, advance
from rollcall.models._offline.schema import Param, params
from rollcall.models._offline.split import Part, split
from rollcall.models.base import ModelRequest, ToolSpec

_DEEPEST = 4
_MOST_STRANGE = 1


def goals(turn: Turn, request: ModelRequest, *, depth: int = 0) -> list[Goal]:
    """Return a goal for each part of the turn's message that a tool fits."""
    question = pending(turn, request, depth=depth)
    if question is not None:
        answered = answers.answered(question, turn, request)
        if answered is not None:
            return [answered]
    again = follow.back(turn, _prior(turn, request, depth), request)
    if again:
        return again
    changed = follow.supposed(turn, request)
    if changed:
        return changed
    told = writes.dictation(turn.text, request.tools)
    if told:
        command, asked = then_asks(told[0])
        also = _asked_for(asked, turn, request) if asked else []
        return [Goal(command, *told[1:]), *also]
    found = _asked_for(turn.text, turn, request)
    return found or follow.up(turn, request, _prior(turn, request, depth)) or _lookup(turn, request)


def _asked_for(text: str, turn: Turn, request: ModelRequest) -> list[Goal]:
    """Return a goal for each part of a text that a tool fits."""
    found = [
        goal
        for part in split(text, request.tools)
        if part.choice and not refuses(part.text, part.choice.tool)
        for goal in _fitting(part, part.choice.tool, turn, request)
    ]
    return pronouns.resolved(found, turn, request)


def _fitting(part: Part, tool: ToolSpec, turn: Turn, request: ModelRequest) -> list[Goal]:
    """Return the goals for a part that a tool fits; a list of places tells of no topic."""
    search = searcher(part.text, request.tools)
    if search and looked_up(part.text) and chain.only_lists(tool, request.tools):
        said = set(content_of(topic.plain(part.text)))
        words = vocabulary(tool) | said_in_full(tool, part.text)
        known = {f for f in said if set(features(f)) <= words}
        if topic.about(part.text) or len(said - known) > _MOST_STRANGE:
            return [Goal(part.text, search)]
    if search and chain.untold(tool, part.text):
        return [Goal(part.text, tool), Goal(part.text, search)]
    return _repeated(part.text, tool, part.pieces, turn, request)


def _lookup(turn: Turn, request: ModelRequest) -> list[Goal]:
    """Search for what is asked where nothing else answers it."""
    asked = looked_up(turn.text)
    search = searcher(turn.text, request.tools) if asked else None
    if asked is None or search is None:
        return []
    # What others have called in this turn is the answer, unless they searched too.
    ours = not turn.steps or any(step.call.name == search.name for step in turn.steps)
    return [Goal(asked, search)] if ours else []


def _prior(turn: Turn, request: ModelRequest, depth: int) -> list[Progress]:
    """Work out again what the turn before this one came to."""
    if depth >= _DEEPEST or not turn.before or not follow.leans(turn.text):
        return []
    before = read(turn.before, request.locale)
    if not before.steps:
        return []
    return [advance(goal, before, request) for goal in goals(before, request, depth=depth + 1)]


def _repeated(
    text: str, tool: ToolSpec, pieces: Sequence[str], turn: Turn, request: ModelRequest
) -> list[Goal]:
    """Return one goal, or several where pieces give one required parameter different values.

    What a later piece leaves out ("…and the other with a radius of 10 m") is as before.
    """
    required = {p.name: p for p in params(tool) if p.required and p.kind != "array"}
    rounds: list[tuple[str, dict[str, Json]]] = []
    for piece in pieces if required else ():
        found = fill(tool, Source(piece, request.now_iso, turn.entities, request.names)).arguments
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
