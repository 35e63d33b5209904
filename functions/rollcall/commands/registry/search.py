"""`registry search`: what a run would be offered for a message, and why."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from rollcall.commands.app import Place, connect, require_app
from rollcall.commands.output import in_camel_case, named, print_json, quantity, say, table
from rollcall.core.context import User
from rollcall.core.errors import Problem
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import FIND_TOOLS, Role, Status
from rollcall.registry.access import is_named
from rollcall.registry.documents import with_overrides
from rollcall.registry.entries import Entry
from rollcall.registry.selection import FLOOR, Selection, ToolRequest, passes, permitted, select
from rollcall.registry.snapshot import Snapshot, snapshot

WITHHELD = 5
"""How many of the best matches that authorisation left out are shown."""


class ToolMatch(Struct, frozen=True):
    """A tool that was found.

    Attributes:
        score: Ranks; None where it came without being searched for.
        why: "fits", "pinned", "related" or "one of few" if it is offered, "below the floor" or
            "beyond the limit" if it is not.
    """

    id: str
    score: float | None
    fit: float | None
    offered: bool
    why: str


class WithheldTool(Struct, frozen=True):
    """A tool that the words would find, and why this user is not offered it."""

    id: str
    score: float
    why: str


class Answer(Struct, frozen=True):
    """What a run would be offered, as `--json` prints it.

    Attributes:
        small_talk: Whether the message is small talk, for which no tools are searched.
        passed: Whether the best match is above the floor.
        permitted: How many capabilities authorisation lets through.
        left_out: How many it left out, by reason.
    """

    agent: str
    agent_status: str
    role: str
    tenant: str | None
    digest: str
    offered: tuple[str, ...]
    find_tools: bool
    small_talk: bool
    floor: float
    passed: bool
    matches: list[ToolMatch]
    permitted: int
    left_out: dict[str, int]
    withheld: list[WithheldTool]


def search(registry: Snapshot, profile: AgentProfile, user: User, text: str) -> Answer:
    """Choose tools for a message, and look at how that came about.

    The client is taken to run every client tool, and a comparison's "all" is left aside.
    """
    entries, ids = registry.content.entries, registry.content.entries.ids
    plain = replace(profile, variants=())
    asking = ToolRequest(plain, user, text, client_tools=frozenset(ids))
    selection = select(registry, asking)
    allowed = permitted(registry, asking)
    reasons = {
        id: _reason(registry, profile, user, entries[id])
        for place, id in enumerate(ids)
        if not allowed[place]
    }
    # The best among those that were left out, by the words alone.
    mask = bytes(id in reasons for id in ids)
    left_out = registry.content.index.search(text, limit=WITHHELD, allowed=mask)
    return Answer(
        agent=profile.id,
        agent_status=profile.status.value,
        role=user.role.value,
        tenant=user.tenant,
        digest=registry.content.digest,
        offered=tuple(selection.ids),
        find_tools=selection.finds_more,
        small_talk=selection.is_small_talk,
        floor=FLOOR,
        passed=passes(selection.matches),
        matches=_tool_matches(registry, plain, selection),
        permitted=sum(allowed),
        left_out=dict(Counter(reasons.values()).most_common()),
        withheld=[
            WithheldTool(ids[match.place], match.score, reasons[ids[match.place]])
            for match in left_out
            if match.fit >= FLOOR
        ],
    )


def _tool_matches(
    registry: Snapshot, profile: AgentProfile, selection: Selection
) -> list[ToolMatch]:
    """What was found, best first, and behind it what came along."""
    ids = registry.content.entries.ids
    matches = {ids[match.place]: match for match in selection.matches if match.score > 0}
    found = []
    for id in [*matches, *(id for id in selection.ids if id not in matches)]:
        match = matches.get(id)
        if id not in selection.ids:
            why = "beyond the limit" if passes(selection.matches) else "below the floor"
        elif id in profile.pinned:
            why = "pinned"
        elif selection.are_few:
            why = "one of few"
        else:
            why = "fits" if match else "related"
        score, fit = (match.score, match.fit) if match else (None, None)
        found.append(ToolMatch(id, score, fit, id in selection.ids, why))
    return found


def _reason(registry: Snapshot, profile: AgentProfile, user: User, entry: Entry) -> str:
    """Why this user is not offered it."""
    if not is_named(entry.id, entry.category, frozenset(profile.tools)):
        return "the agent does not name it"
    if entry.status is Status.DISABLED:
        return "disabled"
    if not user.role.at_least(entry.min_role):
        return f"for the role {entry.min_role.value} and above"
    if entry.tenants is not None and user.tenant not in entry.tenants:
        return "for other tenants"
    if entry.id in registry.down:
        return "down"
    return "not permitted"


EVERYTHING = AgentProfile(id="*", name={"en": "Everything"}, instructions="", tools=("*",))
"""Who is asked where no agent is named."""


def run(place: Place, options: Namespace) -> int:
    """Search as a run would."""
    registry, profile = snapshot(connect(place)), EVERYTHING
    if options.agent is not None:
        agents = require_app(place.app).catalog.agents()
        if options.agent not in agents:
            known = ", ".join(sorted(agents))
            raise Problem(f"This codebase has no agent {options.agent!r}; it has: {known}.")
        overrides = registry.content.agents.get(options.agent, {})
        profile = with_overrides(agents[options.agent], overrides)
    user = User("", Role(options.role), options.tenant)
    answer = search(registry, profile, user, options.text)
    if options.json:
        print_json(in_camel_case(answer))
    else:
        _show(answer, registry)
    return 0


def _show(answer: Answer, registry: Snapshot) -> None:
    tenant = f", tenant {answer.tenant}" if answer.tenant else ""
    is_one = answer.agent != EVERYTHING.id
    who = f"agent {answer.agent}" if is_one else "no agent in particular"
    say(f"{who}, role {answer.role}{tenant}: {answer.permitted} permitted")
    if answer.agent_status == Status.DISABLED:
        say("The agent is disabled: nobody can ask it, whatever follows.")
    found = [
        (
            each.id,
            "" if each.score is None else f"{each.score:.2f}",
            "" if each.fit is None else f"{each.fit:.2f}",
            each.why if each.offered else f"no: {each.why}",
        )
        for each in answer.matches
    ]
    found += [(each.id, f"{each.score:.2f}", "", f"no: {each.why}") for each in answer.withheld]
    entries = registry.content.entries
    rows = [(*row, named(entries[row[0]].names)) for row in found]
    table(("Capability", "Score", "Fit", "Offered", "Name"), rows)
    best = max((each.fit for each in answer.matches if each.fit is not None), default=0.0)
    offered = quantity(len(answer.offered), "tool", "tools")
    finder = f" and {FIND_TOOLS}" if answer.find_tools else ""
    small_talk = "small talk, " if answer.small_talk else ""
    say(f"{offered}{finder} offered: {small_talk}best fit {best:.2f}, floor {answer.floor:.2f}")
    if answer.left_out:
        counts = ", ".join(f"{count} {reason}" for reason, count in answer.left_out.items())
        say(f"left out before ranking: {counts}")
