"""What later requests are sent of a thread's steps: old ones in compact form, and what was decided.

Contents that were read or written would fill any window: a turn may have 200 steps. Of what can be
read again only a compact form is sent (`recap` of a capability), the model is told that it can read
it again, and the log keeps everything.

- Steps of earlier turns are compact, and of a long turn only the newest are sent.
- In the current turn contents stay whole while they fit into a share of its budget. When they do
  not, those that a later call of the same file has replaced become compact, then the oldest, until
  half the share is free again. So the prompt changes seldom, and in between it only grows: its
  beginning stays the same byte for byte, and providers' prompt caches hit.
- When the compact forms alone outgrow the other share, the oldest steps are left out, many at once.

The outcome depends on the steps up to then and on nothing else. A run leaves its steps to the next
one as it sent them, so the next one comes to the same end as one that reads the whole log.

What people approved or rejected, and what results recommended, is kept in a few lines when the
messages have left the window. The lines follow from records, not from what a model says.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
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
NEWEST_STEPS = 10
"""So many of a turn's newest steps are always sent."""
LEFT_OUT = "[Many steps of this task were taken since then. The oldest are not shown here.]"

MAX_LINES = 20
LINE_CHARS = 240
_LASTING = {CallStatus.DONE: "done", CallStatus.UNKNOWN: "begun; nobody knows whether it happened"}
_OUTCOMES = {
    CallStatus.DONE: "done",
    CallStatus.REJECTED: "rejected",
    CallStatus.EXPIRED: "the request expired unanswered; nothing was written",
    CallStatus.FAILED: "failed",
    CallStatus.UNKNOWN: "outcome unknown",
}


def compacted(
    documents: Sequence[dict[str, Any]],
    *,
    turn_id: str,
    tokens: int | None,
    recap_of: RecapOf,
) -> list[dict[str, Any]]:
    """Return a thread's newest documents as the next request sends them.

    Args:
        turn_id: The turn that goes on.
        tokens: The budget of its steps; None sends them as they were.
        recap_of: Returns a call's compact form; see `recaps`.
    """
    before = [each for each in documents if each["turnId"] != turn_id]
    turn = [each for each in documents if each["turnId"] == turn_id]
    newest: Counter[str] = Counter()
    earlier: list[dict[str, Any]] = []
    for document in reversed(before):
        newest[document["turnId"]] += 1
        if document["role"] == "user":
            earlier.append(document)
        elif newest[document["turnId"]] <= NEWEST_STEPS + 1:  # the answer is a document as well
            earlier.append(compact_step(document, recap_of).document)
    if tokens is not None:
        turn = _TurnCompaction(tokens * BYTES_PER_TOKEN, recap_of).run(turn)
    return [*earlier[::-1], *turn]


def compacted_history(
    documents: Sequence[dict[str, Any]], history: Sequence[Message]
) -> list[Message]:
    """Return the history that compacted documents hold.

    Args:
        history: The whole one; the user's messages are taken from it, with their media.
    """
    said = iter([each for each in history if isinstance(each, UserMessage)])
    shown = [each for each in documents if not each.get("isLeftOut")]
    made = read_history(shown, leaves_last_open=True)
    made = [next(said, each) if isinstance(each, UserMessage) else each for each in made]
    if len(shown) < len(documents):
        for place in range(len(made) - 1, -1, -1):
            message = made[place]
            if isinstance(message, UserMessage):  # the one that began the turn says so
                made[place] = replace(message, parts=(*message.parts, Text(LEFT_OUT)))
                break
    return made


def recaps(catalog: Catalog) -> RecapOf:
    """Return how calls become compact, as their capabilities say; each is looked up once."""

    @cache
    def find(name: str) -> Capability | None:
        try:
            return catalog.find_capability(name)
        except NotFound:  # a model made the name up, or the tool is another codebase's
            return None

    def recap(call: ToolCall, output: Any) -> Recap | None:
        found = find(call.name)
        if found is None or call.arguments is None:
            return None
        return found.recap(call.arguments, output)

    return recap


