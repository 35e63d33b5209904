"""Texts that a person approves by, without characters that could disguise them.

A model's arguments stand in the summary and the preview of an approval. In them may be characters
that turn a line around, hide a part of it or end the quotation that they stand in.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from rollcall.core.texts import clipped, short

VALUE_CHARS = 120
"""How much of one argument a summary shows: so a long one leaves room for the others."""

_JOINERS = "\u200c\u200d"  # within words of some scripts, and within emoji
_MARKS = "\u200e\u200f"
_OPENING, _CLOSING = "\u2066\u2067\u2068", "\u2069"
_PLAIN = re.compile(r"[ -~\u05d0-\u05ea\n]*")
MARKS = 6
"""Marks upon one letter; Hebrew with vowels and cantillation has up to four."""
_MARK_RUN = re.compile(
    rf"[\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    rf"\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]"
    rf"{{{MARKS + 1},}}"
)
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters, marks and symbols by their category, which nobody sees."""
_HIDDEN = re.compile(
    "[\u180b-\u180f\u2065\ufff0-\ufff8\U000e0000-\U000e0fff]"
    "|(?<![^\\x00-\x7f\u0590-\u05ff])[\u200c\u200d\ufe00-\ufe0f]"
)
"""What nobody sees: tags and variants, and after Latin and Hebrew also what belongs to emoji and
other scripts."""


def value(data: Any) -> Any:
    """Return arguments (plain JSON) for a summary: each text on one line of at most `VALUE_CHARS`
    without invisible characters, cut with "…"."""
    return _mapped(data, lambda text: clipped(_seen(text, kept=_JOINERS), VALUE_CHARS))


def line(text: str, chars: int) -> str:
    """Return a text on one line of at most `chars` characters, cut with "…"."""
    kept = _seen(text, kept=_JOINERS + _MARKS + _OPENING + _CLOSING)
    return _balanced(clipped(kept, chars))


def texts(data: Any) -> Any:
    """A display, plain JSON, with lines and isolates, and without other unseen characters."""
    kept = _JOINERS + _MARKS + _OPENING + _CLOSING + "\n\t"
    return _mapped(data, lambda text: _balanced(_seen(text, kept=kept)))


def marked(text: str) -> str:
    """Return a text in which every character is visible: one that changes direction, has no width
    or controls something stands as "⟨U+202E⟩". Lines and tabs stay. More combining marks on a
    letter than any script uses are counted, as in "⟨113 × U+0301⟩"."""
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
    """Whether a summary shows every character of each argument: texts as pieces of their own, as
    `isolated` makes them, and numbers as they are written in JSON."""
    return all(_shows(summary, each) for each in arguments.values())


def _shows(summary: str, item: Any) -> bool:
    if isinstance(item, str):
        pieces = (f"\u2068{item}\u2069", f"\u2068“{item}”\u2069")
        return marked(item) == item and any(piece in summary for piece in pieces)
    if isinstance(item, bool | int | float):
        written = rf"(?<![\w.-]){re.escape(json.dumps(item))}(?![\w.])"
        return re.search(written, summary) is not None
    return item is None or item in ([], {})


def called(name: str, arguments: dict[str, Any], *, chars: int) -> str:
    """Return a capability's name with arguments as `value` gives them, in at most `chars`
    characters."""
    name = clipped(name, VALUE_CHARS)
    if not arguments:
        return name
    # One after another, texts in quotes; what has no room is counted.
    found, room = list[str](), chars - len(name) - 20
    for key, item in arguments.items():
        each = f"{short(key, most=VALUE_CHARS)}: {short(_said(item), most=VALUE_CHARS)}"
        room -= len(each)
        if room < 0:
            found.append(f"… +{len(arguments) - len(found)}")
            break
        found.append(each)
        room -= 2
    return f"{name} ({', '.join(found)})"


def _said(item: Any) -> str:
    if isinstance(item, str):
        return "“" + re.sub("[“”„‟]", '"', item) + "”"
    if isinstance(item, dict):
        return "{" + ", ".join(f"{key}: {_said(each)}" for key, each in item.items()) + "}"
    if isinstance(item, list):
        return "[" + ", ".join(map(_said, item)) + "]"
    return json.dumps(item)


def _seen(text: str, *, kept: str) -> str:
    """The text without control and format characters, fillers and tags. Breaks of lines become
    spaces."""
    if _PLAIN.fullmatch(text):
        return text if "\n" in kept else text.replace("\n", " ")
    seen = []
    for each in _MARK_RUN.sub(lambda run: run[0][:MARKS], _HIDDEN.sub("", text)):
        if each in kept:
            seen.append(each)
        elif each.isspace():
            seen.append(" ")
        elif unicodedata.category(each) not in ("Cc", "Cf", "Cs") and each not in _FILLERS:
            seen.append(each)
    return "".join(seen)


def _balanced(text: str) -> str:
    """The text with as many isolates ended as begun, so that it moves nothing around it."""
    depth, found = 0, []
    for each in text:
        if each in _OPENING:
            depth += 1
        elif each == _CLOSING:
            if not depth:
                continue
            depth -= 1
        found.append(each)
    return "".join(found) + _CLOSING * depth


def _mapped(data: Any, change: Callable[[str], str]) -> Any:
    """The same JSON with its texts, its keys among them, changed; no item is lost by that."""
    if isinstance(data, str):
        return change(data)
    if isinstance(data, dict):
        mapped: dict[str, Any] = {}
        for key, item in data.items():
            name = change(key)
            while name in mapped:  # only what nobody sees told them apart
                name += "\ufffd"
            mapped[name] = _mapped(item, change)
        return mapped
    if isinstance(data, list):
        return [_mapped(item, change) for item in data]
    return data
