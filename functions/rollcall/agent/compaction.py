"""How the steps of a thread are told to a model that has seen them before.

Contents that were read or written would fill any window: a turn may have 200 steps. What can be
read again is told in short (`recap` of a capability), the model is told that it can, and the log
keeps everything.

- Steps of earlier turns are short, and of a long turn only the newest are told.
- In the current turn contents stay whole while they fit into a share of its budget. When they do
  not, those that a later call of the same file has replaced become short, then the oldest, until
  half the share is free again. So the prompt changes seldom, and in between it only grows: its
  beginning stays the same byte for byte, and providers' prompt caches hit.
- When the short forms alone outgrow the other share, the oldest steps are left out, many at once.

What is told depends on the steps up to then and on nothing else. A run leaves its steps to the next
one as it told them, so the next one comes to the same end as one that reads the whole log.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.capability import Capability, Recap
from rollcall.core.context import Catalog
from rollcall.core.errors import NotFound
from rollcall.core.messages import Message, Text, ToolCall, UserMessage
from rollcall.core.readable import line, value
from rollcall.core.redaction import redacted
from rollcall.core.wire import CallStatus, ToolCallRecord
from rollcall.store.message_log import (
    CompactStep,
    RecapOf,
    compact_step,
    read_calls,
    read_history,
    read_record,
    step_bytes,
    unanswered_places,
)

BYTES_PER_TOKEN = 4
TOLD_STEPS = 10
"""So many of a turn's newest steps are always told."""
LEFT_OUT = "[Many steps of this task were taken since then. The oldest are not shown here.]"

MAX_LINES = 20
LINE_CHARS = 240
_LASTING = {CallStatus.DONE: "done", CallStatus.UNKNOWN: "begun; nobody knows whether it happened"}
_VERDICTS = {
    CallStatus.DONE: "done",
    CallStatus.REJECTED: "rejected",
    CallStatus.EXPIRED: "the request expired unanswered; nothing was written",
    CallStatus.FAILED: "failed",
    CallStatus.UNKNOWN: "outcome unknown",
}


def retold(
    documents: Sequence[dict[str, Any]],
    *,
    turn_id: str,
    tokens: int | None,
    recap_of: RecapOf,
) -> list[dict[str, Any]]:
    """A thread's newest documents as the next request tells them.

    Args:
        turn_id: The turn that goes on.
        tokens: The budget of its steps; None tells them as they were.
        recap_of: How a call is told in short; see `recaps`.
    """
    before = [each for each in documents if each["turnId"] != turn_id]
    turn = [each for each in documents if each["turnId"] == turn_id]
    told = _earlier(before, recap_of)
    if tokens is None:
        return [*told, *turn]
    return [*told, *_Telling(tokens * BYTES_PER_TOKEN, recap_of).of(turn)]


def history_of(documents: Sequence[dict[str, Any]], history: Sequence[Message]) -> list[Message]:
    """The history that documents tell as they were retold.

    Args:
        history: The one from before that; the user's messages are taken from it, with their media.
    """
    said = iter([each for each in history if isinstance(each, UserMessage)])
    shown = [each for each in documents if not each.get("isLeftOut")]
    made = read_history(shown, leaves_last_open=True)
    made = [next(said, each) if isinstance(each, UserMessage) else each for each in made]
    return made if len(shown) == len(documents) else _with_word_of_it(made)


def _with_word_of_it(history: list[Message]) -> list[Message]:
    """The history with a word, in the message that began the turn, of what is left out."""
    for place in range(len(history) - 1, -1, -1):
        asked = history[place]
        if isinstance(asked, UserMessage):
            told = replace(asked, parts=(*asked.parts, Text(LEFT_OUT)))
            return [*history[:place], told, *history[place + 1 :]]
    return history


def recaps(catalog: Catalog) -> RecapOf:
    """How calls are told in short, as their capabilities say; each is looked up once."""
    known: dict[str, Capability | None] = {}

    def recap(call: ToolCall, output: Any) -> Recap | None:
        if call.name not in known:
            known[call.name] = _capability(call.name, catalog)
        capability = known[call.name]
        if capability is None or call.arguments is None:
            return None
        return capability.recap(call.arguments, output)

    return recap


def _capability(name: str, catalog: Catalog) -> Capability | None:
    """None for a name that a model made up, and for a tool of somebody else's."""
    try:
        return catalog.find_capability(name)
    except NotFound:
        return None


def _earlier(documents: Sequence[dict[str, Any]], recap_of: RecapOf) -> list[dict[str, Any]]:
    """Steps of earlier turns: short, and of each turn the newest."""
    left: dict[str, int] = {}
    told = []
    for document in reversed(documents):
        turn = document["turnId"]
        left[turn] = left.get(turn, 0) + 1
        if document["role"] == "user":
            told.append(document)
        elif left[turn] <= TOLD_STEPS + 1:  # the answer is a document as well
            told.append(compact_step(document, recap_of).document)
    return told[::-1]


