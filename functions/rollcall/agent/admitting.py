"""What an opening has to read and write so that its user's runs are counted, and paid for.

The run's first slice is taken in the write that opens it, where what it will call first is known.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from rollcall.agent.spending import FirestorePurse
from rollcall.core.context import User
from rollcall.store.admission import Admission
from rollcall.store.limits import limits

if TYPE_CHECKING:
    from google.cloud.firestore import Client


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
