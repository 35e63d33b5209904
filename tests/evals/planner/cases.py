"""The messages of `packs/<pack>/planner.jsonl`, and what is right for each.

A line is `{"id", "language", "kind", "agent", "context"?, "before"?, "message", "right"}`. `before`
are messages of the same thread that come first. `right` lists what is right, each one of

    {"calls": [{"tool", "arguments"}]}   these calls, in any order
    {"asks": true}                       a question, because something is missing or ambiguous
    {"declines": true}                   saying that this cannot be told or done
    {"talks": true}                      small talk, without a call

Arguments are compared by `fits`: a name may be `a|b` (either of the two) or end in `?` (it may be
left out), and a value may be `{"has": [...]}` (a text with all of these words) or `{"any": [...]}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.support.catalogs import catalog

PACKS = Path(__file__).parents[1] / "packs"

LOOKUPS = frozenset(
    {
        "ask_user",
        "find_tools",
        "get_conversation_action_items",
        "get_priority_messages",
        "get_project",
        "get_user_conversations",
        "list_documents",
        "list_projects",
    }
)
"""Tools that may be called on the way to the right call, or to a question."""

Verdict = Literal["right", "asked", "declined", "wrong"]

_TOLERANCE = 0.005
_REFUSES = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable|don't know|no way to|not able|did not work)\b"
    r"|לא הצליח|לא יכול|לא ניתן|אי אפשר|אין לי|לא יודע",
    re.IGNORECASE,
)
_SHORT = 400
"""So many characters at most has a refusal; a longer text tells what was found."""


@dataclass(frozen=True, slots=True)
class Case:
    """One message, and what is right for it."""

    id: str
    language: Literal["en", "he"]
    kind: str
    agent: str
    message: str
    right: tuple[dict[str, Any], ...]
    context: Mapping[str, Any]
    before: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back.

    Attributes:
        calls: Every tool that the model called, with the arguments that it gave.
        failed: Those of the calls, by their place, that a tool refused.
        asks: Whether it asks the user something.
        cites: Whether it cites a source.
    """

    calls: tuple[tuple[str, dict[str, Any]], ...]
    text: str
    failed: frozenset[int] = frozenset()
    asks: bool = False
    cites: bool = False


def read_cases(*files: Path) -> list[Case]:
    """The cases of these files; where none is named, of all packs that are there, without those of
    one pack's tools for another pack's agent that was deleted."""
    found = [
        _case(json.loads(line))
        for file in files or sorted(PACKS.glob("*/planner.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return found if files else [each for each in found if each.agent in catalog.agents()]


def _case(data: dict[str, Any]) -> Case:
    return Case(
        id=data["id"],
        language=data["language"],
        kind=data["kind"],
        agent=data["agent"],
        message=data["message"],
        right=tuple(data["right"]),
        context=data.get("context", {}),
        before=tuple(data.get("before", ())),
    )


def verdict(case: Case, reply: Reply, defaults: Mapping[str, Mapping[str, Any]]) -> Verdict:
    """Judge a reply. Wrong is a call that is not right, and an answer beside the question; to ask
    or to decline where a call would be right is neither right nor wrong. A call that its tool
    refused told the user nothing.

    Args:
        defaults: The default values of each tool's parameters, by tool and parameter.
    """
    if any(
        _are_right(each["calls"], reply.calls, case, defaults)
        for each in case.right
        if "calls" in each
    ):
        return "right"
    done = [call for place, call in enumerate(reply.calls) if place not in reply.failed]
    if not all(_is_lookup(*call) for call in done):
        return "wrong"
    if reply.asks:
        return "right" if _has(case, "asks") or _talks(case, reply) else "asked"
    if done and not _refuses(reply.text):
        return "wrong"
    if reply.cites and not done and not _refuses(reply.text):
        return "wrong"
    return "right" if _has(case, "declines") or _talks(case, reply) else "declined"


def _has(case: Case, what: str) -> bool:
    return any(what in each for each in case.right)


def _talks(case: Case, reply: Reply) -> bool:
    return _has(case, "talks") and not reply.calls


def _refuses(text: str) -> bool:
    return len(text) <= _SHORT and bool(_REFUSES.search(text))


def _are_right(
    wanted: Sequence[dict[str, Any]],
    calls: Sequence[tuple[str, dict[str, Any]]],
    case: Case,
    defaults: Mapping[str, Mapping[str, Any]],
) -> bool:
    """Whether each wanted call was made once, and beside them only lookups."""
    left = list(calls)
    for each in wanted:
        tool = each["tool"]
        ignored = {**defaults.get(tool, {}), **case.context}
        for call in left:
            if call[0] == tool and fits(each["arguments"], call[1], ignored=ignored):
                left.remove(call)
                break
        else:
            return False
    return all(_is_lookup(*call) for call in left)


def _is_lookup(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call only leads to another: a listing, or a look into conversations that were
    found before."""
    return tool in LOOKUPS or arguments.keys() - {"limit"} == {"conversationIds"}


def fits(
    wanted: Mapping[str, Any], arguments: Mapping[str, Any], *, ignored: Mapping[str, Any]
) -> bool:
    """Whether a call's arguments are the wanted ones, and no others.

    Args:
        ignored: Values that say nothing more: defaults, and where the user is. How many results are
            asked for does not matter where none is wanted.
    """
    left = dict(arguments)
    for key, value in wanted.items():
        names, optional = key.removesuffix("?").split("|"), key.endswith("?")
        name = next((name for name in names if name in left), None)
        if name is None and (optional or any(ignored.get(name) == value for name in names)):
            continue
        if name is None or not _matches(value, left.pop(name)):
            return False
    left.pop("limit", None)
    return all(name in ignored and ignored[name] == value for name, value in left.items())


def _matches(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, dict) and "any" in wanted:
        return any(_matches(each, value) for each in wanted["any"])
    if isinstance(wanted, dict) and "has" in wanted:
        return all(_plain(word) in _plain(str(value)) for word in wanted["has"])
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(
            key in value and _matches(each, value[key]) for key, each in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(value, list) and _are_all(wanted, value)
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    if isinstance(wanted, int | float) and isinstance(value, int | float):
        return abs(wanted - value) <= _TOLERANCE * abs(wanted)
    return _plain(str(wanted)) == _plain(str(value))


def _are_all(wanted: Sequence[Any], values: Sequence[Any]) -> bool:
    left = list(values)
    for each in wanted:
        found = next((value for value in left if _matches(each, value)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def _plain(text: str) -> str:
    """Without case, quotation marks, signs at the ends and more than one space between words."""
    words = re.sub("[\"'“”„״׳‘’\u2066-\u2069]", "", text).casefold().split()
    return " ".join(words).strip(" .,!?:;")
