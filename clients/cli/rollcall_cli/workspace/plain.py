"""Text that a terminal cannot mistake for commands to itself."""

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
_HELD_CHARS = 4096


def plain(text: str) -> str:
    """A command's output without escape sequences and controls, for a terminal or a model.

    Lines that a progress bar wrote over each other become lines of their own. Characters that
    turn the reading order around are dropped; Hebrew and Arabic need none of them.
    """
    text = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _surrogates(_OVERRIDE.sub("", _CONTROL.sub("", text)))


def visible(text: str) -> str:
    """A text that a person decides about, with everything shown that would not be seen.

    Controls, escape sequences, characters that hide or reorder and those that only look like a
    space become `<U+001B>`; new lines and tabs stay.
    """
    marked = _CONTROL.sub(_code, text)
    return _surrogates(_HIDING.sub(_code, marked))


def unseen(text: str) -> str:
    """The first character that would not be seen or would reorder others, or nothing.

    New lines and tabs are seen. What only hides, such as a space of no width, is no matter here:
    `visible` shows it.
    """
    found = _CONTROL.search(text) or _OVERRIDE.search(text)
    if found:
        return f"U+{ord(found.group()):04X}"
    return "half of a pair of characters" if _has_surrogates(text) else ""


class Plain:
    """`plain` for text that comes in pieces: a sequence that is cut in two is still one."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Take more text; return what is certain of it."""
        text = self._held + text
        self._held = ""
        if (unfinished := _UNFINISHED.search(text, max(len(text) - _HELD_CHARS, 0))) is not None:
            self._held = unfinished.group()
        elif text.endswith("\r"):
            self._held = "\r"
        return plain(text[: len(text) - len(self._held)])

    def end(self) -> str:
        """The rest, when no more comes."""
        rest, self._held = self._held, ""
        return plain(rest)


def _code(found: re.Match[str]) -> str:
    return f"<U+{ord(found.group()):04X}>"


def _surrogates(text: str) -> str:
    """Without halves of pairs, which cannot be printed."""
    return text.encode("utf-8", "replace").decode() if _has_surrogates(text) else text


def _has_surrogates(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
