"""Departed users: finds users whose account no longer exists and begins their erasure, since Python
functions get no event for a deleted account.

Only users who created documents with a verified token are checked: imported conversations contain
people who never had an account. Nothing is erased unless Auth gives a definite answer, nor if it
reports implausibly many accounts as missing. A disabled account still exists.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rollcall.core.context import Platform
from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.batches import where
from rollcall.store.erasure import begin_user_erasure

if TYPE_CHECKING:
    from google.cloud.firestore import Client


LOOKUP_LIMIT = 100
"""The most accounts that Auth looks up in one call."""
MAX_USERS = 2_000
"""The most users checked in one invocation; the next one continues after them."""
FEW = 10
"""Up to this many missing accounts are plausible, whatever their share."""
OWNED = ("threads", "devices", "runs", "effects", "budgets", "documents", "files")
"""Collections whose documents are only created for a user with a verified token."""

log = logging.getLogger("rollcall")


def find_missing_accounts(uids: Sequence[str]) -> list[str]:
    """Return those of at most `LOOKUP_LIMIT` user ids that have no account.

    Raises:
        Unavailable: Auth gave no answer.
    """
    from firebase_admin import auth  # type: ignore[import-untyped]

    known = [uid for uid in uids if 0 < len(uid) <= 128]  # Auth refuses other ids
    if not known:
        return []
    try:
        answer = auth.get_users([auth.UidIdentifier(uid) for uid in known])
    except Exception as error:  # the SDK, its transport and its credentials raise various types
        raise Unavailable(f"accounts cannot be looked up: {error}") from error
    absent = {identifier.uid for identifier in answer.not_found}
    return [uid for uid in known if uid in absent]


def begin_erasures(
    platform: Platform, *, find_gone: Callable[[Sequence[str]], list[str]] = find_missing_accounts
) -> int:
    """Begin an erasure for each user without an account, among the next `MAX_USERS`.

    Returns:
        The number of those users.
    Raises:
        Unavailable: Auth gave no answer; nothing was begun.
        FailedPrecondition: More than half of the accounts seem to be gone, which more likely means
            that Auth of the wrong project, or of one with tenants, was queried.
            ROLLCALL_ERASE_DEPARTED=always erases them nevertheless.
    """
    db = platform.db
    cursor = db.document(f"{collection_id('registry')}/departed")
    after = (cursor.get().to_dict() or {}).get("after", "")
    uids: set[str] = set()
    for collection in OWNED:
        uids.update(islice(_users_of(db, collection_id(collection), after), MAX_USERS))
    users = sorted(uids)[:MAX_USERS]
    departed: list[str] = []
    for start in range(0, len(users), LOOKUP_LIMIT):
        departed += find_gone(users[start : start + LOOKUP_LIMIT])
    always = os.environ.get("ROLLCALL_ERASE_DEPARTED") == "always"
    if len(departed) > FEW and len(departed) * 2 > len(users) and not always:
        raise FailedPrecondition(
            f"{len(departed)} of {len(users)} accounts seem to be gone; nothing was erased",
            hint="if these accounts were really deleted, set ROLLCALL_ERASE_DEPARTED=always",
        )
    for uid in departed:
        begin_user_erasure(platform, uid)
    after = "" if len(users) < MAX_USERS else users[-1]
    cursor.set({"schemaVersion": SCHEMA_VERSION, "after": after})
    return len(departed)


def _users_of(db: Client, collection: str, after: str) -> Iterator[str]:
    """Yield a collection's distinct users, with one read for each user, not for each document."""
    while True:
        later = where("uid", ">", after)
        query = db.collection(collection).where(filter=later).order_by("uid").select(["uid"])
        first = next(iter(query.limit(1).stream()), None)
        uid = (first.to_dict() or {}).get("uid") if first is not None else None
        if not isinstance(uid, str):
            return
        yield uid
        after = uid
