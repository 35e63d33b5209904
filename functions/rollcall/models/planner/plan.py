"""Decides what comes next for a request: calls to make, a question to ask, or results to tell.

The planner keeps nothing between steps. Each time it reads the history anew, works out the same
goals from the same message, and sees from the calls already made how far each goal is. A call that
was made is never made again, and every step makes a new call or ends the turn. What a message says
and no argument, filter or search can take is asked about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.explanation import asks_what_it_is
from rollcall.core.messages import Json, ModelMessage, ToolMessage, UserMessage
from rollcall.core.text import terms, tokens, words
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.planner import composer
from rollcall.models.planner.arguments import Filled, fill
from rollcall.models.planner.choice import (
    asks,
    choose,
    counts,
    is_request,
    lists,
    ranked,
    searcher_of,
    searches,
    with_commands,
)
from rollcall.models.planner.composer import Wish, apart, label, one_line, say
from rollcall.models.planner.history import Step, Thing, Turn, read_turn, steps_of
from rollcall.models.planner.mentions import (
    Message,
    cue,
    group,
    read_message,
    unit_of,
    wording,
    wordset,
)
from rollcall.models.planner.parameters import Parameter, parameters, spaced, vocabulary

_ASK_CHARS, _ANSWER_CHARS = 2_000, 100
"""What `ask_user` takes; longer ones are asked as text."""
_MAX_CALLS, _MAX_STEPS, _MAX_IDS, _MAX_OFFERED, _MAX_VALUES, _DEEPEST = 8, 24, 20, 6, 4, 3
_WRITTEN = re.compile(r"Do not write it a second time:\n<data>\n(.*?)\n</data>", re.DOTALL)


class Call(Struct, frozen=True):
    """A call to make."""

    name: str
    arguments: dict[str, Json]

    @property
    def key(self) -> str:
        return f"{self.name} {json.dumps(self.arguments, sort_keys=True, ensure_ascii=False)}"


class Reply(Struct, frozen=True):
    """What to say, and what to call.

    Attributes:
        ask: The arguments of `ask_user` where the text ends in a question; `told` is what stands
            before that.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    quick_replies: tuple[str, ...] = ()
    ask: dict[str, Json] | None = None
    told: str = ""


class Goal(Struct, frozen=True):
    """A part of the message with the tool for it, and arguments that are settled already.

    Attributes:
        pick: The place of the one thing of the tool's last result that is to be told of.
        skip: How many things of that result were told of already, where it is gone on with.
    """

    text: str
    tool: ToolSpec
    given: dict[str, Json] = field(default_factory=dict)
    pick: int | None = None
    skip: int = 0


class Question(Struct, frozen=True):
    """A parameter that only the user can fill, with answers to offer, by name."""

    goal: Goal
    parameter: Parameter
    options: tuple[tuple[str, Json], ...] = ()


class Progress(Struct, frozen=True):
    """How far a goal is: calls to make, a question, a remark, or steps to tell of."""

    calls: tuple[Call, ...] = ()
    question: Question | None = None
    remark: str = ""
    steps: tuple[Step, ...] = ()
    wish: Wish = Wish()


def plan(request: ModelRequest) -> Reply:
    """Return the next reply to a request."""
    turn = read_turn(request.messages, request.locale)
    if request.tool_choice == "none":
        return Reply(composer.so_far(turn))
    if quoted := composer.from_files(turn, request.files):
        return Reply(quoted)
    if not turn.steps and (talk := _small_talk(turn, request)):
        return talk
    if not turn.steps and request.notes and _asks_notes(turn.text, request):
        notes = "\n\n".join(f"{each.text} [{each.citation.n}]" for each in request.notes)
        kind = composer.unanswered(turn.text, notes)
        return Reply(f"{say(f'cannot_tell.{kind}', turn.locale)}\n\n{notes}" if kind else notes)
    goals, unmet = _goals(turn, request)
    parts = [_advance(goal, turn, request) for goal in goals]
    calls = tuple({call.key: call for part in parts for call in part.calls}.values())
    if calls and len(turn.steps) < _MAX_STEPS:
        return Reply(_written_before(calls, turn, request), calls[:_MAX_CALLS])
    told = [(part.steps, part.wish) for part in parts if part.steps]
    question = next((part.question for part in parts if part.question), None)
    if turn.steps and not (told or question or any(part.remark for part in parts)):
        told = [(turn.steps, Wish(turn.text))]
    texts = [composer.answer(told, turn.locale, request.tools), *(part.remark for part in parts)]
    unmet = unmet if question or any(texts) else []
    texts += [say("unmet", turn.locale, part=one_line(each, 80)) for each in unmet]
    text = "\n\n".join(filter(None, texts))
    if question:
        return _ask(question, text, turn.locale)
    return Reply(text) if text else _offer("nothing_fits", turn, request)


