"""`registry show agents/<id>`: what is published of an agent."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from rollcall.commands.app import require_app
from rollcall.commands.place import Place
from rollcall.commands.printing import moment, named, noted, print_json, short
from rollcall.commands.records import Agent, named_agent, read_agents
from rollcall.commands.screen import load_screen
from rollcall.core.options import collection_id
from rollcall.registry.documents import AGENTS
from rollcall.registry.overruling import unread

if TYPE_CHECKING:
    from google.cloud.firestore import Client

_APART = {"id", "name", "names", "instructions", "overrides", "schemaVersion", "status"}
"""Fields that are shown in their own place, or not at all."""


def run_agent(place: Place, db: Client, id: str, options: Namespace) -> int:
    """Show one agent.

    Raises:
        Problem: There is none of this id.
    """
    document = db.document(f"{collection_id(AGENTS)}/{id}").get().to_dict()
    agent = named_agent(id, read_agents(db)) if document is None else Agent(id, document)
    has_code = agent.has_code(require_app(place.app).catalog.agents())
    if options.json:
        print_json({**agent.document, "offeredStatus": agent.status, "hasCode": has_code})
        return 0
    _show(agent, has_code=has_code)
    return 0


def _show(agent: Agent, *, has_code: bool) -> None:
    screen = load_screen()
    document = agent.document
    screen.say()
    screen.say(f"{agent.id}   {named(document.get('names'))}", style="bold")
    rows = [("status", agent.status + ("*" if "status" in agent.overrides else ""))]
    if not has_code:
        rows.append(("code", "none declares it: it is a document alone, and nobody can ask it"))
    rows += [("unread", what) for what in unread(document)]
    rows += [
        (key, moment(value) if hasattr(value, "strftime") else short(value))
        for key, value in sorted(document.items())
        if key not in _APART and value not in (None, "", [], {})
    ]
    screen.pairs(rows)
    overruled = [(key, short(value)) for key, value in sorted(agent.overrides.items())]
    if overruled:
        screen.title("Overruled by an operator")
        screen.pairs([(key, value) for key, value in overruled if key != "note"])
    if note := noted(agent.overrides):
        screen.say(note, style="dim")
    screen.title("Instructions")
    screen.say(str(agent.overrides.get("instructions") or document.get("instructions", "")), left=2)
