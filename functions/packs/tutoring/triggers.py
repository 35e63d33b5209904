"""Checks whether a tool's trigger has fired, from the dialogue and the session, not from a model.

Only the student's own words count for keywords and goodbyes, only messages of the thread's log for
turns, and only the server's clock for time. A call that is too early is refused with the condition
that it waits for, and nothing is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from packs.tutoring.configuration import Trigger
from packs.tutoring.wording import TEXTS
from rollcall.core.errors import FailedPrecondition
from rollcall.core.text import HEBREW_PREFIXES
from rollcall.core.text import words as stems

ENDING = timedelta(seconds=60)
"""How long before its end a lesson counts as ending."""
_NIQQUD = re.compile("[\u0591-\u05c7]")
_HEBREW_PREFIX = re.compile(f"^[{''.join(sorted(HEBREW_PREFIXES))}]{{1,3}}(?=[\u05d0-\u05ea]{{2}})")


def check_trigger(
    tool_id: str,
    trigger: Trigger,
    *,
    turns: int,
    texts: Sequence[str],
    now: datetime,
    ends_at: datetime,
    all_tasks_done: Callable[[], bool],
) -> None:
    """Check that a tool's trigger has fired.

    Args:
        turns: The number of the student's messages so far.
        texts: The student's messages, newest first.
        all_tasks_done: Called only where the result depends on it.

    Raises:
        FailedPrecondition: It has not fired; the message says what it waits for.
    """
    if trigger.type == "turn_count" and turns < (trigger.min_turns or 0):
        raise _too_early("too_few_turns", tool_id, least=trigger.min_turns, turns=turns)
    if trigger.type == "time_remaining":
        left = ends_at - now
        if left > timedelta(minutes=trigger.minutes_remaining or 0):
            minutes = math.ceil(left.total_seconds() / 60)
            most = trigger.minutes_remaining
            raise _too_early("too_much_time", tool_id, count=most, minutes=minutes)
    if trigger.type == "keyword" and not mentions(texts, trigger.keywords or ()):
        words = ", ".join(trigger.keywords or ())
        raise _too_early("no_keyword", tool_id, words=words)
    if trigger.type == "session_ending" and not (
        now >= ends_at - ENDING or (texts and says_goodbye(texts[0])) or all_tasks_done()
    ):
        raise _too_early("not_ending", tool_id)


def mentions(texts: Sequence[str], keywords: Sequence[str]) -> bool:
    """Whether one of the texts has all words of a keyword, in any form: exact, as stems, or in
    Hebrew with prefixes."""
    wanted = [[{word, *stems(word)} for word in _plain(each).split()] for each in keywords]
    for plain in map(_plain, texts):
        words = re.findall(r"\w+", plain)
        spoken = {*words, *stems(plain), *(_HEBREW_PREFIX.sub("", word) for word in words)}
        if any(not any(spoken.isdisjoint(forms) for forms in each) for each in wanted):
            return True
    return False


def _plain(text: str) -> str:
    return _NIQQUD.sub("", text).casefold()


def says_goodbye(text: str) -> bool:
    """Whether a message says goodbye."""
    cues = (TEXTS.say(language, "cues.goodbye") for language in TEXTS.languages)
    return any(re.search(cue, _plain(text)) for cue in cues)


def _too_early(key: str, tool_id: str, **values: object) -> FailedPrecondition:
    text = TEXTS.text(f"errors.{key}", tool=tool_id, **values)
    return FailedPrecondition(text, hint=TEXTS.text("hints.go_on"))