class _TurnCompaction(Struct):
    """Compacts a turn, step by step.

    Attributes:
        budget: Bytes of all steps together: two thirds are for contents that are sent whole, one
            for the compact forms of all steps.
        made: The documents so far; `compact` their compact forms, by their places.
        whole: What could be saved of the steps that are sent whole, in bytes, by their places.
    """

    budget: int
    recap_of: RecapOf
    made: list[dict[str, Any]] = field(default_factory=list)
    compact: dict[int, CompactStep] = field(default_factory=dict)
    whole: dict[int, int] = field(default_factory=dict)

    def run(self, turn: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the turn's documents as they are sent."""
        for place, document in enumerate(turn):
            self.made.append(document)
            is_open = document["role"] == "user" or unanswered_places(document)
            if is_open or document.get("isLeftOut"):
                continue
            step = self.compact[place] = compact_step(document, self.recap_of)
            if (saved := step_bytes(document) - step.size) > 0:
                self.whole[place] = saved
            self._compact_contents(newest=place)
            self._leave_out_oldest()
        return self.made

    def _compact_contents(self, *, newest: int) -> None:
        """Compact contents that have outgrown their share, but never the newest."""
        total, share = sum(self.whole.values()), self.budget * 2 // 3
        if total <= share:
            return
        for place in sorted(self.whole, key=lambda each: (not self._is_replaced(each), each)):
            if place != newest and total > share // 2:
                self.made[place] = self.compact[place].document
                total -= self.whole.pop(place)

    def _is_replaced(self, place: int) -> bool:
        """Return whether later steps read or wrote all that this one did."""
        later = (self.compact[each].of for each in self.whole if each > place)
        own = self.compact[place].of
        return bool(own) and own <= frozenset[str]().union(*later)

    def _leave_out_oldest(self) -> None:
        """Leave the oldest steps out, if even their compact forms have outgrown their share."""
        total, share = sum(step.size for step in self.compact.values()), self.budget // 3
        if total <= share:
            return
        for place in list(self.compact)[:-NEWEST_STEPS]:
            if total > share // 2:
                step = self.compact.pop(place)
                self.made[place] = {**step.document, "isLeftOut": True}
                self.whole.pop(place, None)
                total -= step.size


def decision_lines(
    before: Sequence[str], calls: Sequence[ToolCallRecord], summaries: Mapping[str, str]
) -> list[str]:
    """Return the newest `MAX_LINES` lines of what a thread has decided: those from before, and
    those of a run's calls.

    Args:
        summaries: What people were asked about the calls that they have decided, by call.
    """
    lines = list(before)
    for call in calls:
        output = call.result if isinstance(call.result, dict) else {}
        recommended, text = output.get("recommendation"), ""
        if call.id in summaries or call.undo is not None:
            said = summaries.get(call.id) or str(output.get("done") or call.tool)
            outcome = _OUTCOMES.get(_status({"error": call.error, "status": call.status}))
            text = f"{said} ({outcome})" if outcome else ""
        elif call.status is CallStatus.DONE and isinstance(recommended, str) and recommended:
            text = f"{call.tool} recommended: {recommended}"
        if text and (kept := line(redacted(text), LINE_CHARS)) not in lines:
            lines.append(kept)
    return lines[-MAX_LINES:]


def write_lines(documents: Sequence[dict[str, Any]], *, writes: Callable[[str], bool]) -> list[str]:
    """Return what a turn's documents say that it has written, in lines; of what nobody knows, too.

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
            if outcome := _LASTING.get(_status(record)):
                arguments = record.get("arguments") or call.arguments or {}
                text = f"{call.name} {json.dumps(value(arguments), ensure_ascii=False)}"
                lines.append(f"{line(redacted(text), LINE_CHARS)} ({outcome})")
    return list(dict.fromkeys(lines))[-MAX_LINES:]


def _status(record: dict[str, Any]) -> CallStatus:
    error = record.get("error")
    if isinstance(error, dict) and error.get("code") == CallStatus.UNKNOWN:
        return CallStatus.UNKNOWN
    if status := record.get("status"):
        return CallStatus(status)
    return CallStatus.FAILED if error else CallStatus.DONE
