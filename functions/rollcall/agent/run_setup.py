"""Sets up a run: the request's context, its tools, its budget and its turn.

A request becomes a `RunContext` before anything is written. The opening of the run chooses the
tools and counts the run in its user's day; the open run and the thread's log make the `Turn`."""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from rollcall.agent.attached_files import with_files
from rollcall.agent.budget import Budget, UserBudget
from rollcall.agent.history import (
    compact_documents,
    compact_history,
    compactions,
    dialogue_so_far,
    earlier_calls,
    repair_history,
    window,
)
from rollcall.agent.paid_calls import max_output, metered
from rollcall.agent.prompt import instructions, provider_description, provider_schema
from rollcall.agent.router import Router
from rollcall.agent.tool_calls import ASK_USER_SPEC
from rollcall.agent.turn import Turn, TurnState
from rollcall.core.context import AskAgent, Platform, ToolContext, User
from rollcall.core.errors import AgentError, FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.inputs import digest
from rollcall.core.messages import Message, ModelMessage, UserMessage
from rollcall.core.profile import SETUP_CHARS, AgentProfile, Note, Place, TurnSetup
from rollcall.core.records import convert
from rollcall.core.shapes import ASK_USER, PLATFORM_TOOLS
from rollcall.core.text import language
from rollcall.core.texts import TEXTS
from rollcall.models.base import ModelRequest, ToolSpec, load_model
from rollcall.models.provider import OFFLINE, default_model
from rollcall.registry.access import may_use
from rollcall.registry.documents import with_overrides
from rollcall.registry.entries import Entry
from rollcall.registry.selection import (
    FEW,
    FINDER,
    ToolRequest,
    find,
    is_small_talk,
    permitted,
    select,
)
from rollcall.registry.snapshot import Snapshot, snapshot
from rollcall.registry.vectors import PendingVector, embed_query
from rollcall.store import paths
from rollcall.store.made_files import keeper
from rollcall.store.message_log import lasting_effects, read_history
from rollcall.store.open_run import OpenRun
from rollcall.store.run_closing import step_effect_key

RECENT = 3
"""How many of the user's earlier messages help to choose tools."""
ABILITIES = 12
"""How many capabilities an agent may mention when no tool was chosen."""
STICKY = 3
"""How many of the tools that the last turn called are offered again."""
MAX_NOTES = 6

log = logging.getLogger("rollcall")