class _Telling(Struct):
    """Tells a turn, step by step.

    Attributes:
        budget: Bytes of all steps together: two thirds are for contents that are told whole, one
            for the short forms of all steps.
        made: The documents so far, and `shorts` what they are in short, by their places.
        whole: What could be saved of the steps that are told whole, in bytes, by their places.
    """

    budget: int
    recap_of: RecapOf
    made: list[dict[str, Any]] = field(default_factory=list)
    shorts: dict[int, CompactStep] = field(default_factory=dict)
    whole: dict[int, int] = field(default_factory=dict)

    def of(self, turn: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The turn's documents as they are told."""
        for place, document in enumerate(turn):
            self.made.append(document)
            if (
                document["role"] == "user"
                or unanswered_places(document)
                or document.get("isLeftOut")
            ):
                continue
            short = self.shorts[place] = compact_step(document, self.recap_of)
            if (saved := step_bytes(document) - short.size) > 0:
                self.whole[place] = saved
            self._shorten(newest=place)
            self._leave_out()
        return self.made

    def _shorten(self, *, newest: int) -> None:
        """Tell contents in short, if they have outgrown their share, but never the newest."""
        total, share = sum(self.whole.values()), self.budget * 2 // 3
        if total <= share:
            return
        for place in sorted(self.whole, key=lambda each: (not self._is_replaced(each), each)):
            if place != newest and total > share // 2:
                self.made[place] = self.shorts[place].document
                total -= self.whole.pop(place)

    def _is_replaced(self, place: int) -> bool:
        """Whether later steps read or wrote all that this one did."""
        later = (self.shorts[each].of for each in self.whole if each > place)
        own = self.shorts[place].of
        return bool(own) and own <= frozenset[str]().union(*later)

    def _leave_out(self) -> None:
        """Leave the oldest steps out, if even in short they have outgrown their share."""
        total, share = sum(short.size for short in self.shorts.values()), self.budget // 3
        if total <= share:
            return
        for place in list(self.shorts)[:-TOLD_STEPS]:
            if total > share // 2:
                short = self.shorts.pop(place)
                self.made[place] = {**short.document, "isLeftOut": True}
                self.whole.pop(place, None)
                total -= short.size


def decided(
    before: Sequence[str], calls: Sequence[ToolCallRecord], asked: Mapping[str, str]
) -> list[str]:
    """The newest `MAX_LINES` lines, those of a run's calls after those from before.

    Args:
        asked: What was asked about the calls that people have decided, by call.
    """
    lines = list(before)
    for call in calls:
        text = _line(call, asked.get(call.id))
        if text and (kept := line(redacted(text), LINE_CHARS)) not in lines:
            lines.append(kept)
    return lines[-MAX_LINES:]


def done_by(documents: Sequence[dict[str, Any]], *, writes: Callable[[str], bool]) -> list[str]:
    """What a turn's documents say that it has written, in lines; what nobody knows, too.

    Args:
        writes: Whether the tool of this name writes.
    """
    lines = []
    for document in documents:
        for place, call in enumerate(read_calls(document)) if document["role"] == "model" else ():
            stored = document["results"].get(str(place))
            if stored is None or not writes(call.name):
                continue
            record = read_record(call, stored)
            if verdict := _LASTING.get(_status(record)):
                arguments = record.get("arguments") or call.arguments or {}
                text = f"{call.name} {json.dumps(value(arguments), ensure_ascii=False)}"
                lines.append(f"{line(redacted(text), LINE_CHARS)} ({verdict})")
    return list(dict.fromkeys(lines))[-MAX_LINES:]


def _status(record: dict[str, Any]) -> CallStatus:
    error = record.get("error")
    if isinstance(error, dict) and error.get("code") == CallStatus.UNKNOWN:
        return CallStatus.UNKNOWN
    if status := record.get("status"):
        return CallStatus(status)
    return CallStatus.FAILED if error else CallStatus.DONE


def _line(call: ToolCallRecord, summary: str | None) -> str | None:
    output = call.result if isinstance(call.result, dict) else {}
    if summary is not None or call.undo is not None:
        said = summary or str(output.get("done") or call.tool)
        verdict = _VERDICTS.get(_status({"error": call.error, "status": call.status}))
        return f"{said} ({verdict})" if verdict else None
    recommended = output.get("recommendation")
    if call.status is CallStatus.DONE and isinstance(recommended, str) and recommended:
        return f"{call.tool} recommended: {recommended}"
    return None
