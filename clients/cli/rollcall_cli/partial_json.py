"""Reading JSON while it is still being written: a tool call's arguments, delta by delta.

    reader = PartialJson()
    for delta in deltas:
        for change in reader.feed(delta):
            ...  # Change(path=("content",), text="more of it")
    arguments = reader.end()

Each character is looked at once, so that the time is in proportion to the text however it is cut.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_DEPTH = 64
MAX_NUMBER_CHARS = 400

_PLAIN = re.compile(r'[^"\\\x00-\x1f\ud800-\udfff]+')
_WORD = re.compile(r"[-+.0-9A-Za-z]+")
_SPACE = re.compile(r"[ \t\n\r]+")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_ESCAPES = dict(zip('"\\/bfnrt', '"\\/\b\f\n\r\t', strict=True))
_HEX = re.compile(r"[0-9a-fA-F]{1,4}")

Path = tuple[str | int, ...]


class NotJson(ValueError):
    """The text cannot become JSON, whatever follows."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a delta added to the value at `path`: names of fields and places in lists.

    Attributes:
        text: What it added to a text; None for other values, which come whole.
        value: A number, true, false or null.
        done: The value is complete. A list or an object has no change of its own.
    """

    path: Path
    text: str | None = None
    value: Any = None
    done: bool = False


class PartialJson:
    """JSON in, changes out. After an error it takes no more."""

    def __init__(self) -> None:
        self._open: list[_Container] = []
        self._expects = "value"
        self._position = 0
        self._changes: list[Change] = []
        self._string: _String | None = None
        self._is_key = False
        self._word: list[str] = []
        self._word_chars = 0
        self._value: Any = None

    def feed(self, text: str) -> list[Change]:
        """Take more text; return what it changed, in order.

        Raises:
            NotJson: It goes on in a way that no JSON does, or deeper than 64 levels.
        """
        if self._expects == "nothing":
            raise NotJson("an earlier part was not JSON")
        self._changes = []
        try:
            at = 0
            while at < len(text):
                at = self._in_string(text, at) if self._string else self._outside(text, at)
        except NotJson:
            self._expects = "nothing"
            raise
        self._position += len(text)
        self._show_text(done=False)
        return self._changes

    def end(self) -> Any:
        """The whole value, when no more text comes; the same as `json.loads` gives.

        Raises:
            NotJson: The text is not complete.
        """
        if self._word:
            self._finish_word(0)
        if self._expects != "end":
            raise NotJson(f"the JSON ends too early, after {self._position} characters")
        return self._value

    def _outside(self, text: str, at: int) -> int:
        if found := _WORD.match(text, at):
            self._add_to_word(found.group(), at)
            return found.end()
        if self._word:
            self._finish_word(at)
        if found := _SPACE.match(text, at):
            return found.end()
        self._take_mark(text[at], at)
        return at + 1

    def _take_mark(self, mark: str, at: int) -> None:
        expects = self._expects
        if mark == '"' and expects in ("value", "value or ]", "key", "key or }"):
            self._is_key = expects.startswith("key")
            self._string = _String()
        elif mark in "{[" and expects in ("value", "value or ]"):
            self._enter(mark, at)
        elif (mark == "}" and expects in ("key or }", ", or }")) or (
            mark == "]" and expects in ("value or ]", ", or ]")
        ):
            self._put(self._open.pop().value)
        elif mark == ":" and expects == ":":
            self._expects = "value"
        elif mark == "," and expects in (", or }", ", or ]"):
            self._expects = "key" if expects == ", or }" else "value"
        else:
            raise self._not_json(at, f"{mark!r} where {expects} is due")

    def _enter(self, mark: str, at: int) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise self._not_json(at, f"deeper than {MAX_DEPTH} levels")
        self._open.append(_Container({} if mark == "{" else []))
        self._expects = "key or }" if mark == "{" else "value or ]"

    def _in_string(self, text: str, at: int) -> int:
        string = self._string
        assert string is not None
        if not string.escape and (found := _PLAIN.match(text, at)):
            string.add(found.group())
            return found.end()
        char = text[at]
        if string.escape:
            return self._in_escape(string, text, at)
        if char == '"':
            self._finish_string(string)
        elif char == "\\":
            string.escape = "\\"
        elif char < " ":
            raise self._not_json(at, "a control character in a text")
        else:
            string.add_half(char)
        return at + 1

    def _in_escape(self, string: _String, text: str, at: int) -> int:
        if string.escape == "\\":
            if text[at] == "u":
                string.escape = "\\u"
            elif text[at] in _ESCAPES:
                string.add(_ESCAPES[text[at]])
                string.escape = ""
            else:
                raise self._not_json(at, f"an unknown escape \\{text[at]}")
            return at + 1
        found = _HEX.match(text, at, at + 6 - len(string.escape))
        if not found:
            raise self._not_json(at, "an escape without four hexadecimal digits")
        string.escape += found.group()
        if len(string.escape) == 6:
            string.add_half(chr(int(string.escape[2:], 16)))
            string.escape = ""
        return found.end()

    def _finish_string(self, string: _String) -> None:
        string.end()
        if self._is_key:
            container = self._open[-1]
            container.key = string.text()
            self._string = None
            self._expects = ":"
            return
        self._show_text(done=True)
        self._string = None
        self._put(string.text())

    def _show_text(self, *, done: bool) -> None:
        string = self._string
        if string is None or self._is_key:
            return
        if (text := string.new_text()) or done:
            self._changes.append(Change(self._path(), text=text, done=done))

    def _add_to_word(self, text: str, at: int) -> None:
        if not self._word and self._expects not in ("value", "value or ]"):
            raise self._not_json(at, f"{text[:20]!r} where {self._expects} is due")
        self._word.append(text)
        self._word_chars += len(text)
        if self._word_chars > MAX_NUMBER_CHARS:
            raise self._not_json(at, f"a number of more than {MAX_NUMBER_CHARS} characters")

    def _finish_word(self, at: int) -> None:
        word = "".join(self._word)
        self._word = []
        self._word_chars = 0
        if word in _WORDS:
            value = _WORDS[word]
        elif _NUMBER.fullmatch(word):
            value = json.loads(word)
        else:
            raise self._not_json(at, f"{word[:20]!r} is no value")
        self._changes.append(Change(self._path(), value=value, done=True))
        self._put(value)

    def _put(self, value: Any) -> None:
        """Put a complete value into what it is in."""
        if not self._open:
            self._value = value
            self._expects = "end"
            return
        container = self._open[-1]
        if isinstance(container.value, list):
            container.value.append(value)
            self._expects = ", or ]"
        else:
            container.value[container.key] = value
            self._expects = ", or }"

    def _path(self) -> Path:
        return tuple(container.place() for container in self._open)

    def _not_json(self, at: int, problem: str) -> NotJson:
        return NotJson(f"not JSON at character {self._position + at}: {problem}")


@dataclass(slots=True)
class _Container:
    """A list or an object that is not closed yet. `key`: the field whose value is due."""

    value: list[Any] | dict[str, Any]
    key: str = ""

    def place(self) -> str | int:
        return len(self.value) if isinstance(self.value, list) else self.key


class _String:
    """A text that is not closed yet.

    Attributes:
        escape: What has come of an escape sequence.
    """

    def __init__(self) -> None:
        self.escape = ""
        self._pieces: list[str] = []
        self._shown = 0
        self._high = ""  # the first half of a pair, which waits for the second

    def add(self, text: str) -> None:
        self._flush()
        self._pieces.append(text)

    def add_half(self, char: str) -> None:
        """Add a character that may be half of a pair."""
        if self._high and "\udc00" <= char <= "\udfff":
            pair = 0x10000 + ((ord(self._high) - 0xD800) << 10) + (ord(char) - 0xDC00)
            self._high = ""
            self._pieces.append(chr(pair))
            return
        self._flush()
        if "\ud800" <= char <= "\udbff":
            self._high = char
        else:
            self._pieces.append(char)

    def end(self) -> None:
        self._flush()

    def new_text(self) -> str:
        """What was added since this was asked last."""
        text = "".join(self._pieces[self._shown :])
        self._shown = len(self._pieces)
        return text

    def text(self) -> str:
        return "".join(self._pieces)

    def _flush(self) -> None:
        if self._high:
            self._pieces.append(self._high)
            self._high = ""
