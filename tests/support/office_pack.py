"""A pack for tests: reads and writes of every kind, each of which leaves a trace in Firestore.

What was really done stands in the collection `done`, one document each time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from rollcall.core.capability import Capability, Preview, Undo, capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import InvalidArgument, Unavailable
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Display, Role


@dataclass
class Hooks:
    """Events and functions by which a test controls the tools; each `Office` has its own."""

    reading: threading.Event = field(default_factory=threading.Event)
    """Set when `read_slowly` has begun."""
    may_end: threading.Event = field(default_factory=threading.Event)
    """What `read_slowly` waits for, unless the run is cancelled."""
    paying: Callable[[], None] = lambda: None
    """Called by `pay` when it has paid."""
    mailing: Callable[[], None] = lambda: None
    """Called by `send_letter` before it sends."""


hooks = Hooks()


def _note(ctx: ToolContext, tool: str, **arguments: Any) -> None:
    ctx.db.collection("done").add({"tool": tool, "uid": ctx.user.uid, **arguments})


@capability(name={"en": "Look up"}, category="office")
def look_up(ctx: ToolContext, *, word: str = "x") -> dict[str, str]:
    """Look a word up."""
    _note(ctx, "look_up", word=word)
    return {"title": f"About {word}"}


@capability(name={"en": "Fail"}, category="office")
def look_nowhere(ctx: ToolContext) -> str:
    """Look where nothing answers."""
    raise Unavailable("the archive is closed")


@capability(name={"en": "Read slowly"}, category="office")
def read_slowly(ctx: ToolContext) -> dict[str, bool]:
    """Read for as long as it takes."""
    _note(ctx, "read_slowly")
    hooks.reading.set()
    while not ctx.is_cancelled():
        if hooks.may_end.wait(0.02):
            return {"whole": True}
    return {"whole": False}


@capability(
    name={"en": "Pay", "he": "תשלום"},
    category="office",
    effect="write",
    summary=lambda a: {
        "en": f"Pay ${a['amountUsd']:g} to {a['to']}",
        "he": f"לשלם {a['amountUsd']:g} דולר אל {a['to']}",
    },
)
def pay(
    ctx: ToolContext,
    *,
    amount_usd: Annotated[float, Field(gt=0, le=10_000)],
    to: Annotated[str, Field(max_length=40)],
) -> dict[str, Any]:
    """Pay an amount, US dollars."""
    _note(ctx, "pay", amountUsd=amount_usd, to=to)
    hooks.paying()
    return {"paid": amount_usd}


def _find_letter(ctx: ToolContext, key: str) -> dict[str, Any] | None:
    found = ctx.db.document(f"letters/{key}").get()
    return {"sent": (found.to_dict() or {})["to"]} if found.exists else None


@capability(
    name={"en": "Send a letter"}, category="office", effect="write", find_effect=_find_letter
)
def send_letter(ctx: ToolContext, *, to: str) -> dict[str, Any]:
    """Send a letter."""
    hooks.mailing()
    ctx.db.document(f"letters/{ctx.effect_key}").set({"to": to})
    _note(ctx, "send_letter", to=to)
    return {"sent": to}


def _room_as_shown(ctx: ToolContext, *, room: str, hours: int = 1) -> Preview:
    if room == "cellar":
        raise InvalidArgument("the cellar is not for meetings", field="room")
    shown = Display(type="table", columns=["room"], rows=[{"room": room, "hours": hours}])
    return Preview(shown, {"room": room.lower(), "hours": hours})


@capability(
    name={"en": "Book a room"},
    category="office",
    effect="write",
    atomic=True,
    preview=_room_as_shown,
    undo=Undo("cancel_room", lambda arguments, output: {"room": output["room"]}),
)
def book_room(ctx: ToolContext, *, room: str, hours: int = 1) -> dict[str, Any]:
    """Book a meeting room."""
    ctx.batch.create(ctx.db.document(f"rooms/{room}"), {"uid": ctx.user.uid, "hours": hours})
    ctx.batch.create(ctx.db.collection("done").document(), {"tool": "book_room", "room": room})
    return {"room": room}


@capability(name={"en": "Give a room back"}, category="office", effect="write", atomic=True)
def cancel_room(ctx: ToolContext, *, room: str) -> dict[str, Any]:
    """Give a meeting room back."""
    ctx.batch.delete(ctx.db.document(f"rooms/{room}"))
    return {"room": room}


@capability(
    name={"en": "Buy"},
    category="office",
    effect="write",
    approval=ApprovalPolicy(ask="above", argument="amountUsd", threshold=100),
)
def buy(ctx: ToolContext, *, amount_usd: float) -> dict[str, Any]:
    """Buy something, US dollars."""
    _note(ctx, "buy", amountUsd=amount_usd)
    return {"bought": amount_usd}


@capability(
    name={"en": "Sign"},
    category="office",
    effect="write",
    approval=ApprovalPolicy(decider_role=Role.TEACHER),
)
def sign(ctx: ToolContext, *, paper: str) -> dict[str, Any]:
    """Sign a paper; a second person has to look at it."""
    _note(ctx, "sign", paper=paper)
    return {"signed": paper}


@capability(
    name={"en": "Tidy"},
    category="office",
    effect="write",
    approval=ApprovalPolicy(ask="once_per_thread"),
)
def tidy(ctx: ToolContext, *, desk: str) -> dict[str, Any]:
    """Tidy a desk."""
    _note(ctx, "tidy", desk=desk)
    return {"tidied": desk}


@capability(
    name={"en": "Stamp"}, category="office", effect="write", approval=ApprovalPolicy(ask="never")
)
def stamp(ctx: ToolContext, *, paper: str) -> dict[str, Any]:
    """Stamp a paper, which harms nobody."""
    _note(ctx, "stamp", paper=paper)
    return {"stamped": paper}


@capability(name={"en": "Fire"}, category="office", effect="write", min_role="teacher")
def expel(ctx: ToolContext, *, who: str) -> dict[str, Any]:
    """Expel somebody."""
    _note(ctx, "expel", who=who)
    return {"expelled": who}


FUNCTIONS = (
    look_up,
    look_nowhere,
    read_slowly,
    pay,
    send_letter,
    book_room,
    cancel_room,
    buy,
    sign,
    tidy,
    stamp,
    expel,
)
CLIENT_TOOLS = ("open_file", "edit_file")


def office_capabilities() -> dict[str, Capability]:
    return {function.__name__: Capability.of(function) for function in FUNCTIONS}


def client_tool(id: str) -> dict[str, Any]:
    """The registry document of a tool that an app registered for its clients."""
    return {
        "schemaVersion": 2,
        "id": id,
        "name": id,
        "description": f"Use {id} on the user's own computer.",
        "category": "office",
        "minRole": "user",
        "status": "active",
        "runsOn": "client",
        "execution": {"type": "client", "target": id, "method": "POST", "requiresAuth": True},
        "effect": "write" if id == "edit_file" else "read",
        "source": "app",
        "version": 1,
        "jsonSchema": {
            "type": "object",
            "properties": {"path": {"type": "string", "maxLength": 100}},
            "required": ["path"],
            "additionalProperties": False,
        },
    }


PROFILE = AgentProfile(
    id="office",
    name={"en": "Office"},
    instructions="Help in the office.",
    tools=("category:office", *CLIENT_TOOLS),
    pinned=(*(function.__name__ for function in FUNCTIONS), *CLIENT_TOOLS),
    models=("scripted:office",),
    allow_unpriced=True,
)
