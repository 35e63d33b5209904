"""Which of the offered tools a text asks for, if any."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

from rollcall.core.search import field_weights, rarity
from rollcall.core.text import terms, tokens, words
from rollcall.models.base import ModelRequest, ToolSpec
from rollcall.models.planner.arguments import Names, fill
from rollcall.models.planner.mentions import Message, cue, group, read_message, wording, wordset
from rollcall.models.planner.parameters import (
    lists,
    parameters,
    read_once,
    searches,
    spaced,
    verbs_of,
    vocabulary,
)

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
    """Return the tool that a text asks for; of those that fit nearly alike, one that takes all of
    it; where none fits and the text asks for a fact, the search of the user's own things."""
    message, searcher = read_message(text), searcher_of(request.tools)
    if cue("negated").match(text):
        return None
    is_one_topic = len(re.split(cue("sentences"), text)) == 1
    if not (searcher and cue("said_by").search(text)):
        tools = [each for each in request.tools if _is_called_for(each, message)]
        fitting = [each for each in ranked(message, tools, request.names)[:4] if each.fits]
        near = [e.tool for e in fitting if e.score >= _NEARLY * fitting[0].score]
        others = [tool for tool in near if tool is not searcher]
        whole = (tool for tool in others if not fill(tool, message, request.names).left)
        if near:
            return next(whole, next(iter(others), near[0] if is_one_topic else None))
    if searcher and is_one_topic and _asks_a_fact(text):
        is_list = any(_is_listed(tool, message) for tool in request.tools)
        filled = fill(searcher, message)
        is_named = cue("asks_fact").search(text) or len(filled.used) > 1
        return searcher if is_named and not is_list and filled.arguments else None
    return None


def ranked(message: Message, tools: Sequence[ToolSpec], names: Names | None = None) -> list[Fit]:
    """Return the tools by how well they fit a message, best first; ties keep the offered order.

    Names, numbers and the like say little of what is wanted, and verbs such as "show" nothing.
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
        is_object = (lists(tool) and bool(object_) and object_ <= head) or _is_listed(tool, message)
        is_object = is_object or bool(searches(tool) and cue("about").search(message.text))
        wanted, is_meant = said or verb & set(words(spaced(tool.name))), False  # as in "run it"
        if tool.writes:  # of which the verb is said, and all the rest may be what is to be written
            used = fill(tool, message, names).used
            wanted = message.stems_at([n for n in topical if n not in values | used]) - weak - verb
            takes_words = any(each.takes_words for each in parameters(tool))
            is_thing = used or any(each.kind == "quote" for each in message.mentions)
            is_meant = takes_words or (bool(is_thing) and not wanted)
        known = [stem for stem in wanted if weight.get(stem, 0.0) >= _KNOWN]
        is_known = bool(known) and len(known) >= _MIN_SHARE * len(wanted)
        lists_all = _is_own(tool) or any(p.may_be_empty for p in parameters(tool))
        if searches(tool) and not lists_all:  # the words of its subject are in most questions
            is_known = is_known and bool(is_object or cue("seeks").match(message.bare))
        # In any order of a set the same, to the last bit.
        score = bonus + fsum(worth[stem] * weight.get(stem, 0.0) for stem in every)
        score, answers = score + _OBJECT * is_object, _answers(tool, message)
        fits = answers and (bonus > 0 or is_meant or is_known)
        if answers and not (fits or tool.writes or (said and searches(tool))):
            fits = _takes_all(tool, message, names)  # "what is in src/app.py" says values alone
        found.append(Fit(tool, score * answers, fits))
    return sorted(found, key=lambda each: -each.score)


def _takes_all(tool: ToolSpec, message: Message, names: Names | None) -> bool:
    """Tell whether a tool takes all that a message says, a path, an address or a number among it. A
    number alone is nothing to go by, but with a thing at hand it is."""
    filled, needed = fill(tool, message, names), tool.parameters.get("required") or ()
    places = [m.value for m in message.mentions if m.kind in ("path", "url")]
    is_thing = not filled.arguments.keys().isdisjoint(names or ())
    given = filled.arguments.values()
    hard = [e for e in given if e in places or (is_thing and type(e) in (int, float))]
    return bool(hard) and not filled.left and {*needed} <= filled.arguments.keys()


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
    first = set(tokens(bare)[:1])
    if searches(tool):
        topic = {s for word in message.words if word.has_topic for s in word.stems} - weak
        is_named = bool(cue("about").search(asked)) or not topic <= vocabulary(tool)
        may_list = not first.isdisjoint(wordset("listing") | wordset("asking"))
        lists_all = any(p.may_be_empty for p in parameters(tool))
        if lists_all and cue("judges").match(bare):
            return False  # "is this worksheet right" asks for no worksheets
        is_named = is_named or (may_list and lists_all)
        is_named = is_named and (_is_own(tool) or not cue("who_when_why").match(asked))
        return is_named and not counts(asked) and _knows_verb(tool, message)
    heads = _heads(message) - weak
    is_count = bool(cue("asks.count").search(asked)) and not lists(tool)
    first_sentence = "" if is_count else tool.description.partition(". ")[0]
    named = terms(" ".join((spaced(tool.name), *tool.keywords)))
    given = {*named, *terms(re.sub(cue("owners"), "", first_sentence))} - weak
    phrases = (each for each in tool.keywords if len(words(each)) > 1)
    is_length = cue("measures").match(asked) and not any(map(message.find, phrases))
    is_other = heads.isdisjoint([*named, *terms(first_sentence)])
    # A tool for the results of a course does not tell which courses there are.
    is_other = is_other or given.isdisjoint(message.stems_at(range(len(message.words))))
    if is_length or (heads and is_other):
        return False  # "what is the length of circuit 14" is no matter of its voltage drop
    knows_who = lists(tool) and any(map(cue("person_or_day").match, tool.keywords))
    return (knows_who or not cue("person_or_day").match(asked)) and _knows_verb(tool, message)


def _heads(message: Message) -> set[str]:
    """Return the stems of what a question asks for, as "which decisions" does."""
    return {*terms(group(cue("heads").match(message.text.strip()), "head")[0])}


def _is_listed(tool: ToolSpec, message: Message) -> bool:
    """Tell whether a tool lists what a question asks for."""
    heads = _heads(message) - wordset("scaffold")
    return lists(tool) and any({*words(each)} <= heads for each in tool.keywords)


def counts(text: str) -> bool:
    """Tell whether a text asks how many there are, how long it takes or when somebody last spoke,
    which no search for words can say."""
    of_them = cue("said_by").search(text) and cue("person_or_day").match(text)
    return bool(of_them or cue("asks.count").search(text) or cue("measures").match(text))


def _knows_verb(tool: ToolSpec, message: Message) -> bool:
    """Tell whether a command begins with a word that a text of the tool begins with; a question,
    a name and a few words need none."""
    bare = message.bare
    first = tokens(bare)[:1]
    is_short = len(message.words) < 3 or not first or not terms(first[0]) or bare[0].isdigit()
    is_name = any(0 in m.place and m.kind in ("name", "code", "quote") for m in message.mentions)
    texts = [tool.description, *tool.keywords, spaced(tool.name)]
    texts += [phrase for p in parameters(tool) for phrase in p.called]
    texts += [str(each.get("userRequest", "")) for each in tool.examples]
    known = {stem for text in texts for stem in words(text)[:1]}
    known = known.union(*map(wordset, ("scaffold", "asking", "limit")))
    return is_short or is_name or bare.endswith("?") or not known.isdisjoint(words(first[0]))


def _asks_a_fact(text: str) -> bool:
    """Tell whether a text may ask for something that was said in the user's own data."""
    bare = read_message(text).bare
    is_elsewhere = cue("elsewhere").search(text) or cue("to_you").search(text)
    verbs = wordset("asking") | wordset("seeking")
    seeks = bare.rstrip().endswith("?") or not verbs.isdisjoint(tokens(bare)[:1])
    return seeks and not (is_elsewhere or counts(text) or cue("advice").match(text))


