"""Decides what comes next for a request: a call to make, a question to ask, or results to tell.

The planner keeps nothing between steps. Each time it reads the history anew, works out the same
goal from the same message, and sees from the calls already made how far it is. It does one thing
for a message. What a message says and no argument, filter or search can take, a second request
included, is asked about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.explanation import asks_what_it_is
from rollcall.core.messages import Json, ModelMessage
from rollcall.core.text import terms, tokens, words
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.planner import composer
from rollcall.models.planner.arguments import fill
from rollcall.models.planner.choice import (
    asks,
    choose,
    is_request,
    lists,
    ranked,
    searcher_of,
    searches,
    with_command,
)
from rollcall.models.planner.composer import Wish, label, one_line, say
from rollcall.models.planner.form import Filled
from rollcall.models.planner.history import Thing, Turn, read_turn, steps_of
from rollcall.models.planner.mentions import Message, cue, group, read_message, unit_of, wordset
from rollcall.models.planner.parameters import Parameter, parameters, spaced, vocabulary

_ASK_CHARS, _ANSWER_CHARS = 2_000, 100
"""What `ask_user` takes; longer ones are asked as text."""
_MAX_IDS, _MAX_OFFERED, _MAX_FOLLOWING, _DEEPEST = 20, 6, 12, 3


class Call(Struct, frozen=True):
    """A call to make."""

    name: str
    arguments: dict[str, Json]

    @property
    def key(self) -> str:
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)}"


class Goal(Struct, frozen=True):
    """A message with the tool for it, and arguments that are settled already."""

    text: str
    tool: ToolSpec
    given: dict[str, Json] = field(default_factory=dict)


class Reply(Struct, frozen=True):
    """What to say, and what to call.

    Attributes:
        ask: The arguments of `ask_user` where the text is a question that it takes.
        goal: What the question is asked for.
        missing: The parameter that the question is about.
        options: Answers that are offered, by name.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    quick_replies: tuple[str, ...] = ()
    ask: dict[str, Json] | None = None
    goal: Goal | None = None
    missing: Parameter | None = None
    options: dict[str, Json] = field(default_factory=dict)


def plan(request: ModelRequest, depth: int = 0) -> Reply:
    """Return the next reply to a request."""
    turn = read_turn(request.messages, request.locale)
    if request.tool_choice == "none":
        return Reply(composer.so_far(turn))
    if quoted := composer.from_files(turn, request.files):
        return Reply(quoted)
    if not turn.steps and (said := _small_talk(turn, request) or _noted(turn, request)):
        return said
    answered = _answered(turn, request, depth)
    goals = [answered] if answered else _goals(turn, request)
    reply = goals if isinstance(goals, Reply) else _carried_out(goals, turn, request)
    if turn.steps and not (reply.text or reply.calls):
        return Reply(composer.answer(turn.steps, Wish(turn.text), turn.locale, request.tools))
    return reply if reply.text or reply.calls else _offer("nothing_fits", turn, request)


def _carried_out(goals: Sequence[Goal], turn: Turn, request: ModelRequest) -> Reply:
    """Return the next reply for all goals together: their calls first, then what they found."""
    replies = [_advance(goal, turn, request) for goal in goals]
    if len(replies) == 1:
        return replies[0]
    if calls := {call.key: call for each in replies for call in each.calls}:
        return Reply(calls=tuple(calls.values()))
    replies.sort(key=lambda each: each.missing is not None)  # a question stands at the end
    text = "\n\n".join(each.text for each in replies)
    return replace(replies[-1], text=text, ask=None) if replies else Reply()


def _small_talk(turn: Turn, request: ModelRequest) -> Reply | None:
    said = set(tokens(turn.text))
    if cue("who_are_you").search(turn.text):
        return _offer("who", turn, request)
    if cue("help").match(turn.text):
        return _offer("help", turn, request)
    if cue("cancel").match(turn.text):
        return Reply(say("cancelled", turn.locale))
    for kind in ("thanks", "bye", "hello") if said <= wordset("talk.words") else ():
        if said & wordset(f"talk.{kind}"):
            return _offer(kind, turn, request) if kind == "hello" else Reply(say(kind, turn.locale))
    return None


