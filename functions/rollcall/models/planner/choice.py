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
from rollcall.models.planner.arguments import fill
from rollcall.models.planner.form import Names
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
    every number and name; where none fits, the search of the user's own things."""
    message, searcher = read_message(text, request.now_iso), searcher_of(request.tools)
    if cue("negated").match(text):
        return None
    is_one_topic = len(re.split(cue("sentences"), text)) == 1
    near = []
    if not (searcher and cue("said_by").search(text)):
        tools = [each for each in request.tools if not each.writes or _is_called_for(each, message)]
        every = ranked(message, tools, request.names)[:4]
        best = max((each.score for each in every), default=0)
        near = [each.tool for each in every if each.fits and each.score >= _NEARLY * best]
        near.sort(key=lambda tool: (tool is searcher, _leaves(tool, message, request.names)))
    if near:
        return near[0] if near[0] is not searcher or is_one_topic else None
    is_sought = is_request(text, "looked_up") and not (counts(text) or cue("leans").match(text))
    if searcher and is_one_topic and is_sought:
        heads = set(terms(group(cue("heads").match(text), "head")[0])) - wordset("scaffold")
        keywords = (each for tool in request.tools if lists(tool) for each in tool.keywords)
        is_list = any({*words(each)} <= heads for each in keywords)  # as "which decisions" is
        is_named = cue("asks_fact").search(text) or len(fill(searcher, message).used) > 1
        return searcher if is_named and not is_list and fill(searcher, message).arguments else None
    return None


def _leaves(tool: ToolSpec, message: Message, names: Names | None) -> int:
    """Tell how much a tool could not use: 2 for a number or a name, 1 for words, 0 for nothing; a
    list is looked through for a name."""
    filled, soft = fill(tool, message, names), ("name",) if searches(tool) or lists(tool) else ()
    if filled.is_question:  # which takes all words, but may not be meant
        return int(len(filled.arguments) == 1)
    is_hard = any(each.kind not in soft for each in filled.open)
    return 2 * is_hard or int(bool(filled.left))


def ranked(message: Message, tools: Sequence[ToolSpec], names: Names | None = None) -> list[Fit]:
    """Return the tools by how well they fit a message, best first; ties keep the offered order.

    Names, numbers and the like say little of what is wanted, and verbs such as "show" hardly more.
    A tool fits that knows enough of the rest, and of it what the question asks for.
    """
    values = {n for each in message.mentions for n in each.place}
    listed = [name for each in (names or {}).values() for name in each]
    values |= {n for name in listed for place in message.find(name) for n in place}
    topic = {*message.places(*group(cue("about").search(message.text), "topic")[1])}
    values |= topic
    topical = [n for n, word in enumerate(message.words) if word.has_topic]
    every, weak = message.stems_at(topical), wordset("scaffold") | wordset("asking")
    said = message.stems_at([n for n in topical if n not in values]) - weak
    verb = {*words(message.bare)[:1]}
    head = said & set(words(re.split(cue("prepositions"), message.text)[0]))
    weights = field_weights([_fields(tool) for tool in tools], _FIELDS, k=_SATURATION)
    counted = {stem: sum(stem in each for each in weights) for stem in every}
    worth = {s: rarity(counted[s], len(tools)) * (1 if s in said else _OF_VALUES) for s in every}
    found = []
    for tool, weight in zip(tools, weights, strict=True):
        said_whole = [k for k in tool.keywords if any(topic.isdisjoint(p) for p in message.find(k))]
        phrases = [len(words(each)) for each in said_whole]
        bonus = _PHRASE * max((min(n, 4) - 1 for n in phrases), default=0)
        # A list tool gives what its name says, and all of it, where the name says no more.
        object_ = set(words(spaced(tool.name))[1:]) - wordset("own")
        is_object = lists(tool) and bool(object_) and object_ <= head
        is_object = is_object or bool(searches(tool) and cue("about").search(message.text))
        wanted = said or verb & set(words(spaced(tool.name)))  # as in "run it"
        is_meant = False
        if tool.writes:  # of which the verb is said, and all the rest may be what is to be written
            used = fill(tool, message, names).used
            wanted = message.stems_at([n for n in topical if n not in values | used]) - weak - verb
            takes_words = any(each.required and each.means("content") for each in parameters(tool))
            is_meant = (
                takes_words or bool(cue("that").search(message.text)) or (bool(used) and not wanted)
            )
        elif not said:  # "what is in src/app.py" says values and nothing else
            filled = fill(tool, message, names)
            places = [m.value for m in message.mentions if m.kind in ("path", "url")]
            hard = [v for v in filled.arguments.values() if type(v) in (int, float) or v in places]
            needed = {each.name for each in parameters(tool) if each.required}
            is_meant = bool(hard) and not filled.left and needed <= filled.arguments.keys()
        known = [stem for stem in wanted if weight.get(stem, 0.0) >= _KNOWN]
        is_known = bool(known) and len(known) >= _MIN_SHARE * len(wanted)
        # In any order of a set the same, to the last bit.
        score = bonus + fsum(worth[stem] * weight.get(stem, 0.0) for stem in every)
        score, answers = score + _OBJECT * is_object, _answers(tool, message)
        found.append(Fit(tool, score * answers, (bonus > 0 or is_meant or is_known) and answers))
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
    if tool.writes:
        return True
    asked, bare, weak = message.text.strip(), message.bare, wordset("scaffold") | wordset("asking")
    first, is_count = set(tokens(bare)[:1]), bool(cue("asks.count").search(asked))
    if cue("states").match(bare) and first.isdisjoint(weak):
        return False  # "circuit 22 is not used any more" asks for nothing
    if searches(tool):
        topic = {s for word in message.words if word.has_topic for s in word.stems} - weak
        is_named = bool(cue("about").search(asked)) or not topic <= vocabulary(tool)
        may_list = not first.isdisjoint(wordset("listing") | wordset("asking"))
        is_named = is_named or (may_list and any(p.may_be_empty for p in parameters(tool)))
        is_named = is_named and (_is_own(tool) or not cue("who_when_why").match(asked))
        is_sought = is_named and (bare.endswith("?") or asks(bare, tool))
        return is_sought and not counts(asked) and _knows_verb(tool, message)
    heads = set(terms(group(cue("heads").match(asked), "head")[0])) - weak
    first_sentence = "" if is_count and not lists(tool) else tool.description.partition(". ")[0]
    core = terms(" ".join((spaced(tool.name), *tool.keywords, first_sentence)))
    if heads and heads.isdisjoint(core):
        return False  # "what is the length of circuit 14" is no matter of its voltage drop
    phrases = (each for each in tool.keywords if len(words(each)) > 1)
    if cue("measures").match(asked) and not any(map(message.find, phrases)):
        return False
    knows_who = lists(tool) and any(map(cue("person_or_day").match, tool.keywords))
    return (knows_who or not cue("person_or_day").match(asked)) and _knows_verb(tool, message)


