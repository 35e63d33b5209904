"""Fills a tool's arguments from a message: each stretch of the message goes to one parameter.

What no parameter takes stays open, and the planner asks about it: a number, a name or a plural is
never dropped. Nothing is filled by position or by guess alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.messages import Json
from rollcall.core.text import fold, language, terms, words
from rollcall.models.base import ToolSpec
from rollcall.models.planner.mentions import (
    Mention,
    Message,
    converted,
    cue,
    group,
    unit_of,
    wordset,
)
from rollcall.models.planner.parameters import (
    Parameter,
    arguments_shown,
    parameters,
    spaced,
    vocabulary,
)

Names = Mapping[str, Sequence[str]]

_FEW_OPTIONS = 4
"""Values of so short a list are said for their own sake; those of a longer one sort things."""
_LEAST, _TIE = 2.0, 0.2


class Filled(Struct):
    """What a message says for a tool.

    Attributes:
        several: Parameters of one value for which the message has more than one.
        unclear: A number that two parameters could take alike; "" for none.
        open: Numbers, names, dates and the like that no parameter took.
        left: All that found no use, as it is written.
        is_question: The tool is given the whole message as a question beside its arguments.
        used: The numbers of the message's words that went into arguments.
        qualifiers: Words that turn the question around or sum it up, which found no use.
    """

    arguments: dict[str, Json] = field(default_factory=dict)
    several: dict[str, list[Json]] = field(default_factory=dict)
    unclear: str = ""
    open: list[Mention] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    is_question: bool = False
    used: set[int] = field(default_factory=set)
    qualifiers: list[str] = field(default_factory=list)


def fill(tool: ToolSpec, message: Message, names: Names | None = None) -> Filled:
    """Return the arguments that a message gives a tool, all of them valid by its schema.

    Args:
        names: Names of things at hand, by the parameter that takes them.
    """
    form = _Form(tool, message, names or {})
    form.fill_known_names()
    form.fill_options(lambda each: len(each.options) <= _FEW_OPTIONS or each.required)
    form.fill_flags()
    form.fill_objects()
    form.fill_numbers()
    form.fill_shapes()
    form.fill_labelled()
    form.fill_people()
    form.fill_texts(lambda each: each.required or each.name in form.shown)
    form.fill_options(lambda each: True)
    form.fill_texts(lambda each: True)
    form.note_qualifiers()
    form.fill_queries()
    form.note_what_is_left()
    return form.filled


class _Form:
    """A tool's parameters while a message is read into them."""

    def __init__(self, tool: ToolSpec, message: Message, names: Names) -> None:
        self.tool, self.message, self.names = tool, message, names
        self.parameters = parameters(tool)
        self.known = vocabulary(tool)
        self.shown = [name for each in arguments_shown(tool) for name in each]
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

    # ---- Names and listed values ----

    def fill_known_names(self) -> None:
        """Fill parameters with the names of things at hand that the message has."""
        for parameter in self.open():
            listed = self.names.get(parameter.name, ())
            once = {tuple(words(name)): name for name in reversed(listed)}.values()
            whole = {
                name: place
                for name in once
                for place in self.message.find(name)[:1]
                if self.message.stems_at(place) <= set(words(name))  # "LP1-4" is more than LP1
            }
            self.take_all(parameter, _longest(whole))

    def fill_options(self, wanted: Callable[[Parameter], bool]) -> None:
        """Fill parameters that `wanted` selects with those of their options that are named."""
        for parameter in self.open():
            found: dict[Json, range] = {}
            for option in parameter.options if wanted(parameter) else ():
                aliases = self.tool.aliases.get(str(option), ())
                named = (spaced(option), option) if isinstance(option, str) else ()
                for phrase in (*named, *aliases):
                    for place in self.message.find(phrase):
                        written = fold(self.message.written(place))
                        parts = fold(phrase).split() if language(phrase) == "he" else ()
                        if not all(part.removeprefix("ה")[:-1] in written for part in parts):
                            continue  # "books" and "literature" have one stem
                        if self._is_label(place):
                            continue  # "panel LP1" says nothing of panels
                        if phrase in aliases or self._is_meant(parameter, phrase, place):
                            found[option] = max(found.get(option, place), place, key=len)
            found = _longest(found)
            denied = {option: no for option, at in found.items() if (no := self._negation(at))}
            for option, no in denied.items() if len(denied) < len(found) else ():
                self.used |= {*no, *found.pop(option)}  # "mine, not the team's"
            self.take_all(parameter, found)

    def _negation(self, place: range) -> range | None:
        """Return the words up to a value that say it is not wanted: "not the"."""
        the = place[0] > 1 and self.message.words[place[0] - 1].text.lower() in wordset("linking")
        before = range(place[0] - 1 - the, place[0])
        return before if self.message.stems_at(before) & wordset("negations") else None

    def _is_label(self, place: range) -> bool:
        """Tell whether words beside a value only say what it is: "panel" in "panel LP1"."""
        beside = not self.used.isdisjoint((place[0] - 1, place[-1] + 1))
        filled = (p for p in self.parameters if p.name in self.filled.arguments and p.identifies)
        return beside and any(place in self.message.find(c) for p in filled for c in p.called)

    def _is_meant(self, parameter: Parameter, phrase: str, place: range) -> bool:
        """Tell whether an option's words are a value: not where they may only ask for the tool."""
        near = range(place[0] - 2, place[-1] + 3)
        is_named = not parameter.core.isdisjoint(self.message.stems_at(near))
        if len(phrase) <= 2 or phrase.isdigit() or phrase in wordset("unspecific"):
            return is_named
        is_own = set(words(phrase)) <= self.known and parameter.name not in self.shown
        return not is_own or is_named or parameter.required or bool(cue("qualifiers").match(phrase))

    def fill_flags(self) -> None:
        """Fill booleans that the message names; False where it denies them."""
        for parameter in self.open("boolean"):
            named = [n for each in parameter.aliases for at in self.message.find(each) for n in at]
            wanted = parameter.core - wordset("flag")
            at = [n for n, w in enumerate(self.message.words) if not wanted.isdisjoint(w.stems)]
            asks = {*words(spaced(self.tool.name)), *words(" ".join(self.tool.keywords))}
            is_said = bool(wanted) and wanted <= self.message.stems_at(at)
            if named or (is_said and wanted.isdisjoint(asks)):
                at = named or at
                before = range(max(0, at[0] - 3), at[0])
                no = [n for n in before if self.message.stems_at([n]) & wordset("negations")]
                self.take(parameter, not no, [*no, *at])

    def fill_objects(self) -> None:
        """Fill a list of things that have fields with the one thing of the message that has all
        that are required: "for an 11 kW charger"."""
        for parameter in (p for p in self.open("array") if p.items.get("properties")):
            options = (spaced(str(option)) for p in self.open("string") for option in p.options)
            taken = self.used.union(*(at for each in options for at in self.message.find(each)))
            item = replace(self.tool, parameters=parameter.items)
            one = fill(item, self.message)
            said = (words(text) for text in one.arguments.values() if isinstance(text, str))
            sums = frozenset[str]().union(*(p.core for p in self.open("integer", "number")))
            if any(sums.issuperset(each) for each in said):
                continue  # "an additional 11 kW" names a figure, and no thing
            places = (every for key, every in self.names.items() if spaced(key).endswith(" name"))
            named = (at for each in places for name in each for at in self.message.find(name))
            if any(not one.used.isdisjoint(at) for at in named):
                continue  # what "a compressor on the shed's panel" is has no place in it
            if not set(parameter.items.get("required", ())) - one.arguments.keys():
                self.take(parameter, [one.arguments], one.used - taken)

    # ---- Numbers ----

    def fill_numbers(self) -> None:
        """Give each number to the parameter that its unit and the words around it speak for."""
        ends = {p.label.split()[0]: p for p in self.open("integer", "number")}
        beside = pairwise(self.free("number")) if {"start", "end"} <= {*ends} else ()
        for one, other in beside:
            if cue("until").fullmatch(self.message.text[one.end : other.start]):  # "5 to 12"
                self.take(ends["start"], one.value, one.place)
                self.take(ends["end"], other.value, other.place)
        numbers, every = self.free("number"), self.open("integer", "number", "string", "array")
        pairs = [(self._support(p, m), p, m) for m in numbers for p in every]
        while pairs := [pair for pair in pairs if pair[0] >= _LEAST]:
            most, parameter, mention = max(pairs, key=lambda pair: pair[0])
            rivals = {p.root for points, p, m in pairs if m is mention and most - points < _TIE}
            if len(rivals) > 1:
                self.filled.unclear = self.message.written(mention.place)
            elif parameter.kind == "array":
                every_one = [m for _, p, m in pairs if p is parameter]
                values = [_in_unit(parameter, m) for m in every_one]
                self.take(parameter, values, {n for m in every_one for n in m.place})
            else:
                self.take(parameter, _in_unit(parameter, mention), mention.place)
            free, open_ = self.free("number"), {each.name for each in self.open()}
            pairs = [each for each in pairs if each[1].name in open_ and each[2] in free]
            pairs = [e for e in pairs if e[1] is not parameter and e[2] is not mention]

    def _support(self, parameter: Parameter, mention: Mention) -> float:
        """Return how much speaks for a number being a parameter's value; below 0 it cannot be."""
        value = _in_unit(parameter, mention)
        listed = [value] if parameter.kind == "array" else value
        if value is None or parameter.refers_to or not parameter.accepts(listed):
            return -1.0
        labels = [at for name in parameter.called for at in self.message.find(name)]
        is_count = parameter.identifies and mention.place[-1] + 1 in {at[0] for at in labels}
        if is_count and mention.place[0] - 1 not in {at[-1] for at in labels}:
            return -1.0  # "two circuits" are no circuit 2
        near = self._nearness(parameter, mention.place)
        is_text = parameter.kind == "string" and not parameter.units
        if is_text and not (parameter.options and near):
            return -1.0
        around = range(mention.place[0] - 2, mention.place[-1] + 2)
        named = words(" ".join((spaced(self.tool.name), *self.tool.names.values())))[1:]
        is_limit = not wordset("limit").isdisjoint(self.message.stems_at(around))
        is_limit = is_limit or bool(self.message.at([mention.place[-1] + 1], "number"))
        is_limit = is_limit or not self.message.stems_at([mention.place[-1] + 1]).isdisjoint(named)
        is_compared = cue("compared").match(self.message.text, mention.end)
        if is_compared or cue("compares").search(self.message.text[: mention.start]):
            return -1.0  # neither "longer than 100 ft" nor "100 ft longer" is a length
        if parameter.means("limit"):
            return 3.0 if (is_limit or near >= 2) and mention.unit is None else -1.0
        before = self.message.stems_at([mention.place[0] - 1])
        if mention.unit is None and not wordset("limit").isdisjoint(before):
            return -1.0  # "the first 20" counts things
        is_gauge = self.message.text[: mention.start].endswith("#") and any(
            unit.dimension == "gauge" for unit in parameter.units
        )  # as in "#12", but not in "circuit #12"
        is_only = parameter.required and len(self.parameters) == 1
        if not (mention.unit or is_only or near or is_gauge) and parameter.units:
            return -1.0
        points = max(near, 2.5 * is_gauge) + 0.3 * (parameter.name in self.shown)
        points -= 0.1 * len(parameter.core.difference(self.message.stems))
        if mention.unit and parameter.units:
            points += 4.5 if mention.unit == parameter.units[0] else 4.0
        if parameter.required and not is_text:
            rivals = [p for p in self.open("integer", "number") if p.required]
            points += 2.5 if len(rivals) == 1 else 1.0
        return points

    def _nearness(self, parameter: Parameter, place: range) -> float:
        """Return 0 to 3: how near a number stands to the words that name a parameter."""
        best, others = 0.0, {n for m in self.free("number") for n in m.place} - {*place}
        is_plain = not self.message.at(place, "number")[0].unit
        for found in (each for phrase in parameter.called for each in self.message.find(phrase)):
            # In "240 at the source and 230 at the end" a label belongs rather to what follows it.
            is_before = is_plain and found[0] > place[-1] and found[-1] + 1 in others
            gap = place[0] - found[-1] if found[-1] < place[0] else found[0] - place[-1]
            if 0 < gap <= 3 and self.is_one_clause(found, place):
                best = max(best, 3.4 - 0.4 * gap - 0.5 * is_before)
        around = {*range(place[0] - 4, place[-1] + 3)} - {*place}
        share = len(parameter.core & self.message.stems_at(sorted(around))) / len(parameter.core)
        after = self.message.stems_at(range(place[-1] + 1, place[-1] + 4))
        is_counted = not parameter.units and words(parameter.label)[-1] in after
        return max(best, 2.2 * share, 2.0 * is_counted)

    def is_one_clause(self, one: Sequence[int], other: Sequence[int]) -> bool:
        first, second = sorted((one, other), key=lambda each: each[0])
        between = self.message.words[first[-1]].end, self.message.words[second[0]].start
        return not re.search(r"[,;.?!]\s", self.message.text[slice(*between)])

    # ---- Texts ----

    def fill_shapes(self) -> None:
        """Fill what says by its form what it is: dates, addresses, paths, codes."""
        for parameter in self.open("string", "array"):
            form = str(parameter.schema.get("format", ""))
            if form in ("date", "date-time") or parameter.means("date"):
                suffix = "T00:00:00Z" if form == "date-time" else ""
                for mention in [m for m in self.free("period")[:1] if m.value]:
                    self.take(parameter, f"{mention.value}{suffix}", mention.place)
            kinds = [kind for kind in ("email", "url", "path", "glob") if parameter.means(kind)]
            said = re.findall(r"\"([^\"]+)\"", parameter.description)
            said += [str(each.get(parameter.name, "")) for each in arguments_shown(self.tool)]
            told = {w for each in said for w in re.findall(r"[A-Z]+", each)}
            is_named = any(map(self.message.find, parameter.called)) and any(map(str.isupper, said))
            said += ["1/0"] * any(unit.dimension == "gauge" for unit in parameter.units)
            shapes = set() if parameter.refers_to or parameter.options else set(map(_shape, said))
            for mention in self.free(*kinds, "code", "name"):
                text = str(mention.value)
                # Capitals alone may be short for anything.
                is_code = (
                    any(map(str.isdigit, text)) or text in told or (is_named and text.isupper())
                )
                is_own = set(words(text)) <= self.known
                if mention.kind in kinds or (is_code and not is_own and _shape(text) in shapes):
                    self.take(parameter, text, mention.place)
                    break

    def fill_labelled(self) -> None:
        """Fill what stands beside a parameter's name: "panel LP-1", "the garage panel"."""
        for parameter in self.open("string"):
            labels = [each for phrase in parameter.called for each in self.message.find(phrase)]
            labels = [each for each in labels if terms(self.message.written(each))]
            for label in [] if parameter.options or parameter.units else labels:
                place = self._beside(parameter, label)
                own = [n for n in place if n not in label]
                is_letter = len(own) == 1 and len(self.message.words[own[0]].text) == 1
                is_hebrew = language(self.message.written(label)) == "he"
                after = own and own[0] > label[0] and not self.message.at(own, "code", "number")
                is_one = any(set(label) <= set(m.place) for m in self.message.at(own, "name"))
                whole = is_one or is_letter or (is_hebrew and after)  # "Panel A", "לוח דירה"
                whole = whole and "name" in parameter.label
                quotes = [m.value for m in self.message.at(own, "quote")]
                if own and self.take(
                    parameter, quotes[0] if quotes else self.written(place if whole else own), place
                ):
                    break

    def _beside(self, parameter: Parameter, label: range) -> list[int]:
        """Return the words of a value and of the label beside it; plain words stand before their
        label in English and after it in Hebrew."""
        is_id, is_path = bool(parameter.refers_to), parameter.means("path")
        kinds = ["quote", "code"] + (not is_id) * ["name"] + (not (is_id or is_path)) * ["number"]
        is_hebrew = language(self.message.written(label)) == "he"
        runs = [] if is_id else [(run, not is_hebrew) for run in self.runs()]
        free = [m for m in self.free(*kinds) if not m.unit]  # "7th" stands before "grade"
        named = [(m.place, m.kind == "name" or self.written(m.place)[-1].isalpha()) for m in free]
        for place, may_precede in [*named, *runs]:
            follows = place[0] == label[-1] + 1 or (label[0] in place and len(place) > len(label))
            precedes = may_precede and place[-1] == label[0] - 1
            is_plain = (place, may_precede) in runs
            is_beside = precedes or (follows and (not is_plain or is_hebrew))
            if is_beside and self.is_one_clause(label, place):
                return sorted({*label, *place})
        return []

    def fill_people(self) -> None:
        """Fill parameters that mean a person, "me" included."""
        for parameter in sorted(self.open("string"), key=lambda each: not each.means("receiver")):
            owed = cue("owed_to").search(self.message.text) if parameter.means("receiver") else None
            who, span = group(owed, "me") if group(owed, "me")[0] else group(owed, "who")
            if who:
                value = "me" if group(owed, "me")[0] else who
                self.take(parameter, value, self.message.places(*span))
            if parameter.options or not parameter.means("person"):
                continue
            if '"me"' in parameter.description and (mine := cue("mine").search(self.message.text)):
                self.take(parameter, "me", self.message.places(*mine.span()))
                continue
            named: dict[Json, range] = {str(m.value): m.place for m in self.free("name")}
            for match in cue("person").finditer(self.message.text):
                who, span = group(match, "who")
                for each in re.finditer(r"(?<!\S)(?:ו(?=[א-ת]{3}))?(\S+(?: (?!ו)\S+)*)", who):
                    start, end = span[0] + each.start(1), span[0] + each.end(1)
                    place = self.message.places(start, end)
                    if self.message.stems_at(place).isdisjoint(self.known):
                        named.setdefault(each[1], place)
            places = sorted(named.values(), key=lambda place: place[0])
            for one, other in pairwise(places):  # "Sarah and Dan", but not "has Sarah promised Dan"
                between = self.message.text[: self.message.words[other[0]].end]
                if not cue("listed").match(between, self.message.words[one[-1]].end):
                    self.filled.unclear = self.message.written(other)
            self.take_all(parameter, named)

    def fill_texts(self, wanted: Callable[[Parameter], bool]) -> None:
        """Fill a text in the user's own words: quotes, or words that no tool's words are."""
        for parameter in filter(wanted, self.open("string")):
            is_path = parameter.means("path") and not parameter.refers_to
            if is_path and len(runs := self.runs()) == 1 and len(runs[0]) == 1:
                before = self.message.text[: self.message.words[runs[0][0]].start]
                is_plain = self.message.written(runs[0]).isascii()
                is_plain = is_plain and bool(cue("inside").search(before))
                self.take(parameter, self.written(runs[0]), runs[0]) if is_plain else None
            is_shaped = bool(parameter.options or parameter.refers_to or parameter.units)
            if is_shaped or parameter.means("query", "person", "path", "url", "email", "date"):
                continue
            is_own = parameter.required or parameter.means("prose")
            needed = [p for p in self.open("string") if p.required and not p.means("path")]
            quotes = self.free("quote")
            changed = [p for role in ("before", "after") for p in needed if p.means(role)]
            between = self.message.text[quotes[0].end : quotes[-1].start] if quotes else ""
            if len(changed) == len(quotes) == 2 and cue("changes").search(between):
                self.take(changed[0], str(quotes[0].value), quotes[0].place)
                place = range(quotes[0].place[-1] + 1, quotes[1].place[-1] + 1)
                self.take(changed[1], str(quotes[1].value), place)
            elif quotes and needed in ([], [parameter]):  # else it is not clear whose they are
                self.take(parameter, str(quotes[0].value), quotes[0].place)
            elif parameter.means("command"):
                match = cue("command").search(self.message.text)
                said, span = group(match, "command")
                self.take(parameter, said, self.message.places(*span))
                self.filled.unclear = group(match, "beyond")[0].strip() or self.filled.unclear
            elif is_own and not parameter.means("content"):
                seeks = any(each.required and each.refers_to for each in self.open())
                if parameter.required and len(named := self.free("name")) > 1:
                    self.take_all(parameter, {str(m.value): m.place for m in named})
                runs = [] if seeks and not cue("about").search(self.message.text) else self.runs()
                best = [run for run in runs if self._is_introduced(run)]
                is_sought = parameter.required or cue("seeks").match(self.message.text)
                alone = runs if len(runs) == 1 and is_sought else []
                for run in best if len(best) == 1 else alone:
                    whole = self._from_label(parameter, run)
                    self.take(parameter, self.written(whole), whole)
        left = self.free("name", "code")
        last = [p for p in self.open("string") if p.required and not (p.options or p.units)]
        other = [each for each in last if each.refers_to or each.means("query", "content")]
        if len(last) == len(left) == 1 and not other:
            self.take(last[0], str(left[0].value), left[0].place)

    def _from_label(self, parameter: Parameter, run: list[int]) -> list[int]:
        """Return a stretch with the words around it that the tool knows, from the parameter's name
        on: "on adding fractions"."""
        hard = {n for m in self.free("number", "quote") for n in m.place} | self.used
        text = [word.text.lower() for word in self.message.words]
        linking = wordset("inner") | wordset("linking")
        dated = {n for m in self.free("period") for n in m.place}
        plain = [
            n not in hard and (word.has_topic or n in dated or text[n] in linking)
            for n, word in enumerate(self.message.words)
        ]
        at = (each[-1] for name in parameter.called for each in self.message.find(name))
        first = max((n for n in at if n < run[0]), default=run[0]) + 1
        if first > run[0] or not all(plain[first : run[0]]):
            return run
        last = run[-1]
        while last + 1 < len(plain) and plain[last + 1] and self.is_one_clause([last], [last + 1]):
            last += 1
        while last > run[-1] and text[last] in wordset("scaffold") | linking:
            last -= 1  # "on fractions please"
        while first < run[0] and text[first] in linking:
            first += 1
        return [*range(first, last + 1)]

    def _is_introduced(self, run: list[int]) -> bool:
        """Tell whether a stretch stands after "for", "a" or a measure, or before "of 4 kW"; what
        stands after "in" says where."""
        first, last = self.message.words[run[0]], self.message.words[run[-1]]
        at, text = run[0], self.message.text
        while at and self.message.words[at - 1].has_topic and at - 1 not in self.used:
            if not self.message.stems_at([at - 1]) <= wordset("scaffold"):
                break
            at -= 1  # as in "for the new freezer"
        start = self.message.words[at].start
        before, after = text[max(0, start - 20) : start], text[last.end :]
        if cue("inside").search(before):
            return False
        is_glued = first.text[0] in wordset("glued") or cue("measured").match(after)
        return bool(is_glued or cue("introduces").search(before.rstrip()))

    def runs(self, known: frozenset[str] = frozenset()) -> list[list[int]]:
        """Return the stretches of free words that the tool does not know, "of" and "the" inside."""
        plain = map(wordset, ("scaffold", "asking", "talk.hello", "negations"))
        known = known.union(self.known, *plain)
        known |= wordset("limit") if any(each.means("limit") for each in self.parameters) else known
        hard = {n for m in self.free("number", "period", "quote", "url", "email") for n in m.place}
        runs: list[list[int]] = []
        for at, word in enumerate(self.message.words):
            if not word.has_topic or at in hard | self.used or set(word.stems) <= known:
                continue
            if at - 1 in self.used and unit_of(word.text):
                continue  # "1/2 inch"
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
        found = re.sub(r"['’]s$", "", self.message.written(place))
        first = found.split()[0]
        is_glued = first[0] in wordset("glued") and words(first) == words(first[1:])
        return found[1:].lstrip("-") if is_glued else found

    def fill_queries(self) -> None:
        """Fill queries with a quote, the message's topic or the whole message."""
        # A sum is no topic, but "search for 2024" is one.
        numbers = {n for each in self.free("number") for n in each.place}
        numbers = set() if cue("seeks").match(self.message.text) else numbers
        for parameter in self.open("string"):
            if parameter.options or not parameter.means("query"):
                continue
            topic = [n for n in self._topic(parameter) if n not in self.used]
            if not parameter.required:  # beside other arguments, it is the question as it was asked
                self.filled.is_question = self.take(parameter, self.message.text.strip(), ())
            elif quotes := self.free("quote"):
                self.take(parameter, str(quotes[0].value), quotes[0].place)
            elif not numbers.issuperset(topic):
                self.take(parameter, " ".join(self.message.words[n].text for n in topic), topic)
            elif parameter.may_be_empty:
                self.take(parameter, "", ())

    def _topic(self, parameter: Parameter) -> list[int]:
        """Return the words that say what is looked for: those after "about", with who is named."""
        text, place = self.message.text, self.message.places
        names = {n for m in self.free("name") for n in m.place}
        without = {n for m in self.free("period") for n in m.place}
        if said_by := cue("said_by").search(text):
            names |= {*place(*group(said_by, "who")[1])}
            without |= set(place(*said_by.span())) - names
        about = cue("about").search(text)
        own = frozenset(words(spaced(self.tool.name))) | wordset("scaffold") | wordset("asking")
        own |= self.known if parameter.may_be_empty else frozenset()
        phrases = (each for each in self.tool.keywords if len(words(each)) > 1)
        asks = {n for each in phrases for at in self.message.find(each) for n in at}
        first = place(0, len(re.split(cue("sentences"), text)[0]))
        said = place(*group(about, "topic")[1]) if about else first
        return [
            n
            for n in sorted({*said, *names} - without)
            if self.message.words[n].has_topic
            and (about or n in names or not (n in asks or set(self.message.words[n].stems) <= own))
        ]

    def note_qualifiers(self) -> None:
        """Note words such as "not", "most" and "in total" that no argument and no keyword of the
        tool takes, and a "but" after which nothing is taken; a search for words cannot heed them
        either."""
        asks = {n for each in self.tool.keywords for at in self.message.find(each) for n in at}
        # A list of people says nothing of "who writes the most", whatever its own words are.
        asks = set() if cue("person_or_day").match(self.message.text) else asks
        heard = asks | self.used | {n for each in self.free("quote") for n in each.place}
        said = self.message.text
        end = len(said)
        searches = any(each.means("query") for each in self.parameters)  # for words after it too
        for match in () if searches else cue("but").finditer(said):
            if heard.isdisjoint(self.message.places(match.start(), len(said))):
                end = match.start()
                break
        # A search, too, may look whether something is so; a write waits for it.
        conditions = cue("conditions").finditer(said, 0, end) if self.tool.writes else ()
        for match in (*cue("qualifiers").finditer(said, 0, end), *conditions):
            place = self.message.places(*match.span())
            beside = {place[0]} if place else heard
            if place and not group(match, "negation")[0]:
                # "The most urgent" is urgent; "not urgent" is something else.
                beside |= {*place, place[-1] + 1}
            if not beside & heard:
                self.filled.qualifiers.append(match[0])
        if end < len(said):
            self.filled.qualifiers.append(said[end:].strip(" .?!"))

    def note_what_is_left(self) -> None:
        """Note what found no use; a keyword's own figures ("200 amp service") ask for the tool."""
        phrases = (each for each in self.tool.keywords if len(words(each)) > 1)
        asks = {n for each in phrases for at in self.message.find(each) for n in at}
        own = self.known | wordset("scaffold")
        for mention in self.free():
            is_own = self.message.stems_at(mention.place) <= own
            is_own = is_own and mention.kind in ("name", "code")
            is_own = is_own or unit_of(str(mention.value)) is not None
            if not is_own and not set(mention.place) <= asks:
                self.filled.open.append(mention)
        listed = [name for each in self.names.values() for name in each]
        found = {name: at for name in listed for at in self.message.find(name)}
        for place in _longest(found).values():
            if self.used.isdisjoint(place) and not set(place) <= asks:
                start, end = self.message.words[place[0]].start, self.message.words[place[-1]].end
                self.filled.open.append(Mention("thing", "", start, end, place))
        if mine := cue("of_me").search(self.message.text):
            place = self.message.places(*mine.span())
            if self.used.isdisjoint(place) and "me" not in self.filled.arguments.values():
                self.filled.open.append(Mention("thing", "", *mine.span(), place))
        taken = {n for m in self.filled.open for n in m.place}
        heard = vocabulary(self.tool, whole=True) | wordset("asking")
        for each in self.tool.examples if self.filled.is_question else ():
            heard |= frozenset(words(str(each.get("userRequest", ""))))
        runs = [run for run in self.runs(heard) if not taken & set(run)]
        places = [*([*m.place] for m in self.filled.open), *runs]
        left = [self.message.written(each) for each in sorted(places)]
        self.filled.left = [*left, *(each for each in self.filled.qualifiers if each not in left)]


