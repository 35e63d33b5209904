"""Who asks which agent what, and the tools that may answer."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rollcall.agent.history import turn_progress
from rollcall.core.context import Platform, User
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.messages import Message, ModelMessage, UserMessage
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import Status
from rollcall.core.text import language
from rollcall.models.base import FIND_TOOLS
from rollcall.registry.access import at_least
from rollcall.registry.entries import Entry
from rollcall.registry.overrides import with_overrides
from rollcall.registry.selection import FEW, ToolRequest, find, permitted, select
from rollcall.registry.small_talk import is_small_talk
from rollcall.registry.snapshot import Snapshot, snapshot, vectors
from rollcall.registry.vectors import PendingVector, embed_query
from rollcall.store.message_log import read_history
from rollcall.store.open_run import OpenRun

RECENT = 3
"""How many of the user's earlier messages say what the dialogue is about."""
ABILITIES = 12
"""How many capabilities an agent may speak of when it was given none."""
STICKY = 3
"""How many of the tools that the last turn called are offered again."""


class RunContext(Struct, frozen=True):
    """Who asks which agent what.

    Attributes:
        profile: The agent under its operator's overrides, in the variant that this user gets.
        message: The user's text, for choosing tools.
        client_context: What the client says of where the user is; data.
        client_id: The client that sent the request, if it said who it is.
        client_tools: The client tools that it offered.
        entries: The tools that may answer, once they are chosen.
        finds_more: Whether the model may search for others.
        abilities: Where none was chosen: what there is, to be talked about and not called.
        embedding: The message's vector, on its way; None goes by words alone.
    """

    platform: Platform
    user: User
    profile: AgentProfile
    registry: Snapshot
    message: str
    locale: str
    now: datetime
    client_context: dict[str, Any] | None
    client_id: str | None = None
    client_tools: tuple[str, ...] = ()
    token: str | None = None
    entries: tuple[Entry, ...] = ()
    finds_more: bool = False
    abilities: tuple[Entry, ...] = ()
    embedding: PendingVector | None = None

    def choose_tools(self, documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Choose the tools, and return what the turn's later runs need to know, as plain JSON.

        Args:
            documents: The newest of the thread's log, from before this message.
        """
        pending = self.embedding
        embedder = self.platform.embedder if pending else None

        def near(mask: bytes | bytearray, limit: int) -> Sequence[tuple[int, float]]:
            vector = pending.wait() if pending else None
            if vector is None or embedder is None:
                return ()
            index = vectors(self.platform.db, self.registry, embedder)
            return index.search(vector, limit=limit, allowed=mask) if index else ()

        recent, sticky, was_asked = dialogue(read_history(documents))
        chosen = select(
            self.registry,
            replace(
                self._question(),
                recent=recent,
                sticky=sticky,
                was_asked=was_asked,
                near=near if embedder else None,
            ),
        )
        variant = self.profile.variant_for(self.user.uid)
        return {
            "locale": self.locale,
            "context": self.client_context,
            "offered": list(chosen.ids),
            "findsMore": chosen.finds_more,
            "variant": variant.id if variant else None,
            "clientId": self.client_id,
            "clientTools": list(self.client_tools),
        }

    def with_tools(self, request: Mapping[str, Any], found: Sequence[str] = ()) -> RunContext:
        """Return the context with the tools that a request names, as far as they are there and
        permitted.

        Args:
            request: As `choose_tools` returned it.
            found: Ids of tools that the turn's model has searched for.
        """
        question, entries = self._question(), self.registry.content.entries
        # What went down since stays: a call of it is told so, and one that was approved is tried.
        mask = permitted(self.registry, question, with_down=True).mask
        ids = dict.fromkeys((*request["offered"], *found))
        usable = [id for id in ids if id in entries.places and mask[entries.places[id]]]
        spoken_of: list[str] = []
        if not usable:  # some of what the user may use, in the order in which the agent names it
            mask = permitted(self.registry, question).mask
            named = (id for id in self.profile.tools if id in entries and mask[entries.places[id]])
            others = itertools.islice(itertools.compress(entries.ids, mask), ABILITIES)
            spoken_of = list(dict.fromkeys((*named, *others)))[:ABILITIES]
        return replace(
            self,
            client_context=request["context"],
            entries=tuple(entries[id] for id in usable),
            finds_more=request.get("findsMore", False),
            abilities=tuple(entries[id] for id in spoken_of),
        )

    def find_tools(self, query: str, without: frozenset[str]) -> list[Entry]:
        """Return tools for what a model says it needs, but those it has."""
        return find(self.registry, self._question(), query, without=without)

    def _question(self) -> ToolRequest:
        return ToolRequest(
            self.profile, self.user, self.message, client_tools=frozenset(self.client_tools)
        )


def new_context(
    platform: Platform,
    *,
    user: User,
    agent_id: str,
    message: UserMessage,
    locale: str | None = None,
    client_context: dict[str, Any] | None = None,
    client_id: str | None = None,
    client_tools: Sequence[str] = (),
    token: str | None = None,
) -> RunContext:
    """Find the agent for a message; nothing is written yet, and no tool chosen.

    Args:
        locale: The language to answer in; otherwise the message's own.
        client_context: What the client says of where the user is; data, never believed.
        client_tools: Tools that the client can run; those that are not registered for clients
            are left out.
    Raises:
        NotFound: There is no such agent.
        PermissionDenied: It is disabled, or not for this user's role.
        FailedPrecondition: The registry is empty.
    """
    registry, text = snapshot(platform.db), message.text
    profile = find_agent(platform, agent_id, user=user, registry=registry)
    entries = registry.content.entries
    if profile.tools and not entries:
        raise FailedPrecondition(
            "the registry is empty; publish the capabilities first",
            hint="run `python -m rollcall registry sync` in functions/",
        )
    variant = profile.variant_for(user.uid)
    has_choice = bool(profile.tools) and (variant is None or variant.tools == "chosen")
    by_meaning = has_choice and registry.content.vector_parts and len(entries) > FEW
    return RunContext(
        platform=platform,
        user=user,
        profile=profile,
        registry=registry,
        message=text,
        locale=locale or language(text),
        now=datetime.now(UTC),
        client_context=client_context,
        client_id=client_id,
        client_tools=registered_client_tools(registry, client_tools),
        token=token,
        # It is made while the thread is read.
        embedding=embed_query(platform.embedder, text)
        if by_meaning and not is_small_talk(text)
        else None,
    )


def restored_context(
    platform: Platform, opened: OpenRun, *, user: User, token: str | None
) -> RunContext:
    """Return the context of a run that continues a turn: with the same tools, as far as they are
    still there and permitted to `user`.

    Raises:
        NotFound: The agent is gone.
        PermissionDenied: It is not for this user any more.
    """
    request = opened.request
    registry = snapshot(platform.db)
    context = RunContext(
        platform=platform,
        user=user,
        profile=find_agent(platform, opened.agent, user=user, registry=registry),
        registry=registry,
        message="",
        locale=request["locale"],
        now=datetime.now(UTC),
        client_context=request["context"],
        client_id=request["clientId"],
        client_tools=tuple(request["clientTools"]),
        token=token,
    )
    found = [
        str(tool["name"])
        for record in turn_progress(opened).records
        if record.tool == FIND_TOOLS and isinstance(record.result, dict)
        for tool in record.result.get("tools", ())
    ]
    return context.with_tools(request, found)


def find_agent(
    platform: Platform, agent_id: str, *, user: User, registry: Snapshot | None = None
) -> AgentProfile:
    """Return an agent's profile under its operator's overrides, in the variant that this user gets.

    Raises:
        NotFound: There is no such agent.
        PermissionDenied: It is disabled, or not for this user's role.
    """
    agents = platform.catalog.agents()
    documents = (registry or snapshot(platform.db)).content.agents
    usable = {}
    for id, declared in agents.items():
        profile = with_overrides(declared, documents.get(id, {}))
        if may_use(profile, user):
            usable[id] = profile
    if agent_id in usable:
        profile = usable[agent_id]
        variant = profile.variant_for(user.uid)
        if variant is None or variant.instructions is None:
            return profile
        return replace(profile, instructions=variant.instructions)
    hint = f"you may use: {', '.join(sorted(usable))}"
    if agent_id in agents:
        message = f"the agent {agent_id!r} is not available to you"
        raise PermissionDenied(message, field="agent", hint=hint)
    raise NotFound(f"there is no agent {agent_id!r}", field="agent", hint=hint)


def may_use(profile: AgentProfile, user: User) -> bool:
    """Return whether this user may talk to an agent."""
    return profile.status is not Status.DISABLED and at_least(user.role, profile.min_role)


def dialogue(history: Sequence[Message]) -> tuple[list[str], list[str], bool]:
    """Return what a thread is about: the user's last messages, newest first; the tools that the
    last turn called; and whether its answer was a question."""
    said = [message.text for message in history if isinstance(message, UserMessage)]
    called: list[str] = []
    for message in reversed(history):
        if isinstance(message, UserMessage):
            break
        if isinstance(message, ModelMessage):
            called += [call.name for call in message.tool_calls if call.name != FIND_TOOLS]
    last = history[-1] if history else None
    was_asked = isinstance(last, ModelMessage) and last.text.rstrip().endswith("?")
    return said[: -RECENT - 1 : -1], list(dict.fromkeys(called))[:STICKY], was_asked


def registered_client_tools(registry: Snapshot, offered: Sequence[str]) -> tuple[str, ...]:
    """Return those of the tools a client offers that are registered to run on clients, by name."""
    entries = registry.content.entries
    known = {id for id in offered if id in entries}
    return tuple(sorted(id for id in known if entries[id].execution.type == "client"))