def _asks_notes(text: str, request: ModelRequest) -> bool:
    """Tell whether a text asks what something is that is no own thing, in words that the notes can
    answer: one question, without an exception, and with no number that the notes do not have."""
    told = " ".join(each.text for each in request.notes)
    numbers = [m for m in read_message(text).mentions if m.kind == "number"]
    is_own = not wordset("mine").isdisjoint(tokens(text)) or any(m.unit for m in numbers)
    is_known = all(re.search(rf"\b{int(m.value)}\b", told) for m in numbers)
    negations = (group(m, "negation")[0] for m in cue("qualifiers").finditer(text))
    is_whole = not any(no.removesuffix("don't") for no in negations)  # "don't calculate anything"
    is_whole = is_whole and len(re.split(cue("sentences"), text)) == 1
    return is_whole and is_known and not is_own and asks_what_it_is(text)


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
    named = [label(t.name, turn.locale, t.names.values()) for t in best or tools[:3]]
    lines = [say(opening, turn.locale), "", *(f"- {each}" for each in leads or quoted or named)]
    return Reply("\n".join(lines).rstrip(), quick_replies=tuple(dict.fromkeys(examples)))


def _ask(question: Question, told: str, locale: str) -> Reply:
    """Ask with a text that ends in a question, and with the same for the platform's tool."""
    noun = re.sub(r" (?:name|ids?|description|text)$", "", question.parameter.label)
    base, _, last = noun.rpartition(" ")
    unit = unit_of(last) if base else None
    what = label(base if unit else noun, locale, question.parameter.aliases)
    what = f"{what} ({unit.symbol})" if unit else what
    names = tuple(name for name, _ in question.options)
    key = "ask" if not names else "ask_choice" if len(names) <= _MAX_OFFERED else "ask_which"
    text = say(key, locale, what=what, options=f" {say('or', locale)} ".join(names))
    replies = names[:_MAX_OFFERED]
    ask: dict[str, Json] = {"question": text, "quickReplies": list(replies)}
    if question.goal.given:
        ask["collectedData"] = dict(question.goal.given)
    whole = "\n\n".join(filter(None, (told, text)))
    is_short = len(text) <= _ASK_CHARS and all(len(each) <= _ANSWER_CHARS for each in replies)
    return Reply(whole, quick_replies=replies, ask=ask if is_short else None, told=told)


def _written_before(calls: Sequence[Call], turn: Turn, request: ModelRequest) -> str:
    """Say beside a write what an earlier try of the same message wrote with the same tool, which
    the instructions alone tell; whether it is the same again is for the person to see."""
    names = {call.name for call in calls} & {tool.name for tool in request.tools if tool.writes}
    section = _WRITTEN.search(request.instructions) if names else None
    found = re.findall(r"^- ((\w+) .*)$", section[1], re.MULTILINE) if section else []
    told = (apart(one_line(line, 160), turn.locale) for line, name in found if name in names)
    lines = [f"- {each}" for each in told]
    return say("written_before", turn.locale, lines="\n".join(lines[-3:])) if lines else ""


# ---- Goals ----


def _goals(turn: Turn, request: ModelRequest, depth: int = 0) -> tuple[list[Goal], list[str]]:
    """Return a goal for each part of the message that a tool fits, and the parts without one."""
    question = _pending(turn, request, depth)
    if question and (goal := _answered(question, turn, request)):
        return [goal], []
    text = with_commands(turn.text, request.tools)
    if dictated := _dictated(text, request):
        return dictated
    followed = _follow_up(turn, request)
    found, unmet = _split(text, request)
    if cue("narrows").match(text):  # "only the urgent ones" are of the last list, or of none
        found, _ = _carried(found, turn, request)
    leans = followed and (followed.pick is not None or cue("leans").match(text))
    others = [each for each in found if followed and each.tool.name != followed.tool.name]
    own = vocabulary(followed.tool) if followed else frozenset[str]()
    named = (k for g in others for k in g.tool.keywords if not own.issuperset(words(k)))
    says_other = any(map(read_message(text).find, named))
    is_other = says_other or any(each.tool.writes for each in found)
    if followed and (not found or (leans and not is_other)):
        return [followed], []
    found, lost = _carried(found, turn, request)
    searcher = searcher_of(request.tools)
    is_one_topic = len(re.split(cue("sentences"), text)) == 1
    found = [each for each in found if is_one_topic or each.tool != searcher or each.text != text]
    ours = not turn.steps or any(searcher and s.call.name == searcher.name for s in turn.steps)
    if not (found or lost) and searcher and ours and is_one_topic and is_request(text, "looked_up"):
        filled = fill(searcher, read_message(text, request.now_iso))
        is_named = len(filled.used) > 1 or bool(cue("asks_fact").search(text))
        heads = set(terms(group(cue("heads").match(text), "head")[0])) - wordset("scaffold")
        keywords = (each for tool in request.tools if lists(tool) for each in tool.keywords)
        # "Which decisions" asks for a list, not for words.
        is_named = is_named and not (counts(text) or any({*words(k)} <= heads for k in keywords))
        return [Goal(text, searcher)] if filled.arguments and is_named else [], []
    return found, [*unmet, *lost]


