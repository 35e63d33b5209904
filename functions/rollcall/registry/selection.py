"""Chooses the tools for a message: first what the user may use, then what fits.

What is pinned is always among them, what the dialogue is about stays, and nothing is offered where
nothing fits: small talk needs no tools. With `find_tools` a model asks for more.
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
from rollcall.registry.access import is_id
from rollcall.registry.entries import Entry
from rollcall.registry.index import Match
from rollcall.registry.snapshot import Snapshot

FLOOR = 0.12
"""The least `fit` times the root of `lead` that some tool must have for any to be offered."""
MOSTLY, SEVERAL = 0.3, 3
"""Words that most tools have speak for none of them. Where so many tools answer so great a share of
a message all the same, it says nothing else, and the best of them are offered."""
LEAST = 0.4
"""What has less than this share of the best one's score is left out."""
NEAREST = 100
"""How many tools that are near in meaning are ranked beside those found by words."""
FEW = 12
"""So few are always offered together, but for small talk: choosing could only leave out the right
one."""
RELATED = 3
"""How many of the best matches bring the tools that they name as related."""
MAX_RELATED = 2
MAX_ALL = 100
"""What a provider takes at most, where all tools are offered."""
FOUND = 5

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
"""Tools near a message in meaning: of those in a mask, at most so many."""


class ToolRequest(Struct, frozen=True):
    """Who needs tools, of which agent, for which message.

    Attributes:
        recent: The user's earlier messages of the thread, newest first.
        sticky: Ids of tools that the dialogue is about.
        was_asked: The message answers a question, so what was said before says what it is about.
        client_tools: Those that the user's client can run.
        near: Finds the tools nearest to the message in meaning, of those in a mask, at most so
            many, as (place, cosine), best first. None goes by words alone.
    """

    profile: AgentProfile
    user: User
    message: str
    recent: Sequence[str] = ()
    sticky: Sequence[str] = ()
    was_asked: bool = False
    client_tools: frozenset[str] = frozenset()
    near: Near | None = None


class Selection(Struct, frozen=True):
    """The tools chosen for a message.

    Attributes:
        ids: What is offered, in the order of the ids: the same tools are the same prompt.
        matches: What was found for the message, best first, offered or not.
        finds_more: Whether the model may search for more tools.
        are_few: All are offered, because they are few.
        is_small_talk: The message is a greeting, thanks or a chat.
    """

    ids: tuple[str, ...]
    matches: tuple[Match, ...] = ()
    finds_more: bool = False
    are_few: bool = False
    is_small_talk: bool = False


def permitted(registry: Snapshot, asking: ToolRequest, *, with_down: bool = False) -> bytes:
    """Return what this agent may offer this user now, by place in the registry.

    Args:
        with_down: Also what does not work at present: it was offered before.
    """
    return registry.content.permissions.permitted(
        (*asking.profile.tools, *filter(is_id, asking.profile.pinned)),
        asking.user,
        client_tools=asking.client_tools,
        without=frozenset() if with_down else registry.down,
    )


