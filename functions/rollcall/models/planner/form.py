"""What each parameter of a tool took of a message, and which of its words are free."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from rollcall.core.messages import Json
from rollcall.core.text import words
from rollcall.models.base import ToolSpec
from rollcall.models.planner.mentions import Mention, Message, cue, wordset
from rollcall.models.planner.parameters import Parameter, arguments_shown, parameters, vocabulary

Names = Mapping[str, Sequence[str]]


class Filled(Struct):
    """What a message says for a tool.

    Attributes:
        several: Parameters of one value for which the message has more than one.
        open: Numbers, names, dates and the like that no parameter took.
        left: All that found no use, as it is written.
        is_question: The tool is given the whole message as a question beside its arguments.
        used: The numbers of the message's words that went into arguments.
        qualifiers: Words that turn the question around or sum it up, which found no use, and a
            number that two parameters could take alike.
    """

    arguments: dict[str, Json] = field(default_factory=dict)
    several: dict[str, list[Json]] = field(default_factory=dict)
    open: list[Mention] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    is_question: bool = False
    used: set[int] = field(default_factory=set)
    qualifiers: list[str] = field(default_factory=list)


class Form:
    """The form of a tool for a message.

    Attributes:
        names: Names of things at hand, by the parameter that takes them.
        known: The stems that ask for the tool and say nothing else.
        shown: The parameters that its examples fill.
        asking: The words of the message that are keywords of the tool.
        used: The words that went into arguments.
    """

    def __init__(self, tool: ToolSpec, message: Message, names: Names) -> None:
        self.tool, self.message, self.names = tool, message, names
        self.parameters = parameters(tool)
        self.known = vocabulary(tool)
        self.shown = [name for each in arguments_shown(tool) for name in each]
        phrases = (each for each in tool.keywords if len(words(each)) > 1)
        self.asking = {n for each in phrases for at in message.find(each) for n in at}
        self.filled = Filled()
        self.used = self.filled.used

    def open(self, *kinds: str) -> list[Parameter]:
        """Return the parameters without a value, names before ids; not those whose root has one."""
        filled = {*self.filled.arguments, *self.filled.several}
        roots = {each.root for each in self.parameters if each.name in filled}
        found = [each for each in self.parameters if each.root not in roots]
        return sorted(
            (each for each in found if not kinds or each.kind in kinds),
            key=lambda each: bool(each.refers_to),
        )

    def free(self, *kinds: str) -> list[Mention]:
        """Return the mentions of some kinds whose words are free."""
        every = (each for each in self.message.mentions if not kinds or each.kind in kinds)
        return [each for each in every if each.place and self.used.isdisjoint(each.place)]

    def take(self, parameter: Parameter, value: Json, place: Iterable[int]) -> bool:
        """Give a parameter a value that stands at a place, if it may have it."""
        place = set(place)
        if parameter.kind == "array" and not isinstance(value, list):
            value = [value]
        if not self.used.isdisjoint(place) or not parameter.accepts(value):
            return False
        self.used |= place
        if value != parameter.schema.get("default"):
            self.filled.arguments[parameter.name] = value
        return True

    def take_all(self, parameter: Parameter, found: Mapping[Json, Iterable[int]]) -> None:
        """Give a parameter what was found for it; several values for one place are noted."""
        found = {value: set(place) for value, place in found.items()}
        found = {value: each for value, each in found.items() if self.used.isdisjoint(each)}
        if parameter.kind == "array" and found:
            self.take(parameter, list(found), set().union(*found.values()))
        elif len(found) > 1:
            self.filled.several[parameter.name] = list(found)
            self.used.update(*found.values())
        for value, place in found.items():
            self.take(parameter, value, place)

    def is_one_clause(self, one: Sequence[int], other: Sequence[int]) -> bool:
        first, second = sorted((one, other), key=lambda each: each[0])
        between = self.message.words[first[-1]].end, self.message.words[second[0]].start
        return not re.search(r"[,;.?!]\s", self.message.text[slice(*between)])

    def runs(self, known: frozenset[str] = frozenset()) -> list[list[int]]:
        """Return the stretches of free words that the tool does not know, "of" and "the" inside."""
        plain = map(wordset, ("scaffold", "asking", "talk.hello", "negations"))
        known = known.union(self.known, *plain)
        known |= wordset("limit") if any(each.means("limit") for each in self.parameters) else known
        hard = {n for m in self.free("number", "period", "quote", "url", "email") for n in m.place}
        qualified = (m.span() for m in cue("qualifiers").finditer(self.message.text))
        hard |= {n for span in qualified for n in self.message.places(*span)}  # "the largest"
        runs: list[list[int]] = []
        for at, word in enumerate(self.message.words):
            if not word.has_topic or at in hard | self.used or set(word.stems) <= known:
                continue
            between = [*range(runs[-1][-1] + 1, at)] if runs else []
            inner = all(self.message.words[n].text.lower() in wordset("inner") for n in between)
            is_free = not (hard | self.used) & set(between)
            if runs and inner and is_free and self.is_one_clause(runs[-1], [at]):
                runs[-1] += [*between, at]
            else:
                runs.append([at])
        return runs

    def written(self, place: Sequence[int]) -> str:
        """Return some words as a value: without a Hebrew "to" or "in" that the first stem drops."""
        one = (m for m in self.message.mentions if {*m.place} == {*place} and m.kind != "name")
        if mention := next((m for m in one if m.kind != "number"), None):
            return str(mention.value)
        found = re.sub(r"['’]s$", "", self.message.written(place))
        first = found.split()[0]
        is_glued = first[0] in wordset("glued") and words(first) == words(first[1:])
        return found[1:].lstrip("-") if is_glued else found


def longest(found: Mapping[Json, range]) -> dict[Json, range]:
    """Return what was found without what stands inside something longer."""
    every = [set(place) for place in found.values()]
    return {value: at for value, at in found.items() if not any(set(at) < e for e in every)}
