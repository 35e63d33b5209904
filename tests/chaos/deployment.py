"""The deployment under test: capabilities with countable effects, agents that use them, and a model
that follows a script.

The user's message is a script: `{"steps": [[["tool", {...}], ...], ...], "end": "text"}`. The
model makes the calls of the next step, counted by the results in its history, so that any process
that continues a run continues the script.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from rollcall.agent.history import repair_history
from rollcall.core.capability import Capability, capability
from rollcall.core.context import Decider, Platform, ToolContext, User
from rollcall.core.errors import Unavailable
from rollcall.core.messages import ToolMessage, UserMessage
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import Role
from rollcall.models.base import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    Delta,
    Finish,
    FinishReason,
    ModelRequest,
    TextDelta,
    Usage,
)
from tests.support.catalogs import catalog

FILE = "CHAOS_FILE"
"""The variable that names the file to which non-atomic capabilities append."""
TASKS = "chaosTasks"
ADMIN, OTHER_TENANT = "boss", "stranger"


@capability(name={"en": "Look up"}, category="chaos")
def look_up(ctx: ToolContext, *, topic: str) -> dict[str, str]:
    """Look a topic up."""
    return {"found": f"all about {topic}"}


@capability(name={"en": "Count"}, category="chaos", effect="write", atomic=True)
def count(ctx: ToolContext, *, token: str) -> dict[str, str]:
    """Add one to a counter: done twice, it shows."""
    from google.cloud.firestore import Increment

    ctx.batch.set(ctx.db.document(f"counters/{token}"), {"n": Increment(1)}, merge=True)
    return {"counted": token}


@capability(
    name={"en": "Count under four eyes"},
    category="chaos",
    effect="write",
    atomic=True,
    approval=ApprovalPolicy(decider_role=Role.ADMIN),
)
def count_checked(ctx: ToolContext, *, token: str) -> dict[str, str]:
    """Add one to a counter, when an admin has said yes."""
    return count(ctx, token=token)


@capability(name={"en": "Post"}, category="chaos", effect="write", atomic=True)
def post(ctx: ToolContext, *, token: str) -> dict[str, str]:
    """Create a document that is called by the effect's key."""
    ctx.batch.create(ctx.db.document(f"posts/{ctx.effect_key}"), {"token": token})
    return {"posted": token}


def _find_line(ctx: ToolContext, key: str) -> dict[str, str] | None:
    for line in lines():
        if line.endswith(f" {key}"):
            return {"written": line.split()[0]}
    return None


@capability(name={"en": "Write"}, category="chaos", effect="write", find_effect=_find_line)
def write_line(ctx: ToolContext, *, token: str) -> dict[str, str]:
    """Append a line to a file outside the database; whether it is there can be found out."""
    return _append(ctx, token)


@capability(name={"en": "Write blindly"}, category="chaos", effect="write")
def write_blindly(ctx: ToolContext, *, token: str) -> dict[str, str]:
    """Append a line to a file outside the database, without a way to find out."""
    return _append(ctx, token)


@capability(name={"en": "Ask the device"}, category="chaos", runs_on="client")
def ask_device(ctx: ToolContext, *, what: str) -> dict[str, str]:
    """Ask the user's own device."""
    raise AssertionError("this runs on the client")


