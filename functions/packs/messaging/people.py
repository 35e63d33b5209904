"""Matches names in a text, in either script, to the participants of a chat."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from packs.messaging.cues import pattern
from packs.messaging.wording import TEXTS
from rollcall.core.text import fold, is_stopword

_LATIN = (
    ("sch", "s"),
    ("sh", "s"),
    ("ch", "ח"),
    ("kh", "ח"),
    ("ph", "p"),
    ("tz", "c"),
    ("ts", "c"),
)
_LETTERS = str.maketrans(
    "bvfpckqxzgjdtlmnrsאבגדהוזחטיכלמנסעפצקרשת",
    "bbppkkkkzggdtlmnrs bgd  zחt klmns pckrst",
)
_FIRST = str.maketrans("הי", "hy")
_NAME = r"[A-Z][a-z]+(?: [A-Z][a-z]+)?"


@dataclass(frozen=True, slots=True)
class Person:
    """A person named in a chat; `id` is None for a name that no participant has."""

    id: str | None
    name: str


class People:
    """The participants of a conversation, found by full or first name in either script."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)
        self._ids: dict[str, set[str]] = {}
        for person, name in self.names.items():
            for form in {name, name.split(" ")[0] if name else ""}:
                for key in (_key(form), _skeleton(form)):
                    if key:
                        self._ids.setdefault(key, set()).add(person)

    def find(self, name: str) -> Person | None:
        """Return the participant of that name, if exactly one fits."""
        for key in (_key(name), _skeleton(name)):
            fitting = self._ids.get(key, set())
            if len(fitting) == 1:
                (person,) = fitting
                return Person(person, self.names[person])
        return None

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
            person = self.find(match[1]) or Person(None, match[1])
            rest = (sentence[: match.start()] + sentence[match.end() :]).strip(" ,:-")
            return person, " ".join(rest.split())
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
    """Return the ids of everybody with that full or first name, in either script.

    Args:
        people: (id, name) of the candidates; one id may come with several names.
    """
    pairs = list(dict.fromkeys(people))
    first_names = [(id, whole.split(" ")[0]) for id, whole in pairs]
    for form in (_key, _skeleton):
        wanted = form(name)
        for candidates in (pairs, first_names):
            ids = [id for id, each in candidates if wanted and form(each) == wanted]
            if ids:
                return list(dict.fromkeys(ids))
    return []


def _key(name: str) -> str:
    return fold(name).casefold().strip(" .@")


@lru_cache(maxsize=4096)
def _skeleton(name: str) -> str:
    """Return a name's consonants, the same in both scripts: "Omer" and "עומר" are "mr"."""
    name = _key(name)
    if is_stopword(name) or len(name) < 3:
        return ""
    first = name[0] if name[0] in "hyהי" else ""
    for long, short in _LATIN:
        name = name.replace(long, short)
    if any(char.isascii() and char.isalpha() for char in name):
        name = re.sub("[aeiouywh]", "", name)
    bones = first.translate(_FIRST) + "".join(name.translate(_LETTERS).split())
    return f"~{bones}" if bones else ""
