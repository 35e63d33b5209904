"""Names of people in Hebrew and Latin letters: "עומר" and "Omer", "דנה" and "Dana".

How Hebrew letters are spelled is data: `words.names` in `texts/he.json`.
"""

import re
from functools import cache

from rollcall.core.text import HEBREW_PREFIXES, fold, is_stopword
from rollcall.core.texts import TEXTS

_VOWELS = frozenset("aeiouyhw")
"""Letters that Hebrew may leave out."""


def spellings_in(name: str, text: str, *, is_close: bool = False) -> list[str]:
    """Return the words of a text that are a name of one word in the other script, in Latin letters
    with a capital one and in Hebrew perhaps with a prefix: "Dan" and "לדן" for "דן".

    Args:
        is_close: Whether rare spellings do not count, as `same_name` has it.
    """
    found = []
    for word in re.findall(r"\w+", text):
        forms = [word] if word != word.lower() or not word.isascii() else []
        if word[0] in HEBREW_PREFIXES:
            forms.append(word[1:])
        if any(same_name(form, name, is_close=is_close) for form in forms):
            found.append(word)
    return found


def same_name(one: str, other: str, *, is_close: bool = False) -> bool:
    """Tell whether two names, one in Hebrew and one in Latin letters, are spellings of the same.

    Args:
        is_close: Whether rare spellings do not count: "פיטר" is Peter, but "אמיר" is hardly Omer.
    """
    hebrew, latin = sorted((name_key(one), name_key(other)), key=str.isascii)
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
    listed = TEXTS.data("he", f"words.names.{place}")
    return {letter: spellings.split() for letter, spellings in listed.items()}


def _past_vowels(places: set[int], latin: str) -> set[int]:
    """Return the places, and those behind the vowels that follow them."""
    found = set(places)
    for place in places:
        while latin[place : place + 1] in _VOWELS:
            place += 1
            found.add(place)
    return found


def name_key(name: str) -> str:
    """Return a name as it is compared: folded, without marks around it."""
    return fold(name).casefold().strip(" .@")