def _noted(turn: Turn, request: ModelRequest) -> Reply | None:
    """Return what the notes say to a question of what something is: one question, without an
    exception, and with no number that the notes do not have."""
    told, text = "\n\n".join(f"{e.text} [{e.citation.n}]" for e in request.notes), turn.text
    numbers = [m for m in read_message(text).mentions if m.kind == "number"]
    is_known = all(not m.unit and re.search(rf"\b{int(m.value)}\b", told) for m in numbers)
    negations = (group(match, "negation")[0] for match in cue("qualifiers").finditer(text))
    is_other = any(negations) or not wordset("mine").isdisjoint(tokens(text))
    is_one = len(re.split(cue("sentences"), text)) == 1 and asks_what_it_is(text)
    if kind := composer.unanswered(text, told):
        told = told and f"{say(f'cannot_tell.{kind}', turn.locale)}\n\n{told}"
    return Reply(told) if told and is_known and is_one and not is_other else None


def _offer(opening: str, turn: Turn, request: ModelRequest) -> Reply:
    """Say what the offered tools are for, with requests of their own examples to tap."""
    tools = list(request.tools or request.abilities)
    if not tools:
        hello = [say("hello_alone", turn.locale)] if opening == "hello" else []
        return Reply(" ".join([*hello, say("no_tools", turn.locale)]))
    best = tools[:3]  # a greeting asks for none of them
    if opening != "hello":
        best = [each.tool for each in ranked(read_message(turn.text), tools)[:3]]
    examples = [each for tool in best if (each := composer.example(tool, turn.locale))]
    leads = [each for tool in best if (each := composer.lead(tool, turn.locale))]
    quoted = [say("quoted", turn.locale, text=each.rstrip("?")) for each in examples]
    named = [label(tool.name, turn.locale, tool.names.values()) for tool in best]
    lines = [say(opening, turn.locale), "", *(f"- {each}" for each in leads or quoted or named)]
    return Reply("\n".join(lines), quick_replies=tuple(dict.fromkeys(examples)))


def _ask(goal: Goal, missing: Parameter, options: dict[str, Json], locale: str) -> Reply:
    """Ask for a parameter with a text, and with the same for the platform's tool."""
    noun = re.sub(r" (?:name|ids?|description|text)$", "", missing.label)
    base, _, last = noun.rpartition(" ")
    unit = unit_of(last) if base else None
    what = label(base if unit else noun, locale, missing.aliases)
    what = f"{what} ({unit.symbol})" if unit else what
    key = "ask" if not options else "ask_choice" if len(options) <= _MAX_OFFERED else "ask_which"
    text = say(key, locale, what=what, options=f" {say('or', locale)} ".join(options))
    replies = tuple(options)[:_MAX_OFFERED]
    ask: dict[str, Json] = {"question": text, "quickReplies": list(replies)}
    if goal.given:
        ask["collectedData"] = dict(goal.given)
    is_short = len(text) <= _ASK_CHARS and all(len(each) <= _ANSWER_CHARS for each in replies)
    return Reply(text, (), replies, ask if is_short else None, goal, missing, options)


def _cannot_use(left: Iterable[str], locale: str) -> Reply:
    what = ", ".join(f"“{one_line(each, 60)}”" for each in dict.fromkeys(left))
    return Reply(say("cannot_use", locale, what=what))


# ---- Goals ----


def _goals(turn: Turn, request: ModelRequest) -> list[Goal] | Reply:
    """Return what a message asks for, or what is said where that is unclear."""
    text = with_command(turn.text, request.tools)
    if dictated := _dictated(text, request):
        return [dictated]
    tool, followed = choose(text, request), _follow_up(turn, request)
    if followed:
        own, message = vocabulary(followed.tool), read_message(text)
        named = (k for k in tool.keywords if not own.issuperset(words(k))) if tool else ()
        is_other = tool and tool.name != followed.tool.name and any(map(message.find, named))
        is_same = not (is_other or (tool and tool.writes)) and cue("leans").match(text)
        if tool is None or is_same:
            return [followed]
    parts = _parts(text)
    tools = [choose(part, request) for part in parts] if parts[1:] else [tool]
    goals = [Goal(part, tool) for part, tool in zip(parts, tools, strict=True) if tool]
    if len(goals) < len(parts) or len({each.tool.name for each in goals}) < len(parts):
        return _cannot_use(parts[1:], turn.locale) if parts[1:] else []
    if parts[1:] and not all(_is_clear(each, request) for each in goals):
        return _cannot_use(parts[1:], turn.locale)
    if tool and lists(tool) and not parts[1:]:  # "my chats and my tasks" are of two lists
        halves = re.split(cue("joins"), text)
        found = {each.name for half in halves if (each := choose(half, request)) and lists(each)}
        if len(found) > 1:
            return _cannot_use(halves[1:], turn.locale)
    narrows = cue("narrows").match(text)  # "only the urgent ones" are of the last list
    files = [file for goal in goals for file in _inside(goal.tool, text, turn)]
    if elsewhere := [*files, *([narrows[0].strip()] if narrows else [])]:
        return _cannot_use(elsewhere, turn.locale)
    return goals


