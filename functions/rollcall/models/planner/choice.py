"""Which of the offered tools a text asks for, if any."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum
from typing import Literal, NamedTuple

from rollcall.core.search import field_weights, rarity
from rollcall.core.text import terms, tokens, words
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.planner.arguments import Filled, Names, fill
from rollcall.models.planner.mentions import Message, cue, group, read_message, wording, wordset
from rollcall.models.planner.parameters import parameters, read_once, spaced, verbs_of, vocabulary

# As the registry's search weighs them: how much a field counts, and how far its length damps it.
_FIELDS = {
    "name": (2.5, 0.4),
    "keywords": (2.5, 0.4),
    "examples": (1.5, 0.5),
    "description": (1.0, 0.4),
    "parameters": (0.6, 0.5),
}
_SATURATION, _PHRASE, _OBJECT, _OF_VALUES = 1.5, 1.2, 0.6, 0.35
_KNOWN, _MIN_SHARE, _NEARLY = 0.2, 0.33, 0.7


class Fit(NamedTuple):
    """A tool with how well it fits a text, and whether it fits at all."""

    tool: ToolSpec
    score: float
    fits: bool


def choose(text: str, request: ModelRequest) -> ToolSpec | None:
    """Return the tool that a text asks for; of tools that fit nearly alike, the first that can take
    every number and name."""
    message = read_message(text, request.now_iso)
    searcher = searcher_of(request.tools)
    if cue("negated").match(text):
        return None
    if searcher and cue("said_by").search(text):
        return None if counts(text) else searcher
    tools = [each for each in request.tools if not each.writes or _is_called_for(each, message)]
    every = ranked(message, tools, request.names)[:4]
    fitting, best = [each for each in every if each.fits], max((e.score for e in every), default=0)
    near = [fit.tool for fit in fitting if fit.score >= _NEARLY * best]
    forms = {fit.tool.name: fill(fit.tool, message, request.names) for fit in every}
    leaves = {fit.tool.name: _leaves(fit.tool, forms[fit.tool.name]) for fit in every}
    near.sort(key=lambda tool: (tool is searcher, *leaves[tool.name]))
    if not near or leaves[near[0].name][0] == 2:  # a tool that takes all of it says what is meant
        numbers = {n for each in message.mentions if each.kind == "number" for n in each.place}
        whole = [fit.tool for fit in every if leaves[fit.tool.name] == (0, 0)]
        whole = [t for t in whole if numbers and numbers < forms[t.name].used]
        whole = [t for t in whole if _answers(t, message) and not searches(t)]
        near = whole or near
    for tool in near[:1]:
        left = forms[tool.name].left
        is_told = len(" ".join(left).split()) < 2 and any(map(message.find, tool.keywords))
        chains = any(each.refers_to and each.kind == "array" for each in parameters(tool))
        if searcher and left and lists(tool) and not (chains or is_told):
            # A list that cannot be told of the topic: it is searched, if something is to be found.
            return searcher if is_request(text, "looked_up") and not counts(text) else None
        return tool
    return None


def _leaves(tool: ToolSpec, filled: Filled) -> tuple[int, int]:
    """Tell how much a tool could not use (2 for a number or a name, 1 for words, 0 for nothing; a
    list is looked through for a name), and how much it needs that is not said."""
    soft = ("name",) if searches(tool) or lists(tool) else ()
    needed = [each for each in parameters(tool) if each.required and not each.refers_to]
    lacks = sum(each.name not in filled.arguments for each in needed)
    if filled.is_question:  # which takes all words, but may not be meant
        return int(len(filled.arguments) == 1), lacks
    if not filled.left:
        return 0, lacks
    return 2 if any(each.kind not in soft for each in filled.open) else 1, lacks


def ranked(message: Message, tools: Sequence[ToolSpec], names: Names | None = None) -> list[Fit]:
    """Return the tools by how well they fit a message, best first; ties keep the offered order.

    Names, numbers and the like say little of what is wanted, and verbs such as "show" hardly more.
    A tool fits that knows enough of the rest, and of it what the question asks for.
    """
    weak = wordset("scaffold") | wordset("asking")
    values = {n for each in message.mentions for n in each.place}
    listed = [name for each in (names or {}).values() for name in each]
    values |= {n for name in listed for place in message.find(name) for n in place}
    topic = {*message.places(*group(cue("about").search(message.text), "topic")[1])}
    values |= topic
    topical = [n for n, word in enumerate(message.words) if word.has_topic]
    every = message.stems_at(topical)
    said = message.stems_at([n for n in topical if n not in values])
    verb = {*words(message.bare)[:1]}
    said = said - weak
    head = said & set(words(re.split(cue("prepositions"), message.text)[0]))
    weights = field_weights([_fields(tool) for tool in tools], _FIELDS, k=_SATURATION)
    counts = {stem: sum(stem in each for each in weights) for stem in every}
    worth = {s: rarity(counts[s], len(tools)) * (1 if s in said else _OF_VALUES) for s in every}
    found = []
    for tool, weight in zip(tools, weights, strict=True):
        said_whole = [k for k in tool.keywords if any(topic.isdisjoint(p) for p in message.find(k))]
        phrases = [len(words(each)) for each in said_whole]
        # A list tool gives what its name says, and all of it, where the name says no more.
        object_ = set(words(spaced(tool.name))[1:]) - wordset("own")
        is_object = lists(tool) and bool(object_) and object_ <= head
        is_object = is_object or bool(searches(tool) and cue("about").search(message.text))
        bonus = _PHRASE * max((min(n, 4) - 1 for n in phrases), default=0)
        named = set(words(spaced(tool.name)))
        wanted = said or verb & named  # "run it" says no more than the tool's own verb
        known = [stem for stem in wanted if weight.get(stem, 0.0) >= _KNOWN]
        takes_words = any(each.required and each.means("content") for each in parameters(tool))
        is_meant = tool.writes and (takes_words or bool(cue("that").search(message.text)))
        rest, is_sure = wanted, False
        if tool.writes:  # of which the verb is said, and all the rest may be what is to be written
            filled = fill(tool, message, names)
            rest = message.stems_at([n for n in topical if n not in values | filled.used])
            rest = rest - weak - verb
            for each in (p for p in parameters(tool) if p.name in filled.arguments):
                value = filled.arguments[each.name]
                is_hard = type(value) in (int, float) or value in listed
                is_sure = is_sure or (not rest and (is_hard or each.means("command")))
        elif not said:  # "what is in src/app.py" says values and nothing else
            filled = fill(tool, message, names)
            places = [m.value for m in message.mentions if m.kind in ("path", "url")]
            hard = [v for v in filled.arguments.values() if type(v) in (int, float) or v in places]
            needed = {each.name for each in parameters(tool) if each.required}
            is_sure = bool(hard) and not filled.left and needed <= filled.arguments.keys()
        known = [stem for stem in known if stem in rest]
        if tool.writes and not rest:  # "mark the second as done": all else is a place in a list
            known = [stem for stem in every - verb if weight.get(stem, 0.0) >= _KNOWN]
        is_known = bool(known) and len(known) >= _MIN_SHARE * len(rest)
        fits = bonus > 0 or is_meant or is_known or is_sure
        # In any order of a set the same, to the last bit.
        score = bonus + fsum(worth[stem] * weight.get(stem, 0.0) for stem in every)
        score += _OBJECT * is_object
        answers = _answers(tool, message)
        found.append(Fit(tool, score * answers, fits and answers))
    return sorted(found, key=lambda each: -each.score)


@read_once
def _fields(tool: ToolSpec) -> dict[str, Counter[str]]:
    examples = " ".join(str(each.get("userRequest", "")) for each in tool.examples)
    said = [f"{p.label} {p.description} {' '.join(p.aliases)}" for p in parameters(tool)]
    texts = {
        "name": spaced(tool.name),
        "keywords": "\n".join(tool.keywords),
        "description": tool.description,
        "parameters": "\n".join(said),
    }
    known = vocabulary(tool, whole=True)
    shown = Counter(stem for stem in terms(examples) if stem in known)
    return {"examples": shown, **{name: Counter(terms(text)) for name, text in texts.items()}}


def _answers(tool: ToolSpec, message: Message) -> bool:
    """Tell whether a tool can give what a question asks for, or knows the verb of a command."""
    asked, bare = message.text.strip(), message.bare
    first, weak = set(tokens(bare)[:1]), wordset("scaffold") | wordset("asking")
    if not tool.writes and cue("states").match(bare) and first.isdisjoint(weak):
        return False  # "circuit 22 is not used any more" asks for nothing
    changes = frozenset[str]().union(*(wordset(f"verbs.{kind}") for kind in wording("verbs")))
    change = set[str]() if bare.endswith("?") else changes & set(words(bare)[:1])
    is_change = bool(change - weak - _first_stems(tool))
    if is_change and not tool.writes:
        return False  # "drop the circuit" wants no voltage drop
    if searches(tool):
        topic = {s for word in message.words if word.has_topic for s in word.stems} - weak
        is_named = bool(cue("about").search(asked)) or not topic <= vocabulary(tool)
        may_list = not first.isdisjoint(wordset("listing") | wordset("asking"))
        is_named = is_named or (may_list and any(p.may_be_empty for p in parameters(tool)))
        is_sought = bare.endswith("?") or asks(bare, tool)
        is_ours = not wordset("own").isdisjoint(tokens(tool.description)[:7])
        if counts(asked):
            return False
        is_named = is_named and (is_ours or not cue("who_when_why").match(asked))
        return is_named and is_sought and _knows_verb(tool, message, bare)
    head = terms(group(cue("heads").match(asked), "head")[0])
    heads = set(head) - weak
    is_count = bool(cue("asks.count").search(asked))
    if heads and heads.isdisjoint(_core_terms(tool, described=not is_count)):
        return False  # "what is the length of circuit 14" is no matter of its voltage drop
    phrases = (each for each in tool.keywords if len(words(each)) > 1)
    if cue("measures").match(asked) and not any(map(message.find, phrases)):
        return False
    if tool.writes:
        return True
    verb = words(spaced(tool.name))[:1]
    is_said = any(map(message.find, (*verb, *tool.keywords)))
    if not (is_said or wordset("named").isdisjoint(verb)):
        return False  # an export is asked for by its name
    says_who = any(map(cue("person_or_day").match, tool.keywords))
    knows_who = says_who and (lists(tool) or searches(tool))
    return (knows_who or not cue("person_or_day").match(asked)) and _knows_verb(tool, message, bare)


@read_once
def _core_terms(tool: ToolSpec, *, described: bool) -> frozenset[str]:
    """Return the stems of a tool's name, keywords and the first sentence of its description."""
    first = tool.description.partition(". ")[0] if described or lists(tool) else ""
    core = (spaced(tool.name), *tool.keywords, first)
    return frozenset(terms(" ".join(core)))


