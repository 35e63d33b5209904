"""A request with its quotes and blocks of code put aside, so that nothing in them is read as a
request."""

from __future__ import annotations

import re

from msgspec import Struct

_FIRST, _LAST = 0xE000, 0xF8FF
HELD = "[\ue000-\uf8ff]"
"""A pattern for a stretch that is put aside: one character for each."""
_STRETCHES = re.compile(
    r"\u2068?(?:```[^\n`]*\n(?P<block>.*?)```|```(?P<inline>[^`\n]+)```|`(?P<code>[^`\n]+)`|"
    r"(?<![א-ת]{2})(?<![A-Za-z0-9])\"(?P<plain>[^\"\n]+)\"(?![א-ת])|“(?P<curly>[^“”\n]+)”|"
    r"„(?P<low>[^„”“\n]+)[”“]|״(?P<hebrew>[^״\n]+)״|«(?P<angle>[^«»\n]+)»|"
    r"(?<!\w)'(?P<single>[^'\n]+)'(?!\w)|(?<!\w)‘(?P<bent>[^‘’\n]+)’(?!\w))\u2069?",
    re.DOTALL,
)
"""Each may be isolated, as in an answer that somebody copies from."""


class Held(Struct, frozen=True):
    """A stretch that was put aside: what it says, how it stood in the text, and whether it is a
    block of lines."""

    value: str
    source: str
    is_block: bool


class Masked(Struct, frozen=True):
    """A text with a character for each stretch that was put aside."""

    text: str
    held: tuple[Held, ...]

    def value(self, text: str) -> str:
        """What a part of the text says: alone, a stretch says what is inside its quotes."""
        bare = text.strip()
        if len(bare) == 1 and (found := self.find(bare)):
            return found.value
        return self.source(bare)

    def source(self, text: str) -> str:
        """A part of the text as it was written."""
        return "".join(found.source if (found := self.find(char)) else char for char in text)

    def find(self, char: str) -> Held | None:
        """The stretch that a character stands for."""
        at = ord(char) - _FIRST
        return self.held[at] if 0 <= at < len(self.held) else None


def masked(text: str) -> Masked:
    """Put aside what stands in quotes and code fences."""
    if any(_FIRST <= ord(char) <= _LAST for char in text):
        return Masked(text, ())
    held: list[Held] = []

    def put_aside(match: re.Match[str]) -> str:
        if len(held) > _LAST - _FIRST:
            return match[0]
        is_block = match["block"] is not None
        value = next(group for group in match.groups() if group is not None)
        told = _lines(value) if is_block else value.removeprefix("\u2068").removesuffix("\u2069")
        held.append(Held(told, match[0], is_block))
        return chr(_FIRST + len(held) - 1)

    return Masked(_STRETCHES.sub(put_aside, text), tuple(held))


def _lines(block: str) -> str:
    """A block's lines without the line break and indent before the closing fence."""
    return block.rstrip(" \t").removesuffix("\n")