def _split(text: str, request: ModelRequest) -> tuple[list[Goal], list[str]]:
    """Split a message where its parts ask for different tools; a part that no tool fits stays with
    the one before it, unless it asks something by itself."""
    parts: list[Goal] = []
    unmet: list[str] = []
    instead = cue("instead").search(text) if cue("negated").match(text) else None
    rest = text[instead.end() :] if instead else ""
    text = rest if rest and (asks(rest) or choose(rest, request)) else text
    is_conditional = cue("conditions").match(text) and is_request(text, "write")
    pieces = [text] if is_conditional else re.split(cue("splits"), text)  # what follows waits
    for piece in filter(str.strip, pieces):
        tool = choose(piece, request)
        is_whole = parts and not asks(piece) and not cue("there").search(piece)
        verb = read_message(parts[-1].text).bare.split()[:1] if is_whole else []
        same = choose(" ".join((*verb, piece)), request) if verb else None
        if same and same.name == parts[-1].tool.name:
            tool = same  # in "summarize the first chat and the second chat"
        said = read_message(piece, request.now_iso)
        taken = fill(parts[-1].tool, said, request.names).arguments if parts else {}
        adds = [p for g in parts[-1:] for p in parameters(g.tool) if p.name in taken]
        adds = [each for each in adds if not each.means("query")]  # which takes any words
        if unmet and not parts and set(terms(piece)) <= wordset("asking"):
            break  # "and by when?" is no question of its own
        own = fill(tool, said, request.names).arguments if tool and parts else {}
        if tool and parts and not own and not asks(parts[-1].text):
            joined = f"{parts[-1].text} {piece}"
            whole = fill(parts[-1].tool, read_message(joined, request.now_iso), request.names)
            if not whole.left and choose(joined, request) == parts[-1].tool:
                parts[-1] = replace(parts[-1], text=joined)  # what is given, then the question
                continue
        is_apart = own and not cue("that").search(piece) and bool(cue("asks_more").match(piece))
        if is_apart and tool and tool.name == parts[-1].tool.name:
            before = fill(tool, read_message(parts[-1].text, request.now_iso), request.names)
            is_apart = bool(before.arguments) and own.keys().isdisjoint(before.arguments)
        if tool and (
            not parts or (asks(piece, tool) and (is_apart or tool.name != parts[-1].tool.name))
        ):
            parts.append(Goal(piece, tool))
        elif not (tool or adds) and asks(piece):
            unmet.append(piece.strip(" ,.?!"))
        elif parts:
            parts[-1] = replace(parts[-1], text=f"{parts[-1].text}, {piece}")
        else:
            break
    if len(parts) > 1 or (parts and unmet):
        return parts, unmet
    tool = choose(text, request)
    return ([Goal(text, tool)] if tool else []), []


def _carried(goals: list[Goal], turn: Turn, request: ModelRequest) -> tuple[list[Goal], list[str]]:
    """Return the goals with what "there" and "its" stand for, which was meant just before, and the
    parts whose tool cannot take it."""
    last = next(iter(reversed(steps_of(turn.before))), None)
    before = dict(last.call.arguments or {}) if last else {}
    found, lost = list[Goal](), list[str]()
    for goal in goals:
        filled = fill(goal.tool, read_message(goal.text, request.now_iso), request.names).arguments
        narrows = last and goal.tool.name != last.call.name and cue("narrows").match(turn.text)
        if (there := cue("there").search(goal.text)) or narrows:
            thing = group(there, "thing")[0]  # "in that panel"; an id is looked up
            every = [p for p in parameters(goal.tool) if p.identifies]
            every = [p for p in every if not (thing and p.refers_to)]
            # One id is also a list of one.
            stood = before | {f"{k}s": [v] for k, v in before.items() if isinstance(v, str)}
            given = {p.name: stood[p.name] for p in every if p.name in stood.keys() - filled}
            if (every or narrows) and not (given or any(p.name in filled for p in every)):
                lost.append(goal.text)
                continue
            text = goal.text.replace(thing, "") if given else goal.text
            goal = replace(goal, text=text, given={**given, **goal.given})
        for each in (p for p in parameters(goal.tool) if p.means("path") and before.get(p.name)):
            name, folder = str(filled.get(each.name, "")), str(before[each.name]).rstrip("/")
            is_listed = not last or last.failed or name in str(last.body)
            is_inside = "." in name and "/" not in name and "." not in folder and is_listed
            if is_inside and not goal.tool.writes:  # "open a.py" after a look at its folder
                goal = replace(goal, given={each.name: f"{folder}/{name}", **goal.given})
        before = {**filled, **goal.given}
        found.append(goal)
    return found, lost


