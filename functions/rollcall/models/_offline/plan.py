"""What to do next for a request: calls to make, a question to ask, or results to tell.

The planner keeps nothing between steps. Each time it reads the history anew, works out the same
goals from the same message, and sees from the calls already made how far each goal is. A call
that was made is never made again, and every step makes a new call or ends the turn.
"""

from __future__ import annotations

import json

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.messages import Json
from rollcall.models._offline import chain, fanout, which, writes
from rollcall.models._offline.fill import Source, fill
from rollcall.models._offline.history import Step, Turn
from rollcall.models._offline.people import is_somebodys
from rollcall.models._offline.schema import Param, params
from rollcall.models.base import ModelRequest, ToolSpec


class Call(Struct, frozen=True):
    """A call to make."""

    name: str
    arguments: dict[str, Json]

    @property
    def key(self) -> str:
        return key_of(self.name, self.arguments)


class Reply(Struct, frozen=True):
    """What to say, and what to call."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    quick_replies: tuple[str, ...] = ()


def key_of(name: str, arguments: dict[str, Json] | None) -> str:
    """Return what makes two calls the same call."""
    return f"{name} {json.dumps(arguments or {}, sort_keys=True, ensure_ascii=False)}"


class Goal(Struct, frozen=True):
    """One part of the request, the tool for it, and arguments that are settled already.

    Args:
        all: Whether all of what is found is to be told, not only the first of it.
        pick: The place of the one thing that is to be told of.
    """

    text: str
    tool: ToolSpec
    given: dict[str, Json] = field(default_factory=dict)
    all: bool = False
    pick: int | None = None


class Question(Struct, frozen=True):
    """A required parameter that only the user can fill, with answers to offer."""

    goal: Goal
    param: Param
    options: tuple[tuple[str, Json], ...] = ()


class Progress(Struct, frozen=True):
    """How far a goal is: exactly one of calls to make, a question, or steps to tell of.

    `search` is the step that found what the others looked at, by the topic.
    """

    goal: Goal
    calls: tuple[Call, ...] = ()
    question: Question | None = None
    steps: tuple[Step, ...] = ()
    topic: str | None = None
    search: Step | None = None


def advance(goal: Goal, turn: Turn, request: ModelRequest) -> Progress:
    """Work out the next thing to do for a goal. Where a tool asks which of the things at hand is
    meant, so is the user."""
    progress = _advance(goal, turn, request)
    failed = [step for step in progress.steps if step.failed]
    if progress.calls or progress.question or len(failed) != 1:
        return progress
    param = which.unclear(goal.tool, failed[0], request.names)
    if param is None:
        return progress
    given = failed[0].call.arguments or {}
    # What the instructions do not tell is another name of something that they do.
    told = [name for name in request.names[param.name] if name in request.instructions]
    known = which.choices(told or request.names[param.name], given)
    one = which.meant(known, goal.text, param)
    if one and not goal.tool.writes and param.name not in goal.given:
        return advance(replace(goal, given={**goal.given, param.name: one}), turn, request)
    return Progress(goal, question=Question(goal, param, tuple((n, n) for n in known)))


def _advance(goal: Goal, turn: Turn, request: ModelRequest) -> Progress:
    # Told again, a goal is to come out as it did, before its own results were known.
    again = goal.all or goal.pick is not None
    entities = () if again else turn.entities
    source = Source(goal.text, request.now_iso, entities, request.names)
    filled = fill(goal.tool, source)
    wider = {**(_longer(goal.tool) if goal.all else {}), **_widest(goal, filled.arguments)}
    if goal.tool.writes:
        content = writes.same_content(goal.tool, goal.text, turn)
        known = {**content, **writes.without_content(goal.tool, filled.arguments)}
        return _write(goal, {**known, **goal.given}, turn, request)
    arguments = {**wider, **filled.arguments, **goal.given}
    need = chain.need(goal.tool, arguments, goal.text, request.tools, request.names)
    if need is None:
        topic = chain.untold(goal.tool, goal.text)
        return _call_or_ask(goal, arguments, turn, source, topic)
    helper = Call(need.tool.name, need.arguments(source))
    step = made(helper, turn)
    if step is None:
        return Progress(goal, calls=(helper,))
    if step.failed or not chain.found(need, step):
        if not step.failed and not need.param.required and need.topic is None:
            return _call_or_ask(goal, arguments, turn, source, None)
        return Progress(goal, steps=(step,), topic=need.topic)
    made_ = _with_ids(goal, need, arguments, step, turn, source)
    return replace(made_, search=step) if need.topic is not None else made_


def _write(goal: Goal, arguments: dict[str, Json], turn: Turn, request: ModelRequest) -> Progress:
    """Find the one thing a write is about, then make it, or ask for what is missing."""
    param = writes.target(goal.tool, arguments)
    if param is None:
        return _write_or_ask(goal, arguments, turn)
    pointed = writes.pointed_at(goal.text, param, turn, sends=writes.sends(goal.tool))
    if pointed is not None:
        return _about_one(goal, param, pointed.id, pointed.options, arguments, turn)
    call, about = _finder(goal, param, turn, request)
    if call is None:
        return Progress(goal, question=Question(goal, param))
    step = made(call, turn)
    if step is None:
        return Progress(goal, calls=(call,))
    listed = writes.options(step, param)
    if step.failed or not listed:
        return Progress(goal, steps=(step,), topic=about)
    if about is not None:
        return _about_one(goal, param, str(listed[0][1]), (), arguments, turn)
    things = chain.known(param, step.entities)
    named = writes.named(goal.text, [e for e in things if e.name])
    found = tuple((entity.name, entity.id) for entity in named)
    found = found or writes.with_person(goal.text, step, listed) or listed
    one = named[0].id if len(named) == 1 else None
    return _about_one(goal, param, one, found, arguments, turn)


def _finder(
    goal: Goal, param: Param, turn: Turn, request: ModelRequest
) -> tuple[Call | None, str | None]:
    """Return the call that finds what a write is about: a list of all, or a search for words."""
    lister = writes.lister(goal.tool, param, request.tools)
    if lister is not None:
        return Call(lister.name, writes.widest(lister)), None
    about = writes.subject(goal.tool, goal.text)
    need = chain.need(goal.tool, {}, f"about {about}", request.tools) if about else None
    if need is None:
        return None, None
    source = Source(goal.text, request.now_iso, turn.entities, request.names)
    words: dict[str, Json] = {p.name: about for p in params(need.tool) if p.required}
    return Call(need.tool.name, {**need.arguments(source), **words}), about


def _about_one(
    goal: Goal,
    param: Param,
    id_: str | None,
    options: tuple[tuple[str, Json], ...],
    arguments: dict[str, Json],
    turn: Turn,
) -> Progress:
    if id_ is None:
        return Progress(goal, question=Question(goal, param, options))
    return _write_or_ask(goal, {**arguments, param.name: id_}, turn)


def _write_or_ask(goal: Goal, arguments: dict[str, Json], turn: Turn) -> Progress:
    missing = [p for p in params(goal.tool) if p.required and p.name not in arguments]
    if missing:
        return Progress(goal, question=Question(goal, missing[0], options(missing[0], turn)))
    return _calls(goal, [arguments], turn, None)


def _longer(tool: ToolSpec) -> dict[str, Json]:
    """Return the arguments that let a tool say more than it does by itself."""
    found: dict[str, Json] = {}
    for param in params(tool):
        usual, most = param.schema.get("default"), param.schema.get("maximum")
        sized = param.kind == "integer" and set(param.label.split()) & {"length", "words"}
        if sized and isinstance(usual, int):
            found[param.name] = min(3 * usual, int(most or 3 * usual))
    return found


def _widest(goal: Goal, arguments: dict[str, Json]) -> dict[str, Json]:
    """Return the largest limit where only somebody's own are wanted out of everybody's."""
    if arguments or not is_somebodys(goal.text):
        return {}
    limits = (p for p in params(goal.tool) if p.kind == "integer" and "limit" in p.label.split())
    return {p.name: int(p.schema["maximum"]) for p in limits if "maximum" in p.schema}


def _with_ids(
    goal: Goal,
    need: chain.Need,
    arguments: dict[str, Json],
    step: Step,
    turn: Turn,
    source: Source,
) -> Progress:
    found = chain.found(need, step)
    chosen = chain.choose_ids(need, goal.text, found, step)
    if chosen is None:
        options = tuple((entity.name or entity.id, entity.id) for entity in found)
        return Progress(goal, question=Question(goal, need.param, options))
    if not chosen:
        return _call_or_ask(goal, arguments, turn, source, None)
    if need.param.kind == "array":
        values = {**arguments, need.param.name: chosen}
        return _call_or_ask(goal, values, turn, source, need.topic)
    each = [{**arguments, need.param.name: id_} for id_ in chosen]
    return _calls(goal, each, turn, need.topic)


def _call_or_ask(
    goal: Goal, arguments: dict[str, Json], turn: Turn, source: Source, topic: str | None
) -> Progress:
    missing = [p for p in params(goal.tool) if p.required and p.name not in arguments]
    if missing:
        return Progress(goal, question=Question(goal, missing[0], options(missing[0], turn)))
    return _calls(goal, fanout.variants(goal.tool, arguments, source, goal.given), turn, topic)


def _calls(goal: Goal, each: list[dict[str, Json]], turn: Turn, topic: str | None) -> Progress:
    order = {param.name: at for at, param in enumerate(params(goal.tool))}
    wanted = [
        Call(goal.tool.name, dict(sorted(a.items(), key=lambda item: order.get(item[0], 99))))
        for a in each
    ]
    steps: list[Step] = []
    calls: list[Call] = []
    for call in wanted:
        step = made(call, turn)
        again = _mended(call, step, goal.tool) if step else call
        if again is not call and again is not None:
            step = made(again, turn)
        if step is None and again is not None:
            calls.append(again)
        elif step is not None:
            steps.append(step)
    return Progress(goal, calls=tuple(calls), steps=tuple(steps), topic=topic)


def _mended(call: Call, step: Step, tool: ToolSpec) -> Call | None:
    """Return the call without the optional argument that an error names; None if none is.

    The error only says which argument to leave out: no value is ever taken from it.
    """
    if tool.writes:
        return None  # what was asked for is written, or nothing is
    field_ = str(step.error.get("field") or "").rsplit(".", 1)[-1] if step.failed else ""
    required = {param.name for param in params(tool) if param.required}
    if field_ not in call.arguments or field_ in required:
        return None
    left = {name: value for name, value in call.arguments.items() if name != field_}
    if which.says_which(field_, tool) and not which.stands_without(field_, left, tool):
        return None  # without it the call would be about something else
    return replace(call, arguments=left)


def made(call: Call, turn: Turn) -> Step | None:
    """Return the step of this turn that made a call."""
    return next((s for s in turn.steps if key_of(s.call.name, s.call.arguments) == call.key), None)


def options(param: Param, turn: Turn) -> tuple[tuple[str, Json], ...]:
    """Return the answers to offer for a parameter: its listed values, or names out of results."""
    if param.options:
        return tuple((str(option).replace("_", " "), option) for option in param.options)
    known = chain.known(param, turn.entities)
    return tuple((entity.name or entity.id, entity.id) for entity in known)
