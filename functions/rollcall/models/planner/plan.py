"""Decides what comes next for a request: a call to make, a question to ask, or results to tell.

The planner keeps nothing between steps. Each time it reads the history anew, works out the same
goal from the same message, and sees from the calls already made how far it is. What a message says
and no argument and no search can take, a second request included, is asked about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rollcall.core.explanation import asks_what_it_is
from rollcall.core.messages import Json, ToolCall
from rollcall.core.names import spellings_in
from rollcall.core.text import language, terms, tokens, words
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.planner import composer
from rollcall.models.planner.arguments import Filled, fill
from rollcall.models.planner.choice import asks, choose, ranked, searcher_of
from rollcall.models.planner.composer import Wish, label, one_line
from rollcall.models.planner.history import Step, Thing, Turn, read_turn
from rollcall.models.planner.mentions import Message, cue, group, read_message, unit_of, wordset
from rollcall.models.planner.parameters import (
    Parameter,
    lists,
    parameters,
    searches,
    spaced,
    vocabulary,
)

_ASK_CHARS, _ANSWER_CHARS = 2_000, 100
"""What `ask_user` takes; longer ones are asked as text."""
_MAX_IDS, _MAX_OFFERED, _MAX_PARTS = 20, 6, 8


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
        ask: The arguments of `ask_user` where the text is a question that it takes.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    quick_replies: tuple[str, ...] = ()
    ask: dict[str, Json] | None = None


class _Goal(Struct, frozen=True):
    """A message, or a part of one, with the tool for it and what it says for that tool."""

    text: str
    tool: ToolSpec
    filled: Filled


def plan(request: ModelRequest) -> Reply:
    """Return the next reply to a request."""
    return _Planner(read_turn(request.messages, request.locale), request).reply()


class _Planner(Struct, frozen=True):
    """A turn of a request."""

    turn: Turn
    request: ModelRequest
    rest: bool = False  # of what the message before asked for

    def reply(self) -> Reply:
        turn = self.turn
        if self.request.tool_choice == "none":
            return Reply(composer.so_far(turn))
        if self._asks_for_the_rest():
            again = replace(turn, text=turn.before, asked="")
            return _Planner(again, self.request, rest=True).reply()
        if not turn.steps and (said := self._small_talk() or self._noted()):
            return said
        goals = self._goals()
        if isinstance(goals, Reply):
            return goals
        replies = [self._advance(goal) for goal in goals]
        if not replies:
            return self._told(Wish(turn.text)) if turn.steps else self._offer("nothing_fits")
        if len(replies) == 1:
            return replies[0]
        calls = {call.key: call for each in replies for call in each.calls}
        text = "" if calls else "\n\n".join(each.text for each in replies)
        return Reply(text, tuple(calls.values()))

    def say(self, key: str, **values: object) -> str:
        return composer.say(key, self.turn.locale, **values)

    def _told(self, wish: Wish, *steps: Step) -> Reply:
        every = steps or self.turn.steps
        return Reply(composer.answer(every, wish, self.turn.locale, self.request.tools))

    def _asks_for_the_rest(self) -> bool:
        rest = cue("rest").fullmatch
        is_rest = rest(self.turn.text) and self.turn.before and not rest(self.turn.before)
        return bool(is_rest and self._last_tool())

    def _last_tool(self) -> ToolSpec | None:
        """Return the tool of the last call, if it only reads."""
        name = self.turn.last.name if self.turn.last else ""
        return next((t for t in self.request.tools if t.name == name and not t.writes), None)

    # ---- Without a tool ----

    def _small_talk(self) -> Reply | None:
        said, text = set(tokens(self.turn.text)), self.turn.text
        if self.turn.files:
            files = ", ".join(f"“{one_line(each, 80)}”" for each in self.turn.files)
            return Reply(self.say("file_unseen", name=files))
        kinds = [each for each in ("hello", "who", "help", "cancelled") if cue(each).search(text)]
        if said <= wordset("talk.words"):
            kinds += [each for each in ("thanks", "bye", "hello") if said & wordset(f"talk.{each}")]
        if not kinds:
            return None
        is_offer = kinds[0] in ("hello", "who", "help")
        return self._offer(kinds[0]) if is_offer else Reply(self.say(kinds[0]))

    def _noted(self) -> Reply | None:
        """Return what the notes say to a question of what something is: one question, without an
        exception, and with no number that the notes do not have."""
        text, notes = self.turn.text, self.request.notes
        told = "\n\n".join(f"{each.text} [{each.citation.n}]" for each in notes)
        numbers = [m for m in read_message(text).mentions if m.kind == "number"]
        is_known = all(not m.unit and re.search(rf"\b{int(m.value)}\b", told) for m in numbers)
        negations = (group(match, "negation")[0] for match in cue("qualifiers").finditer(text))
        is_other = any(negations) or not wordset("mine").isdisjoint(tokens(text))
        is_one = len(re.split(cue("sentences"), text)) == 1 and asks_what_it_is(text)
        is_one = is_one and not cue("asks.besides").search(text)
        if kind := composer.unanswered(text, told):
            asked = set(terms(text)) - wordset("scaffold")
            is_near = 2 * len(asked.intersection(words(told))) >= len(asked)
            is_near = is_near or language(told) != language(text)
            told = f"{self.say(f'cannot_tell.{kind}')}\n\n{told}" if is_near else ""
        return Reply(told) if told and is_known and is_one and not is_other else None

    def _offer(self, opening: str) -> Reply:
        """Say what the offered tools are for, with requests of their own examples to tap."""
        tools, locale = list(self.request.tools or self.request.abilities), self.turn.locale
        if opening != "hello":  # a greeting asks for none of them
            tools = [each.tool for each in ranked(read_message(self.turn.text), tools)]
        if not tools:
            return Reply(self.say("no_tools"))
        shown = [(tool, composer.example(tool, locale)) for tool in tools[:3]]
        examples = [each for tool, each in shown if each and self._can_begin(tool, each)]
        quoted = [self.say("quoted", text=each.rstrip("?")) for each in examples]
        leads = [each for tool in tools[:3] if (each := composer.lead(tool, locale))]
        named = [label(tool.name, locale, tool.names.values()) for tool in tools[:3]]
        lines = [self.say(opening), "", *(f"- {each}" for each in leads or quoted or named)]
        return Reply("\n".join(lines), quick_replies=tuple(dict.fromkeys(examples)))

    def _can_begin(self, tool: ToolSpec, text: str) -> bool:
        """Tell whether the planner would call a tool, or ask for what is missing, for a message."""
        turn = replace(self.turn, text=text, steps=(), asked="", last=None)
        other = _Planner(turn, replace(self.request, tools=(tool,)))
        goals = other._goals()
        replies = [] if isinstance(goals, Reply) else [other._advance(goal) for goal in goals]
        return any(each.calls or each.text.endswith("?") for each in replies)

    def _ask(self, goal: _Goal, missing: Parameter, options: Iterable[str]) -> Reply:
        """Ask for a parameter with a text, and with the same for the platform's tool."""
        noun = re.sub(r" (?:name|ids?|description|text)$", "", missing.label)
        base, _, last = noun.rpartition(" ")
        unit = unit_of(last) if base else None
        what = label(base if unit else noun, self.turn.locale, missing.aliases)
        what, options = f"{what} ({unit.symbol})" if unit else what, [*options]
        key = "ask_choice" if len(options) <= _MAX_OFFERED else "ask_which"
        joined = f" {self.say('or')} ".join(options)
        text = self.say(key if options else "ask", what=what, options=joined)
        replies = options[:_MAX_OFFERED]
        ask: dict[str, Json] = {"question": text, "quickReplies": list(replies)}
        if goal.filled.arguments:
            ask["collectedData"] = dict(goal.filled.arguments)
        is_short = len(text) <= _ASK_CHARS and all(len(each) <= _ANSWER_CHARS for each in replies)
        return Reply(text, (), tuple(replies), ask if is_short else None)

    def _cannot_use(self, left: Iterable[str]) -> Reply:
        quoted = [f"“{one_line(each, 60)}”" for each in dict.fromkeys(left)]
        what = ", ".join([*quoted[:_MAX_PARTS], *(["…"] if quoted[_MAX_PARTS:] else [])])
        return Reply(self.say("cannot_use", what=what))

    # ---- Goals ----

    def _goals(self) -> list[_Goal] | Reply:
        """Return what a message asks for, or what is said where that is unclear."""
        text, last = self.turn.text, self.turn.last
        if self.turn.asked and not (asks(text) and choose(text, self.request)):
            text = f"{self.turn.asked}, {text}"  # the answer to what the planner asked back
        elif last and cue("leans").match(text):
            goal = self._follow_up(last)
            return [goal] if goal else self._cannot_use([text])
        files = [str(m.value) for m in read_message(text).mentions if m.kind == "path"]
        folder = (last.arguments or {}).get("path") if last else None
        if folder and "." not in str(folder) and any("/" not in each for each in files):
            return self._cannot_use(files)  # of that folder, or of another
        parts, goals = _parts(text), list[_Goal]()
        if len(parts) > _MAX_PARTS:
            return self._cannot_use(parts[1:])
        for part in parts:
            if tool := choose(part, self.request):
                goals.append(_Goal(part, tool, fill(tool, read_message(part), self.request.names)))
        halves = re.split(cue("joins"), text)  # "my chats and my tasks" are of two lists
        found = [each for half in halves[:_MAX_PARTS] if (each := choose(half, self.request))]
        if not parts[1:] and len({each.name for each in found if lists(each)}) > 1:
            return self._cannot_use(halves[1:])
        are_several = len({each.tool.name for each in goals}) == len(parts)
        # "… and show me only …" may be of the thing that the part before names.
        is_clear = are_several and all(map(_is_clear, goals)) and not cue("only").search(text)
        return goals if is_clear or not parts[1:] else self._cannot_use(parts[1:])

    def _follow_up(self, last: ToolCall) -> _Goal | None:
        """Return the last call with what a short message changes in it: "and over 300 ft?". A text
        only takes the place of one: "only the decisions" is no focus of a summary."""
        tool = self._last_tool()
        if tool is None:
            return None
        # What was required has a value, so words of the user's own are one only where marked.
        every, before, names = parameters(tool), last.arguments or {}, self.request.names or {}
        required = [p.name for p in every if p.required and p.means("query")]
        optional = replace(tool, parameters={**tool.parameters, "required": required})
        filled = fill(optional, read_message(self.turn.text), names)
        new = [p for p in every if filled.arguments.get(p.name, "") != ""]
        texts = {p.name for p in new if p.kind == "string" and not (p.options or p.units)}
        if filled.left or filled.unusable or not new or not texts <= {*before, *names}:
            return None
        kept = {p.name for p in every if p.root not in {each.root for each in new}}
        # Another thing takes the place of the one before, with where that was.
        kept -= set(names) if any(p.name in names for p in new) else set()
        same = {key: value for key, value in before.items() if key in kept}
        return _Goal(self.turn.text, tool, replace(filled, arguments={**filled.arguments, **same}))

    def _advance(self, goal: _Goal) -> Reply:
        """Return the next thing to do for a goal."""
        tool, filled, every = goal.tool, goal.filled, parameters(goal.tool)
        if filled.unusable:
            return self._cannot_use(filled.unusable)
        is_said = filled.used or any(each.required for each in every)
        if tool.writes and every and not is_said:  # a default that is said is no argument
            return self._ask(goal, every[0], ())
        topic, left = _topic(goal)
        inside = any(cue("inside").search(goal.text[: m.start]) for m in filled.names)
        settled = {each.root for each in every if each.name in filled.arguments}
        for each in every:
            is_named = left and any(read_message(goal.text).find(name) for name in each.called)
            narrows = each.kind == "array" and lists(tool) and (topic or inside)
            is_meant = each.required or is_named or narrows
            if each.refers_to and each.root not in settled and is_meant:
                return self._look_up(goal, each, topic, left)
        if left or topic:
            return self._cannot_use(left or [topic])
        return self._call(goal, filled.arguments)

    def _call(self, goal: _Goal, arguments: dict[str, Json], topic: str = "") -> Reply:
        """Make a call, ask for what is missing, or tell what came of it."""
        tool = goal.tool
        for missing in parameters(tool):
            if missing.required and missing.name not in arguments:
                texts = map(str, missing.options)
                names = (label(t, self.turn.locale, tool.aliases.get(t, ())) for t in texts)
                return self._ask(goal, missing, names)
        step = self.turn.made(tool.name, arguments)
        if step is None:
            return Reply(calls=(Call(tool.name, arguments),))
        person = group(cue("said_by").search(goal.text), "who")[0] if searches(tool) else ""
        return self._told(Wish(goal.text, topic, person, self.rest), step)

    def _look_up(self, goal: _Goal, target: Parameter, topic: str, left: Sequence[str]) -> Reply:
        """Find the thing that a call is about: by a search for its topic, or by its name with a
        tool that lists such things; ask where it is not clear which."""
        many, tools = target.kind == "array", self.request.tools
        may_search = topic and (many or "search" in target.description)
        searcher = searcher_of(tools) if may_search else None
        helper = searcher or _lister(goal.tool, target, tools)
        if helper is None:
            return self._ask(goal, target, ())
        every = parameters(helper)
        arguments: dict[str, Json]
        arguments = {p.name: topic for p in every if p.required and p.means("query")}
        if not arguments:
            limits = [(p.name, p.schema) for p in every if p.means("limit")]
            bounds = [(name, of.get("maximum"), of.get("default")) for name, of in limits]
            arguments = {name: most for name, most, usual in bounds if most not in (None, usual)}
        step = self.turn.made(helper.name, arguments)
        if step is None:
            return Reply(calls=(Call(helper.name, arguments),))
        things = step.of_kind(target.refers_to)
        if step.failed or (searcher and not things):
            return self._told(Wish(goal.text, topic), step)
        named = (things if many else things[:1]) if searcher else _named(goal, things)
        own = vocabulary(goal.tool, whole=True).union(*(terms(each.name) for each in named))
        own = own.union(*(terms(w) for each in named for w in _other_spelling(each, goal)))
        others = [each for each in left if not (searcher or own.issuperset(terms(each)))]
        if (others and named) or not (named or target.required):
            return self._cannot_use(others or left or [topic])
        if named and (many or len(named) == 1):
            ids = [each.id for each in named][:_MAX_IDS]
            found: dict[str, Json] = {**goal.filled.arguments, target.name: ids if many else ids[0]}
            return self._call(goal, found, topic if searcher else "")
        return self._ask(
            goal, target, dict.fromkeys(each.name or each.id for each in named or things)
        )


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