def _dictated(text: str, request: ModelRequest) -> tuple[list[Goal], list[str]] | None:
    """Return the goal of a message that gives the words to be written: "tell Tom that I'm late"."""
    bare = read_message(text).bare
    for match in cue("dictation").finditer(bare) if is_request(text, "write") else ():
        command, said, after = (group(match, n)[0].strip() for n in ("command", "said", "after"))
        for tool in request.tools if cue("sends").search(command) else ():
            takes = [p for p in parameters(tool) if p.required and not (p.options or p.refers_to)]
            content = [p.name for p in takes if p.means("content")]
            if tool.writes and len(content) == 1:
                to, *asked = re.split(cue("splits"), f" {after} ")
                more = _split(", ".join(asked), request)[0]
                command = f"{command} {to if more else after}".strip(" .,:")
                before = bare[: group(match, "said")[1][0]].rstrip()
                if before[-1:].isalpha():  # neither a quote nor what follows a colon is cut
                    if len(bare) < len(text.strip()) and not cue("asks_more").match(said):
                        said = said.rstrip(" ?")  # of "could you tell her that …?"
                    other = cue("dictates").match(said)  # "… and to Maya that the demo moved"
                    again = group(other, "again")[0]
                    verb = "" if cue("sends").match(again) else command.split()[0]
                    if other and (found := _dictated(f"{verb} {again}".strip(), request)):
                        said, more = group(other, "said")[0], [*found[0], *more]
                return [Goal(command, tool, {content[0]: said}), *more], []
    return None


def _pending(turn: Turn, request: ModelRequest, depth: int = 0) -> Question | None:
    """Return the question that the last reply asked, worked out again from its own history."""
    last = turn.before[-1] if turn.before else None
    if depth >= _DEEPEST or not isinstance(last, ModelMessage):
        return None
    if not last.text.rstrip().endswith("?"):
        return None
    before = read_turn(turn.before[:-1], request.locale)
    every = (_advance(goal, before, request) for goal in _goals(before, request, depth + 1)[0])
    return next((each.question for each in every if each.question), None)


def _answered(question: Question, turn: Turn, request: ModelRequest) -> Goal | None:
    """Return the goal of a question with the user's answer in it; None where it is no answer."""
    text, goal, parameter = turn.text.strip(), question.goal, question.parameter
    value = _chosen(question.options, text)
    other = choose(text, request) if len(text.split()) > 3 else None
    if value is None and not question.options and (not other or other.name == goal.tool.name):
        schema = {"properties": {parameter.name: parameter.schema}, "required": [parameter.name]}
        tool = ToolSpec(goal.tool.name, "", schema, aliases=goal.tool.aliases)
        filled = fill(tool, read_message(text, request.now_iso), request.names)
        value = filled.arguments.get(parameter.name)
        is_text = parameter.kind == "string" and not parameter.refers_to and len(text) < 400
        if value is None and is_text and parameter.accepts(text):
            value = text
    if value is None:
        return None
    many = parameter.kind == "array" and not isinstance(value, list)
    return replace(goal, given={**goal.given, parameter.name: [value] if many else value})


def _chosen(options: Sequence[tuple[str, Json]], text: str) -> Json | None:
    """Return the offered answer that a text picks, by its words or by its place."""
    message, said = read_message(text), set(words(text))
    exact = [value for name, value in options if words(name) == words(text) or str(value) == text]
    within = [value for name, value in options if message.find(name)]
    partly = [value for name, value in options if set(terms(name)) & said]
    one = next((found[0] for found in (exact, within, partly) if len(found) == 1), None)
    place = _ordinal(text)
    if one is None and place is not None and len(said) <= 4 and len(options) > place:
        return options[place][1]
    return one


def _ordinal(text: str) -> int | None:
    """Return the place in a list that a text names, from 0; -1 is the last."""
    ordinals: dict[str, int] = wording("ordinals")
    found = [ordinals[each] for each in re.findall(r"[^\W_]+", text.lower()) if each in ordinals]
    return found[0] if found and cue("picks").search(text) else None


