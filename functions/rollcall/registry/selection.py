"""Chooses the tools for a message: those that fit it, out of those that the user may use.

Pinned tools are always offered, and tools that the dialogue is about stay. If no tool fits, no
others are offered: small talk needs no tools. With `find_tools` a model searches for more.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode
from collections.abc import Callable, Sequence
from functools import cache
from itertools import compress, islice
from pathlib import Path
from zlib import crc32

from msgspec import Struct

from rollcall.core.context import User
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import FIND_TOOLS
from rollcall.core.text import tokens
from rollcall.models.base import ToolSpec
from rollcall.registry.access import is_id, permission_mask
from rollcall.registry.entries import Entry
from rollcall.registry.index import Match
from rollcall.registry.snapshot import Snapshot

FLOOR = 0.12
"""The least `fit` times the square root of `lead` that one tool must have for any to be offered."""
MOSTLY, SEVERAL = 0.3, 3
"""Words that most tools have give each a low `fit`. But if at least `SEVERAL` tools match a `share`
of `MOSTLY`, the message has hardly any other words, and the best of them are offered."""
MIN_SHARE = 0.4
"""Tools with less than this share of the best score are left out."""
NEAREST = 100
"""How many tools near in meaning are ranked together with those found by words."""
FEW = 12
"""This many tools or fewer are all offered, except for small talk: choosing could only leave out
the right one."""
RELATED = 3
"""How many of the best matches add the tools that they name as related."""
MAX_RELATED = 2
MAX_ALL = 100
"""The most tools that are offered if a variant offers all: providers accept no more."""
FOUND = 5
"""The most tools that `find_tools` returns."""

FINDER = ToolSpec(
    FIND_TOOLS,
    "Search for more tools. Use it when none of the tools you have fits what the user wants. What "
    "it finds can be called from your next reply on.",
    {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "What the tool should do, in a few words.",
            }
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)


Near = Callable[[bytes | bytearray, int], Sequence[tuple[int, float]]]
"""Returns the tools nearest to a message in meaning as (place, cosine), nearest first; its
arguments are a mask of allowed tools and the most to return."""


class ToolRequest(Struct, frozen=True):
    """A request for tools: a user's message to an agent.

    Attributes:
        recent: The user's earlier messages in the thread, newest first.
        sticky: Ids of tools that the dialogue is about.
        answers_question: Whether the message answers a question of the agent; the user's previous
            message then tells what it is about.
        client_tools: Client tools that the user's client can run.
        near: Searches by meaning. Without it, tools are chosen by words alone.
    """

    profile: AgentProfile
    user: User
    message: str
    recent: Sequence[str] = ()
    sticky: Sequence[str] = ()
    answers_question: bool = False
    client_tools: frozenset[str] = frozenset()
    near: Near | None = None


class Selection(Struct, frozen=True):
    """The tools chosen for a message.

    Attributes:
        ids: The offered tools, sorted, so that the same tools give the same prompt.
        matches: The search's results, best first, offered or not.
        finds_more: Whether the model may search for more tools.
        are_few: Whether all tools are offered because they are few.
        is_small_talk: Whether the message is a greeting, thanks or a chat.
    """

    ids: tuple[str, ...]
    matches: tuple[Match, ...] = ()
    finds_more: bool = False
    are_few: bool = False
    is_small_talk: bool = False


def permitted(registry: Snapshot, request: ToolRequest, *, with_down: bool = False) -> bytes:
    """Return which tools this agent may offer this user now, as a mask by place in the registry.

    Args:
        with_down: Include capabilities that are down, which may have been offered before.
    """
    return permission_mask(
        registry.content.access_rows,
        (*request.profile.tools, *filter(is_id, request.profile.pinned)),
        request.user,
        client_tools=request.client_tools,
        without=frozenset() if with_down else registry.down,
    )


def select(registry: Snapshot, request: ToolRequest) -> Selection:
    """Choose the tools for a message."""
    allowed = permitted(registry, request)
    count = allowed.count(1)
    if not count:
        return Selection(())
    entries, index = registry.content.entries, registry.content.index
    always = entries.allowed((*request.profile.pinned, *request.sticky), allowed)
    variant = request.profile.variant_for(request.user.uid)
    if variant is not None and variant.tools == "all":
        rest = islice(compress(entries.ids, allowed), MAX_ALL)
        ids = tuple(sorted(list(dict.fromkeys((*always, *rest)))[:MAX_ALL]))
        return Selection(ids, finds_more=len(ids) < count)
    limit = request.profile.max_tools
    matches = index.search(
        request.message, limit=limit * 2, allowed=allowed, context=request.recent
    )
    fit = max((each.fit for each in matches), default=0.0)
    is_chat = is_small_talk(request.message, fit=fit)
    if is_chat and count <= FEW:
        # A message that contains the id of one of few tools is a request for it. Word search cannot
        # detect that: a word that most tools have, such as one of the only tool, has a low score.
        words = set(tokens(request.message))
        names = [set(tokens(id.replace("_", " "))) for id in compress(entries.ids, allowed)]
        is_chat = not any(name and name <= words for name in names)
    answers = passes(matches)
    if request.near and not is_chat and (near := request.near(allowed, NEAREST)):
        from rollcall.registry.vectors import merged

        matches, answers = merged(matches if answers else (), near, limit=limit * 2), True
    if request.answers_question and request.recent:  # the message before the agent's question
        earlier = index.search(request.recent[0], limit=RELATED, allowed=allowed)
        if passes(earlier):
            always += [entries.ids[each.place] for each in earlier[:RELATED]]
    fitting: list[str] = []
    are_few = count <= FEW and not is_chat
    if are_few:
        fitting = list(compress(entries.ids, allowed))
    elif not is_chat and answers:
        least = MIN_SHARE * matches[0].score
        fitting = [entries.ids[each.place] for each in matches[:limit] if each.score >= least]
    # The tools that the best ones name as related.
    candidates = [id for best in fitting[:RELATED] for id in entries[best].spec.related]
    new = [id for id in entries.allowed(candidates, allowed) if id not in {*fitting, *always}]
    related = new[: min(MAX_RELATED, max(1, limit - len(fitting)))]
    ids = tuple(sorted({*always, *fitting, *related}))
    return Selection(
        ids,
        tuple(matches),
        finds_more=len(ids) < count and not is_chat,
        are_few=are_few,
        is_small_talk=is_chat,
    )


def find(
    registry: Snapshot, request: ToolRequest, query: str, *, without: frozenset[str]
) -> list[Entry]:
    """Return the tools for a model's search, best first, without those that it already has."""
    allowed = permitted(registry, request)
    matches = registry.content.index.search(query, limit=FOUND + len(without), allowed=allowed)
    ids = [registry.content.entries.ids[match.place] for match in matches if match.score > 0]
    return [registry.content.entries[id] for id in ids if id not in without][:FOUND]