def _is_clear(goal: _Goal) -> bool:
    """Tell whether a part of a message says all that its tool needs, and nothing else."""
    every = parameters(goal.tool)
    needed = {p.name for p in every if p.required and not p.refers_to}
    is_whole = needed <= goal.filled.arguments.keys() and not goal.filled.left
    # Words of a part may belong to another: "which conductors and which breaker for 15 hp".
    texts = (each.name for each in every if each.means("query"))
    takes_words = not goal.filled.arguments.keys().isdisjoint(texts)
    return is_whole and not (takes_words or goal.tool.writes or searches(goal.tool))


def _topic(goal: _Goal) -> tuple[str, list[str]]:
    """Return what the things are about that a tool lists or looks up, as far as no argument says
    it, and what else is left over. A search takes all words of one sentence, and a quote no
    others."""
    message, text, tool = read_message(goal.text), goal.text, goal.tool
    place, topic = message.places(*group(cue("about").search(text), "topic")[1]), ""
    if searches(tool):
        is_quote = any(m.kind == "quote" for m in message.mentions)
        is_whole = len(re.split(cue("sentences"), text)) == 1 and not is_quote
        place = range(len(message.words) if is_whole else 0)
    elif lists(tool) or any(p.required and p.refers_to for p in parameters(tool)):
        about = [message.words[n] for n in place if n not in goal.filled.used]
        topic = " ".join(each.text for each in about if each.has_topic)
    else:
        place = range(0)
    return topic, [each for each, at in goal.filled.left.items() if not at.issubset(place)]


