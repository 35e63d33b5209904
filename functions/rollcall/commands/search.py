"""`registry search`: what a run would be offered for a message, and why."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from rollcall.commands.app import require_app
from rollcall.commands.explaining import Answer, search
from rollcall.commands.place import Place, connect
from rollcall.commands.printing import announce, print_json
from rollcall.core.context import User
from rollcall.core.problem import Problem
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import Role, Status
from rollcall.models.base import FIND_TOOLS
from rollcall.registry.overruling import overruled
from rollcall.registry.selection import FLOOR
from rollcall.registry.snapshot import Snapshot, snapshot

EVERYTHING = AgentProfile(id="*", name={"en": "Everything"}, instructions="", tools=("*",))
"""Who is asked where no agent is named."""


def run(place: Place, options: Namespace) -> int:
    """Search as a run would."""
    announce(place, options)
    db = connect(place)
    registry = snapshot(db)
    profile = _profile(place, registry, options.agent)
    user = User("", Role(options.role), options.tenant)
    answer = search(db, registry, profile, user, options.text)
    if options.json:
        print_json(_plain(answer, user))
    else:
        _show(answer, user, locale=options.locale)
    return 0


def _profile(place: Place, registry: Snapshot, agent_id: str | None) -> AgentProfile:
    if agent_id is None:
        return EVERYTHING
    agents = require_app(place.app).catalog.agents()
    if agent_id not in agents:
        known = ", ".join(sorted(agents))
        raise Problem(f"This codebase has no agent {agent_id!r}; it has: {known}.")
    return overruled(agents[agent_id], registry.content.agents.get(agent_id, {}))


def _plain(answer: Answer, user: User) -> dict[str, Any]:
    return {
        "agent": answer.profile.id,
        "agentStatus": answer.profile.status.value,
        "role": user.role.value,
        "tenant": user.tenant,
        "digest": answer.digest,
        "offered": list(answer.selection.ids),
        "findTools": answer.selection.finds_more,
        "floor": FLOOR,
        "passed": answer.passed,
        "matches": [
            {
                "id": each.entry.id,
                "score": each.score,
                "fit": each.fit,
                "offered": each.is_offered,
                "why": each.why,
                "words": each.words,
            }
            for each in answer.found
        ],
        "permitted": answer.permitted,
        "leftOut": answer.left_out,
        "withheld": [
            {"id": each.id, "score": each.score, "why": each.why} for each in answer.withheld
        ],
        "firstMs": round(answer.first_ms, 3),
        "ms": round(answer.ms, 3),
    }


def _show(answer: Answer, user: User, *, locale: str) -> None:
    from rollcall.commands.screen import ID, Column, load_screen

    screen = load_screen()
    tenant = f", tenant {user.tenant}" if user.tenant else ""
    who = "no agent in particular" if answer.profile is EVERYTHING else f"agent {answer.profile.id}"
    screen.say(f"{who}, role {user.role.value}{tenant}: {answer.permitted} permitted", style="dim")
    if answer.profile.status is Status.DISABLED:
        screen.say("The agent is disabled: nobody can ask it, whatever follows.", style="red")
    screen.say()
    columns = [
        ID,
        Column("Name", from_width=90),
        Column("Score", right=True, whole=True),
        Column("Fit", right=True, whole=True),
        Column("Offered"),
        Column("Words"),
    ]
    rows = [
        (
            each.entry.id,
            each.entry.name(locale),
            "" if each.score is None else f"{each.score:.2f}",
            "" if each.fit is None else f"{each.fit:.2f}",
            each.why if each.is_offered else f"no: {each.why}",
            words_in_short(each.words),
        )
        for each in answer.found
    ]
    if rows:
        screen.table(columns, rows)
        screen.say()
    screen.say(_verdict(answer))
    if answer.withheld:
        screen.say()
        screen.say("Left out before ranking, though the words fit:", style="bold")
        screen.table(
            [ID, Column("Score", right=True), Column("Why")],
            [(each.id, f"{each.score:.2f}", each.why) for each in answer.withheld],
        )
    if answer.left_out:
        counts = ", ".join(f"{count} {reason}" for reason, count in answer.left_out.items())
        screen.say(f"Left out: {counts}", style="dim")
    screen.say(
        f"{answer.ms:.2f} ms (the first time {answer.first_ms:.1f} ms)   digest {answer.digest}",
        style="dim",
    )


def words_in_short(words: dict[str, list[str]]) -> str:
    """Each word in the first field that has it: names come before descriptions."""
    told: set[str] = set()
    parts = []
    for field, found in words.items():
        if new := [word for word in found if word not in told]:
            parts.append(f"{field}: {', '.join(new)}")
            told.update(new)
    return "; ".join(parts)


def _verdict(answer: Answer) -> str:
    """In one sentence, what the model gets."""
    if not answer.permitted:
        return "Nothing is permitted, so nothing is offered."
    best = max((match.fit for match in answer.selection.matches), default=0.0)
    floor = f"best fit {best:.2f}, floor {FLOOR:.2f}"
    count = len(answer.selection.ids)
    offered = f"{count} tool{'' if count == 1 else 's'}" if count else "no tools"
    finder = f" and {FIND_TOOLS}" if answer.selection.finds_more else ""
    if answer.selection.is_small_talk:
        return f"Small talk ({floor}): {offered} offered."
    if answer.selection.are_few:
        return f"All {count} that are permitted are offered, since they are few ({floor})."
    if not answer.passed:
        return f"Below the floor ({floor}): {offered}{finder} offered."
    if best < FLOOR:
        return f"Said in words that many tools have ({floor}): {offered}{finder} offered."
    return f"Floor passed ({floor}): {offered}{finder} offered."