def counts(text: str) -> bool:
    """Tell whether a text asks how many there are, how long it takes or when somebody last spoke,
    which no search for words can say."""
    of_them = cue("said_by").search(text) and cue("person_or_day").match(text)
    return bool(of_them or cue("asks.count").search(text) or cue("measures").match(text))


def _knows_verb(tool: ToolSpec, message: Message, bare: str) -> bool:
    first = tokens(bare)[:1]
    is_short = len(message.words) < 3 or not first or not terms(first[0]) or bare[0].isdigit()
    is_name = any(0 in m.place and m.kind in ("name", "code", "quote") for m in message.mentions)
    known = _first_stems(tool).union(*map(wordset, ("scaffold", "asking", "limit")))
    return is_short or is_name or bare.endswith("?") or not known.isdisjoint(words(first[0]))


@read_once
def _first_stems(tool: ToolSpec) -> frozenset[str]:
    """Return the stems that the texts of a tool begin with."""
    texts = [tool.description, *tool.keywords, spaced(tool.name)]
    texts += [phrase for p in parameters(tool) for phrase in p.called]
    texts += [str(each.get("userRequest", "")) for each in tool.examples]
    return frozenset(stem for text in texts for stem in words(text)[:1])


def is_request(text: str, kind: Literal["write", "looked_up"]) -> bool:
    """Tell whether a text may want something written (a request or a statement, no question), or
    something looked up in the user's own data."""
    bare = read_message(text).bare
    asks = not set(tokens(bare)[:1]).isdisjoint(wordset("asking") | wordset("looking"))
    is_question = bare.rstrip().endswith("?")
    if kind == "looked_up":
        is_ours = not (cue("elsewhere").search(text) or cue("to_you").search(text))
        is_ours = is_ours and not cue("advice").match(text)
        seeks = not set(tokens(bare)[:1]).isdisjoint(wordset("asking") | wordset("seeking"))
        return is_ours and (seeks or is_question) and bool(terms(bare))
    is_plain = bool(bare) and not asks and not cue("no_request").search(bare)
    return is_plain and (not is_question or len(bare) < len(text.strip()))