def _parts(text: str) -> list[str]:
    """Split a message where more than one part asks for something by itself, in more than question
    words: "and by when?" does not."""
    parts: list[str] = []
    for piece in re.split(cue("splits"), text):
        is_own = asks(piece) and not set(terms(piece)) <= wordset("asking")
        if not parts or (is_own and asks(parts[-1])):
            parts.append(piece)
        else:
            parts[-1] = f"{parts[-1]}, {piece}"
    return parts if parts[1:] else [text]


def _is_clear(goal: Goal, request: ModelRequest) -> bool:
    """Tell whether a part of a message says all that its tool needs, and nothing else."""
    filled = fill(goal.tool, read_message(goal.text, request.now_iso), request.names)
    needed = (each for each in parameters(goal.tool) if each.required and not each.refers_to)
    is_whole = all(each.name in filled.arguments for each in needed)
    return is_whole and not (filled.left or goal.tool.writes or searches(goal.tool))


def _inside(tool: ToolSpec, text: str, turn: Turn) -> list[str]:
    """Return the files of a message that may be in the folder that was looked at just before."""
    last = next(iter(reversed(steps_of(turn.before))), None)
    before = (last.call.arguments or {}) if last else {}
    folders = [before[p.name] for p in parameters(tool) if p.means("path") and before.get(p.name)]
    files = (m.value for m in read_message(text).mentions if m.kind == "path")
    is_folder = any("." not in str(each) for each in folders)
    return [str(each) for each in files if is_folder and "/" not in str(each)]


def _dictated(text: str, request: ModelRequest) -> Goal | None:
    """Return the goal of a message that gives the words to be written: "tell Tom that I'm late"."""
    bare = read_message(text).bare
    for match in cue("dictation").finditer(bare) if is_request(text, "write") else ():
        command, said, after = (group(match, n)[0].strip() for n in ("command", "said", "after"))
        for tool in request.tools if cue("sends").search(command) else ():
            takes = [p for p in parameters(tool) if p.required and not (p.options or p.refers_to)]
            content = [p.name for p in takes if p.means("content")]
            if tool.writes and len(content) == 1:
                before = bare[: group(match, "said")[1][0]].rstrip()
                is_polite = len(bare) < len(text.strip()) and not cue("asks_more").match(said)
                if before[-1:].isalpha() and is_polite:
                    said = said.rstrip(" ?")  # of "could you tell her that …?"
                if before[-1:] not in "\"“'":  # "… and to Maya that the demo moved"
                    after = group(cue("dictates").match(said), "again")[0] or after
                command = f"{command} {after}".strip(" .,:")
                return Goal(command, tool, {content[0]: said})
    return None