class RunContext(Struct, frozen=True):
    """The context of a run: the user, the agent, the message, and the tools once they are chosen.

    Attributes:
        profile: The agent under its operator's overrides, in the variant that this user gets.
        message: The user's text, for choosing tools.
        client_context: The client's context, about where the user is; data.
        client_id: The client that sent the request, if it has an id.
        client_tools: The client tools that it offered.
        entries: The tools that the model is offered, once they are chosen.
        finds_more: Whether the model may search for others.
        abilities: Capabilities that the agent may mention but not call, when no tool was chosen.
        setup: What the agent's `turn_setup` returned for the turn.
        embedding: The message's vector, still being computed; None searches by words only.
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
    setup: TurnSetup = TurnSetup()

    def choose_tools(
        self,
        documents: Sequence[dict[str, Any]],
        thread_id: str = "",
        client_context: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Choose the tools, and return what the turn's later runs need, as plain JSON.

        Args:
            documents: The newest documents of the thread's log, from before this message.
            client_context: The client's context of this request, or else of the last one.
        Raises:
            AgentError: The agent's `turn_setup` refuses the message.
        """
        variant = self.profile.variant_for(self.user.uid)
        request: dict[str, Any] = {
            "locale": self.locale,
            "context": client_context,
            "variant": variant.id if variant else None,
            "clientId": self.client_id,
            "clientTools": list(self.client_tools),
        }
        setup = None
        if self.profile.turn_setup is not None:
            ctx = self.tool_context(client_context)
            ctx.read_dialogue = lambda: dialogue_so_far(self.platform.db, thread_id, documents)
            setup = self.profile.turn_setup(ctx)
        if setup is not None:
            if len(setup.instructions) > SETUP_CHARS:
                raise FailedPrecondition(
                    TEXTS.text(
                        "errors.instructions_too_long",
                        chars=len(setup.instructions),
                        most=SETUP_CHARS,
                    )
                )
            request["setup"] = to_builtins(setup, order="deterministic")
            if setup.tools is not None:
                mask = permitted(self.registry, self.tool_request())
                usable = self.registry.content.entries.allowed(sorted(setup.tools), mask)
                return {**request, "offered": usable, "findsMore": False}
        pending = self.embedding
        embedder = self.platform.embedder if pending else None

        def near(mask: bytes | bytearray, limit: int) -> Sequence[tuple[int, float]]:
            vector = pending.wait() if pending else None
            if vector is None or embedder is None:
                return ()
            index = self.registry.content.vectors(self.platform.db, embedder)
            return index.search(vector, limit=limit, allowed=mask) if index else ()

        recent, sticky, was_question = dialogue(read_history(documents))
        chosen = select(
            self.registry,
            replace(
                self.tool_request(),
                recent=recent,
                sticky=sticky,
                answers_question=was_question,
                near=near if embedder else None,
            ),
        )
        return {**request, "offered": list(chosen.ids), "findsMore": chosen.finds_more}

    def tool_context(self, client_context: dict[str, Any] | None) -> ToolContext:
        """Return the `ToolContext` for the agent's pack, outside of any call."""
        return ToolContext(
            user=self.user,
            platform=self.platform,
            locale=self.locale,
            now=self.now,
            context=client_context or {},
        )

    def with_tools(self, request: Mapping[str, Any], found: Sequence[str] = ()) -> RunContext:
        """Return the context with the tools that were chosen, except those that are gone or no
        longer permitted.

        Args:
            request: The request that `choose_tools` returned.
            found: Ids of tools that the turn's model found with `find_tools`.
        """
        tool_request, entries = self.tool_request(), self.registry.content.entries
        # A tool that went down since it was offered stays: a call of it reports the outage, and an
        # approved call is still tried.
        mask = permitted(self.registry, tool_request, with_down=True)
        stored = request.get("setup")
        setup = convert(stored, TurnSetup) if stored else TurnSetup()
        usable = entries.allowed((*request["offered"], *found), mask)
        if setup.tools is not None:
            usable = [id for id in usable if id in setup.tools]
        abilities: list[str] = []
        if not usable and setup.tools is None:
            mask = permitted(self.registry, tool_request)
            others = itertools.islice(itertools.compress(entries.ids, mask), ABILITIES)
            # Those that the agent names come first, in its order.
            abilities = entries.allowed((*self.profile.tools, *others), mask)[:ABILITIES]
        return replace(
            self,
            client_context=request["context"],
            entries=tuple(entries[id] for id in usable),
            finds_more=request.get("findsMore", False) and setup.tools is None,
            setup=setup,
            abilities=tuple(entries[id] for id in abilities),
        )

    def tool_request(self) -> ToolRequest:
        """Return the request that tools are searched by, without the dialogue."""
        return ToolRequest(
            self.profile, self.user, self.message, client_tools=frozenset(self.client_tools)
        )


def new_context(
    platform: Platform,
    *,
    user: User,
    agent_id: str,
    message: str | None = None,
    locale: str | None = None,
    client_context: dict[str, Any] | None = None,
    client_id: str | None = None,
    client_tools: Sequence[str] = (),
    token: str | None = None,
) -> RunContext:
    """Return the context of a new message, or of a turn that continues. It writes nothing and
    chooses no tools.

    Args:
        message: The user's text; None if a turn continues with the tools that it has.
        locale: The language to answer in; by default the message's own.
        client_context: The client's context, about where the user is; untrusted data.
        client_tools: Tools that the client can run; those that are not registered for clients
            are left out.
    Raises:
        NotFound: There is no such agent.
        PermissionDenied: The agent is disabled, or not for this user's role.
        FailedPrecondition: The registry is empty, so there are no tools to choose from.
    """
    registry, text = snapshot(platform.db), message or ""
    profile = find_agent(platform, agent_id, user=user, registry=registry)
    entries = registry.content.entries
    if message is not None and profile.tools and not entries:
        raise FailedPrecondition(
            "the registry is empty; publish the capabilities first",
            hint="run `python -m rollcall sync` in functions/",
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
        # Computed while the thread is read.
        embedding=embed_query(platform.embedder, text)
        if by_meaning and not is_small_talk(text)
        else None,
    )


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
    if agent_id in agents:
        profile = with_overrides(agents[agent_id], documents.get(agent_id, {}))
        if may_use(profile, user):
            variant = profile.variant_for(user.uid)
            if variant is None or variant.instructions is None:
                return profile
            return replace(profile, instructions=variant.instructions)
    profiles = [with_overrides(each, documents.get(id, {})) for id, each in agents.items()]
    usable = sorted(profile.id for profile in profiles if may_use(profile, user))
    hint = f"you may use: {', '.join(usable)}"
    if agent_id in agents:
        message = TEXTS.text("errors.agent_not_available", agent_id=agent_id)
        raise PermissionDenied(message, field="agent", hint=hint)
    raise NotFound(TEXTS.text("errors.no_agent", agent_id=agent_id), field="agent", hint=hint)


