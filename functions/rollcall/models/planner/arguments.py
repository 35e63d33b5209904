"""Fills a tool's arguments from a message: each stretch of the message goes to one parameter.

What no parameter takes is left over, and the planner asks about it: a number, a name or a plural is
never dropped. Nothing is filled by position or by guess alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from rollcall.core.messages import Json
from rollcall.core.text import fold, language, terms, words
from rollcall.models.base import ToolSpec
from rollcall.models.planner.mentions import Mention, Message, converted, cue, group, wordset
from rollcall.models.planner.parameters import (
    Parameter,
    lists,
    parameters,
    searches,
    spaced,
    vocabulary,
)

Names = Mapping[str, Sequence[str]]

_FEW_OPTIONS = 4
"""Values of so short a list are said for their own sake; those of a longer one sort things."""
_SHAPED = ("query", "person", "path", "url", "email", "date")
_FAR = 4
"""A parameter that is named so many words from a number says nothing of it."""


class Filled(Struct):
    """What a message says for a tool.

    Attributes:
        used: The numbers of the message's words that went into arguments.
        names: Names that no parameter took.
        left: All that found no use, as it is written, with the numbers of its words.
        unusable: What no tool could heed: values without a place, two values for one place, words
            that turn the question around or that point elsewhere.
    """

    arguments: dict[str, Json] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    names: list[Mention] = field(default_factory=list)
    left: dict[str, set[int]] = field(default_factory=dict)
    unusable: list[str] = field(default_factory=list)


def fill(tool: ToolSpec, message: Message, names: Names | None = None) -> Filled:
    """Return the arguments that a message gives a tool, all of them valid by its schema.

    Args:
        names: Names of things at hand, by the parameter that takes them.
    """
    form = _Form(tool, message, names or {})
    form.fill_content()
    form.fill_known_names()
    form.fill_options(_FEW_OPTIONS)
    form.fill_numbers()
    form.fill_strings(form.by_form)
    form.fill_strings(form.by_label)
    form.fill_people()
    form.fill_strings(form.by_quote)
    form.fill_strings(form.by_words)
    form.fill_options()
    form.note_what_cannot_be_heeded()
    form.fill_queries()
    form.note_what_is_left()
    return form.filled


class _Form:
    """The form of a tool for a message.

    Attributes:
        known: The stems that ask for the tool and say nothing else.
        asking: The words of the message that are keywords of the tool.
        used: The words that went into arguments.
        content: Those of the words that are to be sent.
        settled: What parameters are about that have a value, be it their default.
    """

    def __init__(self, tool: ToolSpec, message: Message, names: Names) -> None:
        self.tool, self.message, self.names = tool, message, names
        self.parameters = parameters(tool)
        self.known = vocabulary(tool)
        phrases = (each for each in tool.keywords if len(words(each)) > 1)
        self.asking = {n for each in phrases for at in message.find(each) for n in at}
        self.filled = Filled()
        self.used = self.filled.used
        self.content: set[int] = set()
        self.settled: set[str] = set()

    # ---- Parameters, words and values ----

    def open(self, *kinds: str) -> list[Parameter]:
        """Return the parameters without a value, names before ids; not those whose root has one."""
        found = [each for each in self.parameters if each.root not in self.settled]
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
        if lists(self.tool) and parameter.means("path") and re.search(r"\w\.\w+$", str(value)):
            return False  # a folder's files, and no file
        self.used |= place
        self.settled.add(parameter.root)
        if value != parameter.schema.get("default"):
            self.filled.arguments[parameter.name] = value
        return True

    def take_all(self, parameter: Parameter, found: Mapping[Json, Iterable[int]]) -> None:
        """Give a parameter what was found for it; of several values for one place none is taken."""
        free = {value: {*at} for value, at in found.items() if self.used.isdisjoint(at)}
        if parameter.kind == "array" and free:
            self.take(parameter, list(free), set().union(*free.values()))
        elif len(free) > 1:
            self.filled.unusable += [self.message.written(sorted(at)) for at in free.values()]
        else:
            for value, place in free.items():
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
        hard = {
            n
            for m in self.free("number", "date", "period", "quote", "url", "email")
            for n in m.place
        }
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
        while found[0] in wordset("glued") and words(found) == words(found[1:]):
            found = found[1:].lstrip("-")
        return found

    # ---- Names and listed values ----

    def fill_content(self) -> None:
        """Fill the words that are to be sent: what is said after a colon or "that", or quoted."""
        takes = [p for p in self.open("string") if p.takes_words]
        match = cue("dictation").search(self.message.bare) if len(takes) == 1 else None
        said = group(match, "said")[0]
        if said and cue("dictates").search(said):
            self.filled.unusable.append(said)  # "… and to Maya that the demo moved"
        elif said:
            start = self.message.text.rfind(said)
            place = self.message.places(start, start + len(said))
            if self.take(takes[0], said.strip(), place):
                self.content = {*place}

    def fill_known_names(self) -> None:
        """Fill parameters with the names of things at hand that the message has."""
        for parameter in self.open():
            once = {
                tuple(words(each)): each for each in self.names.get(parameter.name, ())
            }.values()
            whole = {
                name: place
                for name in once
                for place in self.message.find(name)[:1]
                if self.message.stems_at(place) <= set(words(name))  # "LP1-4" is more than LP1
            }
            self.take_all(parameter, longest(whole))

    def fill_options(self, most: int | None = None) -> None:
        """Fill parameters with those of their options that are named; `most` leaves out those with
        more options, unless they are required."""
        for parameter in self.open():
            is_due = most is None or parameter.required or len(parameter.options) <= most
            found: dict[Json, range] = {}
            for option in parameter.options if is_due else ():
                named = (spaced(option),) if isinstance(option, str) else ()
                for phrase in (*named, *self.tool.aliases.get(str(option), ())):
                    for place in self.message.find(phrase):
                        if self._is_value(parameter, phrase, place):
                            found[option] = max(found.get(option, place), place, key=len)
            self.take_all(parameter, longest(found))

    def _is_value(self, parameter: Parameter, phrase: str, place: range) -> bool:
        """Tell whether an option's words are meant: letters, numbers and "other" only beside the
        parameter's name, and not "panel" where it says what LP1 is."""
        written, near = fold(self.message.written(place)), range(place[0] - 2, place[-1] + 3)
        parts = fold(phrase).split() if language(phrase) == "he" else ()
        if not all(part.removeprefix("ה")[:-1] in written for part in parts):
            return False  # "books" and "literature" have one stem
        identifies = (p.label.split()[0] for p in self.parameters if p.identifies)
        if not self.used.isdisjoint((place[0] - 1, place[-1] + 1)):
            return not any(place in self.message.find(each) for each in identifies)
        is_vague = len(phrase) <= 2 or phrase.isdigit() or phrase in wordset("unspecific")
        names = {stem for name in parameter.called for stem in words(name)}
        return not is_vague or not names.isdisjoint(self.message.stems_at(near))

    # ---- Numbers ----

    def fill_numbers(self) -> None:
        """Give each number to the parameter that has its unit, that is named beside it, or that is
        the only one required; what two parameters could take alike is given to neither."""
        for mention in self.free("number"):
            every = self.open("integer", "number", "string")
            able = [p for p in every if self._may_take(p, mention)]
            gaps = {p.name: self._gap(p, mention.place) for p in every}
            if not mention.unit and 1 in {*gaps.values()} - {gaps[p.name] for p in able}:
                continue  # "grade 5" is no count of questions
            measured = [p for p in able if p.units and mention.unit]
            if self.message.text.startswith("#", mention.start):  # "circuit #14" is no size
                measured = [p for p in able if gaps[p.name] == 1] or measured
            found = measured or [p for p in able if gaps[p.name] < _FAR or p.means("limit")]
            found = found or [p for p in able if p.required and p.kind != "string"]
            least = min((gaps[p.name] for p in found), default=0)
            found = [p for p in found if gaps[p.name] == least]
            if len({p.root for p in found}) > 1:
                self.filled.unusable.append(self.message.written(mention.place))
            elif found:
                best = min(found, key=lambda p: mention.unit not in p.units[:1])
                self.take(best, _in_unit(best, mention), mention.place)

    def _may_take(self, parameter: Parameter, mention: Mention) -> bool:
        """Tell whether a number may be a parameter's value."""
        message, place, value = self.message, mention.place, _in_unit(parameter, mention)
        if value is None or parameter.refers_to or not parameter.accepts(value):
            return False
        is_compared = cue("compared").match(message.text, mention.end)
        if is_compared or cue("compares").search(message.text[: mention.start]):
            return False  # neither "longer than 100 ft" nor "100 ft longer" is a length
        is_near = self._gap(parameter, place) < _FAR
        if parameter.means("limit"):
            counted = words(" ".join((spaced(self.tool.name), *self.tool.names.values())))[1:]
            around = message.stems_at(range(place[0] - 2, place[-1] + 2))
            is_near = is_near or not around.isdisjoint(wordset("limit").union(counted))
            return mention.unit is None and is_near
        labels = {at[0] for name in parameter.called for at in message.find(name)}
        is_counted = parameter.identifies and place[-1] + 1 in labels  # "two circuits"
        is_size = parameter.identifies and mention.unit and not parameter.units  # "over 80 %"
        is_size = is_size and not message.text.startswith("#", mention.start)
        is_bare = parameter.units and not (mention.unit or is_near or len(self.parameters) == 1)
        is_text = parameter.kind == "string" and not (parameter.units or parameter.options)
        before = message.stems_at([place[0] - 1])  # as in "the first 20"
        is_count = is_counted or not (mention.unit or before.isdisjoint(wordset("limit")))
        return not (is_count or is_size or is_bare or is_text)

    def _gap(self, parameter: Parameter, place: range) -> float:
        """Return how many words a number stands from those that name a parameter."""
        gaps = [float(_FAR)]
        for found in (each for phrase in parameter.called for each in self.message.find(phrase)):
            is_before = found[-1] < place[0]
            gap = place[0] - found[-1] if is_before else found[0] - place[-1] + 0.5
            if gap > 0 and self.is_one_clause(found, place):
                gaps.append(gap)
        last = min(place[-1] + 3, len(self.message.words))
        around = [n for n in range(max(0, place[0] - 4), last) if n not in place]
        around = [n for n in around if self.is_one_clause([n], place)]
        is_said = parameter.core <= self.message.stems_at(around)
        return min(*gaps, 3.0 if is_said else _FAR)

    # ---- Texts ----

    def fill_strings(self, find: Callable[[Parameter], Sequence[int]]) -> None:
        """Give each text the words that `find` returns for it; required ones come first."""
        every = sorted(self.open("string", "array"), key=lambda each: not each.required)
        for parameter in every:
            if not parameter.options and (place := find(parameter)):
                self.take(parameter, self.written(place), place)

    def by_form(self, parameter: Parameter) -> Sequence[int]:
        """Return an address, a path, a day or a size of the form that a parameter takes."""
        kinds = [k for k in ("email", "url", "path", "date") if parameter.means(k)]
        kinds += ["code"] * bool(re.search(r"\d/0|\bAWG\b", parameter.description))
        found = [m for m in self.free(*kinds) if m.kind != "code" or "/" in str(m.value)]
        return next((m.place for m in found if kinds), ())

    def by_label(self, parameter: Parameter) -> Sequence[int]:
        """Return what stands beside a parameter's name: "panel LP-1", "the garage panel". Plain
        words stand before it in English and after it in Hebrew."""
        is_id, is_path = bool(parameter.refers_to), parameter.means("path")
        kinds = ["quote", "code"] + ["name"] * (not is_id) + ["number"] * (not (is_id or is_path))
        marked = [m for m in self.free(*kinds) if not m.unit]
        runs = [] if is_id else [run for run in self.runs() if not (is_path and run[1:])]
        phrases = () if parameter.units else parameter.called
        for label in (at for phrase in phrases for at in self.message.find(phrase)):
            said = self.message.written(label).lower()
            if not terms(said) or (is_path and not said.endswith(parameter.called)):
                continue  # "the docs folder" is a path, and "the python files" are none
            is_hebrew = language(said) == "he"
            after = [*([*m.place] for m in marked), *(runs if is_hebrew else ())]
            before = [[*m.place] for m in marked if m.kind in ("name", "number")]
            before += [] if is_hebrew else runs  # "7th" stands before "grade"
            for place in (*after, *before):
                is_one = label[0] in place and len(place) > len(label)  # as in "Garage Panel"
                follows = place in after and place[0] == label[-1] + 1
                precedes = place in before and place[-1] == label[0] - 1
                if is_one or ((follows or precedes) and self.is_one_clause(label, place)):
                    return self._beside(parameter, label, place, is_one)
        return ()

    def _beside(
        self, parameter: Parameter, label: range, place: Sequence[int], is_one: bool
    ) -> Sequence[int]:
        """Return the value that stands beside a label; a Hebrew name has the label before it."""
        own = [n for n in place if n not in label]
        value = self.message.written(own)
        is_plain = language(value) == "he" and not self.message.at(place, "code", "number", "quote")
        if (is_one or (is_plain and place[0] > label[0])) and "name" in parameter.label:
            return sorted({*label, *place})
        if cue("listed").search(value) and not parameter.means("prose"):
            self.filled.unusable.append(value)  # "grades 4 and 5" are two
            return ()
        self.used.update(label)  # which says nothing else
        return own

    def by_quote(self, parameter: Parameter) -> Sequence[int]:
        """Return what is quoted where it is clear whose it is: of one quote and one text."""
        needed = [p for p in self.open("string") if p.required and not p.means("path")]
        quotes = self.free("quote")
        is_other = parameter.refers_to or parameter.units or parameter.means(*_SHAPED)
        is_one = len(quotes) == 1 and needed in ([], [parameter]) and not is_other
        return quotes[0].place if is_one else ()

    def by_words(self, parameter: Parameter) -> Sequence[int]:
        """Return the one word after "in" for a path, or the one stretch of the user's own words
        that is introduced as a description, or the only one."""
        text, runs = self.message.text, self.runs()
        if parameter.refers_to or parameter.units or parameter.means("content", "command"):
            return ()
        if parameter.means("path"):
            inside = []
            for run in (each for each in runs if not each[1:]):
                start = self.message.words[run[0]].start
                if cue("inside").search(text[:start]) and not cue("of_files").match(text, start):
                    inside.append(run)
            return inside[0] if len(inside) == 1 else ()
        # Where a topic or another text is open, words of the user's own are no grade.
        texts = [p for p in self.open("string") if p.required and not (p.options or p.refers_to)]
        takes = texts == [parameter] and not any(p.means("prose") for p in self.parameters)
        if parameter.means(*_SHAPED) or not (takes or parameter.means("prose")):
            return ()
        seeks = any(each.required and each.refers_to for each in self.open())
        runs = [] if seeks else runs  # which say which thing is meant
        best = [run for run in runs if self._is_introduced(run)]
        is_sought = parameter.required or cue("seeks").match(text)
        one = best if best[:1] == best and best else runs if is_sought else []
        return self._whole(parameter, one[0]) if len(one) == 1 else ()

    def _is_introduced(self, run: list[int]) -> bool:
        """Tell whether a stretch stands after "for", "a" or a measure, or before "of 4 kW"; what
        stands after "in" says where."""
        first, last = self.message.words[run[0]], self.message.words[run[-1]]
        before, after = self.message.text[: first.start], self.message.text[last.end :]
        sizes = [m.unit.dimension for m in self.message.at([run[0] - 1], "number") if m.unit]
        if cue("inside").search(before) or {"gauge", "area"} & {*sizes}:  # "12 AWG NM-B"
            return False
        is_glued = first.text[0] in wordset("glued") or cue("measured").match(after)
        return bool(is_glued or cue("introduces").search(before.rstrip()))

    def _whole(self, parameter: Parameter, run: list[int]) -> Sequence[int]:
        """Return a stretch with the words around it that the tool knows, from the parameter's name
        to the end of the clause: "on adding fractions"."""
        hard = {n for m in self.free("number", "quote") for n in m.place} | self.used
        said, linking = self.message.words, wordset("inner") | wordset("linking")
        text = [word.text.lower() for word in said]
        plain = [n not in hard and (w.has_topic or text[n] in linking) for n, w in enumerate(said)]
        labels = (at[-1] for name in parameter.called for at in self.message.find(name))
        first, last = max((n for n in labels if n < run[0]), default=run[0]) + 1, run[-1]
        if first > run[0] or not all(plain[first : run[0]]):
            return run
        while last + 1 < len(plain) and plain[last + 1] and self.is_one_clause([last], [last + 1]):
            last += 1
        while last > run[-1] and text[last] in wordset("scaffold") | linking:
            last -= 1  # "on fractions please"
        return range(next(n for n in range(first, last + 1) if text[n] not in linking), last + 1)

    def fill_people(self) -> None:
        """Fill who is meant, and whom somebody owes something."""
        text, place = self.message.text, self.message.places
        for parameter in sorted(self.open("string"), key=lambda each: not each.means("receiver")):
            owed = cue("owed_to").search(text) if parameter.means("receiver") else None
            for who in ("me", "who"):
                name, span = group(owed, who)
                if name:
                    self.take(parameter, "me" if who == "me" else name, place(*span))
            if parameter.options or not parameter.means("person"):
                continue
            if '"me"' in parameter.description and (mine := cue("mine").search(text)):
                self.take(parameter, "me", place(*mine.span()))
                continue
            named: dict[Json, range] = {str(m.value): m.place for m in self.free("name")}
            for match in cue("person").finditer(text):
                name, span = group(match, "who")
                where = place(*span)
                if self.message.stems_at(where[1:]) & vocabulary(self.tool, whole=True):
                    name, where = name.split()[0], where[:1]  # in Hebrew "open" follows the name
                if self.message.stems_at(where).isdisjoint(self.known):
                    named.setdefault(name, where)
            self.take_all(parameter, named)

    def fill_queries(self) -> None:
        """Fill what is looked for: a quote, or the words of a topic. A tool that needs none gets
        the question as it was asked."""
        for parameter in self.open("string"):
            if parameter.options or not parameter.means("query"):
                continue
            topic, quotes = self._topic(parameter), self.free("quote")
            if not parameter.required:
                self.take(parameter, self.message.text.strip(), ())
            elif quotes:
                self.take(parameter, str(quotes[0].value), quotes[0].place)
            elif topic:
                self.take(parameter, " ".join(self.message.words[n].text for n in topic), topic)
            elif parameter.may_be_empty:
                self.take(parameter, "", ())

    def _topic(self, parameter: Parameter) -> list[int]:
        """Return the words that say what is looked for: those after "about", with who is named."""
        text, place, words_ = self.message.text, self.message.places, self.message.words
        about, said_by = cue("about").search(text), cue("said_by").search(text)
        names = {n for m in self.free("name") for n in m.place}
        names |= {*place(*group(said_by, "who")[1])}
        # A sum is no topic, but "search for 2024" is one.
        kinds = ["date", "period"] + ["number"] * (not cue("seeks").match(text))
        kinds += ["path"] * any(p.means("path") for p in self.parameters)
        without = {n for m in self.free(*kinds) for n in m.place} | self.used
        without |= {*place(*said_by.span())} - names if said_by else set()
        own = self.known | wordset("scaffold") | wordset("asking")
        first = place(0, len(re.split(cue("sentences"), text)[0]))
        said = {*(place(*group(about, "topic")[1]) if about else first)}
        asks = {n for n in said if n in self.asking or own.issuperset(words_[n].stems)}
        said = (said if about else said - asks) | names
        return [n for n in sorted(said - without) if words_[n].has_topic]

    # ---- What found no use ----

    def note_what_is_left(self) -> None:
        """Note what found no use; a keyword's own figures ("200 amp service") ask for the tool."""
        own, free = self.known | wordset("scaffold"), [*self.free()]
        free = [
            m
            for m in free
            if not (m.kind in ("name", "code") and self.message.stems_at(m.place) <= own)
        ]
        listed = (name for each in self.names.values() for name in each)
        found = longest({name: at for name in listed for at in self.message.find(name)})
        things = [Mention("thing", "", 0, 0, place) for place in found.values()]
        free += [each for each in things if self.used.isdisjoint(each.place)]
        free = [each for each in free if not self.asking.issuperset(each.place)]
        taken = {n for m in free for n in m.place}
        runs = self.runs(vocabulary(self.tool, whole=True) | wordset("asking"))
        places = sorted([*([*m.place] for m in free), *(r for r in runs if not taken & {*r})])
        self.filled.left = {self.message.written(each): {*each} for each in places}
        self.filled.names = [m for m in free if m.kind == "name"]
        switches = ({*p.core, *terms(p.description)} for p in self.open("boolean"))
        flags = set[str]().union(*switches) - wordset("flag") - self.known
        rest = (w for n, w in enumerate(self.message.words) if n not in self.used)
        self.filled.unusable += [word.text for word in rest if flags & {*word.stems}]
        seeks = any(each.required and each.refers_to for each in self.parameters)
        soft = ("name", "code", "path", *(["quote"] if seeks else []))  # which a list may have
        hard = (m for m in free if m.kind not in soft)
        self.filled.unusable += [self.message.written(m.place) for m in hard]

    def note_what_cannot_be_heeded(self) -> None:
        """Note words such as "not", "most", "in total", "but", "there" and "every" that no argument
        and no keyword of the tool takes; a search for words cannot heed them either."""
        text = self.message.text
        asks = {n for each in self.tool.keywords for at in self.message.find(each) for n in at}
        # A list of people says nothing of "who writes the most", whatever its own words are.
        asks = set() if cue("person_or_day").match(text) else asks
        heard = asks | self.used | {n for each in self.free("quote") for n in each.place}
        periods = (m.place for m in self.message.mentions if m.kind == "period")
        heard |= {n for at in periods if self.used & {*at} for n in at}  # "the last month"
        for kind in self._unheeded_kinds():
            for match in cue(kind).finditer(text):
                place = self.message.places(*match.span())
                beside = {*place[:1]}
                if kind == "qualifiers" and not group(match, "negation")[0]:
                    # "The most urgent" is urgent; "not urgent" is something else.
                    beside = {*place, place.stop}
                elif kind == "that":
                    beside |= {place.stop} & self.content  # "tell Tom that …"
                if place and (beside.isdisjoint(heard) or kind == "each"):
                    self.filled.unusable.append(match[0].strip())

    def _unheeded_kinds(self) -> list[str]:
        """Return the cues of words that the tool cannot heed with these arguments."""
        arguments, every = self.filled.arguments, self.parameters
        is_search = any(p.means("query") for p in every)
        is_list = lists(self.tool) or searches(self.tool)
        seeks = any(p.required and p.refers_to for p in every)
        is_person = any(p.means("person") and p.name in arguments for p in every)
        is_named = is_person or any(m.kind == "name" for m in self.message.mentions)
        takes_one = any(p.identifies and p.kind != "array" for p in every)
        kinds = {
            "qualifiers": True,
            "ordinals": True,
            "picks": True,
            "there": not seeks,
            "that": not is_search
            and (not arguments or lists(self.tool) or (seeks and self.tool.writes)),
            "someone": is_list and not is_named,
            "of_me": "me" not in arguments.values(),
            "conditions": self.tool.writes,  # a search may look whether it is so
            "in_one": is_search,  # which cannot look in one chat
            "but": not is_search,
            "of_files": any(p.means("path") for p in every),
            "each": any(type(value) in (int, float) for value in arguments.values()),  # "4 kW each"
            "every": takes_one and not (is_list or is_search),
        }
        return [kind for kind, is_unheeded in kinds.items() if is_unheeded]


def longest(found: Mapping[Json, range]) -> dict[Json, range]:
    """Return what was found without what stands inside something longer."""
    every = [set(place) for place in found.values()]
    return {value: at for value, at in found.items() if not any(set(at) < e for e in every)}


def _in_unit(parameter: Parameter, mention: Mention) -> Json | None:
    """Return a number as a parameter takes it: in its unit, whole or as text; None if it cannot."""
    of = parameter.schema["items"].get("type") if parameter.kind == "array" else parameter.kind
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