def select(registry: Snapshot, asking: ToolRequest) -> Selection:
    """Choose the tools for a message."""
    allowed = permitted(registry, asking)
    count = allowed.count(1)
    if not count:
        return Selection(())
    entries, index = registry.content.entries, registry.content.index
    always = entries.allowed((*asking.profile.pinned, *asking.sticky), allowed)
    variant = asking.profile.variant_for(asking.user.uid)
    if variant is not None and variant.tools == "all":
        rest = islice(compress(entries.ids, allowed), MAX_ALL)
        ids = tuple(sorted(list(dict.fromkeys((*always, *rest)))[:MAX_ALL]))
        return Selection(ids, finds_more=len(ids) < count)
    limit = asking.profile.max_tools
    matches = index.search(asking.message, limit=limit * 2, allowed=allowed, context=asking.recent)
    fit = max((each.fit for each in matches), default=0.0)
    is_chat = is_small_talk(asking.message, fit=fit)
    if is_chat and count <= FEW:
        # A message that says the id of one of few tools wants it. Word search cannot tell: a word
        # that most tools have, such as that of the only one, speaks for none of them.
        said = set(tokens(asking.message))
        names = [set(tokens(id.replace("_", " "))) for id in compress(entries.ids, allowed)]
        is_chat = not any(name and name <= said for name in names)
    answers = passes(matches)
    if asking.near and not is_chat and (near := asking.near(allowed, NEAREST)):
        from rollcall.registry.vectors import merged

        matches, answers = merged(matches if answers else (), near, limit=limit * 2), True
    if asking.was_asked and asking.recent:  # what the user wanted when they were asked back
        before = index.search(asking.recent[0], limit=RELATED, allowed=allowed)
        if passes(before):
            always += [entries.ids[each.place] for each in before[:RELATED]]
    fitting: list[str] = []
    are_few = count <= FEW and not is_chat
    if are_few:
        fitting = list(compress(entries.ids, allowed))
    elif not is_chat and answers:
        least = LEAST * matches[0].score
        fitting = [entries.ids[each.place] for each in matches[:limit] if each.score >= least]
    # What the best ones need beside them, as they say themselves.
    named = [id for best in fitting[:RELATED] for id in entries[best].spec.related]
    new = [id for id in entries.allowed(named, allowed) if id not in {*fitting, *always}]
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
    registry: Snapshot, asking: ToolRequest, query: str, *, without: frozenset[str]
) -> list[Entry]:
    """Return the tools for a model's own search, best first, without those it already has."""
    allowed = permitted(registry, asking)
    matches = registry.content.index.search(query, limit=FOUND + len(without), allowed=allowed)
    ids = [registry.content.entries.ids[match.place] for match in matches if match.score > 0]
    return [registry.content.entries[id] for id in ids if id not in without][:FOUND]


def passes(matches: Sequence[Match]) -> bool:
    """Tell whether these tools answer enough of a message for any of them to be offered."""
    if any(match.fit * math.sqrt(match.lead) >= FLOOR for match in matches):
        return True
    return sum(match.share >= MOSTLY for match in matches) >= SEVERAL


# ---- Small talk ----
#
# A greeting, thanks or the weather is told from a request by a linear model over the words and
# letters of a message, learned from labelled phrases in English and Hebrew;
# `python -m tests.evals.registry.learning` learns it anew. It knows nothing of the tools there are:
# what shares its words with a tool is never small talk.

LEARNED = Path(__file__).with_name("small_talk.json")
BUCKETS = 4096
"""Features are told apart by a hash of so many values."""
MOST_WORDS = 20
"""Whoever says more wants something."""
EVIDENCE = 3.0
"""How far the odds of small talk must rise for what the best tool has to say for itself."""
ANSWERED = 0.5
"""A tool for which a message speaks as strongly as this is wanted, however chatty that is."""
_LETTERS = (3, 4)


def is_small_talk(text: str, *, fit: float = 0.0) -> bool:
    """Tell whether a message needs no tool.

    Args:
        fit: How strongly the message speaks for the tool that fits best, 0..1; `Match.fit`.
    """
    return fit < ANSWERED and chattiness(text) >= EVIDENCE * fit


def chattiness(text: str) -> float:
    """Return the log-odds that a message is small talk; above 0 it probably is."""
    found = features(text)
    return _learned().of(found) if found else -math.inf


def features(text: str) -> list[int]:
    """Return a message's buckets; none for an empty or long one."""
    said = tokens(text[:1000])
    if not 0 < len(said) <= MOST_WORDS:
        return []
    seen = {f"length {min(len(said), 12)}"}
    seen |= {"asks"} if "?" in text else set()
    seen |= {f"word {word}" for word in said}
    seen |= {f"pair {a} {b}" for a, b in zip(["^", *said], [*said, "$"], strict=True)}
    for word in said:
        padded = f"<{word[:30]}>"
        for length in _LETTERS:
            seen |= {padded[n : n + length] for n in range(len(padded) - length + 1)}
    return sorted({crc32(each.encode()) % BUCKETS for each in seen})


class Weights(Struct, frozen=True):
    """A linear model: a weight for each bucket in steps of `step`, -127..127, and the bias."""

    steps: tuple[int, ...]
    step: float
    bias: float

    def of(self, found: list[int]) -> float:
        """Return the log-odds of these buckets; many weigh no more in sum than few."""
        return self.bias + self.step * sum(self.steps[n] for n in found) / math.sqrt(len(found))


@cache
def _learned() -> Weights:
    stored = json.loads(LEARNED.read_text(encoding="utf-8"))
    data = b64decode(stored["weights"])
    steps = tuple(byte - 256 if byte > 127 else byte for byte in data)
    return Weights(steps, stored["step"], stored["bias"])
