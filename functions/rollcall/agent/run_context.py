"""Who asked which agent what, and the tools that may answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.agent.history import before_of
from rollcall.core.context import EarlierCall, Platform, User
from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.messages import Message, ModelMessage, UserMessage
from rollcall.core.profile import AgentProfile
from rollcall.core.shapes import Status
from rollcall.core.text import language
from rollcall.models.base import FIND_TOOLS
from rollcall.registry.access import at_least
from rollcall.registry.entries import Entry
from rollcall.registry.overrides import with_overrides
from rollcall.registry.selection import FEW, Near, ToolRequest, find, permitted, select
from rollcall.registry.small_talk import is_small_talk
from rollcall.registry.snapshot import Snapshot, snapshot, vectors
from rollcall.registry.vectors import PendingVector, embed_query
from rollcall.store.approvals import Approval, RememberedApproval
from rollcall.store.message_log import read_history
from rollcall.store.open_run import OpenRun

RECENT = 3
"""How many of the user's earlier messages say what the dialogue is about."""
ABILITIES = 12
"""How many capabilities an agent may speak of when it was given none."""
STICKY = 3
"""How many of the tools that the last turn called stay at hand."""


class Asked(Struct, frozen=True):
    """Who asked which agent what.

    Attributes:
        profile: The agent under its operator's overrides, in the variant that this user gets.
        message: What was said, for choosing tools.
        client_id: The client that took part in asking, if it said who it is.
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
    context: dict[str, Any] | None
    client_id: str | None = None
    client_tools: tuple[str, ...] = ()
    token: str | None = None
    entries: tuple[Entry, ...] = ()
    finds_more: bool = False
    abilities: tuple[Entry, ...] = ()
    embedding: PendingVector | None = None

    def choose(self, documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Choose the tools, and say what the turn's later runs need to know, as plain JSON.

        Args:
            documents: The newest of the thread's log, from before this message.
        """
        recent, sticky, was_asked = dialogue(read_history(documents))
        chosen = select(
            self.registry,
            replace(
                self._asking(),
                recent=recent,
                sticky=sticky,
                was_asked=was_asked,
                near=self._near(),
            ),
        )
        variant = self.profile.variant_for(self.user.uid)
        return {
            "locale": self.locale,
            "context": self.context,
            "offered": list(chosen.ids),
            "findsMore": chosen.finds_more,
            "variant": variant.id if variant else None,
            "clientId": self.client_id,
            "clientTools": list(self.client_tools),
        }

    def offering(self, request: Mapping[str, Any], found: Sequence[str] = ()) -> Asked:
        """The same with the tools that a request names, as far as they are there and permitted.

        Args:
            found: Ids of tools that the turn's model has searched for.
        """
        asking = self._asking()
        # What went down since stays: a call of it is told so, and one that was approved is tried.
        allowed = permitted(self.registry, asking, with_down=True)
        places = self.registry.content.entries.places
        ids = dict.fromkeys((*request["offered"], *found))
        usable = [id for id in ids if id in places and allowed.mask[places[id]]]
        spoken_of = () if usable else self._some(permitted(self.registry, asking).mask)
        entries = self.registry.content.entries
        return replace(
            self,
            context=request["context"],
            entries=tuple(entries[id] for id in usable),
            finds_more=request.get("findsMore", False),
            abilities=tuple(entries[id] for id in spoken_of),
        )

    def find(self, query: str, without: frozenset[str]) -> list[Entry]:
        """Tools for what a model says it needs, but those it has."""
        return find(self.registry, self._asking(), query, without=without)

    def _near(self) -> Near | None:
        """The search by meaning for the message, where its vector was asked for."""
        embedder, pending = self.platform.embedder, self.embedding
        if embedder is None or pending is None:
            return None

        def near(mask: bytes | bytearray, limit: int) -> Sequence[tuple[int, float]]:
            vector = pending.wait()
            index = vectors(self.platform.db, self.registry, embedder) if vector else None
            return index.search(vector, limit=limit, allowed=mask) if index and vector else ()

        return near

    def _some(self, mask: bytes) -> list[str]:
        """Some of what the user may use, in the order in which the agent names them."""
        entries = self.registry.content.entries
        named = (id for id in self.profile.tools if id in entries and mask[entries.places[id]])
        others = itertools.islice(itertools.compress(entries.ids, mask), ABILITIES)
        return list(dict.fromkeys((*named, *others)))[:ABILITIES]

    def _asking(self) -> ToolRequest:
        return ToolRequest(
            self.profile, self.user, self.message, client_tools=frozenset(self.client_tools)
        )


def receive(
    platform: Platform,
    *,
    user: User,
    agent_id: str,
    message: UserMessage,
    locale: str | None = None,
    context: dict[str, Any] | None = None,
    client_id: str | None = None,
    client_tools: Sequence[str] = (),
    token: str | None = None,
) -> Asked:
    """Find the agent for a message; nothing is written yet, and no tool chosen.

    Args:
        locale: The language to answer in; otherwise the message's own.
        context: What the client says of where the user is; data, never believed.
        client_tools: Tools that the client can run; those that are not registered for clients
            are left out.
    Raises:
        NotFound: There is no such agent.
        PermissionDenied: It is disabled, or not for this user's role.
        FailedPrecondition: The registry is empty.
    """
    registry = snapshot(platform.db)
    profile = _find_agent(platform, agent_id, user=user, registry=registry)
    if profile.tools and not registry.content.entries:
        raise FailedPrecondition(
            "the registry is empty; publish the capabilities first",
            hint="run `python -m rollcall registry sync` in functions/",
        )
    return Asked(
        platform=platform,
        user=user,
        profile=_varied(profile, user),
        registry=registry,
        message=message.text,
        locale=locale or language(message.text),
        now=datetime.now(UTC),
        context=context,
        client_id=client_id,
        client_tools=of_clients(registry, client_tools),
        token=token,
        embedding=_embedding(platform, registry, profile, user, message.text),
    )