def counts(text: str) -> bool:
    """Tell whether a text asks how many there are, how long it takes or when somebody last spoke,
    which no search for words can say."""
    of_them = cue("said_by").search(text) and cue("person_or_day").match(text)
    return bool(of_them or cue("asks.count").search(text) or cue("measures").match(text))


def _knows_verb(tool: ToolSpec, message: Message) -> bool:
    bare = message.bare
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
    first, is_question = set(tokens(bare)[:1]), bare.rstrip().endswith("?")
    if kind == "looked_up":
        is_ours = not (cue("elsewhere").search(text) or cue("to_you").search(text))
        seeks = is_question or not first.isdisjoint(wordset("asking") | wordset("seeking"))
        return is_ours and seeks and not cue("advice").match(text) and bool(terms(bare))
    asks = not first.isdisjoint(wordset("asking") | wordset("looking"))
    is_plain = bool(bare) and not asks and not cue("no_request").search(bare)
    return is_plain and (not is_question or len(bare) < len(text.strip()))


def asks(text: str, tool: ToolSpec | None = None) -> bool:
    """Tell whether a part of a message asks for something by itself: by a question word, a verb, or
    a keyword of a tool."""
    message = read_message(text)
    verbs = [wordset(f"verbs.{kind}") for kind in wording("verbs")]
    is_asked = any(map(message.find, tool.keywords if tool else ()))
    is_asked = is_asked or bool(cue("asks_more").match(text))
    return is_asked or not wordset("looking").union(*verbs).isdisjoint(words(message.bare)[:1])


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


def _is_own(tool: ToolSpec) -> bool:
    return not wordset("own").isdisjoint(tokens(tool.description)[:7])


def searcher_of(tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool that searches the user's own things by words."""
    own = (each for each in tools if not each.writes and searches(each) and _is_own(each))
    return next(own, None)


@read_once
def lists(tool: ToolSpec) -> bool:
    """Tell whether a tool lists things, so that its result can be looked through."""
    begins = {*words(tool.description)[:1], *words(spaced(tool.name))[:1]}
    is_limited = any(each.means("limit") for each in parameters(tool))
    is_open = not (tool.writes or any(each.required for each in parameters(tool)))
    return is_open and (is_limited or not begins.isdisjoint(wordset("listing")))


def with_command(text: str, tools: Sequence[ToolSpec]) -> str:
    """Return a text that begins with a tool's own word where it begins with a Hebrew command in the
    future: "will you export" is "export" and a letter more, for a woman two."""
    first = next((word.text for word in read_message(text).words), " ")
    bare = first[1:] if first[0] in wordset("future") else ""
    known = {token for tool in tools for token in tokens(" ".join(tool.keywords))}
    meant = [e for e in (bare, bare.removesuffix("י")) if known.intersection(tokens(e))]
    return text.replace(first, meant[0], 1) if meant else text