def _answered(turn: Turn, request: ModelRequest, depth: int) -> Goal | None:
    """Return the goal of the question that the last reply asked, which is worked out again from
    its own history, with the user's answer in it; None where there is none."""
    last = turn.before[-1] if turn.before else None
    is_asked = isinstance(last, ModelMessage) and last.text.rstrip().endswith("?")
    if not is_asked or depth >= _DEEPEST:
        return None
    asked = plan(replace(request, messages=turn.before[:-1]), depth + 1)
    text, goal, parameter = turn.text.strip(), asked.goal, asked.missing
    if goal is None or parameter is None:
        return None
    message = read_message(text, request.now_iso)
    exact = [value for name, value in asked.options.items() if words(name) == words(text)]
    within = [value for name, value in asked.options.items() if message.find(name)]
    value = next((found[0] for found in (exact, within) if len(found) == 1), None)
    other = choose(text, request) if len(text.split()) > 3 else None
    if value is None and not asked.options and (not other or other.name == goal.tool.name):
        schema = {"properties": {parameter.name: parameter.schema}, "required": [parameter.name]}
        tool = ToolSpec(goal.tool.name, "", schema, aliases=goal.tool.aliases)
        value = fill(tool, message, request.names).arguments.get(parameter.name)
        if value is None and parameter.kind == "string" and parameter.accepts(text):
            value = text
    if value is None:
        return None
    many = parameter.kind == "array" and not isinstance(value, list)
    return replace(goal, given={**goal.given, parameter.name: [value] if many else value})


def _follow_up(turn: Turn, request: ModelRequest) -> Goal | None:
    """Return the last call with what a short message changes in it: "and over 300 ft?"."""
    last = next(iter(reversed(steps_of(turn.before))), None)
    tool = next((t for t in request.tools if last and t.name == last.call.name), None)
    if last is None or tool is None or tool.writes or len(turn.text.split()) > _MAX_FOLLOWING:
        return None
    message, every = read_message(turn.text, request.now_iso), parameters(tool)
    # What was required has a value, so words of the user's own are one only where they are marked.
    required = [p.name for p in every if p.required and p.means("query")]
    optional = replace(tool, parameters={**tool.parameters, "required": required})
    filled = fill(optional, message, request.names)
    if not filled.arguments or not (cue("leans").match(turn.text) or not filled.left):
        return None
    roots = {p.root for p in every if filled.arguments.get(p.name, "") != ""}
    kept = {p.name for p in every if p.root not in roots}
    # Another thing takes the place of the one before, with where that was.
    kept -= set(request.names) if not filled.arguments.keys().isdisjoint(request.names) else set()
    before = last.call.arguments or {}
    return Goal(turn.text, tool, {k: v for k, v in before.items() if k in kept})


def _advance(goal: Goal, turn: Turn, request: ModelRequest) -> Reply:
    """Return the next thing to do for a goal."""
    tool, message = goal.tool, read_message(goal.text, request.now_iso)
    filled, every = fill(tool, message, request.names), parameters(tool)
    arguments = {**filled.arguments, **goal.given}
    wish, left = _wish(tool, message, filled)
    if unusable := _unusable(goal, message, filled, wish):
        return _cannot_use(unusable, turn.locale)
    for name, values in filled.several.items():
        parameter = next(each for each in every if each.name == name)
        return _ask(goal, parameter, _options(values, tool, turn), turn.locale)
    is_said = arguments or filled.used or any(each.required for each in every)
    if tool.writes and every and not is_said:  # a default that is said is no argument
        return _ask(goal, every[0], {}, turn.locale)
    settled = {each.root for each in every if each.name in arguments}
    names = (each for each in filled.open if each.kind == "name")
    inside = any(cue("inside").search(message.text[: each.start]) for each in names)
    for each in every:
        is_named = left and any(message.find(phrase) for phrase in each.called)
        narrows = each.kind == "array" and lists(tool) and (inside or bool(wish.topic))
        is_named = is_named or narrows
        if each.refers_to and each.root not in settled and (each.required or is_named):
            return _look_up(goal, each, arguments, wish, left, turn, request)
    if left:
        return _cannot_use(left, turn.locale)
    return _call(goal, arguments, wish, turn, request)