def _append(ctx: ToolContext, token: str) -> dict[str, str]:
    """Append in one write: lines of several processes do not mix."""
    file = os.open(os.environ[FILE], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(file, f"{token} {ctx.effect_key}\n".encode())
    finally:
        os.close(file)
    return {"written": token}


def lines() -> list[str]:
    """The lines of the file outside."""
    path = Path(os.environ[FILE])
    return path.read_text().splitlines() if path.exists() else []


OWN = (look_up, count, count_checked, post, write_line, write_blindly, ask_device)
_TOOLS = tuple(function.__name__ for function in OWN)
_NEVER = {
    name: ApprovalPolicy(ask="never") for name in ("count", "post", "write_line", "write_blindly")
}


def _agent(id: str, **more: Any) -> AgentProfile:
    return AgentProfile(
        id=id,
        name={"en": id},
        instructions="Do what the message says.",
        tools=_TOOLS,
        pinned=_TOOLS,
        allow_unpriced=True,
        **more,
    )


AGENTS = {
    "asking": _agent("asking", models=("chaos:script",)),
    "free": _agent("free", models=("chaos:script",), approvals=_NEVER),
    "hasty": _agent("hasty", deadline_s=6),
    "thrifty": _agent("thrifty", models=("chaos:script",), max_output_tokens=256),
}
"""`asking` asks before every write; `free` writes at once; `hasty` has the environment's model and
little time; `thrifty` says little."""


class Model:
    """Does what the user's message says."""

    def __init__(self, name: str) -> None:
        self.id = f"chaos:{name}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        check_valid(request.messages)
        place = max(n for n, m in enumerate(request.messages) if isinstance(m, UserMessage))
        asked = request.messages[place]
        assert isinstance(asked, UserMessage)
        script = json.loads(asked.text)
        step = sum(isinstance(message, ToolMessage) for message in request.messages[place:])
        usage = Usage(*script.get("usage", (10, 0, 5)))
        time.sleep(script.get("pauseS", 0))
        if request.tool_choice == "none" or step >= len(script["steps"]):
            yield TextDelta(script["end"])
            yield Finish(FinishReason.STOP, usage)
            return
        for number, (name, arguments) in enumerate(script["steps"][step]):
            # Some providers give every reply's calls the same ids.
            yield CallStart(f"call_{number}", name)
            yield ArgumentsDelta(f"call_{number}", json.dumps(arguments))
            yield CallEnd(f"call_{number}")
        yield Finish(FinishReason.TOOL_CALLS, usage)


def check_valid(history: Any) -> None:
    """
    Raises:
        ValueError: A provider would refuse this history.
    """
    given = list(history)
    _, notes = repair_history(given)
    if notes:
        raise ValueError(f"the history is not valid: {notes}")
    if not isinstance(given[-1], UserMessage | ToolMessage):
        raise ValueError("the history ends with the model's own words")


def script(*steps: list[tuple[str, dict[str, Any]]], end: str = "That is all.", **more: Any) -> str:
    """A message that has the model make these calls.

    Args:
        more: `usage`, what each reply says it used, and `pauseS`, how long it takes.
    """
    return json.dumps({"steps": steps, "end": end, **more})


class WorkerPlatform:
    """The platform of a worker process: its queue is in Firestore, since workers die."""

    catalog = catalog
    text_model = None
    embedder = None

    def __init__(self, db: Any, *, refuses_tasks: bool = False) -> None:
        self.db = db
        self.refuses_tasks = refuses_tasks

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        if self.refuses_tasks:
            raise Unavailable("the queue takes nothing today")
        from google.api_core.exceptions import AlreadyExists, GoogleAPIError

        try:
            self.db.collection(TASKS).add({"queue": queue, "data": data})
        except AlreadyExists:
            return  # the client library has asked twice
        except GoogleAPIError as error:
            raise Unavailable(f"the queue took no task: {error}") from error

    def find_user(self, uid: str) -> User | None:
        return user(uid)

    def notify(self, decider: Decider, *, approval_id: str) -> None:
        """Nobody has a device here."""


def user(uid: str) -> User:
    """The user of a uid, always with the same claims."""
    if uid.startswith(ADMIN):
        return User(uid, role=Role.ADMIN, tenant="north")
    if uid.startswith(OTHER_TENANT):
        return User(uid, role=Role.ADMIN, tenant="south")
    return User(uid, tenant="north")


def install() -> None:
    """Add the capabilities, agents and model to this process."""
    if "rollcall.models.chaos" in sys.modules:
        return
    name = "rollcall.models.chaos"
    module = ModuleType(name)
    vars(module).update(Model=Model, __spec__=ModuleSpec(name, None))
    sys.modules[name] = module
    own = {function.__name__: Capability.of(function) for function in OWN}
    packs, find = catalog.capabilities(), catalog.find_capability
    known = [*packs, *own.values()]
    everyone = {**catalog.agents(), **AGENTS}
    vars(catalog)["find_capability"] = lambda id: own[id] if id in own else find(id)
    vars(catalog)["capabilities"] = lambda: known
    vars(catalog)["agents"] = lambda: everyone


def prepare(platform: Platform) -> None:
    """Publish the registry, and set no limits."""
    from rollcall.registry.sync import sync

    sync(platform.db, catalog.capabilities(), catalog.agents().values())
    platform.db.document("budgets/limits").set({"user": WITHOUT_LIMITS})


WITHOUT_LIMITS = dict.fromkeys(("usdPerDay", "tokensPerDay", "runsPerMinute", "runsAtOnce"))
PEOPLE = [f"user{n}" for n in range(150)]
"""The users' ids."""
