"""Escape sequences, control characters and invisible characters in untrusted text."""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, movements
    r"|[\x1b][\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # titles, links, device strings
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
)
_UNFINISHED = re.compile(
    r"(?:\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\x9c]*\x1b?|[ -/]*)?|\x9b[0-?]*[ -/]*)\Z"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HIDING = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]"  # look like a space, and are none
    # Joiners and variants belong to emoji and other scripts; after Latin and Hebrew they only hide.
    "|(?<![^\\x00-\x7f\u0590-\u05ff\u200c\u200d])[\u200c\u200d\ufe00-\ufe0f]"
)
_OVERRIDE = re.compile("[\u2028-\u202e\u2066-\u2069]")
_MAX_SEQUENCE_CHARS = 4096


def strip_controls(text: str) -> str:
    """Remove escape sequences and control characters from a command's output.

    Lines that a progress bar wrote over each other become separate lines. Characters that override
    the reading order are removed; Hebrew and Arabic need none of them.
    """
    text = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _replace_surrogates(_OVERRIDE.sub("", _CONTROL.sub("", text)))


def visible(text: str) -> str:
    """Make the invisible characters of a text visible, for a person who decides about it.

    Control, invisible and reordering characters, and those that only look like a space, become
    `<U+001B>`; new lines and tabs stay.
    """
    marked = _CONTROL.sub(_code, text)
    return _replace_surrogates(_HIDING.sub(_code, marked))


def invisible_char(text: str) -> str:
    """The first control or reordering character of a text, or "" if it has none.

    New lines and tabs do not count, nor do zero-width characters: `visible` shows those.
    """
    found = _CONTROL.search(text) or _OVERRIDE.search(text)
    if found:
        return f"U+{ord(found.group()):04X}"
    return "half of a pair of characters" if _has_surrogates(text) else ""


class ControlFilter:
    """`strip_controls` for a stream: a sequence that is split between chunks is still removed."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Add a chunk; return the text that no further chunk can change."""
        text = self._held + text
        self._held = ""
        if (
            unfinished := _UNFINISHED.search(text, max(len(text) - _MAX_SEQUENCE_CHARS, 0))
        ) is not None:
            self._held = unfinished.group()
        elif text.endswith("\r"):
            self._held = "\r"
        return strip_controls(text[: len(text) - len(self._held)])

    def end(self) -> str:
        """The rest of the text, at the end of the stream."""
        rest, self._held = self._held, ""
        return strip_controls(rest)


def _code(found: re.Match[str]) -> str:
    return f"<U+{ord(found.group()):04X}>"


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be printed."""
    return text.encode("utf-8", "replace").decode() if _has_surrogates(text) else text


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