def _follow_up(turn: Turn, request: ModelRequest) -> Goal | None:
    """Return the last call with what a short message changes in it: "and over 300 ft?", or the
    thing of the last result that it picks."""
    last = next(iter(reversed(steps_of(turn.before))), None)
    tool = next((t for t in request.tools if last and t.name == last.call.name), None)
    if last is None or tool is None or len(turn.text.split()) > 12:
        return None
    place = _ordinal(turn.text)
    items = next(iter(last.lists.values()), [])
    for other in request.tools if place is not None and items[place : place + 1 or None] else ():
        needed = [each for each in parameters(other) if each.required]
        things = last.of_kind(needed[0].refers_to) if len(needed) == 1 and not other.writes else []
        ids = [t.id for t in things if t.id == str(items[place or 0].get("id"))]
        if ids and needed[0].refers_to:
            return Goal("", other, {needed[0].name: ids[0]})
    if place is not None and items:
        return Goal(turn.text, tool, dict(last.call.arguments or {}), pick=place)
    if items and cue("goes_on").match(turn.text):
        return _next_page(items, last, tool, turn, request)
    message = read_message(turn.text, request.now_iso)
    # What was required has a value, so words of the user's own are one only where they are marked.
    required = [p.name for p in parameters(tool) if p.required and p.means("query")]
    optional = replace(tool, parameters={**tool.parameters, "required": required})
    filled = fill(optional, message, request.names)
    leans = cue("leans").match(turn.text)
    is_meant = bool(leans) or not filled.left
    if tool.writes:  # neither "and is 20 A enough?" nor "but keep grade 5" makes another one
        changed = (p for p in parameters(tool) if p.name in filled.arguments)
        labels = [at for p in changed for each in p.called for at in message.find(each)]
        said = filled.used.union(message.places(*leans.span()) if leans else (), *labels)
        rest = {each.text.lower() for n, each in enumerate(message.words) if n not in said}
        says_more = "?" in turn.text or not rest <= wordset("linking") | wordset("once_more")
        is_meant = bool(leans) and not says_more
    before = last.call.arguments or {}
    moved = [p for p in parameters(tool) if leans and p.refers_to and p.name in before]
    hard = [p for p in parameters(tool) if p.name in filled.arguments and not p.means("prose")]
    if moved and (filled.left or filled.used) and not (tool.writes or hard or filled.open):
        given = {k: v for k, v in before.items() if k != moved[0].name}
        return Goal(f"in {moved[0].refers_to}: {turn.text}", tool, given)  # "and in the other one?"
    if not filled.arguments or not is_meant:
        return None
    roots = {p.root for p in parameters(tool) if filled.arguments.get(p.name, "") != ""}
    kept = {p.name for p in parameters(tool) if p.root not in roots}
    # Another thing takes the place of the one before, with where that was.
    kept -= set(request.names) if not filled.arguments.keys().isdisjoint(request.names) else set()
    return Goal(turn.text, tool, {k: v for k, v in before.items() if k in kept})


def _next_page(
    items: Sequence[Any], last: Step, tool: ToolSpec, turn: Turn, request: ModelRequest
) -> Goal | None:
    """Return the goal of telling what comes next of a list: more of the last result, or what the
    tool returns from there on. A list that was looked through for something has no next page."""
    goes_on = cue("goes_on").match
    since = list(takewhile(lambda each: not isinstance(each, ToolMessage), reversed(turn.before)))
    before = reversed(turn.before[: len(turn.before) - len(since)])
    texts = (each.text for each in before if isinstance(each, UserMessage))
    text = next((each for each in texts if not goes_on(each)), "")
    message = read_message(text, request.now_iso)
    wish = wish_of(tool, message, fill(tool, message, request.names))
    if wish.people or wish.topic or wish.left:
        return None
    pages = sum(isinstance(each, UserMessage) and bool(goes_on(each.text)) for each in since)
    skip, given = composer.MAX_ITEMS * (1 + pages), dict(last.call.arguments or {})
    if skip < len(items):
        return Goal("", tool, given, skip=skip)
    offset = next((each for each in parameters(tool) if each.means("offset")), None)
    start = len(items) + int(given.get(offset.name) or 0) if offset else 0
    if offset is None or not offset.accepts(start):
        return None
    return Goal("", tool, {**given, offset.name: start})


# ---- Carrying a goal out ----


