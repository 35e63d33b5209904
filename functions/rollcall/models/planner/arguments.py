"""Fills a tool's arguments from a message: each stretch of the message goes to one parameter.

What no parameter takes stays open, and the planner asks about it: a number, a name or a plural is
never dropped. Nothing is filled by position or by guess alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from rollcall.core.messages import Json
from rollcall.core.text import fold, language, terms, words
from rollcall.models.base import ToolSpec
from rollcall.models.planner.form import Filled, Form, Names, longest
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

_FEW_OPTIONS = 4
"""Values of so short a list are said for their own sake; those of a longer one sort things."""
_SHAPED = ("query", "person", "path", "url", "email", "date")
_LEAST, _TIE = 2.0, 0.2


def fill(tool: ToolSpec, message: Message, names: Names | None = None) -> Filled:
    """Return the arguments that a message gives a tool, all of them valid by its schema.

    Args:
        names: Names of things at hand, by the parameter that takes them.
    """
    form = _Filling(tool, message, names or {})
    form.fill_known_names()
    form.fill_options(_FEW_OPTIONS)
    form.fill_flags()
    form.fill_objects()
    form.fill_numbers()
    form.fill_dates()
    form.fill_strings(form.by_form)
    form.fill_strings(form.by_label)
    form.fill_people()
    form.fill_strings(form.by_quote)
    form.fill_strings(form.by_words)
    form.fill_options()
    form.note_qualifiers()
    form.fill_queries()
    form.note_what_is_left()
    return form.filled


class _Filling(Form):
    """A form with the rules by which a message fills it."""

    # ---- Names and listed values ----

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
                aliases = self.tool.aliases.get(str(option), ())
                named = (spaced(option), option) if isinstance(option, str) else ()
                for phrase in (*named, *aliases):
                    for place in self.message.find(phrase):
                        written = fold(self.message.written(place))
                        parts = fold(phrase).split() if language(phrase) == "he" else ()
                        if not all(part.removeprefix("ה")[:-1] in written for part in parts):
                            continue  # "books" and "literature" have one stem
                        beside = not self.used.isdisjoint((place[0] - 1, place[-1] + 1))
                        if beside and any(
                            place in self.message.find(p.label.split()[0])
                            for p in self.parameters
                            if p.identifies
                        ):
                            continue  # "panel LP1" says nothing of panels
                        if phrase in aliases or self._is_meant(parameter, phrase, place):
                            found[option] = max(found.get(option, place), place, key=len)
            self.take_all(parameter, longest(found))

    def _is_meant(self, parameter: Parameter, phrase: str, place: range) -> bool:
        """Tell whether an option's words are a value: not where they may only ask for the tool."""
        near = range(place[0] - 2, place[-1] + 3)
        is_named = not parameter.core.isdisjoint(self.message.stems_at(near))
        if len(phrase) <= 2 or phrase.isdigit() or phrase in wordset("unspecific"):
            return is_named
        is_own = set(words(phrase)) <= self.known and parameter.name not in self.shown
        is_said = is_named or parameter.required or bool(cue("qualifiers").match(phrase))
        return is_said or not is_own

    def fill_flags(self) -> None:
        """Fill booleans that the message names; False where it denies them."""
        for parameter in self.open("boolean"):
            at = [n for each in parameter.aliases for at in self.message.find(each) for n in at]
            wanted = parameter.core - wordset("flag")
            asks = {*words(spaced(self.tool.name)), *words(" ".join(self.tool.keywords))}
            if not at and wanted.isdisjoint(asks):
                every = enumerate(self.message.words)
                said = [n for n, word in every if not wanted.isdisjoint(word.stems)]
                at = said if wanted and wanted <= self.message.stems_at(said) else []
            if at:
                before = range(max(0, at[0] - 3), at[0])
                no = [n for n in before if self.message.stems_at([n]) & wordset("negations")]
                self.take(parameter, not no, [*no, *at])

    def fill_objects(self) -> None:
        """Fill a list of things that have fields with the one thing of the message that has all
        that are required: "for an 11 kW charger"."""
        for parameter in (p for p in self.open("array") if "properties" in p.schema["items"]):
            options = (spaced(str(option)) for p in self.open("string") for option in p.options)
            taken = self.used.union(*(at for each in options for at in self.message.find(each)))
            item = replace(self.tool, parameters=parameter.schema["items"])
            one = fill(item, self.message)
            said = (words(text) for text in one.arguments.values() if isinstance(text, str))
            sums = frozenset[str]().union(*(p.core for p in self.open("integer", "number")))
            if any(sums.issuperset(each) for each in said):
                continue  # "an additional 11 kW" names a figure, and no thing
            places = (every for key, every in self.names.items() if spaced(key).endswith(" name"))
            named = (at for each in places for name in each for at in self.message.find(name))
            if any(not one.used.isdisjoint(at) for at in named):
                continue  # what "a compressor on the shed's panel" is has no place in it
            if not {p.name for p in parameters(item) if p.required} - one.arguments.keys():
                self.take(parameter, [one.arguments], one.used - taken)

    # ---- Numbers ----

    def fill_numbers(self) -> None:
        """Give each number to the parameter that its unit and the words around it speak for."""
        ends = {p.label.split()[0]: p for p in self.open("integer", "number")}
        for one, other in pairwise(self.free("number")) if {"start", "end"} <= {*ends} else ():
            if cue("until").fullmatch(self.message.text[one.end : other.start]):  # "5 to 12"
                self.take(ends["start"], one.value, one.place)
                self.take(ends["end"], other.value, other.place)
        every = self.open("integer", "number", "string", "array")
        pairs = [(self._support(p, m), p, m) for m in self.free("number") for p in every]
        while pairs := [pair for pair in pairs if pair[0] >= _LEAST]:
            most, parameter, mention = max(pairs, key=lambda pair: pair[0])
            rivals = {p.root for points, p, m in pairs if m is mention and most - points < _TIE}
            if len(rivals) > 1:
                self.filled.qualifiers.append(self.message.written(mention.place))
            elif parameter.kind == "array":
                taken = [m for _, p, m in pairs if p is parameter]
                values = [_in_unit(parameter, m) for m in taken]
                self.take(parameter, values, {n for m in taken for n in m.place})
            else:
                self.take(parameter, _in_unit(parameter, mention), mention.place)
            free = [each for each in self.free("number") if each is not mention]
            left = [each for each in self.open() if each is not parameter]
            pairs = [each for each in pairs if each[1] in left and each[2] in free]

    def _support(self, parameter: Parameter, mention: Mention) -> float:
        """Return how much speaks for a number being a parameter's value; below 0 it cannot be."""
        message, place, value = self.message, mention.place, _in_unit(parameter, mention)
        listed = [value] if parameter.kind == "array" else value
        if value is None or parameter.refers_to or not parameter.accepts(listed):
            return -1.0
        is_compared = cue("compared").match(message.text, mention.end)
        if is_compared or cue("compares").search(message.text[: mention.start]):
            return -1.0  # neither "longer than 100 ft" nor "100 ft longer" is a length
        near = self._nearness(parameter, place)
        before, after = message.stems_at([place[0] - 1]), message.stems_at([place[-1] + 1])
        if parameter.means("limit"):
            counted = words(" ".join((spaced(self.tool.name), *self.tool.names.values())))[1:]
            around = message.stems_at(range(place[0] - 2, place[-1] + 2))
            is_limit = not wordset("limit").isdisjoint(around) or not after.isdisjoint(counted)
            is_limit = is_limit or bool(message.at([place[-1] + 1], "number"))  # "nine 12 AWG"
            return 3.0 if (is_limit or near >= 2) and mention.unit is None else -1.0
        labels = [at for name in parameter.called for at in message.find(name)]
        is_count = parameter.identifies and place[-1] + 1 in {at[0] for at in labels}
        if is_count and place[0] - 1 not in {at[-1] for at in labels}:
            return -1.0  # "two circuits" are no circuit 2
        if mention.unit is None and not wordset("limit").isdisjoint(before):
            return -1.0  # "the first 20" counts things
        is_text = parameter.kind == "string" and not parameter.units
        is_gauge = message.text[: mention.start].endswith("#")  # as in "#12"
        is_gauge = is_gauge and any(unit.dimension == "gauge" for unit in parameter.units)
        is_only = parameter.required and len(self.parameters) == 1
        is_measured = mention.unit or is_only or near or is_gauge
        if not is_measured if parameter.units else is_text and not (parameter.options and near):
            return -1.0
        points = max(near, 2.5 * is_gauge) + 0.3 * (parameter.name in self.shown)
        points -= 0.1 * len(parameter.core.difference(message.stems))
        if mention.unit and parameter.units:
            points += 4.5 if mention.unit == parameter.units[0] else 4.0
        if parameter.required and not is_text:
            rivals = [p for p in self.open("integer", "number") if p.required]
            points += 2.5 if len(rivals) == 1 else 1.0
        return points

    def _nearness(self, parameter: Parameter, place: range) -> float:
        """Return 0 to 3: how near a number stands to the words that name a parameter."""
        best, others = 0.0, {n for m in self.free("number") for n in m.place} - {*place}
        for found in (each for phrase in parameter.called for each in self.message.find(phrase)):
            # In "240 at the source and 230 at the end" a label belongs rather to what follows it.
            is_before = found[0] > place[-1] and found[-1] + 1 in others
            gap = place[0] - found[-1] if found[-1] < place[0] else found[0] - place[-1]
            if 0 < gap <= 3 and self.is_one_clause(found, place):
                best = max(best, 3.4 - 0.4 * gap - 0.5 * is_before)
        around = self.message.stems_at([*range(place[0] - 4, place[0])])
        after = self.message.stems_at(range(place[-1] + 1, place[-1] + 4))
        around |= self.message.stems_at(range(place[-1] + 1, place[-1] + 3))
        is_counted = not parameter.units and words(parameter.label)[-1] in after
        share = len(parameter.core & around) / len(parameter.core)
        return max(best, 2.2 * share, 2.0 * is_counted)

    # ---- Texts ----

    def fill_strings(self, find: Callable[[Parameter], Sequence[int]]) -> None:
        """Give each text the words that `find` returns for it; required ones come first."""
        every = sorted(self.open("string", "array"), key=lambda each: not each.required)
        for parameter in every:
            if not parameter.options and (place := find(parameter)):
                self.take(parameter, self.written(place), place)

    def fill_dates(self) -> None:
        """Fill days of the calendar."""
        for parameter in self.open("string"):
            form = str(parameter.schema.get("format", ""))
            if form in ("date", "date-time") or parameter.means("date"):
                suffix = "T00:00:00Z" if form == "date-time" else ""
                for mention in [m for m in self.free("period")[:1] if m.value]:
                    self.take(parameter, f"{mention.value}{suffix}", mention.place)

    def by_form(self, parameter: Parameter) -> Sequence[int]:
        """Return an address, a path, or a code of the form that a parameter's texts show."""
        kinds = [kind for kind in ("email", "url", "path", "glob") if parameter.means(kind)]
        shown = re.findall(r"\"([^\"]+)\"", parameter.description)
        shown += [str(each.get(parameter.name, "")) for each in arguments_shown(self.tool)]
        told = {word for each in shown for word in re.findall(r"[A-Z]+", each)}
        shown += ["1/0"] * any(unit.dimension == "gauge" for unit in parameter.units)
        shapes = set() if parameter.refers_to else set(map(_shape, shown))
        for mention in self.free(*kinds, "code", "name"):
            text = str(mention.value)
            is_code = any(map(str.isdigit, text)) or text in told  # else it may be anything
            is_code = is_code and _shape(text) in shapes and not set(words(text)) <= self.known
            if mention.kind in kinds or is_code:
                return mention.place
        return ()

    def by_label(self, parameter: Parameter) -> Sequence[int]:
        """Return what stands beside a parameter's name: "panel LP-1", "the garage panel". Plain
        words stand before it in English and after it in Hebrew."""
        is_id, is_path = bool(parameter.refers_to), parameter.means("path")
        kinds = ["quote", "code"] + (not is_id) * ["name"] + (not (is_id or is_path)) * ["number"]
        free = [m for m in self.free(*kinds) if not m.unit]  # "7th" stands before "grade"
        runs = [] if is_id else [run for run in self.runs() if not (is_path and run[1:])]
        phrases = () if parameter.units else parameter.called
        labels = [each for phrase in phrases for each in self.message.find(phrase)]
        for label in labels:
            said = self.message.written(label).lower()
            if not terms(said) or (is_path and not said.endswith(parameter.called)):
                continue  # "the docs folder" is a path, and "the python files" are none
            is_hebrew = language(said) == "he"
            places: list[tuple[Sequence[int], bool, bool]]
            places = [(m.place, True, m.kind in ("name", "number")) for m in free]
            places += [(run, is_hebrew, not is_hebrew) for run in runs]
            for place, may_follow, may_precede in places:
                is_one = label[0] in place and len(place) > len(label)  # as in "Garage Panel"
                follows = may_follow and place[0] == label[-1] + 1
                precedes = may_precede and place[-1] == label[0] - 1
                if is_one or ((follows or precedes) and self.is_one_clause(label, place)):
                    is_plain = language(self.message.written(place)) == "he"
                    is_plain = is_plain and not self.message.at(place, "code", "number", "quote")
                    is_whole = (is_one or (is_plain and follows)) and "name" in parameter.label
                    if is_whole:
                        return sorted({*label, *place})
                    own = [n for n in place if n not in label]
                    value = self.message.written(own)
                    if cue("listed").search(value) and not parameter.means("prose"):
                        self.filled.qualifiers.append(value)  # "grades 4 and 5" are two
                        return ()
                    self.used.update(label)  # which says nothing else
                    return own
        return ()

    def by_quote(self, parameter: Parameter) -> Sequence[int]:
        """Return what is quoted where it is clear whose it is: of two quotes with "to" or "with"
        between them, the first is what was and the second what is to be."""
        needed = [p for p in self.open("string") if p.required and not p.means("path")]
        quotes, is_changed = self.free("quote"), parameter.means("before", "after")
        if parameter.refers_to or parameter.units or parameter.means(*_SHAPED) or not quotes:
            return ()
        between = self.message.text[quotes[0].end : quotes[-1].start]
        if is_changed and len(quotes) == 2 and cue("changes").search(between):
            return quotes[0].place if parameter.means("before") else quotes[1].place
        return quotes[0].place if needed in ([], [parameter]) else ()

    def by_words(self, parameter: Parameter) -> Sequence[int]:
        """Return the one stretch of a command, or of the user's own words that is introduced as a
        description, or the only one."""
        if parameter.means("command"):
            match = cue("command").search(self.message.text)
            self.filled.qualifiers += filter(None, [group(match, "beyond")[0].strip()])
            return self.message.places(*group(match, "command")[1])
        if parameter.means("path") and not parameter.refers_to:  # the one word after "in"
            runs = [run for run in self.runs() if self.message.written(run).isascii()]
            start = self.message.words[runs[0][0]].start if runs else 0
            is_one = len(runs) == 1 and len(runs[0]) == 1
            is_one = is_one and not cue("of_files").match(self.message.text, start)
            return runs[0] if is_one and cue("inside").search(self.message.text[:start]) else ()
        # Where a topic or another text is open, words of the user's own are no grade.
        texts = [p for p in self.open("string") if p.required and not (p.options or p.refers_to)]
        takes = texts == [parameter] and not any(p.means("prose") for p in self.parameters)
        is_prose = (takes or parameter.means("prose")) and not parameter.units
        if not is_prose or parameter.refers_to or parameter.means("content", *_SHAPED):
            return ()
        if parameter.required and len(named := self.free("name")) > 1:
            self.take_all(parameter, {str(m.value): m.place for m in named})
            return ()
        seeks = any(each.required and each.refers_to for each in self.open())
        runs = [] if seeks and not cue("about").search(self.message.text) else self.runs()
        best = [run for run in runs if self._is_introduced(run)]
        is_sought = parameter.required or cue("seeks").match(self.message.text)
        alone = runs if len(runs) == 1 and is_sought else []
        return next(
            (self._whole(parameter, run) for run in (best if len(best) == 1 else alone)), ()
        )

    def _whole(self, parameter: Parameter, run: list[int]) -> Sequence[int]:
        """Return a stretch with the words around it that the tool knows, from the parameter's name
        on: "on adding fractions"."""
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
        while first < run[0] and text[first] in linking:
            first += 1
        return range(first, last + 1)

    def fill_people(self) -> None:
        """Fill who is meant, and whom somebody owes something."""
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
                    place = self.message.places(span[0] + each.start(1), span[0] + each.end(1))
                    if self.message.stems_at(place).isdisjoint(self.known):
                        named.setdefault(each[1], place)
            self.take_all(parameter, named)

    def _is_introduced(self, run: list[int]) -> bool:
        """Tell whether a stretch stands after "for", "a" or a measure, or before "of 4 kW"; what
        stands after "in" says where."""
        first, last = self.message.words[run[0]], self.message.words[run[-1]]
        before, after = self.message.text[: first.start][-20:], self.message.text[last.end :]
        is_glued = first.text[0] in wordset("glued") or cue("measured").match(after)
        is_introduced = is_glued or cue("introduces").search(before.rstrip())
        sizes = [m for m in self.message.at([run[0] - 1], "number") if m.unit]
        if any(each.unit and each.unit.dimension in ("gauge", "area") for each in sizes):
            return False  # "12 AWG NM-B" names a cable
        return bool(is_introduced) and not cue("inside").search(before)

    def fill_queries(self) -> None:
        """Fill what is looked for: a quote, or the words of a topic. A tool that needs none gets
        the question as it was asked."""
        for parameter in self.open("string"):
            if parameter.options or not parameter.means("query"):
                continue
            topic, quotes = self._topic(parameter), self.free("quote")
            if not parameter.required:
                self.filled.is_question = self.take(parameter, self.message.text.strip(), ())
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
        kinds = ["period"] if cue("seeks").match(text) else ["period", "number"]
        without = {n for m in self.free(*kinds) for n in m.place} | self.used
        without |= {*place(*said_by.span())} - names if said_by else set()
        own = frozenset(words(spaced(self.tool.name))) | wordset("scaffold") | wordset("asking")
        own |= self.known if parameter.may_be_empty else frozenset()
        first = place(0, len(re.split(cue("sentences"), text)[0]))
        said = {*(place(*group(about, "topic")[1]) if about else first)}
        asks = {n for n in said if n in self.asking or own.issuperset(words_[n].stems)}
        said = (said if about else said - asks) | names
        return [n for n in sorted(said - without) if words_[n].has_topic]

    # ---- What found no use ----

    def note_qualifiers(self) -> None:
        """Note words such as "not", "most", "in total", "but" and "or" that no argument and no
        keyword of the tool takes; a search for words cannot heed them either."""
        asks = {n for each in self.tool.keywords for at in self.message.find(each) for n in at}
        # A list of people says nothing of "who writes the most", whatever its own words are.
        asks = set() if cue("person_or_day").match(self.message.text) else asks
        heard = asks | self.used | {n for each in self.free("quote") for n in each.place}
        kinds = (
            ["qualifiers"] if "me" in self.filled.arguments.values() else ["qualifiers", "of_me"]
        )
        kinds += ["conditions"] if self.tool.writes else []  # a search may look whether it is so
        is_search = any(each.means("query") for each in self.parameters)
        kinds += ["in_one"] if is_search else ["but"]  # a search cannot look in one chat
        kinds += ["of_files"] if any(each.means("path") for each in self.parameters) else []
        every = ((kind, each) for kind in kinds for each in cue(kind).finditer(self.message.text))
        for kind, match in every:
            place = self.message.places(*match.span())
            beside = {*place[:1]}
            if place and kind == "qualifiers" and not group(match, "negation")[0]:
                # "The most urgent" is urgent; "not urgent" is something else.
                beside |= {*place, place[-1] + 1}
            if place and not beside & heard:
                self.filled.qualifiers.append(match[0])

    def note_what_is_left(self) -> None:
        """Note what found no use; a keyword's own figures ("200 amp service") ask for the tool."""
        own = self.known | wordset("scaffold")
        for mention in self.free():
            is_own = self.message.stems_at(mention.place) <= own
            is_own = is_own and mention.kind in ("name", "code")
            is_own = is_own or unit_of(str(mention.value)) is not None
            if not is_own and not self.asking.issuperset(mention.place):
                self.filled.open.append(mention)
        listed = [name for each in self.names.values() for name in each]
        found = {name: at for name in listed for at in self.message.find(name)}
        for place in longest(found).values():
            if self.used.isdisjoint(place) and not self.asking.issuperset(place):
                start, end = self.message.words[place[0]].start, self.message.words[place[-1]].end
                self.filled.open.append(Mention("thing", "", start, end, place))
        taken = {n for m in self.filled.open for n in m.place}
        heard = vocabulary(self.tool, whole=True) | wordset("asking")
        for each in self.tool.examples if self.filled.is_question else ():
            heard |= frozenset(words(str(each.get("userRequest", ""))))
        runs = [run for run in self.runs(heard) if not taken & set(run)]
        places = [*([*m.place] for m in self.filled.open), *runs]
        left = [self.message.written(each) for each in sorted(places)]
        self.filled.left = [*left, *(each for each in self.filled.qualifiers if each not in left)]


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


def _shape(text: str) -> str:
    """Return the form of a text: "LP-1" and "MDP-2" are alike, and "2/0" is like "1/0"."""
    return re.sub(r"[A-Za-z]+", "a", re.sub(r"\d+", "0", text))