def _unusable(goal: Goal, message: Message, filled: Filled, wish: Wish) -> list[str]:
    """Return what in a message no tool could heed: words that turn it around, values without a
    place, words that point elsewhere, and a plural where one value is taken."""
    tool, every, text = goal.tool, parameters(goal.tool), message.text
    is_list = lists(tool) or searches(tool)
    hard = [m for m in filled.open if m.kind not in ("name", "code", "path")]
    if filled.is_question:  # which takes all words, but not both of "60 and 75 °C"
        numbers = pairwise(each for each in message.mentions if each.kind == "number")
        pairs = ((pair, text[pair[0].end : pair[1].start]) for pair in numbers)
        listed = [each for pair, gap in pairs if cue("listed").fullmatch(gap) for each in pair]
        hard = [each for each in hard if each in listed]
    seeks = any(each.required and each.refers_to for each in every)  # which is looked up
    kinds = ["ordinals"] if goal.given else ["ordinals", "picks", *([] if seeks else ["there"])]
    if not (goal.given or (filled.arguments and not lists(tool)) or any(p.required for p in every)):
        kinds.append("that")
    is_named = wish.people or any(m.kind == "name" for m in message.mentions)
    is_named = is_named or any(p.means("person") and p.name in filled.arguments for p in every)
    kinds += ["someone"] if is_list and not is_named else []
    has_numbers = any(type(value) in (int, float) for value in filled.arguments.values())
    kinds += ["each"] if has_numbers and not filled.several else []  # as in "4 kW each"
    takes_one = any(p.identifies and p.kind != "array" for p in every)
    kinds += ["every"] if takes_one and not (is_list or filled.is_question) else []
    heard = frozenset[str]() if tool.writes else vocabulary(tool, whole=True)
    taken = {n for m in message.mentions if m.kind == "name" for n in m.place} | filled.used
    points = []
    for kind, match in ((each, match) for each in kinds for match in cue(each).finditer(text)):
        place = message.places(*match.span())
        is_heard = kind == "every" and message.stems_at(place) <= heard
        if kind in ("each", "picks") or (taken.isdisjoint(place) and not is_heard):
            points.append(match[0].strip())
    return [*filled.qualifiers, *(message.written(each.place) for each in hard), *points]


def _wish(tool: ToolSpec, message: Message, filled: Filled) -> tuple[Wish, list[str]]:
    """Return what the result has to be looked through for, as far as the call cannot say it, and
    what found no use at all."""
    text, opened = message.text, {message.written(m.place): m for m in filled.open}
    if filled.is_question:
        return Wish(text), [each for each in filled.left if each not in opened]
    place = message.places(*group(cue("about").search(text), "topic")[1])
    about = [message.words[n] for n in place if n not in filled.used]
    topic = " ".join(each.text for each in about if each.has_topic)
    names = {
        written: m
        for written, m in opened.items()
        if m.kind == "name" and not cue("for_whom").search(text[: m.start])
    }
    inside = {each for each, m in names.items() if cue("inside").search(text[: m.start])}
    people, used = list[str](), set[str]()
    if searches(tool):  # whose topic has all words of a sentence, and a quote no others
        topic, people = "", [e for e, m in names.items() if re.match(r"['’]s\b", text[m.end :])]
        is_whole = len(re.split(cue("sentences"), text)) == 1
        is_whole = is_whole and not any(m.kind == "quote" for m in message.mentions)
        used = {*names, *({*filled.left} - {*opened} if is_whole else ())}
    elif lists(tool):
        is_told = any(p.means("person") and p.name in filled.arguments for p in parameters(tool))
        people = [each for each in names if each not in inside and not is_told]
        people = people if len(people) == 1 else []  # "my tasks and Dan's" are of two
        used = {*people, *({*filled.left} - {*opened} if topic else ())}
    if said_by := group(cue("said_by").search(text), "who")[0]:
        people = [said_by]
    left = [each for each in filled.left if each not in used]
    return Wish(text, tuple(people), topic), left


def _call(
    goal: Goal, arguments: dict[str, Json], wish: Wish, turn: Turn, request: ModelRequest
) -> Reply:
    """Make a call, ask for what is missing, or tell what came of it."""
    tool, every = goal.tool, parameters(goal.tool)
    missing = [p for p in every if p.required and p.name not in arguments]
    if missing:
        known = replace(goal, given={**goal.given, **arguments})
        options = _options(missing[0].options, tool, turn)
        return _ask(known, missing[0], options, turn.locale)
    step = turn.made(tool.name, arguments)
    if step is None:
        return Reply(calls=(Call(tool.name, arguments),))
    for each in every if step.failed else ():  # a refusal may tell which things at hand would fit
        names = (request.names or {}).get(each.name, ())
        fitting = [name for name in names if read_message(str(step.body["error"])).find(name)]
        is_given = any(not each.core.isdisjoint(p.core) for p in every if p.name in arguments)
        if len({*fitting}) > 1 and not is_given:
            known = replace(goal, given={**goal.given, **arguments})
            return _ask(known, each, {name: name for name in fitting}, turn.locale)
    return Reply(composer.answer((step,), wish, turn.locale, request.tools))


