"""A tenant's day, in shards: what its users may spend together.

    budgets/t{tenant}-{day}       tenant, day, grantedMicroUsd, grantedTokens, expiresAt: the head
    budgets/t{tenant}-{day}-{n}   the same, and reserved… and spent…: a shard

Each process adds what its runs reserve and settle to one shard, by increments in batches that they
commit anyway. The head's `granted` is what the shards have been given of the limit, a shard's is
its own part. A commit answers with the shard's sums: reservations beyond its grant need more of it
before their call. A grant is taken from the head, by a write that insists on the head as it was
read, so that it passes the limit only where that was lowered; or from shards that do not use
theirs, by a decrement whose answer says whether that much was there; otherwise it is given back. So
reserved and spent never pass the limit in all shards together.
"""

from __future__ import annotations

import random
import threading
from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import Unavailable
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store.batches import attempts, read_all, try_commit, write_unchanged
from rollcall.store.budgets import BudgetExhausted, budget_key, expiry, increments, read_sums
from rollcall.store.limits import NONE, Amount, Limit

if TYPE_CHECKING:
    from google.cloud.firestore import Client, DocumentReference, WriteBatch

SHARDS = 64
"""As many as processes use the budget, and at most so many: each takes one at random."""
GRANTS = 128
"""A grant is one part in so many of the limit, or what is needed if that is more."""
HEAD_S, HEAD_PAUSE_S = 20.0, 1.0
"""How long a grant is tried for, and the longest pause between two tries: all processes of a tenant
may want their first grant at the same time, of the one head."""


def tenant_day(db: Client, tenant: str, day: date, shard: int | None = None) -> DocumentReference:
    """Return the head of a tenant's day, or one of its shards."""
    number = "" if shard is None else f"-{shard}"
    name = f"t{budget_key(tenant)}-{day.isoformat()}{number}"
    return db.document(f"{collection_id('budgets')}/{name}")


class Account(Struct, frozen=True):
    """The sums of a head or of a shard."""

    granted: Amount = NONE
    reserved: Amount = NONE
    spent: Amount = NONE

    @staticmethod
    def of(data: dict[str, Any] | None) -> Account:
        found = data or {}
        names = ("granted", "reserved", "spent")
        return Account(
            *(Amount(found.get(f"{n}MicroUsd", 0), found.get(f"{n}Tokens", 0)) for n in names)
        )

    @staticmethod
    def answered(written: Any) -> Account:
        """Read the sums in the answer to a write of a shard or a head."""
        return Account(*read_sums(written, 3))

    @property
    def used(self) -> Amount:
        return self.reserved + self.spent