def asks(text: str) -> bool:
    """Tell whether a part of a message asks for something by itself: by a question word or a
    verb."""
    verbs = [wordset(f"verbs.{kind}") for kind in wording("verbs")]
    first = words(read_message(text).bare)[:1]
    is_verb = not wordset("looking").union(*verbs).isdisjoint(first)
    return is_verb or bool(cue("asks_more").match(text))


def _is_called_for(tool: ToolSpec, message: Message) -> bool:
    """Tell whether a message asks for a write or an export: it begins with the tool's verb, or says
    a keyword, and is no question or remark. Other tools need neither."""
    bare = message.bare
    phrases = [each for each in tool.keywords if len(words(each)) > 1]
    is_named = not verbs_of(tool).isdisjoint(words(bare)[:1]) or any(map(message.find, phrases))
    if not tool.writes:
        return is_named or wordset("verbs.export").isdisjoint(words(spaced(tool.name))[:1])
    is_asked = not wordset("asking").union(wordset("looking")).isdisjoint(tokens(bare)[:1])
    # "Show the summary" asks for the write that has these words for a keyword.
    begins = any(words(bare)[: len(words(each))] == words(each) for each in phrases)
    is_asked = is_asked and not begins
    verb = group(cue("command").match(bare), "verb")[0]
    if verb and not begins and verbs_of(tool).isdisjoint(words(verb)):
        return False  # "delete the worksheet" makes none
    is_polite = len(bare) < len(message.text.strip())
    if not bare or is_asked or cue("no_request").search(bare):
        return False
    if (bare.rstrip().endswith("?") and not is_polite) or cue("remarks").match(bare):
        return False
    return is_named


def _is_own(tool: ToolSpec) -> bool:
    return not wordset("own").isdisjoint(tokens(tool.description)[:7])


def searcher_of(tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool that searches the user's own things by words."""
    own = (each for each in tools if not each.writes and searches(each) and _is_own(each))
    return next(own, None)
