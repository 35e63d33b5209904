"""Matches names in a text, in either script, to the participants of a chat."""

import re
from collections.abc import Iterable, Mapping
from functools import cache, partial

from msgspec import Struct

from packs.messaging.cues import pattern
from packs.messaging.wording import TEXTS
from rollcall.core.text import fold, is_stopword

_VOWELS = frozenset("aeiouyhw")
"""Letters that Hebrew may leave out."""
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
    pairs = list(dict.fromkeys(people))
    first_names = [(id, whole.split(" ")[0]) for id, whole in pairs]
    for is_name in (str.__eq__, partial(same_name, is_close=True), same_name):
        for candidates in (pairs, first_names):
            ids = [id for id, each in candidates if _key(name) and is_name(_key(name), _key(each))]
            if ids:
                return list(dict.fromkeys(ids))
    return []


def same_name(one: str, other: str, *, is_close: bool = False) -> bool:
    """Tell whether two names, one in Hebrew and one in Latin letters, are spellings of the same:
    "עומר" and "Omer", "דנה" and "Dana".

    Args:
        is_close: Whether rare spellings do not count: "פיטר" is Peter, but "אמיר" is hardly Omer.
    """
    hebrew, latin = sorted((_key(one), _key(other)), key=str.isascii)
    if is_stopword(hebrew) or is_stopword(latin):
        return False
    pairs = list(zip(hebrew.split(), latin.split(), strict=False))
    is_whole = len(hebrew.split()) == len(latin.split()) == len(pairs) > 0
    return is_whole and all(_is_spelling(*pair, is_close) for pair in pairs)


def _is_spelling(hebrew: str, latin: str, is_close: bool) -> bool:
    """Tell whether a Hebrew word can be written so in Latin letters."""
    known, at_start, at_end = map(_sounds, ("sounds", "sounds_at_start", "sounds_at_end"))
    if is_close:
        known = {**known, **_sounds("close_sounds")}
    letters = re.sub(r"([וי])\1", r"\1", "".join(char for char in hebrew if char in known))
    if not letters or not latin.isascii():
        return False
    places = {0}
    for number, letter in enumerate(letters):
        sounds = [*known[letter], *([""] if letter in "אעה" else [])]
        if number == 0 and letters[1:2] not in ("ו", "י"):
            sounds = at_start.get(letter, sounds)
        if 0 < number == len(letters) - 1:
            sounds = at_end.get(letter, sounds)
        starts = _past_vowels(places, latin) if number else places
        places = {
            start + len(sound) * times
            for start in starts
            for sound in sounds
            for times in (1, 2)
            if latin.startswith(sound * times, start)
        }
    if letters[-1] in "אע":
        places = _past_vowels(places, latin)
    return any(latin[place:] in ("", "e") for place in places)


@cache
def _sounds(place: str) -> dict[str, list[str]]:
    """Return the Latin spellings of Hebrew letters at a place of a word, by letter."""
    listed = TEXTS.data("he", f"cues.people.{place}")
    return {letter: spellings.split() for letter, spellings in listed.items()}


def _past_vowels(places: set[int], latin: str) -> set[int]:
    """Return the places, and those behind the vowels that follow them."""
    found = set(places)
    for place in places:
        while latin[place : place + 1] in _VOWELS:
            place += 1
            found.add(place)
    return found


def _key(name: str) -> str:
    return fold(name).casefold().strip(" .@")