def _options(values: Iterable[Json], tool: ToolSpec, turn: Turn) -> dict[str, Json]:
    """Return values by what they are called in the language of the turn."""
    return {label(str(v), turn.locale, tool.aliases.get(str(v), ())): v for v in values}


def _look_up(
    goal: Goal,
    target: Parameter,
    arguments: dict[str, Json],
    wish: Wish,
    left: Sequence[str],
    turn: Turn,
    request: ModelRequest,
) -> Reply:
    """Find the thing that a call is about among the last results, or with a tool that lists such
    things; ask where it is not clear which."""
    many, points = target.kind == "array", cue("that").search(goal.text)
    earlier = (s.of_kind(target.refers_to) for s in reversed(steps_of(turn.before)))
    things = next(filter(None, earlier), [])
    named = things if points else _named(goal, things)
    may_search = wish.topic and (many or "search" in target.description)
    searcher = searcher_of(request.tools) if may_search else None
    helper = searcher or _lister(goal.tool, target, request.tools)
    if helper and not (named or points):
        every = parameters(helper)
        sought = {p.name: wish.topic for p in every if p.required and p.means("query")}
        limits = (p for p in every if p.means("limit") and "maximum" in p.schema)
        limits = (p for p in limits if p.schema["maximum"] != p.schema.get("default"))
        arguments_ = sought or {p.name: p.schema["maximum"] for p in limits}
        step = turn.made(helper.name, arguments_)
        if step is None:
            return Reply(calls=(Call(helper.name, arguments_),))
        things = step.of_kind(target.refers_to)
        if step.failed or (searcher and not things):
            return Reply(composer.answer((step,), wish, turn.locale, request.tools))
        named = (things if many else things[:1]) if searcher else _named(goal, things)
        wish = replace(wish, is_found=True) if searcher else replace(wish, topic="")
    if not named and not target.required:
        return _cannot_use(left or [wish.topic], turn.locale)
    called = {stem for each in named for stem in terms(each.name)}
    own = called | vocabulary(goal.tool, whole=True)
    if others := [each for each in left if named and not (searcher or {*terms(each)} <= own)]:
        return _cannot_use(others, turn.locale)
    if named and (many or len(named) == 1):
        ids = [each.id for each in named][:_MAX_IDS]
        # What calls the thing by its name says nothing else.
        prose = {p.name for p in parameters(goal.tool) if p.means("prose")} - {*goal.given}
        same = {n for n in prose & {*arguments} if {*terms(str(arguments[n]))} <= called}
        arguments = {name: value for name, value in arguments.items() if name not in same}
        found = {**arguments, target.name: ids if many else ids[0]}
        return _call(goal, found, wish, turn, request)
    options: dict[str, Json] = {each.name or each.id: each.id for each in named or things}
    return _ask(goal, target, options, turn.locale)


def _lister(tool: ToolSpec, target: Parameter, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool that lists what an id identifies: the one that the parameter's description
    names, or one whose name has the word."""
    kind, told = set(words(target.refers_to)), re.findall(r"\w+", target.description)
    others = [each for each in tools if each.name != tool.name and not each.writes and lists(each)]
    named = [each for each in others if kind <= set(words(spaced(each.name)))]
    takes = {t.name for t in named if any(p.refers_to == target.refers_to for p in parameters(t))}
    named.sort(key=lambda each: (each.name in takes, each.name not in tool.related))
    return next((each for each in others if each.name in told), next(iter(named), None))


def _named(goal: Goal, things: Sequence[Thing]) -> list[Thing]:
    """Return the things that a goal calls by name or id, or by the words that most of all has."""
    message, said = read_message(goal.text), set(terms(goal.text))
    whole = [t for t in things if (t.name and message.find(t.name)) or t.id in goal.text.split()]
    shares = [len((set(terms(each.name)) - vocabulary(goal.tool)) & said) for each in things]
    most = max(shares, default=0)
    best = [each for each, share in zip(things, shares, strict=True) if most and share == most]
    return whole or best
