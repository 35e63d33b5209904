"""Rewrites a task so that it reads well outside its chat: an infinitive, without courtesy."""

from datetime import datetime
from functools import cache

from packs.messaging.cues import pattern
from packs.messaging.dates import Deadline, find_deadline
from packs.messaging.wording import TEXTS

_FUTURE_OF = ("א", "ת", "י", "נ")
_FUTURE_ENDS = ("", "י", "ו")
_FINAL = str.maketrans("ךםןףץ", "כמנפצ")


def with_infinitives(task: str) -> str:
    """Return a Hebrew task with its first verb, and verbs joined by ו, as infinitives.

    Unknown verbs stay unchanged.
    """
    first, *rest = task.split(" ")
    if first not in _infinitives():
        return task
    joined = [
        f"ו{_infinitives()[word[1:]]}" if word[:1] == "ו" and word[1:] in _infinitives() else word
        for word in rest
    ]
    return " ".join([_infinitives()[first], *joined])


@cache
def _infinitives() -> dict[str, str]:
    """Return the infinitive of each form of the known verbs: of the future, and of the present."""
    infinitives: dict[str, str] = {}
    for line in TEXTS.find("he", "cues.tasks.verbs"):
        infinitive, stems, present = line.split("|")  # its stems of the future, masculine present
        forms = [
            f"{of}{stem}{end}"
            for stem in stems.split()
            for of in _FUTURE_OF
            for end in _FUTURE_ENDS
        ]
        if present.endswith("ה"):
            forms += [present, present[:-1] + "ים", present[:-1] + "ות"]
        else:
            stem = present[:-1] + present[-1].translate(_FINAL)
            forms += [present, *(stem + end for end in ("ת", "ה", "ים", "ות"))]
        for form in forms:
            infinitives.setdefault(form, infinitive)
    return infinitives


def without_deadline(task: str, said_at: datetime) -> tuple[str, Deadline | None]:
    """Return a task without courtesy and without its date, and that date."""
    task = pattern("tasks.courtesy").sub("", task)
    due = find_deadline(task, said_at=said_at)
    if due:
        # The date is cut from the end, or before a colon or comma, with its preposition.
        at = task.rfind(due.phrase)
        rest = task[at + len(due.phrase) :]
        if at >= 0 and rest[:1] in ("", ":", ","):
            task = pattern("tasks.preposition").sub("", task[:at]) + rest
    task = task.strip(" ,;:-.!?")
    return (task[:1].upper() + task[1:], due)


def out_of_context(task: str) -> str:
    """Return a task in words that a reader outside the chat understands."""
    short = pattern("tasks.addressee").sub(
        lambda match: match[1],
        pattern("tasks.softened").sub("", pattern("tasks.aside").sub("", task)),
    )
    short = with_infinitives(pattern("tasks.extra").sub("", short)).strip(" ,;:-.!?")
    return short[:1].upper() + short[1:] if len(short.split()) > 1 else with_infinitives(task)


def is_trivial(task: str) -> bool:
    """Tell whether a task is mere courtesy, or has no meaning outside the chat."""
    return (
        pattern("tasks.empty_alone").match(task) is not None
        or pattern("tasks.trivial").match(task) is not None
    )
