"""Makes a turn: its tools, models and bounds, and what is known from before."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from rollcall.agent.budget import FirestorePurse, Purse
from rollcall.agent.compaction import history_of, recaps, retold
from rollcall.agent.dispatch import Dispatch
from rollcall.agent.history import before_of, earlier_calls, repaired, window
from rollcall.agent.model_calls import paid_by
from rollcall.agent.platform import OFFLINE, default_model
from rollcall.agent.prompt import brief, instructions
from rollcall.agent.router import Find, Router
from rollcall.agent.run_context import Asked, Asker, Known
from rollcall.agent.turn import Before, Journal, Limits, Turn
from rollcall.agent.untrusted_text import fenced_description, fenced_schema
from rollcall.core.capability import digest
from rollcall.core.context import AskAgent, User
from rollcall.core.messages import Message, UserMessage
from rollcall.core.profile import MAX_STEPS_CAP, AgentProfile
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
its budget set aside once more."""

log = logging.getLogger("rollcall")


def prepare_run(
    asked: Asked, opened: OpenRun, *, purse: Purse, agents: Callable[[float], AskAgent]
) -> Turn:
    """The turn of a run in a thread, as far as it has come.

    Args:
        agents: Makes the way to ask other agents, given the time by which they must answer.
    """
    before = before_of(opened)
    history = _retold(asked, opened)
    deadline = time.monotonic() + max(asked.profile.deadline_s - before.spent.work_ms / 1000, 0)
    asker = Asker(
        user=asked.user,
        locale=asked.locale,
        now=asked.now,
        deadline=deadline,
        thread_id=opened.thread_id,
        run_id=opened.run_id,
        context=asked.context or {},
        token=asked.token,
        # Calls are made after their reply was saved: the newest document is their step's.
        effect_key=lambda place: step_effect_key(opened.thread_id, opened.documents[-1], place),
        earlier=lambda place: earlier_calls(opened.documents, place),
        is_cancelled=lambda: opened.is_cancelled,
    )
    known = Known(
        approvals={approval.call_id: approval for approval in opened.approvals},
        answers=opened.answers,
        allowed=opened.remembered,
        client_tools=frozenset(asked.client_tools),
    )
    turn = prepare(
        asked,
        history=history,
        run_id=opened.run_id,
        journal=opened,
        dispatch=_router(asked, asker, agents(deadline), known),
        deadline=deadline,
        before=before,
        purse=purse,
        is_first_turn=all(each["turnId"] == opened.turn_id for each in opened.documents),
        decisions=opened.decisions_at_start,
        stays=lasting_effects(opened.documents),
    )
    return replace(turn, is_stopped=lambda: opened.is_cancelled, attempt=opened.attempt)


def _retold(asked: Asked, opened: OpenRun) -> list[Message]:
    """The run's history with what is old in short. The run leaves its steps so to the next one."""
    opened.documents = retold(
        opened.documents,
        turn_id=opened.turn_id,
        tokens=asked.profile.turn_tokens,
        recap_of=recaps(asked.platform.catalog),
    )
    return history_of(opened.documents, opened.history)


def prepare(
    asked: Asked,
    *,
    history: Sequence[Message],
    run_id: str,
    journal: Journal,
    dispatch: Dispatch,
    deadline: float,
    purse: Purse,
    before: Before | None = None,
    max_steps: int | None = None,
    is_first_turn: bool = True,
    decisions: Sequence[str] = (),
    stays: Sequence[str] = (),
) -> Turn:
    """Choose the models and bound everything. The history ends with the message, or with a reply
    whose calls are being answered.

    Args:
        is_first_turn: Nothing was said in the thread before.
        decisions: What was decided in it.
        stays: What its replaced turns have done.
        deadline: `time.monotonic()` value by which who asks must have an answer.
    """
    profile = asked.profile
    sound, repairs = repaired(history, leaves_last_open=bool(before and before.step))
    for repair in repairs:
        log.warning("run %s: the thread's history was repaired: %s", run_id, repair)
    told = brief(asked, sound, is_first_turn=is_first_turn, decisions=decisions, stays=stays)
    return Turn(
        run_id=run_id,
        instructions=instructions(
            profile,
            entries=asked.entries,
            abilities=asked.abilities,
            finds_more=asked.finds_more,
            locale=asked.locale,
            user=asked.user,
            now=asked.now,
            context=asked.context,
            told=told,
        ),
        history=tuple(
            window(
                sound,
                tokens=profile.history_tokens,
                messages=profile.history_messages,
                counts_steps=profile.turn_tokens is None,
            )
        ),
        notes=told.notes,
        names=told.place.names if told.place else {},
        review=profile.review,
        tools=_tools(asked),
        abilities=tuple(offered(entry) for entry in asked.abilities),
        models=tuple(load_model(name) for name in _models(profile)),
        composer=load_model(OFFLINE),
        dispatch=dispatch,
        journal=journal,
        limits=Limits(
            max_steps=min(max_steps or profile.max_steps, MAX_STEPS_CAP),
            max_calls=profile.max_calls,
            max_calls_per_tool=profile.max_calls_per_tool,
            max_tokens=profile.max_tokens,
            max_cost_usd=profile.max_cost_usd,
            result_chars=profile.result_chars,
            max_output_tokens=profile.max_output_tokens,
        ),
        purse=purse,
        before=before or Before(),
        deadline=deadline,
        locale=asked.locale,
        now_iso=asked.now.isoformat(),
        cache_key=digest([profile.id, asked.user.uid]),
    )