def dialogue(history: Sequence[Message]) -> tuple[list[str], list[str], bool]:
    """Return what helps to choose tools in a thread: the user's last messages, newest first; the
    tools that the last turn called; and whether its answer was a question."""
    texts = [message.text for message in history if isinstance(message, UserMessage)]
    called: list[str] = []
    for message in reversed(history):
        if isinstance(message, UserMessage):
            break
        if isinstance(message, ModelMessage):
            called += [call.name for call in message.tool_calls]
    last = history[-1] if history else None
    was_question = isinstance(last, ModelMessage) and last.text.rstrip().endswith("?")
    was_question = was_question or ASK_USER in called[:1]
    called = [name for name in called if name not in PLATFORM_TOOLS]
    return texts[: -RECENT - 1 : -1], list(dict.fromkeys(called))[:STICKY], was_question


def registered_client_tools(registry: Snapshot, offered: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of a client's offered tools that are registered to run on clients, sorted."""
    entries = registry.content.entries
    known = [entries[id] for id in sorted(set(offered) & entries.places.keys())]
    return tuple(each.id for each in known if each.execution.type == "client")


def run_budget(context: RunContext, thread_id: str, run_id: str) -> UserBudget:
    """Return the budget of a run in a thread."""
    db, profile = context.platform.db, context.profile
    return UserBudget(
        db,
        context.user,
        run=paths.run(db, thread_id, run_id).path,
        models=_model_ids(profile),
        output_tokens=max_output(profile.max_output_tokens),
        allow_unpriced=profile.allow_unpriced,
    )


def _turn_request(
    context: RunContext,
    history: Sequence[Message],
    opened: OpenRun | None,
    *,
    run_id: str,
    is_open: bool,
    streamed: bool,
) -> ModelRequest:
    """Return the turn's first model request: prompt, history and tools.

    Args:
        history: Ends with the message, or with a reply whose calls are being answered.
        is_open: Whether the history may end with such a reply.
    """
    profile = context.profile
    valid, repairs = repair_history(history, leaves_last_open=is_open)
    for repair in repairs:
        log.warning("run %s: the thread's history was repaired: %s", run_id, repair)
    documents = opened.documents if opened else ()
    is_first_turn = opened is None or all(each["turnId"] == opened.turn_id for each in documents)
    place = read_place(context, is_first_turn=is_first_turn)
    notes = numbered_notes(context, valid)
    tools = [*(tool_spec(entry) for entry in context.entries), ASK_USER_SPEC]
    if context.finds_more:
        tools.append(FINDER)
    return ModelRequest(
        instructions=instructions(
            profile,
            entries=context.entries,
            abilities=context.abilities,
            finds_more=context.finds_more,
            setup=context.setup.instructions,
            locale=context.locale,
            user=context.user,
            now=context.now,
            client_context=context.client_context,
            place=place,
            decisions=opened.decisions_at_start if opened else (),
            replaced_writes=lasting_effects(documents),
            notes=notes,
        ),
        messages=tuple(
            window(
                valid,
                tokens=profile.history_tokens,
                messages=profile.history_messages,
                counts_steps=profile.turn_tokens is None,
            )
        ),
        # Sorted by name, so that the same tools give the same prompt.
        tools=tuple(sorted(tools, key=lambda tool: tool.name)),
        abilities=tuple(tool_spec(entry) for entry in context.abilities),
        notes=notes,
        names=place.names if place else {},
        notice=context.setup.offline_notice,
        cache_key=digest([profile.id, context.user.uid]),
        locale=context.locale,
        streamed=streamed,
        max_output_tokens=profile.max_output_tokens,
    )


def new_turn(
    context: RunContext,
    agents: AskAgent,
    *,
    opened: OpenRun | None = None,
    history: Sequence[Message] = (),
    run_id: str = "",
    deadline: float,
    budget: Budget,
    state: TurnState | None = None,
    streamed: bool = False,
) -> Turn:
    """Return the turn of a run, with its first model request, its models and its router.

    Args:
        agents: Lets capabilities ask other agents.
        opened: The turn's run in a thread. Without one the turn is part of another run's tool call:
            it is not saved, nobody can approve its calls, and it may not write.
        history: The messages of a run without a thread.
        run_id: The id of a run without a thread.
        deadline: The `time.monotonic()` value by which the turn must have ended.
        state: The turn's progress, as `turn_state` returns it.
        streamed: Whether the models' replies are shown as they arrive.
    """
    profile, platform, user = context.profile, context.platform, context.user
    state = state or TurnState()
    if opened is not None:
        run_id = opened.run_id
        # Saved with the run, so that the next run starts from the steps in the form that was sent.
        opened.documents = compact_documents(
            opened.documents,
            turn_id=opened.turn_id,
            tokens=profile.turn_tokens,
            compaction_of=compactions(platform.catalog),
        )
        history = compact_history(opened.documents)
    request = _turn_request(
        context, history, opened, run_id=run_id, is_open=state.step > 0, streamed=streamed
    )

    def find_tools(query: str, without: frozenset[str]) -> list[tuple[Entry, ToolSpec]]:
        entries = find(context.registry, context.tool_request(), query, without=without)
        return [(entry, tool_spec(entry)) for entry in entries]

    ctx, allow_unpriced = context.tool_context(context.client_context), profile.allow_unpriced
    ctx.agents = agents
    ctx.paid_text_model = lambda: metered(
        platform.text_model, platform.db, user, allow_unpriced=allow_unpriced
    )
    ctx.file_keeper = keeper(lambda: platform.db, user.uid, now=context.now)
    router = Router(
        platform=platform,
        ctx=ctx,
        deadline=deadline,
        entries={entry.id: entry for entry in context.entries},
        run_id=run_id,
        token=context.token,
        find=find_tools if context.finds_more else None,
        policies=dict(profile.approvals),
        health=lambda: snapshot(platform.db).health,
    )
    if opened is not None:
        db, thread_id = opened.db, opened.thread_id
        ctx.read_dialogue = lambda: dialogue_so_far(db, thread_id, opened.documents)
        ctx.is_cancelled = lambda: opened.is_cancelled
        router = replace(
            router,
            thread_id=thread_id,
            # Calls are made after their reply was saved, so the newest document is their step's.
            effect_key=lambda place: step_effect_key(thread_id, opened.documents[-1], place),
            earlier=lambda place: earlier_calls(opened.documents, place),
            approvals={approval.call_id: approval for approval in opened.approvals},
            client_results=opened.answers,
            remembered=opened.remembered,
            client_tools=frozenset(context.client_tools),
        )
    models = tuple(load_model(name) for name in _model_ids(profile))
    return Turn(
        run_id=run_id,
        request=request,
        models=with_files(models, request.messages, db=platform.db, uid=user.uid),
        composer=load_model(OFFLINE),
        dispatch=router,
        journal=opened,
        profile=profile,
        deadline=deadline,
        budget=budget,
        state=state,
        is_stopped=ctx.is_cancelled,
        attempt=opened.attempt if opened else 1,
    )


def tool_spec(entry: Entry) -> ToolSpec:
    """Return a tool's `ToolSpec` for the model; texts of a tool that others registered are marked
    as theirs."""
    if not entry.is_foreign:
        return entry.spec
    return replace(
        entry.spec,
        description=provider_description(entry.spec.description),
        parameters=provider_schema(entry.spec.parameters),
    )


def read_place(context: RunContext, *, is_first_turn: bool) -> Place | None:
    """Return the place that the agent's briefing reads; None without one, or if it cannot be
    read."""
    briefing = context.profile.briefing
    if briefing is None or (briefing.when == "first" and not is_first_turn):
        return None
    ctx = context.tool_context(context.client_context)
    try:
        return briefing.read(ctx, briefing.when == "summarised" and not is_first_turn)
    except AgentError as error:
        log.info("agent %s has no briefing: %s", context.profile.id, error.message)
        return None


def numbered_notes(context: RunContext, history: Sequence[Message]) -> tuple[Note, ...]:
    """Return the agent's notes on the newest user message, numbered from 1."""
    newest = next((each for each in reversed(history) if isinstance(each, UserMessage)), None)
    if context.profile.notes is None or newest is None:
        return ()
    notes = context.profile.notes(newest.text, context.locale)[:MAX_NOTES]
    return tuple(
        replace(note, citation=note.citation.model_copy(update={"n": number}))
        for number, note in enumerate(notes, 1)
    )


def _model_ids(profile: AgentProfile) -> tuple[str, ...]:
    return profile.models or (default_model(os.environ),)
