"""Texts by which a person approves a write, without characters that could disguise them.

The summary and the preview of an approval contain a model's arguments. These may have characters
that reverse a line, hide a part of it or end the quotation around them.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from rollcall.core.texts import clipped, short

VALUE_CHARS = 120
"""How much of one argument a summary shows, so that a long one leaves room for the others."""

_JOINERS = "\u200c\u200d"  # within words of some scripts, and within emoji
_MARKS = "\u200e\u200f"
_OPENING, _CLOSING = "\u2066\u2067\u2068", "\u2069"
_PLAIN = re.compile(r"[ -~\u05d0-\u05ea\n]*")
MARKS = 6
"""The most combining marks on one letter; Hebrew with vowels and cantillation has up to four."""
_MARK_RUN = re.compile(
    rf"[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    rf"\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]"
    rf"{{{MARKS + 1},}}"
)
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible characters whose category is a letter, mark or symbol."""
_HIDDEN = re.compile(
    "[\u180b-\u180f\u2065\ufff0-\ufff8\U000e0000-\U000e0fff]"
    "|(?<![^\\x00-\x7f\u0590-\u05ff])[\u200c\u200d\ufe00-\ufe0f]"
)
"""Invisible characters: tags and variation selectors, and after Latin and Hebrew also joiners and
selectors that belong to emoji and other scripts."""


def value(data: Any) -> Any:
    """Return arguments (plain JSON) for a summary: each text on one line of at most `VALUE_CHARS`
    without invisible characters, cut with "…"."""
    return _mapped(data, lambda text: clipped(_visible(text, except_for=_JOINERS), VALUE_CHARS))


def line(text: str, chars: int) -> str:
    """Return a text on one line of at most `chars` characters, cut with "…"."""
    visible = _visible(text, except_for=_JOINERS + _MARKS + _OPENING + _CLOSING)
    return _balanced(clipped(visible, chars))


def texts(data: Any) -> Any:
    """Return a display (plain JSON) with its line breaks and isolates, but without other invisible
    characters."""
    formats = _JOINERS + _MARKS + _OPENING + _CLOSING + "\n\t"
    return _mapped(data, lambda text: _balanced(_visible(text, except_for=formats)))


def marked(text: str) -> str:
    """Return a text with every character visible: a direction, zero-width or control character
    becomes "⟨U+202E⟩". Line breaks and tabs stay. More combining marks on a letter than any script
    uses become a count, such as "⟨113 × U+0301⟩"."""
    if _PLAIN.fullmatch(text):
        return text

    def counted(found: re.Match[str]) -> str:
        run = found[0]
        return f"{run[:MARKS]}⟨{len(run) - MARKS} × U+{ord(run[MARKS]):04X}⟩"

    def code(each: str) -> str:
        return f"⟨U+{ord(each):04X}⟩"

    shown = _HIDDEN.sub(lambda found: code(found[0]), text.replace("\r\n", "\n"))
    return "".join(
        each
        if each in "\n\t " or (unicodedata.category(each)[0] not in "CZ" and each not in _FILLERS)
        else code(each)
        for each in _MARK_RUN.sub(counted, shown)
    )


def shows_all(summary: str, arguments: dict[str, Any]) -> bool:
    """Tell whether a summary shows every character of each argument: texts isolated, as `isolated`
    does it, and numbers in their JSON form."""
    for item in arguments.values():
        if isinstance(item, str):
            pieces = (f"\u2068{item}\u2069", f"\u2068“{item}”\u2069")
            is_shown = marked(item) == item and any(piece in summary for piece in pieces)
        elif isinstance(item, bool | int | float):
            written = rf"(?<![\w.-]){re.escape(json.dumps(item))}(?![\w.])"
            is_shown = re.search(written, summary) is not None
        else:
            is_shown = item is None or item in ([], {})
        if not is_shown:
            return False
    return True


def called(name: str, arguments: dict[str, Any], *, chars: int) -> str:
    """Return a capability's name with its arguments (from `value`), in at most `chars`
    characters."""
    name = clipped(name, VALUE_CHARS)
    if not arguments:
        return name
    # The arguments that have room, texts in quotes, and the number of the others.
    listed, room = list[str](), chars - len(name) - 20
    for key, item in arguments.items():
        each = f"{short(key, most=VALUE_CHARS)}: {short(_quoted(item), most=VALUE_CHARS)}"
        room -= len(each)
        if room < 0:
            listed.append(f"… +{len(arguments) - len(listed)}")
            break
        listed.append(each)
        room -= 2
    return f"{name} ({', '.join(listed)})"


def _quoted(item: Any) -> str:
    if isinstance(item, str):
        return "“" + re.sub("[“”„‟]", '"', item) + "”"
    if isinstance(item, dict):
        return "{" + ", ".join(f"{key}: {_quoted(each)}" for key, each in item.items()) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(map(_quoted, item)) + "]"
    return json.dumps(item)


def _visible(text: str, *, except_for: str) -> str:
    """Return a text without control and format characters, fillers and tags, except for some. Line
    breaks become spaces."""
    if _PLAIN.fullmatch(text):
        return text if "\n" in except_for else text.replace("\n", " ")
    chars = []
    for each in _MARK_RUN.sub(lambda run: run[0][:MARKS], _HIDDEN.sub("", text)):
        if each in except_for:
            chars.append(each)
        elif each.isspace():
            chars.append(" ")
        elif unicodedata.category(each) not in ("Cc", "Cf", "Cs") and each not in _FILLERS:
            chars.append(each)
    return "".join(chars)


def _balanced(text: str) -> str:
    """Return a text with each isolate closed, so that it does not affect the text around it."""
    depth, chars = 0, []
    for each in text:
        if each in _OPENING:
            depth += 1
        elif each == _CLOSING:
            if not depth:
                continue
            depth -= 1
        chars.append(each)
    return "".join(chars) + _CLOSING * depth


def _mapped(data: Any, change: Callable[[str], str]) -> Any:
    """Return plain JSON with its texts and keys changed; keys that become equal stay distinct."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        mapped: dict[str, Any] = {}
        for key, item in data.items():
            name = change(key)
            while name in mapped:  # the keys differed only in invisible characters
                name += "\ufffd"
            mapped[name] = _mapped(item, change)
        return mapped
    if isinstance(data, list):
        return [_mapped(item, change) for item in data]
    return data
