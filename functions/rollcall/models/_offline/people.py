"""Whom a request means: the user, or people named in it, in either script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rollcall.core.messages import Json
from rollcall.core.text import stopwords, tokens, words
from rollcall.models._offline.items import people
from rollcall.models._offline.lexicon import wordset

_ME = re.compile(r"The user's name: \"([^\"\\]{1,80})\"")
_MINE = wordset("my mine i me i'm i've שלי לי אני עליי עלי אליי ממני")
_SOMEBODYS = re.compile(
    r"\b(?!(?:What|Who|When|Where|How|Let|It|That|There|Here)\b)[A-Z]\w+['’]s\b|"
    r"(?<!\w)של (?!ה)[א-ת]{2,}|(?<!\w)יש ל(?!הם|הן|נו|כם)[א-ת]{2,}"
)
_I_HAVE = re.compile(
    r"\b(?:do i have|do i owe|have i got|must i|should i|i have to|i need to|assigned to me)\b|"
    r"(?<!\w)(?:יש לי|עליי|אני צריכה?|מוטל עלי)(?!\w)",
    re.IGNORECASE,
)
_WITH = wordset("with in at to עמ עם אצל")
# Letters that sound alike; vowels that one script writes and the other does not are left out.
_SOUNDS = {
    **dict.fromkeys("bvwבו", "b"), **dict.fromkeys("gjג", "g"), "d": "d", "ד": "d",
    **dict.fromkeys("zז", "z"), **dict.fromkeys("tטת", "t"), **dict.fromkeys("kcqכקח", "k"),
    **dict.fromkeys("lל", "l"), **dict.fromkeys("mמ", "m"), **dict.fromkeys("nנ", "n"),
    **dict.fromkeys("sxסשצ", "s"), **dict.fromkeys("pfפ", "p"), **dict.fromkeys("rר", "r"),
}  # fmt: skip
_ROUND = frozenset("ouvwו")
_OPENINGS = {"י": "yij", "א": "aeiou", "ע": "aeiou", "ה": "h"}


def user_name(instructions: str) -> str:
    """Return the user's name where the instructions give it, else ""."""
    match = _ME.search(instructions)
    return match[1] if match else ""


def is_mine(text: str) -> bool:
    """Tell whether a request speaks of the user's own things."""
    return bool(set(tokens(text)) & _MINE)


def asks_for_own(text: str, things: Sequence[str]) -> bool:
    """Tell whether a request asks for the user's own things: "my open tasks", "what must I do"."""
    if _I_HAVE.search(text):
        return True
    named = "|".join(re.escape(thing) for thing in things if thing)
    mine = rf"\bmy (?:\w+ )?(?:{named})|(?:{named}) (?:\w+ )?שלי(?!\w)"
    return bool(named) and re.search(mine, text, re.IGNORECASE) is not None


def is_somebodys(text: str) -> bool:
    """Tell whether a request asks for the things of one person by name: "Omer's tasks"."""
    return _SOMEBODYS.search(text) is not None


def whose(text: str, items: Sequence[Json], me: str) -> list[str]:
    """Return the names among those of some items that a request means."""
    names = list(dict.fromkeys(name for item in items for name in people(item)))
    named = [name for name in names if is_called(name, text)]
    if named:
        return [name for name in named if _vowels_fit(name, text)] or named
    own = {name for item in items for name in people(item, owners=True)}
    return [me] if me in own and is_mine(text) else []


def is_called(name: str, text: str, *, beside: bool = False) -> bool:
    """Tell whether a text calls somebody by the first word of a name, or by all of it.

    Who stands after "with" is only beside what is asked about, and counts where `beside` says so.
    """
    said = [
        word
        for word, before in _with_before(text)
        if (beside or before not in _WITH) and word not in stopwords()
    ]
    parts = [word for word in tokens(name) if len(word) > 1]
    if not parts:
        return False
    return any(_same(parts[0], word) for word in said) or set(words(name)) <= set(words(text))


def _vowels_fit(name: str, text: str) -> bool:
    """Tell names that sound alike but for a vowel apart: "Omer" is not "אמיר"."""
    first = tokens(name)[0]
    pairs = ((first, word.removesuffix("'s")) for word in tokens(text) if _same(first, word))
    return any(bool(set(a) & _ROUND) == bool(set(b) & _ROUND) for a, b in pairs)


def _with_before(text: str) -> list[tuple[str, str]]:
    said = tokens(text)
    return list(zip(said, ["", *said], strict=False))


def _same(name: str, word: str) -> bool:
    """Compare a name with a word, by sound where one is Hebrew and the other is not."""
    bare = word.removesuffix("'s")
    if _is_hebrew(name) == _is_hebrew(bare):
        return name == bare or (_is_hebrew(name) and name in (bare[1:], bare[2:]) and len(name) > 2)
    hebrew, latin = (bare, name) if _is_hebrew(bare) else (name, bare)
    glued = hebrew[:1] in "לבומשהכ" and len(hebrew) > 2
    return any(_alike(hebrew[at:], latin) for at in range(2 if glued else 1))


def _alike(hebrew: str, latin: str) -> bool:
    opens = _OPENINGS.get(hebrew[0])
    fits = latin[0] in opens if opens else sound(hebrew)[:1] == sound(latin)[:1]
    near = abs(len(latin) - len(hebrew)) <= (1 if len(hebrew) < 3 else 2)
    closes = (latin.rstrip("h")[-1:] == "a") == (hebrew[-1] in "הא")
    return fits and near and closes and bool(sound(latin)) and sound(hebrew) == sound(latin)


def sound(word: str) -> str:
    """Return a word's consonants as they sound in both scripts; a "v" may be written as a vowel."""
    plain = word.lower().replace("ph", "p").replace("ch", "k")
    heard = [_SOUNDS.get(char, "") for char in plain]
    kept = [char for at, char in enumerate(heard) if at == 0 or char != "b"]
    return "".join(char for at, char in enumerate(kept) if at == 0 or char != kept[at - 1])


def _is_hebrew(word: str) -> bool:
    return "א" <= word[:1] <= "ת"
