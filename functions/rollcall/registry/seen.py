"""What one process sees of one capability's calls, and what it keeps of whose they were.

Failures are counted by user as well, so that one who makes a capability fail at will is one voice
and no more. Of a user a short digest is kept, of each capability's own, never the id.
"""

from __future__ import annotations

import hashlib
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from rollcall.registry import latencies

MAX_USERS = 10
"""Of each capability in one sample; the calls of more users that fail count with the last one's."""
_DIGEST_CHARS = 8

Row = dict[str, int]
"""Failures since the last success, by user."""
ByUser = dict[str, list[int]]
"""`[ok, failed]` of the calls of users of whom one failed, since it did."""


class Failure(Struct, frozen=True):
    """An error as operators see it. `at` is seconds since 1970."""

    code: str
    message: str
    at: float


class Seen(Struct):
    """What one process saw of a capability since it last told.

    Attributes:
        at: When the last of its calls ended, seconds since 1970.
        ok: Calls that came to a result.
        failed: Calls that failed by the capability's own fault.
        row: The failures after the last success, by the digest of their user.
        users: The calls of users of whom one failed, by the same digest.
        ms: Counts of how long they took, see `latencies`.
    """

    at: float
    ok: int = 0
    failed: int = 0
    row: Row = field(default_factory=dict)
    users: ByUser = field(default_factory=dict)
    ms: latencies.Counts = field(default_factory=latencies.none)
    failure: Failure | None = None

    def done(self, user: str, *, ms: int, at: float) -> None:
        """Count a call that came to a result.

        Args:
            user: See `user_of`.
        """
        self._took(ms, at)
        self.ok += 1
        self.row.clear()
        if user in self.users:
            self.users[user][0] += 1

    def went_wrong(self, user: str, failure: Failure, *, ms: int) -> None:
        """Count a call that failed."""
        self._took(ms, failure.at)
        self.failed += 1
        self.failure = failure
        if user not in self.users and len(self.users) == MAX_USERS:
            user = next(reversed(self.users))
        self.users.setdefault(user, [0, 0])[1] += 1
        self.row[user] = self.row.get(user, 0) + 1

    def _took(self, ms: int, at: float) -> None:
        latencies.count(self.ms, ms)
        self.at = at

    def document(self) -> dict[str, Any]:
        record: dict[str, Any] = to_builtins(self)
        return record

    @classmethod
    def of(cls, data: dict[str, Any]) -> Seen:
        """Read what `document` made; versions before this one told of no users."""
        names = ("at", "ok", "failed", "row", "users", "ms")
        failure = data.get("failure")
        return cls(
            **{name: data[name] for name in names if name in data},
            failure=Failure(**failure) if failure else None,
        )


def user_of(uid: str, capability_id: str) -> str:
    """What a user is counted under: alike for all processes, and another for each capability, so
    that nobody's use of several can be put together."""
    return hashlib.sha256(f"{capability_id}/{uid}".encode()).hexdigest()[:_DIGEST_CHARS]


def shortened(failure: Failure, chars: int) -> Failure:
    """The same with its message cut."""
    text = failure.message
    return replace(failure, message=text if len(text) <= chars else text[: chars - 1] + "…")