def _lister(tool: ToolSpec, target: Parameter, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool that lists what an id identifies: the one that the parameter's description
    names, or one whose name has the word."""
    kind, told = set(words(target.refers_to)), re.findall(r"\w+", target.description)

    def order(each: ToolSpec) -> tuple[bool, bool, bool]:
        takes = any(p.refers_to == target.refers_to for p in parameters(each))
        return each.name not in told, takes, each.name not in tool.related

    others = [t for t in tools if t.name != tool.name and not t.writes and lists(t)]
    named = (t for t in others if t.name in told or kind <= {*words(spaced(t.name))})
    return min(named, key=order, default=None)


def _named(goal: _Goal, things: Sequence[Thing]) -> list[Thing]:
    """Return the things that a goal calls by name or id, or by the words that most of all has."""
    message = _unused(goal)
    said = {*message.stems} - vocabulary(goal.tool)
    shares = [len(said.intersection(terms(each.name))) for each in things]
    whole = [t for t in things if (t.name and message.find(t.name)) or t.id in goal.text.split()]
    most = max(shares, default=0)
    best = [each for each, share in zip(things, shares, strict=True) if most and share == most]
    return whole or best or [each for each in things if _other_spelling(each, goal)]


def _other_spelling(thing: Thing, goal: _Goal) -> list[str]:
    """Return the words of a goal that are part of a thing's name in the other script."""
    text, parts = _unused(goal).text, thing.name.split()
    return [word for part in parts for word in spellings_in(part, text, is_close=True)]


def _unused(goal: _Goal) -> Message:
    """Return the words of a goal that are in no argument: who is named in a text that is to be sent
    is not who gets it."""
    said = enumerate(read_message(goal.text).words)
    return read_message(" ".join(word.text for n, word in said if n not in goal.filled.used))