def _advance(goal: Goal, turn: Turn, request: ModelRequest) -> Progress:
    """Return the next thing to do for a goal."""
    tool, message = goal.tool, read_message(goal.text, request.now_iso)
    if goal.pick is not None:
        last = steps_of(turn.before)[-1]
        return Progress(steps=(last,), wish=Wish(goal.text, pick=goal.pick))
    if goal.skip:
        return Progress(steps=(steps_of(turn.before)[-1],), wish=Wish(skip=goal.skip))
    filled = fill(tool, message, request.names)
    arguments = {**filled.arguments, **goal.given}
    if unclear := filled.unclear or _plural(tool, message, filled):
        return Progress(remark=say("unclear", turn.locale, what=one_line(unclear, 60)))
    every = parameters(tool)
    name, values = next(iter(filled.several.items()), ("", []))
    if values and (tool.writes or len(filled.several) > 1 or len(values) > _MAX_VALUES):
        parameter = next(each for each in every if each.name == name)
        options = _options(values, goal.tool, turn)
        return Progress(question=Question(goal, parameter, options))
    if filled.qualifiers:
        return Progress(remark=_cannot_use(filled.qualifiers, turn))
    wish = wish_of(tool, message, filled)
    is_said = arguments or filled.used or any(each.required for each in every)
    if tool.writes and every and not is_said:  # a default that is said is no argument
        return Progress(question=Question(goal, every[0]))
    hard = [m for m in filled.open if m.kind not in ("name", "code", "path")]
    if filled.is_question:  # which takes all words, but not both of "60 and 75 °C"
        pairs = pairwise(m for m in message.mentions if m.kind == "number")
        gaps = ((pair, message.text[pair[0].end : pair[1].start]) for pair in pairs)
        listed = [m for pair, gap in gaps if cue("listed").fullmatch(gap) for m in pair]
        hard = [m for m in hard if m in listed]
    if hard:
        return Progress(remark=_cannot_use([message.written(m.place) for m in hard], turn))
    is_bare = not (arguments or any(each.required for each in every))
    points = (is_bare or lists(tool)) and not goal.given and cue("that").search(goal.text)
    if lists(tool) or searches(tool):
        is_named = wish.people or any(m.kind == "name" for m in message.mentions)
        is_named = is_named or any(p.means("person") and p.name in arguments for p in every)
        points = points or (not is_named and cue("someone").search(goal.text))
    if points and not any(m.start <= points.start() < m.end for m in message.mentions):
        return Progress(remark=_cannot_use([points[0]], turn))
    settled = {each.root for each in every if each.name in {*arguments, *filled.several}}
    names = (each for each in filled.open if each.kind == "name")
    inside = any(cue("inside").search(message.text[: each.start]) for each in names)
    has_topic = inside or cue("about").search(goal.text)
    for each in every:
        is_named = wish.left and any(message.find(phrase) for phrase in each.called)
        is_topic = each.kind == "array" and lists(tool) and has_topic
        if each.refers_to and each.root not in settled and (each.required or is_named or is_topic):
            return _look_up(goal, each, arguments, wish, turn, request)
    if wish.left:
        return Progress(remark=_cannot_use(wish.left, turn))
    return _call(goal, arguments, wish, turn, request, [{name: each} for each in values])


def _call(
    goal: Goal,
    arguments: dict[str, Json],
    wish: Wish,
    turn: Turn,
    request: ModelRequest,
    each: Any = (),
) -> Progress:
    """Make a call, once for each of some arguments, or ask for what is missing."""
    missing = [p for p in parameters(goal.tool) if p.required and p.name not in arguments]
    missing = [p for p in missing if not any(p.name in some for some in each)]
    if missing:
        options = _options(missing[0].options, goal.tool, turn)
        known = replace(goal, given={**goal.given, **arguments})
        return Progress(question=Question(known, missing[0], options))
    calls = [Call(goal.tool.name, {**arguments, **some}) for some in each or [{}]]
    steps = [turn.made(call.name, call.arguments) for call in calls]
    if steps[0] and (unclear := _several_fit(goal, arguments, steps[0], request)):
        return Progress(question=unclear)
    if steps[0] and steps[0].failed and (target := _refused_for(goal.tool, arguments, steps[0])):
        before = (step.call.arguments or {} for step in reversed(steps_of(turn.before)))
        named = next((given[target.name] for given in before if target.name in given), None)
        if named is None:
            return _look_up(goal, replace(target, required=True), arguments, wish, turn, request)
        return _call(goal, {**arguments, target.name: named}, wish, turn, request)
    open_ = tuple(call for call, step in zip(calls, steps, strict=True) if step is None)
    return Progress(open_, steps=tuple(step for step in steps if step and not open_), wish=wish)