def asks(text: str, tool: ToolSpec | None = None) -> bool:
    """Tell whether a part of a message asks for something by itself: by a question word, a verb, or
    a keyword of a tool."""
    message = read_message(text)
    first = words(message.bare)[:1]
    verbs = [wordset(f"verbs.{kind}") for kind in wording("verbs")]
    is_asked = any(map(message.find, tool.keywords if tool else ()))
    is_asked = is_asked or bool(cue("asks_more").match(text))
    known = verbs_of(tool) if tool and tool.writes else frozenset[str]()
    return is_asked or not wordset("looking").union(known, *verbs).isdisjoint(first)


def _is_called_for(tool: ToolSpec, message: Message) -> bool:
    """Tell whether a message asks for a write: it begins with its verb, or says a keyword."""
    if not is_request(message.text, "write"):
        return False
    phrases = [each for each in tool.keywords if len(words(each)) > 1]
    if cue("remarks").match(message.bare):  # as is "the task is done", which a keyword may say
        return any(map(message.find, (k for k in phrases if cue("remarks").match(f"that {k}"))))
    begins = words(message.bare)[:1]
    return not verbs_of(tool).isdisjoint(begins) or any(map(message.find, phrases))


@read_once
def searches(tool: ToolSpec) -> bool:
    """Tell whether a tool needs words to search for."""
    return any(each.required and each.means("query") for each in parameters(tool))