class TenantShard:
    """The shard that one process uses of a tenant's day. Its runs share it, each in its thread."""

    def __init__(self, db: Client, tenant: str, day: date) -> None:
        self._db, self._tenant, self._day = db, tenant, day
        self._head = tenant_day(db, tenant, day)
        self.reference = tenant_day(db, tenant, day, random.randrange(SHARDS))
        self._lock = threading.Lock()
        self._limit: Limit | None = None

    def add(self, batch: WriteBatch, *, reserved: Amount, spent: Amount = NONE) -> None:
        """Add to what is reserved and spent, in a batch that is committed at most once."""
        self._add(batch, self.reference, reserved=reserved, spent=spent)

    def covers(self, account: Account, limit: Limit) -> bool:
        """Whether the shard's grant covers its reservations, by the sums that a commit answered."""
        return limit == self._limit and limit.allows(account.used, of=account.granted)

    def cover(self, limit: Limit, need: Amount) -> None:
        """Get the grant that the shard's reservations lack.

        Args:
            need: What the newest of them takes.
        Raises:
            BudgetExhausted: There is no more; that reservation is to be taken back.
            Unavailable: Firestore cannot be reached.
        """
        from google.api_core.exceptions import GoogleAPICallError, RetryError

        try:
            with self._lock:
                self._cover(limit, need)
        except (GoogleAPICallError, RetryError) as error:
            raise Unavailable(f"the tenant's budget could not be changed: {error}") from error

    def _cover(self, limit: Limit, need: Amount) -> None:
        for _ in attempts(within_s=HEAD_S, most_pause_s=HEAD_PAUSE_S):
            head, own = read_all(self._db, self._head, self.reference)
            granted, account = Account.of(head.to_dict()).granted, Account.of(own.to_dict())
            if not limit.allows(granted):
                self._limit = None  # it was lowered: each call looks what the shards use together
                if limit.allows(sum((each.used for _, each in self._accounts()), NONE)):
                    return
                raise _exhausted(is_for_now=False)
            self._limit = limit
            if limit.allows(account.used, of=account.granted):
                return
            missing = (account.used - account.granted).at_least(NONE)
            parts = (limit.part(GRANTS).at_least(missing), missing)
            wanted = next((part for part in parts if limit.allows(granted + part)), None)
            if wanted is None:
                break
            batch = self._db.batch()
            grant = granted + wanted
            sums = {"grantedMicroUsd": grant.micro_usd, "grantedTokens": grant.tokens}
            write_unchanged(batch, head, self._named() | sums)
            if try_commit(batch) is not None:  # otherwise somebody else was granted something
                self._commit(self.reference, granted=wanted)
                return
        else:
            raise _contended()
        accounts = self._accounts()
        for reference, other in accounts:
            unused = (other.granted - other.used).at_least(NONE)
            if reference == self.reference or limit.allows(unused, of=NONE):
                continue
            wanted = unused.at_most(missing.at_least(unused.half))
            answer = self._commit(reference, granted=NONE - wanted)
            if not limit.allows(answer.used, of=answer.granted):
                self._commit(reference, granted=wanted)
                continue
            account = self._commit(self.reference, granted=wanted)
            if limit.allows(account.used, of=account.granted):
                return
            missing = (account.used - account.granted).at_least(NONE)
        spent = sum((each.spent for _, each in accounts), NONE)
        raise _exhausted(is_for_now=limit.allows(spent + need))

    def _accounts(self) -> list[tuple[DocumentReference, Account]]:
        """Return the shards that there are, in any order: who looks at once begins elsewhere."""
        every = [tenant_day(self._db, self._tenant, self._day, each) for each in range(SHARDS)]
        random.shuffle(every)
        found = read_all(self._db, *every)
        return [(each.reference, Account.of(each.to_dict())) for each in found if each.exists]

    def _commit(self, reference: DocumentReference, *, granted: Amount) -> Account:
        """Add to a grant, and return the sums. Not sent again by the client library: an answer that
        is lost leaves a grant unused for the day, and none twice."""
        from google.api_core.exceptions import Aborted

        for _ in attempts():
            batch = self._db.batch()
            self._add(batch, reference, granted=granted)
            with suppress(Aborted):  # too many at once: nothing was written
                return Account.answered(batch.commit(retry=None)[0])
        raise _contended()

    def _named(self) -> dict[str, Any]:
        """Return the fields that a head and a shard have beside their sums."""
        return {
            "schemaVersion": SCHEMA_VERSION,
            "tenant": self._tenant,
            "day": self._day.isoformat(),
            "expiresAt": expiry(self._day),
        }

    def _add(self, batch: WriteBatch, reference: DocumentReference, **amounts: Amount) -> None:
        fields = self._named()
        for name in ("granted", "reserved", "spent"):
            fields |= increments(name, amounts.get(name, NONE))
        batch.set(reference, fields, merge=True)


def _exhausted(*, is_for_now: bool) -> BudgetExhausted:
    why = "used up; it renews at 00:00 UTC"
    if is_for_now:
        why = "reserved by runs under way; try again when one of them has ended"
    return BudgetExhausted(f"your organisation's budget for today is {why}", is_for_now=is_for_now)


def _contended() -> Unavailable:
    return Unavailable("too many calls are being paid for at once; try again", retry_after_s=1)


_shards: dict[tuple[str, str, date], TenantShard] = {}
_lock = threading.Lock()


def tenant_shard(db: Client, tenant: str, day: date) -> TenantShard:
    """Return this process's shard of a tenant's day."""
    place = (f"{db.project}/{db._database}", tenant, day)
    with _lock:
        for known in [known for known in _shards if known[2] < day - timedelta(days=1)]:
            del _shards[known]
        return _shards.setdefault(place, TenantShard(db, tenant, day))
