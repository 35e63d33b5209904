"""For whom a call is made, and what has been said about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from rollcall.core.context import EarlierCall, User
from rollcall.store.approvals import Approval, RememberedApproval


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
