"""Reads a reply in which calls are blocks of text, while it streams."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.models._prompted_wire import CALL, END_CALL, END_RESULT, RESULT

_TAGS = (CALL, END_CALL, RESULT, END_RESULT)
_FENCE = "```"
_OPENING = re.compile("|".join(_TAGS) + r"|```(?:json|tool_call|tool_code)?[ \t]*\n")
_UNDECIDED = re.compile(r"\s*(?:<[a-z_/]*|`{1,2}|```[a-z_]*[ \t]*)?\Z")
_BEGINS_CALL = '{"name":'
_KEYS = {"name", "arguments", "parameters"}
_NAME = re.compile(r'"name"\s*:\s*"([\w.\-]{1,64})"')
_DECODER = json.JSONDecoder(strict=False)
"""Not strict, because small models write line ends into texts as they are."""


class Block(Struct, frozen=True):
    """One call that a model wrote. `arguments` is JSON text, or all of a block that is none."""

    name: str
    arguments: str
    is_json: bool = True


class Reader:
    """Takes pieces of text in; gives plain text back as soon as it can be no part of a call.

    `blocks` are the calls so far. What follows the first one is not given back: it is the model's
    guess at a result. `has_text` says whether anything but space was given back.

    Args:
        names: The offered tools. A fenced JSON object without tags is taken for a call only if
            it names one of them; people ask for fenced JSON, too.
    """

    def __init__(self, names: Collection[str]) -> None:
        self.blocks: list[Block] = []
        self.has_text = False
        self._names = names
        self._is_quiet = False
        self._held = ""
        self._fence = ""
        self._inside: Literal["text", "call", "result", "fence"] = "text"

    def read(self, text: str) -> str:
        """Take a piece in; return the text that is surely text."""
        return self._advance(text, is_over=False)

    def finish(self) -> str:
        """Return the text that is left at the reply's end, which ends an open block, too."""
        return self._advance("", is_over=True)

    def _advance(self, text: str, *, is_over: bool) -> str:
        self._held += text
        steps = {
            "text": self._step_text,
            "call": self._step_call,
            "result": self._step_result,
            "fence": self._step_fence,
        }
        shown = ""
        while self._held:
            is_quiet = self._is_quiet
            more = steps[self._inside](is_over)
            if more is None:
                break
            shown += "" if is_quiet else more
        if is_over and self._inside == "fence" and not self._is_quiet:
            shown += self._leave_fence("")
        self.has_text |= bool(shown.strip())
        return shown

    # Each step returns the text it passes on, or None if it needs more to be held.

    def _step_text(self, is_over: bool) -> str | None:
        found = _OPENING.search(self._held)
        if found is None:
            keep = 0 if is_over else _undecided(self._held)
            place = len(self._held) - keep
            text, self._held = self._held[:place], self._held[place:]
            return text or None
        before, self._held = self._held[: found.start()], self._held[found.end() :]
        text = before.rstrip()
        if found[0] in (CALL, RESULT):
            self._inside = "call" if found[0] == CALL else "result"
        elif found[0].startswith(_FENCE):
            self._inside = "fence"
            self._fence = before[len(text) :] + found[0]
        return text

    def _step_call(self, is_over: bool) -> str | None:
        body = self._until(END_CALL, is_over=is_over)
        if body is None:
            return None
        self._inside = "text"
        self.blocks += _blocks(body)
        self._is_quiet = True
        return ""

    def _step_result(self, is_over: bool) -> str | None:
        if self._until(END_RESULT, is_over=is_over) is None:
            return None
        self._inside = "text"
        return ""

    def _step_fence(self, is_over: bool) -> str | None:
        begins = re.sub(r"\s+", "", self._held[:80])
        if begins.startswith(CALL):  # the block itself says what it is
            self._inside = "text"
            return ""
        if not is_over and any(each.startswith(begins) for each in (CALL, _BEGINS_CALL)):
            return None
        if not begins.startswith(_BEGINS_CALL):
            return self._leave_fence("")
        body = self._until(_FENCE, is_over=is_over)
        if body is None:
            return None
        values = _values(body)
        if not values or not all(self._is_offered(value) for value in values):
            return self._leave_fence(body + ("" if is_over and not self._held else _FENCE))
        self.blocks += _blocks(body)
        self._is_quiet = True
        self._inside, self._fence = "text", ""
        return ""

    def _leave_fence(self, body: str) -> str:
        text = self._fence + body
        self._inside, self._fence = "text", ""
        return text

    def _is_offered(self, value: Json) -> bool:
        if not isinstance(value, dict) or not set(value) <= _KEYS or len(value) != 2:
            return False
        return value["name"] in self._names

    def _until(self, end: str, *, is_over: bool) -> str | None:
        """Take what is held up to `end`, unless that stands inside a JSON text."""
        places = [found.start() for found in re.finditer(re.escape(end), self._held)]
        outside = (place for place in places if not _is_in_text(self._held[:place]))
        place = next(outside, None)
        if place is None:
            if not is_over:
                return None
            place = places[0] if places else len(self._held)
        body, self._held = self._held[:place], self._held[place + len(end) :]
        return body


def _undecided(text: str) -> int:
    """How many characters at the text's end could yet become a part of a block."""
    found = _UNDECIDED.search(text)
    part = found[0].lstrip() if found else ""
    if part.startswith("<") and not any(tag.startswith(part) for tag in _TAGS):
        return 0
    return len(found[0]) if found else 0


def _is_in_text(json_text: str) -> bool:
    return re.sub(r"\\.", "", json_text, flags=re.DOTALL).count('"') % 2 == 1


def _blocks(body: str) -> list[Block]:
    """The calls of a block: one object, several, or a list of them."""
    blocks = [block for value in _values(body) if (block := _block(value))]
    if not blocks and (found := _NAME.search(body)):
        blocks = [Block(found[1], body.strip(), is_json=False)]
    return blocks


def _values(body: str) -> list[Json]:
    """The JSON values that a text begins with; small models like to close one brace too many."""
    values: list[Json] = []
    rest = re.sub(r"^\s*```[a-z_]*\s*", "", body).strip()
    while rest:
        try:
            value, end = _DECODER.raw_decode(rest)
        except (ValueError, RecursionError):
            break
        values += value if isinstance(value, list) else [value]
        rest = rest[end:].lstrip(", \t\r\n")
    return values


def _block(value: Json) -> Block | None:
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    if not isinstance(name := value.get("name"), str):
        return None
    arguments = value.get("arguments", value.get("parameters")) or {}
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return Block(name, arguments)