def _embedding(
    platform: Platform, registry: Snapshot, profile: AgentProfile, user: User, text: str
) -> PendingVector | None:
    """Ask for a message's vector while the thread is read; not where nothing is chosen by it."""
    variant = profile.variant_for(user.uid)
    has_choice = bool(profile.tools) and (variant is None or variant.tools == "chosen")
    are_many = registry.content.vector_parts and len(registry.content.entries) > FEW
    if not has_choice or not are_many or is_small_talk(text):
        return None
    return embed_query(platform.embedder, text)


def recall(platform: Platform, opened: OpenRun, *, user: User, token: str | None) -> Asked:
    """What a turn was asked with, for a run that goes on with it: the same tools, as far as they
    are still there and permitted to `user`.

    Raises:
        NotFound: The agent is gone.
        PermissionDenied: It is not for this user any more.
    """
    request = opened.request
    registry = snapshot(platform.db)
    profile = _find_agent(platform, opened.agent, user=user, registry=registry)
    asked = Asked(
        platform=platform,
        user=user,
        profile=_varied(profile, user),
        registry=registry,
        message="",
        locale=request["locale"],
        now=datetime.now(UTC),
        context=request["context"],
        client_id=request["clientId"],
        client_tools=tuple(request["clientTools"]),
        token=token,
    )
    return asked.offering(request, _found(opened))


def profile_of(platform: Platform, agent_id: str, *, user: User) -> AgentProfile:
    """An agent's profile as it is now, under its operator's overrides.

    Raises:
        NotFound, PermissionDenied: It is gone, or not for this user.
    """
    return _find_agent(platform, agent_id, user=user, registry=snapshot(platform.db))


def may_use(profile: AgentProfile, user: User) -> bool:
    """Whether this user may talk to an agent."""
    return profile.status is not Status.DISABLED and at_least(user.role, profile.min_role)


def dialogue(history: Sequence[Message]) -> tuple[list[str], list[str], bool]:
    """What a thread is about: the user's last messages, newest first; the tools that the last turn
    called; and whether its answer was a question."""
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


def _found(opened: OpenRun) -> list[str]:
    """Tools that the turn's model searched for, and was told of."""
    found = []
    for record in before_of(opened).records:
        if record.tool == FIND_TOOLS and isinstance(record.result, dict):
            found += [str(tool["name"]) for tool in record.result.get("tools", ())]
    return found


def of_clients(registry: Snapshot, offered: Sequence[str]) -> tuple[str, ...]:
    """Those of the tools a client offers that are registered to run on clients, by name."""
    entries = registry.content.entries
    here = [id for id in dict.fromkeys(offered) if id in entries]
    return tuple(sorted(id for id in here if entries[id].execution.type == "client"))


def _varied(profile: AgentProfile, user: User) -> AgentProfile:
    variant = profile.variant_for(user.uid)
    if variant is None or variant.instructions is None:
        return profile
    return replace(profile, instructions=variant.instructions)


def _find_agent(
    platform: Platform, agent_id: str, *, user: User, registry: Snapshot
) -> AgentProfile:
    """The agent's profile under its operator's overrides."""
    agents = platform.catalog.agents()
    documents = registry.content.agents
    profiles = {
        id: with_overrides(profile, documents.get(id, {})) for id, profile in agents.items()
    }
    usable = {id: profile for id, profile in profiles.items() if may_use(profile, user)}
    if agent_id in usable:
        return usable[agent_id]
    hint = f"you may use: {', '.join(sorted(usable))}"
    if agent_id in profiles:
        message = f"the agent {agent_id!r} is not available to you"
        raise PermissionDenied(message, field="agent", hint=hint)
    raise NotFound(f"there is no agent {agent_id!r}", field="agent", hint=hint)


class Asker(Struct, frozen=True):
    """Who is asking: the user, and the run the calls are made in.

    Attributes:
        context: What the client says of where the user is; data.
        token: The user's ID token, while one is at hand: passed on to other functions.
        effect_key: Mints the key of the effect of a call, from its place; None where nobody can be
            asked and nothing may be written: in an agent that is asked inside a tool.
        earlier: The thread's calls before the one at a place of the newest step.
    """

    user: User
    locale: str
    now: datetime
    deadline: float
    thread_id: str = ""
    run_id: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    token: str | None = None
    effect_key: Callable[[int], str] | None = None
    earlier: Callable[[int], Iterable[EarlierCall]] = lambda place: ()
    is_cancelled: Callable[[], bool] = lambda: False


class Known(Struct, frozen=True):
    """What people and the client have said.

    Attributes:
        approvals: Decisions, by the id of the call they are on. Not by its place: a later step has
            the same places, and a yes is for one call.
        answers: What the client's tools answered, by call id: `{content}`, `{error}` or
            `{expired}`.
        allowed: What somebody said yes to in this thread, by capability.
        client_tools: The client tools that the client offered in this turn.
    """

    approvals: dict[str, Approval] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    allowed: Mapping[str, RememberedApproval] = field(default_factory=dict)
    client_tools: frozenset[str] = frozenset()