def _longest(found: Mapping[Json, range]) -> dict[Json, range]:
    """Return what was found without what stands inside something longer."""
    every = [set(place) for place in found.values()]
    return {value: at for value, at in found.items() if not any(set(at) < e for e in every)}


def _in_unit(parameter: Parameter, mention: Mention) -> Json | None:
    """Return a number as a parameter takes it: in its unit, whole or as text; None if it cannot."""
    of = parameter.items.get("type") if parameter.kind == "array" else parameter.kind
    value: float | None = mention.value
    if mention.unit and parameter.units and value is not None:
        found = (converted(value, mention.unit, unit) for unit in parameter.units)
        value = next((each for each in found if each is not None), None)
    elif mention.unit and mention.unit.symbol == "%" and of == "number":
        return round(mention.value / 100, 9)  # 5 % for a rate that speaks of no percent
    if value is None or (of == "integer" and not float(value).is_integer()):
        return None
    value = int(value) if float(value).is_integer() else value
    unit = mention.unit.symbol if mention.unit else ""
    if of != "string":
        return value
    return f"{value} {unit}" if unit and f'{unit}"' in parameter.description else str(value)


def _shape(text: str) -> str:
    """Return the form of a text: "LP-1" and "MDP-2" are alike, and "2/0" is like "1/0"."""
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", text))