def _options(values: Iterable[Json], tool: ToolSpec, turn: Turn) -> tuple[tuple[str, Json], ...]:
    """Return values by what they are called in the language of the turn."""
    aliases = tool.aliases
    return tuple((label(str(v), turn.locale, aliases.get(str(v), ())), v) for v in values)


def _refused_for(tool: ToolSpec, arguments: dict[str, Json], step: Step) -> Parameter | None:
    """Return the parameter that a tool refused a call for lacking, if it identifies something that
    can be looked up."""
    error = step.body.get("error")
    error = error if isinstance(error, dict) and error.get("code") == "invalid-argument" else {}
    every = (each for each in parameters(tool) if each.refers_to and each.name not in arguments)
    return next((each for each in every if each.name == error.get("field")), None)


def _several_fit(
    goal: Goal, arguments: dict[str, Json], step: Step, request: ModelRequest
) -> Question | None:
    """Return what to ask where a tool refused a call and told which things at hand would fit."""
    told = read_message(str(step.body.get("error") or "")) if step.failed else None
    every = parameters(goal.tool)
    given = frozenset().union(*(each.core for each in every if each.name in arguments))
    for each in (p for p in every if told and p.core.isdisjoint(given)):
        names = [n for n in (request.names or {}).get(each.name, ()) if told and told.find(n)]
        if len(names) > 1:
            options = tuple((name, name) for name in dict.fromkeys(names))
            return Question(replace(goal, given={**goal.given, **arguments}), each, options)
    return None


def _cannot_use(left: Sequence[str], turn: Turn) -> str:
    what = ", ".join(f"“{one_line(each, 60)}”" for each in dict.fromkeys(left))
    return say("cannot_use", turn.locale, what=what)


def _plural(tool: ToolSpec, message: Message, filled: Filled) -> str:
    """Return what speaks of several things where the tool takes one: "4 kW each", "all tasks"."""
    numbers = [v for v in filled.arguments.values() if type(v) in (int, float)]
    takes_one = any(p.identifies and p.kind != "array" for p in parameters(tool))
    takes_one = takes_one and not (lists(tool) or searches(tool) or filled.is_question)
    heard = frozenset[str]() if tool.writes else vocabulary(tool, whole=True)
    found = cue("each").search(message.text) if numbers and not filled.several else None
    for match in cue("every").finditer(message.text) if takes_one and not found else ():
        place = message.places(*match.span())
        if filled.used.isdisjoint(place) and not message.stems_at(place) <= heard:
            found = match
    return found[0].strip() if found else ""


def wish_of(tool: ToolSpec, message: Message, filled: Filled) -> Wish:
    """Return what the result has to be looked through for, as far as the call cannot say it."""
    hard = {m.place: message.written(m.place) for m in filled.open}
    if filled.is_question:
        return Wish(message.text, left=tuple(e for e in filled.left if e not in hard.values()))
    place = message.places(*group(cue("about").search(message.text), "topic")[1])
    words_ = [message.words[n] for n in place if n not in filled.used]
    about = " ".join(each.text for each in words_ if each.has_topic)
    if not (searches(tool) or lists(tool)):
        return Wish(message.text, topic=about, left=tuple(filled.left), open=tuple(filled.open))
    names = [m for m in filled.open if m.kind == "name"]
    names = [m for m in names if not cue("for_whom").search(message.text[: m.start])]
    places = [m for m in names if cue("inside").search(message.text[: m.start])]
    names = [m for m in names if m not in places]
    said_by = group(cue("said_by").search(message.text), "who")[0]
    owners = [m for m in names if re.match(r"['’]s\b", message.text[m.end :])]
    named = owners if searches(tool) else names
    people = [said_by] if said_by else [str(m.value) for m in named]
    used = [*names, *places]
    open_ = [m for m in filled.open if m not in used]
    left = [hard[m.place] for m in open_ if not (searches(tool) and m.kind == "name")]
    told = {*people, *left, *(hard[m.place] for m in used if m not in places)}
    # A topic has all words of a sentence, and a quote no others.
    is_topic = searches(tool) and len(re.split(cue("sentences"), message.text)) == 1
    is_topic = is_topic and not any(m.kind == "quote" for m in message.mentions)
    rest = [] if about or is_topic else [e for e in filled.left if e not in told]
    topic = "" if searches(tool) else about
    return Wish(message.text, tuple(people), topic, (*left, *rest), tuple(open_))


