"""What a run starts with: its admission, its budget, and its turn, made of what was asked and what
the thread's log says."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rollcall.agent.attached_files import with_files
from rollcall.agent.budget import Budget, UserBudget
from rollcall.agent.compaction import compacted, compacted_history, recaps
from rollcall.agent.dispatch import Answers, Caller
from rollcall.agent.history import earlier_calls, repaired, turn_progress, window
from rollcall.agent.model_calls import metered
from rollcall.agent.platform import OFFLINE, default_model
from rollcall.agent.prompt import instructions, numbered_notes, read_place
from rollcall.agent.router import Router
from rollcall.agent.run_context import RunContext
from rollcall.agent.turn import Journal, Limits, Turn, TurnProgress, Unsaved
from rollcall.agent.untrusted_text import provider_description, provider_schema
from rollcall.core.capability import digest
from rollcall.core.context import AskAgent, User
from rollcall.core.messages import Message, UserMessage
from rollcall.core.profile import AgentProfile
from rollcall.models.base import ToolSpec, load_model
from rollcall.registry.entries import Entry
from rollcall.registry.selection import FINDER
from rollcall.registry.snapshot import snapshot
from rollcall.store import paths
from rollcall.store.admission import Admission
from rollcall.store.limits import limits
from rollcall.store.message_log import lasting_effects
from rollcall.store.open_run import OpenRun
from rollcall.store.run_closing import step_effect_key

if TYPE_CHECKING:
    from google.cloud.firestore import Client

PROMPT_TOKENS = 6_000
"""Of most turns' first requests: instructions, a few tools, some messages. One that is longer has
its cost reserved once more."""

log = logging.getLogger("rollcall")


def run_budget(context: RunContext, thread_id: str, run_id: str) -> UserBudget:
    """Return the budget of a run in a thread."""
    db = context.platform.db
    return UserBudget(
        db,
        context.user,
        run=paths.run(db, thread_id, run_id).path,
        allow_unpriced=context.profile.allow_unpriced,
    )


def admission(
    db: Client,
    user: User,
    now: datetime,
    *,
    run_key: str | None,
    counts: bool = True,
    budget: UserBudget | None = None,
    profile: AgentProfile | None = None,
) -> Admission:
    """Return what an opening reads and writes of its user's day.

    Args:
        run_key: What the user's other openings know this run by; None for an id that was made here.
        counts: Whether the user's rate counts it.
        budget: The run's, to begin with the day as the opening wrote it.
        profile: The agent; where its first model is paid for, the budget gets its first slice.
    Raises:
        Unavailable: The limits were never read, and cannot be.
    """
    worst = None
    if budget and profile:
        worst = budget.worst_case(
            _model_ids(profile)[0],
            input_tokens=PROMPT_TOKENS,
            output_tokens=profile.max_output_tokens,
        )
    return Admission(
        db=db,
        uid=user.uid,
        now=now,
        run_key=run_key,
        most=limits(db).of_user(user).runs_per_minute,
        counts=counts,
        take=partial(budget.take_first, worst) if budget and worst else None,
        taken=budget.begin if budget else None,
    )


def run_turn(
    context: RunContext,
    opened: OpenRun,
    *,
    budget: Budget,
    agents: Callable[[float], AskAgent],
    streamed: bool,
) -> Turn:
    """Return the turn of a run in a thread, as far as it has come.

    Args:
        agents: Returns how other agents are asked, given the time by which they must answer.
        streamed: Whether the models' replies are shown as they come.
    """
    profile, progress = context.profile, turn_progress(opened)
    # The run leaves its steps to the next one as it sent them.
    opened.documents = compacted(
        opened.documents,
        turn_id=opened.turn_id,
        tokens=profile.turn_tokens,
        recap_of=recaps(context.platform.catalog),
    )
    deadline = time.monotonic() + max(profile.deadline_s - progress.spent.work_ms / 1000, 0)
    caller = Caller(
        user=context.user,
        locale=context.locale,
        now=context.now,
        deadline=deadline,
        thread_id=opened.thread_id,
        run_id=opened.run_id,
        context=context.client_context or {},
        token=context.token,
        # Calls are made after their reply was saved: the newest document is their step's.
        effect_key=lambda place: step_effect_key(opened.thread_id, opened.documents[-1], place),
        earlier=lambda place: earlier_calls(opened.documents, place),
        is_cancelled=lambda: opened.is_cancelled,
    )
    answers = Answers(
        approvals={approval.call_id: approval for approval in opened.approvals},
        client_results=opened.answers,
        remembered=opened.remembered,
        client_tools=frozenset(context.client_tools),
    )
    turn = new_turn(
        context,
        caller,
        answers,
        agents(deadline),
        history=compacted_history(opened.documents, opened.history),
        run_id=opened.run_id,
        journal=opened,
        budget=budget,
        limits=Limits.of(profile),
        progress=progress,
        is_first_turn=all(each["turnId"] == opened.turn_id for each in opened.documents),
        decisions=opened.decisions_at_start,
        lasting=lasting_effects(opened.documents),
    )
    return replace(
        turn,
        is_stopped=lambda: opened.is_cancelled,
        attempt=opened.attempt,
        streamed=streamed,
        models=with_files(turn.models, turn.history, db=context.platform.db, uid=opened.user.uid),
    )


def nested_turn(
    context: RunContext,
    message: UserMessage,
    *,
    run_id: str,
    agents: AskAgent,
    deadline: float,
    max_steps: int | None,
) -> Turn:
    """Return the turn of an agent that is asked inside a tool: it has no thread, nobody to ask, and
    nobody who watches."""
    caller = Caller(
        user=context.user,
        locale=context.locale,
        now=context.now,
        deadline=min(deadline, time.monotonic() + context.profile.deadline_s),
        context=context.client_context or {},
    )
    turn = new_turn(
        context,
        caller,
        Answers(),
        agents,
        history=[message],
        run_id=run_id,
        journal=Unsaved(),
        budget=UserBudget(
            context.platform.db, context.user, allow_unpriced=context.profile.allow_unpriced
        ),
        limits=Limits.of(context.profile, max_steps=max_steps),
    )
    return replace(turn, streamed=False)


def new_turn(
    context: RunContext,
    caller: Caller,
    answers: Answers,
    agents: AskAgent,
    *,
    history: Sequence[Message],
    run_id: str,
    journal: Journal,
    budget: Budget,
    limits: Limits,
    progress: TurnProgress | None = None,
    is_first_turn: bool = True,
    decisions: Sequence[str] = (),
    lasting: Sequence[str] = (),
) -> Turn:
    """Choose the models, write the prompt and bound everything.

    Args:
        history: It ends with the message, or with a reply whose calls are being answered.
        is_first_turn: Nothing was said in the thread before.
        decisions: What was decided in the thread, in lines.
        lasting: What turns that were replaced have written, in lines.
    """
    profile, platform = context.profile, context.platform
    sound, repairs = repaired(history, leaves_last_open=bool(progress and progress.step))
    for repair in repairs:
        log.warning("run %s: the thread's history was repaired: %s", run_id, repair)
    place = read_place(context, is_first_turn=is_first_turn)
    notes = numbered_notes(context, sound)
    tools = [tool_spec(entry) for entry in context.entries]
    if context.finds_more:
        tools.append(FINDER)

    def find(query: str, without: frozenset[str]) -> list[tuple[Entry, ToolSpec]]:
        return [(entry, tool_spec(entry)) for entry in context.find_tools(query, without)]

    return Turn(
        run_id=run_id,
        instructions=instructions(
            profile,
            entries=context.entries,
            abilities=context.abilities,
            finds_more=context.finds_more,
            locale=context.locale,
            user=context.user,
            now=context.now,
            client_context=context.client_context,
            place=place,
            decisions=decisions,
            lasting=lasting,
            notes=notes,
        ),
        history=tuple(
            window(
                sound,
                tokens=profile.history_tokens,
                messages=profile.history_messages,
                counts_steps=profile.turn_tokens is None,
            )
        ),
        notes=notes,
        names=place.names if place else {},
        review=profile.review,
        # In the order of the names: the same tools are the same prompt.
        tools=tuple(sorted(tools, key=lambda tool: tool.name)),
        abilities=tuple(tool_spec(entry) for entry in context.abilities),
        models=tuple(load_model(name) for name in _model_ids(profile)),
        composer=load_model(OFFLINE),
        dispatch=Router(
            platform=platform,
            caller=caller,
            entries={entry.id: entry for entry in context.entries},
            find=find if context.finds_more else None,
            agents=agents,
            policies=dict(profile.approvals),
            answers=answers,
            text_model=metered(
                platform.text_model,
                platform.db,
                context.user,
                allow_unpriced=profile.allow_unpriced,
            ),
            health=lambda: snapshot(platform.db).health,
        ),
        journal=journal,
        limits=limits,
        budget=budget,
        progress=progress or TurnProgress(),
        deadline=caller.deadline,
        locale=context.locale,
        now_iso=context.now.isoformat(),
        cache_key=digest([profile.id, context.user.uid]),
    )


def tool_spec(entry: Entry) -> ToolSpec:
    """Return what the model is told of a tool; what others wrote of theirs is delimited."""
    if not entry.is_foreign:
        return entry.spec
    return replace(
        entry.spec,
        description=provider_description(entry.spec.description),
        parameters=provider_schema(entry.spec.parameters),
    )


def _model_ids(profile: AgentProfile) -> tuple[str, ...]:
    return profile.models or (default_model(os.environ),)