def searcher_of(tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool that searches the user's own things by words."""
    found = (each for each in tools if searches(each) and not each.writes)
    own = (t for t in found if not wordset("own").isdisjoint(tokens(t.description)[:7]))
    return next(own, None)


@read_once
def lists(tool: ToolSpec) -> bool:
    """Tell whether a tool lists things, so that its result can be looked through."""
    begins = {*words(tool.description)[:1], *words(spaced(tool.name))[:1]}
    is_limited = any(each.means("limit") for each in parameters(tool))
    is_open = not (tool.writes or any(each.required for each in parameters(tool)))
    return is_open and (is_limited or not begins.isdisjoint(wordset("listing")))


@read_once
def _command_words(tool: ToolSpec) -> set[str]:
    """Return the words of a tool's keywords, and those that its examples begin with."""
    asked = [str(each.get("userRequest", "")) for each in tool.examples]
    begins = {first for each in asked for first in tokens(each)[:1]}
    return begins.union(tokens(" ".join(tool.keywords)))


def with_commands(text: str, tools: Sequence[ToolSpec]) -> str:
    """Return a text in which Hebrew commands in the future are a tool's own words: "will you
    export" is "export" and a letter more, for a woman two."""
    known = set[str]().union(*map(_command_words, tools))
    for word in read_message(text).words[:40]:
        bare = word.text[1:] if word.text[0] in wordset("future") else ""
        meant = [e for e in (bare, bare.removesuffix("י")) if known.intersection(tokens(e))]
        text = text.replace(word.text, meant[0], 1) if meant else text
    return text
