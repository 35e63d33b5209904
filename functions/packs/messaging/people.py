"""Matches names in a text, in either script, to the participants of a chat."""

import re
from collections.abc import Iterable, Mapping
from functools import partial

from msgspec import Struct

from packs.messaging.cues import pattern
from packs.messaging.wording import TEXTS
from rollcall.core.names import name_key, same_name

_NAME = r"[A-Z][a-z]+(?: [A-Z][a-z]+)?"


class Person(Struct, frozen=True):
    """A person named in a chat; `id` is None for a name that no participant has."""

    id: str | None
    name: str


class People:
    """The participants of a conversation, found by full or first name in either script."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)

    def find(self, name: str) -> Person | None:
        """Return the participant of that name, if exactly one fits."""
        found = namesakes(name, self.names.items())
        return self.of(found[0]) if len(found) == 1 else None

    def of(self, person_id: str) -> Person:
        """Return a participant by id."""
        return Person(person_id, self.names.get(person_id, person_id))

    def other_than(self, person_id: str) -> Person | None:
        """Return the other participant of a chat of two, whom "you" means."""
        others = [other for other in self.names if other != person_id]
        return self.of(others[0]) if len(others) == 1 else None

    def addressed(self, sentence: str) -> tuple[Person | None, str]:
        """Return the person a sentence addresses by name, and the sentence without the name."""
        if match := pattern("people.mention").search(sentence):
            said = sentence[match.start(1) :]
            name = max([match[1], *filter(said.startswith, self.names.values())], key=len)
            rest = (sentence[: match.start()] + said[len(name) :]).strip(" ,:-.")
            return self.find(name) or Person(None, name), " ".join(rest.split())
        for key in ("people.leading", "people.bare"):
            if match := pattern(key).match(sentence):
                hebrew = "א" <= match[1][0] <= "ת"
                # Any Hebrew word may come before a comma, so only known names count.
                if called := self.named(match[1], unknown=not hebrew):
                    return called, sentence[match.end() :]
        match = pattern("people.trailing").search(sentence)
        if match and (called := self.find(match[1])):
            return called, sentence[: match.start()] + match[2]
        return None, sentence

    def named(self, word: str, *, unknown: bool = True) -> Person | None:
        """Return a participant, or an unknown person if the word looks like a name."""
        if found := self.find(word):
            return found
        looks = re.fullmatch(_NAME, word) and word.split(" ")[0].lower() not in TEXTS.phrases(
            "cues.people.not_names"
        )
        return Person(None, word) if looks and unknown else None


def namesakes(name: str, people: Iterable[tuple[str, str]]) -> list[str]:
    """Return the ids of everybody with that full or first name, in either script; of a name in the
    other script, the closest spelling.

    Args:
        people: (id, name) of the candidates; one id may come with several names.
    """
    pairs, key = list(dict.fromkeys(people)), name_key(name)
    first_names = [(id, whole.split(" ")[0]) for id, whole in pairs]
    for is_name in (str.__eq__, partial(same_name, is_close=True), same_name):
        for candidates in (pairs, first_names):
            ids = [id for id, each in candidates if key and is_name(key, name_key(each))]
            if ids:
                return list(dict.fromkeys(ids))
    return []