def _look_up(
    goal: Goal,
    target: Parameter,
    arguments: dict[str, Json],
    wish: Wish,
    turn: Turn,
    request: ModelRequest,
) -> Progress:
    """Find the thing that a call is about among the last results, or with a tool that lists or
    searches such things; ask where it is not clear which."""
    many, topic = target.kind == "array", wish.topic or " ".join(wish.left)
    points = cue("that").search(goal.text) or _ordinal(goal.text) is not None
    earlier = [s for s in reversed(steps_of(turn.before)) if s.of_kind(target.refers_to)]
    things = earlier[0].of_kind(target.refers_to) if earlier else []
    named = things[_ordinal(goal.text) or 0 :][:1] if _ordinal(goal.text) is not None else things
    if not points or not named:
        named = _named(goal, topic, things)
    if not named and points and target.required:
        return Progress(question=Question(goal, target))
    lister, searcher = _lister(goal.tool, target, request.tools), searcher_of(request.tools)
    is_topic = cue("about").search(goal.text) or (many and not cue("within").search(goal.text))
    is_found = is_topic and (many or "search" in target.description)
    may_search = topic and is_topic and not (lister and goal.tool.writes)
    helpers = [lister, searcher if may_search else None]
    helpers = [searcher, lister] if topic and is_found else helpers
    for helper in (each for each in helpers if each and not named and each is not goal.tool):
        query = {p.name: topic for p in parameters(helper) if p.required and p.means("query")}
        most = [p for p in parameters(helper) if p.means("limit") and "maximum" in p.schema]
        most = [p for p in most if p.schema.get("default") != p.schema["maximum"]]
        call = Call(helper.name, query or {p.name: p.schema["maximum"] for p in most})
        step = turn.made(call.name, call.arguments)
        if step is None:
            return Progress((call,))
        things = step.of_kind(target.refers_to)
        if step.failed:
            return Progress(steps=(step,), wish=wish)
        if helper is not searcher:
            named = _named(goal, topic, things)
            wish = replace(wish, topic="", left=()) if named else wish
        elif things:
            named, wish = (things, replace(wish, search=step)) if many else (things[:1], wish)
        if not things and (helper is helpers[-1] or (helper is searcher and many)):
            return Progress(steps=(step,), wish=wish)
    if not named and not target.required:
        return Progress(remark=_cannot_use(wish.left or (topic,), turn))
    if (len(named) == 1 and not _joins_another(goal, named[0])) or (named and many):
        ids = [each.id for each in named][:_MAX_IDS]
        called = {stem for each in named for stem in terms(each.name)}
        prose = {p.name for p in parameters(goal.tool) if p.means("prose")} - {*goal.given}
        # What calls the thing by its name says nothing else.
        names = {n for n in prose & {*arguments} if {*terms(str(arguments[n]))} <= called}
        arguments = {n: v for n, v in arguments.items() if n not in names}
        found = {**arguments, target.name: ids if many else ids[0]}
        return _call(goal, found, replace(wish, left=()), turn, request)
    said = set(tokens(goal.text))
    near = [t for t in things if any(said & set(tokens(name)[:1]) for name in t.people)]
    options = tuple((each.name or each.id, each.id) for each in named or near or things)
    return Progress(question=Question(goal, target, options))


def _joins_another(goal: Goal, thing: Thing) -> bool:
    """Tell whether a text joins something by "and" to a thing that it names."""
    message, known = read_message(goal.text), vocabulary(goal.tool) | {*words(thing.name)}
    others = (w for w in message.words if w.has_topic and not set(w.stems) <= known)
    return any(
        cue("joined").search(goal.text[: each.start + 1]) or cue("joins").match(goal.text, each.end)
        for each in others
    )


def _lister(tool: ToolSpec, target: Parameter, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool that lists what an id identifies: the one that the parameter's description
    names, or one whose name has the word."""
    kind, told = set(words(target.refers_to)), re.findall(r"\w+", target.description)
    others = [each for each in tools if each.name != tool.name and not each.writes and lists(each)]
    named = [each for each in others if kind <= set(words(spaced(each.name)))]
    takes = {t.name for t in named if any(p.refers_to == target.refers_to for p in parameters(t))}
    named.sort(key=lambda each: (each.name in takes, each.name not in tool.related))
    return next((each for each in others if each.name in told), next(iter(named), None))


def _named(goal: Goal, topic: str, things: Sequence[Thing]) -> list[Thing]:
    """Return the things that a goal calls by name or id, or by a word of its topic that only they
    have."""
    message, said = read_message(goal.text), set(terms(goal.text))
    whole = [t for t in things if (t.name and message.find(t.name)) or t.id in goal.text.split()]
    shares = [len((set(terms(each.name)) - vocabulary(goal.tool)) & said) for each in things]
    most = max(shares, default=0)
    best = [each for each, share in zip(things, shares, strict=True) if most and share == most]
    return whole or best
