"""Accounts in Firebase Authentication: whether they still exist, and their end.

Only a definite answer counts: an Auth that cannot be reached raises, and a disabled account is
an account.
"""

from __future__ import annotations

from collections.abc import Sequence

AT_ONCE = 100
"""Accounts that Auth looks up in one call."""


def gone(uids: Sequence[str]) -> list[str]:
    """Those of at most `AT_ONCE` user ids that have no account.

    Raises:
        Unavailable: Auth gave no answer.
    """
    from firebase_admin import auth  # type: ignore[import-untyped]

    from rollcall.core.errors import Unavailable

    known = [uid for uid in uids if is_user_id(uid)]
    if not known:
        return []
    try:
        answer = auth.get_users([auth.UidIdentifier(uid) for uid in known])
    except Exception as error:  # the SDK, its transport and its credentials, each in its way
        raise Unavailable(f"accounts cannot be looked up: {error}") from error
    absent = {identifier.uid for identifier in answer.not_found}
    return [uid for uid in known if uid in absent]


def delete_account(uid: str) -> None:
    """Delete an account; one that is not there is deleted.

    Raises:
        Unavailable: Auth did not do it.
    """
    from firebase_admin import auth

    from rollcall.core.errors import Unavailable

    try:
        auth.delete_user(uid)
    except auth.UserNotFoundError:
        return
    except Exception as error:  # the SDK, its transport and its credentials, each in its way
        raise Unavailable(f"the account cannot be deleted now: {error}") from error


def is_user_id(uid: str) -> bool:
    """Whether Auth could have an account of this id: 1 to 128 characters."""
    return 0 < len(uid) <= 128