def passes(matches: Sequence[Match]) -> bool:
    """Tell whether these tools match a message well enough for any of them to be offered."""
    if any(match.fit * math.sqrt(match.lead) >= FLOOR for match in matches):
        return True
    return sum(match.share >= MOSTLY for match in matches) >= SEVERAL


# ---- Small talk ----
#
# A linear model over the words and letters of a message distinguishes small talk (greetings,
# thanks, the weather) from requests. It was trained on labelled phrases in English and Hebrew;
# `python -m tests.evals.registry.small_talk` trains it again. It does not know the app's tools, so
# a message that matches a tool well is never small talk.

LEARNED = Path(__file__).with_name("small_talk.json")
BUCKETS = 4096
"""The number of values of the hash that identifies a feature."""
MAX_WORDS = 20
"""A longer message is never small talk."""
EVIDENCE = 3.0
"""How much log-odds of small talk a `fit` of 1 of the best tool outweighs."""
ANSWERED = 0.5
"""A message with a tool of this `fit` is a request, however chatty it is."""
_LETTERS = (3, 4)


def is_small_talk(text: str, *, fit: float = 0.0) -> bool:
    """Tell whether a message needs no tool.

    Args:
        fit: How strongly the message indicates the best tool, 0..1; `Match.fit`.
    """
    return fit < ANSWERED and chattiness(text) >= EVIDENCE * fit


def chattiness(text: str) -> float:
    """Return the log-odds that a message is small talk; above 0 it probably is."""
    buckets = features(text)
    return _learned().of(buckets) if buckets else -math.inf


def features(text: str) -> list[int]:
    """Return the buckets of a message's features; none if it is empty or long."""
    words = tokens(text[:1000])
    if not 0 < len(words) <= MAX_WORDS:
        return []
    names = {f"length {min(len(words), 12)}"}
    names |= {"asks"} if "?" in text else set()
    names |= {f"word {word}" for word in words}
    names |= {f"pair {a} {b}" for a, b in zip(["^", *words], [*words, "$"], strict=True)}
    for word in words:
        padded = f"<{word[:30]}>"
        for length in _LETTERS:
            names |= {padded[n : n + length] for n in range(len(padded) - length + 1)}
    return sorted({crc32(each.encode()) % BUCKETS for each in names})


class Weights(Struct, frozen=True):
    """A linear model: for each bucket a weight of -127..127 times `step`, and the bias."""

    steps: tuple[int, ...]
    step: float
    bias: float

    def of(self, buckets: list[int]) -> float:
        """Return the log-odds for these buckets, normalised by the root of their number."""
        total = sum(self.steps[n] for n in buckets)
        return self.bias + self.step * total / math.sqrt(len(buckets))


@cache
def _learned() -> Weights:
    stored = json.loads(LEARNED.read_text(encoding="utf-8"))
    data = b64decode(stored["weights"])
    steps = tuple(byte - 256 if byte > 127 else byte for byte in data)
    return Weights(steps, stored["step"], stored["bias"])