def prepare_inner(
    asked: Asked,
    message: UserMessage,
    *,
    run_id: str,
    journal: Journal,
    agents: AskAgent,
    deadline: float,
    max_steps: int | None,
) -> Turn:
    """The turn of an agent that is asked inside a tool: it has no thread, and nobody to ask."""
    deadline = min(deadline, time.monotonic() + asked.profile.deadline_s)
    asker = Asker(
        user=asked.user,
        locale=asked.locale,
        now=asked.now,
        deadline=deadline,
        context=asked.context or {},
    )
    return prepare(
        asked,
        history=[message],
        run_id=run_id,
        journal=journal,
        dispatch=_router(asked, asker, agents, Known()),
        deadline=deadline,
        purse=FirestorePurse(
            asked.platform.db, asked.user, allow_unpriced=asked.profile.allow_unpriced
        ),
        max_steps=max_steps,
    )


def _tools(asked: Asked) -> tuple[ToolSpec, ...]:
    """What the model may call, in the order of the names: the same tools are the same prompt."""
    tools = [offered(entry) for entry in asked.entries]
    if asked.finds_more:
        tools.append(FINDER)
    return tuple(sorted(tools, key=lambda tool: tool.name))


def offered(entry: Entry) -> ToolSpec:
    """What the model is told of a tool; what others wrote of theirs is fenced."""
    if not entry.is_foreign:
        return entry.spec
    return replace(
        entry.spec,
        description=fenced_description(entry.spec.description),
        parameters=fenced_schema(entry.spec.parameters),
    )


def run_purse(asked: Asked, thread_id: str, run_id: str) -> FirestorePurse:
    """The purse of a run in a thread."""
    db = asked.platform.db
    return FirestorePurse(
        db,
        asked.user,
        run=paths.run(db, thread_id, run_id).path,
        allow_unpriced=asked.profile.allow_unpriced,
    )


def first_call(profile: AgentProfile) -> FirstCall:
    """What an agent's run will most likely begin with."""
    return FirstCall(_models(profile)[0], PROMPT_TOKENS, profile.max_output_tokens)


def _models(profile: AgentProfile) -> tuple[str, ...]:
    return profile.models or (default_model(os.environ),)


def _router(asked: Asked, asker: Asker, agents: AskAgent, known: Known) -> Router:
    return Router(
        platform=asked.platform,
        asker=asker,
        entries={entry.id: entry for entry in asked.entries},
        find=_finder(asked) if asked.finds_more else None,
        agents=agents,
        policies=dict(asked.profile.approvals),
        known=known,
        text_model=paid_by(
            asked.platform.text_model,
            asked.platform.db,
            asked.user,
            allow_unpriced=asked.profile.allow_unpriced,
        ),
        health=lambda: snapshot(asked.platform.db).health,
    )


def _finder(asked: Asked) -> Find:
    def find(query: str, without: frozenset[str]) -> list[tuple[Entry, ToolSpec]]:
        return [(entry, offered(entry)) for entry in asked.find(query, without)]

    return find


class FirstCall(Struct, frozen=True):
    """What a run will call first, as far as it is known before the run is opened."""

    model_id: str
    input_tokens: int
    output_tokens: int


def admission(
    db: Client,
    user: User,
    now: datetime,
    *,
    run_key: str | None,
    counts: bool = True,
    purse: FirestorePurse | None = None,
    first_call: FirstCall | None = None,
) -> Admission:
    """An opening's, of its user's day.

    Args:
        run_key: What the user's other openings know this run by; None for an id that was made here.
        counts: Whether the user's rate counts it.
        purse: The run's, to begin with the day as the opening wrote it.
        first_call: What the run will begin with; where it is paid for the purse gets a slice.
    Raises:
        Unavailable: The limits were never read, and cannot be.
    """
    worst = None
    if purse and first_call:
        worst = purse.worst(
            first_call.model_id,
            input_tokens=first_call.input_tokens,
            output_tokens=first_call.output_tokens,
        )
    return Admission(
        db=db,
        uid=user.uid,
        now=now,
        run_key=run_key,
        most=limits(db).of_user(user).runs_per_minute,
        counts=counts,
        take=partial(purse.take_first, worst) if purse and worst else None,
        taken=purse.begin if purse else None,
    )
