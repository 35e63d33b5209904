"""`rate_message`: a user rates an answer."""

from __future__ import annotations

from typing import Any

from rollcall.core.context import Call, Platform
from rollcall.core.inputs import validate
from rollcall.core.triggers import OnCall, bound
from rollcall.core.wire import RateRequest
from rollcall.store.ratings import rate


@bound(OnCall())
def rate_message(platform: Platform, call: Call) -> dict[str, Any]:
    """Rate an answer: `{threadId, runId or messageId, rating: "up"|"down"|null, comment?}`.

    A later call changes the rating, and null removes it; a repeated call changes nothing. Returns
    the stored rating, `{threadId, runId, rating, comment}`.
    """
    return rate(platform.db, call.user, validate(RateRequest, call.data))
