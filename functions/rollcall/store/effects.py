"""The effect ledger: every write of a tool happens at most once.

    effects/{key}   uid, tool, version, argumentsDigest, threadId, runId, callId, approvalId, claim,
                    status, mayBeTriedAgain, result, error, startedAt, endedAt

Each write has a key, which is created with its call. `effects/{key}` is created before anything is
done, and only the process that created it performs the write. It stores the outcome:

    pending --> done      the write happened; its result is stored, and a repeat returns it
            --> failed    the write did not happen; the reason is stored
            --> unknown   the write began, and nobody can say whether it happened

A capability that is `atomic` puts its writes into a batch, which also updates the ledger: both
happen or neither, so a write that was cut off can safely be done again. If its data changed before
the commit, even by a trigger of our own, the capability runs again on the new data.
"""

from __future__ import annotations

import hashlib
import json
import logging
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from rollcall.core.errors import (
    Aborted,
    AgentError,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    OutcomeUnknown,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.logs import report_incident
from rollcall.core.options import lease_s
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.texts import TEXTS, Text
from rollcall.core.wire import SCHEMA_VERSION, RunStatus
from rollcall.store import audit, paths
from rollcall.store.batches import attempts

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

RESULT_CHARS = 200_000
IN_PROGRESS = timedelta(minutes=10)
"""How long a write that was begun may still be in progress in another process."""
MAX_ATTEMPTS = 5
"""How often an atomic capability runs whose data keeps changing, until its write is refused."""
PATIENCE_S = 10.0
"""How long a repeat waits for the process that is doing the write."""

log = logging.getLogger("rollcall")


class EffectStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Effect(Struct, frozen=True, rename="camel"):
    """One write of a tool, as the ledger identifies it."""

    key: str
    uid: str
    tool: str
    version: int
    arguments_digest: str
    thread_id: str | None = None
    run_id: str | None = None
    call_id: str | None = None
    approval_id: str | None = None

    def entry(self, status: EffectStatus) -> dict[str, Any]:
        """Return the ledger's entry for a write that begins, or that is closed before it begins."""
        fields = to_builtins(self)
        del fields["key"]  # it is the entry's id
        return {
            "schemaVersion": SCHEMA_VERSION,
            **fields,
            "status": status.value,
            "mayBeTriedAgain": False,
            "startedAt": datetime.now(UTC),
        }


class Write(Struct, frozen=True):
    """How a capability performs a write.

    Attributes:
        work: Performs the write and returns plain JSON. An atomic capability gets a batch, and is
            called again with a new one if the data changed before the commit.
        atomic: Whether all writes go into that batch.
        find: Finds out whether the write of this key happened, and returns its result or None.
            None if the capability cannot find out.
    """

    work: Callable[[WriteBatch | None], Any]
    atomic: bool = False
    find: Callable[[], Any] | None = None


def effect_key(*parts: object) -> str:
    """Return the key of an effect, which is the same for every attempt at it."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:40]


def perform_once(db: Client, effect: Effect, write: Write, *, waits_for_others: bool) -> Any:
    """Perform a write unless it was done before; return its result as plain JSON.

    Args:
        waits_for_others: Wait for a write that began recently, since another process may be doing
            it (for a client that calls twice).
    Raises:
        OutcomeUnknown: The write was cut off, now or before, and may or may not have happened.
        AlreadyExists: The key was used for a write with other arguments.
        Aborted: Another process is doing the write (with `waits_for_others`), or the data that it
            changes has changed at every attempt.
        AgentError: The write failed, now or before, and did not happen.
    """
    performance = _Performance(db, effect, write, waits_for_others)
    time = performance.claim()
    return performance.repeat() if time is None else performance.do(time)


class _Performance(Struct, frozen=True):
    """One call of `perform_once`.

    `time` is always the update time of the ledger's entry. An update that requires it is refused
    if another process has written the entry since.
    """

    db: Client
    effect: Effect
    write: Write
    waits_for_others: bool

    def claim(self) -> Any:
        """Create the ledger's entry; return its update time, or None if it already existed.

        Raises:
            Aborted: The run has ended, or is gone. An erasure also deletes the entries that close a
                run's calls, so a claim made after it must not count; it finds earlier claims.
        """
        from google.api_core.exceptions import AlreadyExists as Taken

        effect = self.effect
        entry = {**effect.entry(EffectStatus.PENDING), "claim": uuid.uuid4().hex}
        try:
            time = paths.effect(self.db, effect.key).create(entry).update_time
        except Taken:
            stored, time = self._entry()
            # Firestore's client retries by itself when an answer is lost; then the entry is ours.
            if stored.get("claim") != entry["claim"]:
                return None
        if effect.thread_id and effect.run_id:
            run = paths.run(self.db, effect.thread_id, effect.run_id).get(["status"]).to_dict()
            if run is None or run.get("status") != RunStatus.RUNNING:
                paths.effect(self.db, effect.key).delete()
                raise Aborted(TEXTS.text("errors.run_ended"))
        return time

    def repeat(self) -> Any:
        """Return the outcome of a write that was begun before, or determine it."""
        effect, write = self.effect, self.write
        entry, time = self._entry()
        if entry.get("uid") != effect.uid or entry["argumentsDigest"] != effect.arguments_digest:
            raise AlreadyExists(
                "this key was used for another write; use a new one", field="callKey"
            )
        status = EffectStatus(entry["status"])
        if status is EffectStatus.FAILED and not entry["mayBeTriedAgain"]:
            raise FailedPrecondition(TEXTS.text("errors.failed_before", error=entry["error"]))
        if status is EffectStatus.PENDING and self.waits_for_others:
            busy = Aborted(TEXTS.text("errors.call_in_progress"), retry_after_s=5)
            entry, time = self._wait(busy)
            if not entry:
                raise NotFound(TEXTS.text("errors.written_erased"), field="callKey")
            status = EffectStatus(entry["status"])
        if status is EffectStatus.DONE:
            return json.loads(entry["result"])
        if status is EffectStatus.FAILED or (write.atomic and status is EffectStatus.PENDING):
            claimed = self._note(EffectStatus.PENDING, time=time)
            if claimed is not None:
                return self.do(claimed)
            if self.waits_for_others:  # the client repeats its call under the same key
                raise Aborted(TEXTS.text("errors.call_in_progress"), retry_after_s=2)
            failed = FailedPrecondition(TEXTS.text("errors.failed_elsewhere"))
            return self._outcome_of_others(failed)
        if write.find is None:
            raise self._unknown(TEXTS.text("errors.interrupted"), time=time)
        if (result := write.find()) is not None:
            self._note_if_possible(EffectStatus.DONE, result=result)
            return result
        # It counts as not done only after the lease of the process that began it: until then that
        # process may be about to write.
        if datetime.now(UTC) - entry["startedAt"] < timedelta(seconds=lease_s()):
            raise self._unknown(TEXTS.text("errors.may_still_happen"), time=time)
        message = "it was cut off before anything was written"
        self._note(EffectStatus.FAILED, error=message, again=True, time=time)
        raise Unavailable(TEXTS.text("errors.cut_off"))

    def _wait(self, busy: AgentError) -> tuple[dict[str, Any], Any]:
        """Wait for the process that does the write; one that began long ago has no process any
        more.

        Returns:
            The entry and its update time.
        Raises:
            AgentError: `busy`, if that process is not done in time.
        """
        ends = monotonic() + PATIENCE_S
        while True:
            entry, time = self._entry()
            is_pending = entry.get("status") == EffectStatus.PENDING
            if not is_pending or datetime.now(UTC) - entry["startedAt"] > IN_PROGRESS:
                return entry, time
            if monotonic() > ends:
                raise busy
            sleep(0.1)

    def do(self, time: Any) -> Any:
        """Perform the write and store its outcome."""
        from google.api_core.exceptions import Conflict
        from google.api_core.exceptions import FailedPrecondition as Moved
        from google.api_core.exceptions import NotFound as Gone

        for _ in islice(attempts(), MAX_ATTEMPTS):
            batch = self.db.batch() if self.write.atomic else None
            try:
                result = self.write.work(batch)
            except OutcomeUnknown as error:
                raise self._unknown(error.text) from error
            except AgentError as error:
                return self._failed(error, time)
            except Exception as error:
                if self.write.atomic:  # its batch is never committed
                    self._note(EffectStatus.FAILED, error=type(error).__name__, time=time)
                    raise
                incident = f"the effect {self.effect.key} of {self.effect.tool} broke off"
                report_incident(error, incident)
                raise self._unknown(TEXTS.text("errors.failed_on_our_side")) from error
            if batch is None:
                self._note_if_possible(EffectStatus.DONE, result=result)
                return result
            try:
                return self._commit(batch, result, time)
            except (Conflict, Moved, Gone):
                if self._entry()[1] != time:  # taken over by another process, done, or erased
                    break
        changed = Aborted(
            TEXTS.text("errors.changed_meanwhile"), hint=TEXTS.text("hints.look_again")
        )
        return self._failed(changed, time)

    def _commit(self, batch: WriteBatch, result: Any, time: Any) -> Any:
        """Commit an atomic write together with the ledger's entry.

        Whatever the commit returns, the entry, which is in the same batch, tells what happened.
        Writing the entry again keeps a commit that is still in flight from taking effect later.

        Raises:
            Conflict, Moved, Gone: The data or the entry has changed, and this commit wrote nothing.
        """
        from google.api_core.exceptions import Conflict, GoogleAPIError
        from google.api_core.exceptions import FailedPrecondition as Moved
        from google.api_core.exceptions import InvalidArgument as Unfit
        from google.api_core.exceptions import NotFound as Gone

        tool = self.effect.tool
        option = self.db.write_option(last_update_time=time)
        done = _outcome(EffectStatus.DONE, result=result)
        batch.update(paths.effect(self.db, self.effect.key), done, option=option)
        self._add_audit_entry(batch, EffectStatus.DONE)
        try:
            batch.commit()
        except (Conflict, Moved, Gone):
            raise
        except Unfit as error:
            log.error("the database does not take what %s writes: %r", tool, error)
            unfit = InvalidArgument(
                TEXTS.text("errors.unfit_write", tool=tool),
                hint=TEXTS.text("hints.ask_for_less"),
            )
            return self._failed(unfit, time)
        except GoogleAPIError:
            broken = Unavailable(TEXTS.text("errors.write_failed"))
            try:
                return self._failed(broken, time)
            except GoogleAPIError as error:
                raise OutcomeUnknown(
                    TEXTS.text("errors.write_not_answered", tool=tool),
                    hint=TEXTS.text("hints.look_before"),
                ) from error
        return result

    def _failed(self, error: AgentError, time: Any) -> Any:
        """Note a failure and raise it, unless another process has taken over an atomic write in the
        meantime: then its outcome counts."""
        again = isinstance(error, Unavailable | Aborted | ResourceExhausted)
        noted = self._note(EffectStatus.FAILED, error=error.message, again=again, time=time)
        if noted is None:
            return self._outcome_of_others(error)
        raise error

    def _outcome_of_others(self, failure: AgentError) -> Any:
        """Wait for a write that another process has taken over, and return its result.

        Raises:
            OutcomeUnknown: That process is not done.
            AgentError: `failure`, if that process did not write either.
        """
        busy = OutcomeUnknown(
            TEXTS.text("errors.write_elsewhere", tool=self.effect.tool),
            hint=TEXTS.text("hints.look_before"),
        )
        entry, _ = self._wait(busy)
        if entry.get("status") == EffectStatus.DONE:
            return json.loads(entry["result"])
        raise busy if entry.get("status") == EffectStatus.PENDING else failure

    def _unknown(self, what: str | Text, *, time: Any = None) -> OutcomeUnknown:
        self._note_if_possible(EffectStatus.UNKNOWN, error=str(what), time=time)
        return OutcomeUnknown(
            TEXTS.text("errors.write_unknown", tool=self.effect.tool, what=what),
            hint=TEXTS.text("hints.look_before"),
        )

    def _note_if_possible(self, status: EffectStatus, **outcome: Any) -> None:
        """Write a status to the entry; log it if that fails, since it holds in any case."""
        from google.api_core.exceptions import GoogleAPIError

        try:
            self._note(status, **outcome)
        except GoogleAPIError:
            key, tool = self.effect.key, self.effect.tool
            log.exception("effect %s of %s is %s, which was not noted", key, tool, status)

    def _note(
        self,
        status: EffectStatus,
        *,
        result: Any = None,
        error: str = "",
        again: bool = False,
        time: Any = None,
    ) -> Any:
        """Write a status to the entry.

        Args:
            time: The entry's expected update time.
        Returns:
            The entry's new update time; None if the entry has changed since `time`, or was erased
            with its thread.
        """
        from google.api_core.exceptions import FailedPrecondition as Moved
        from google.api_core.exceptions import NotFound as Gone

        fields = {**_outcome(status, result=result, error=error), "mayBeTriedAgain": again}
        if status is EffectStatus.PENDING:
            fields["startedAt"] = datetime.now(UTC)
        option = self.db.write_option(last_update_time=time) if time is not None else None
        batch = self.db.batch()
        batch.update(paths.effect(self.db, self.effect.key), fields, option=option)
        if status is not EffectStatus.PENDING:
            self._add_audit_entry(batch, status)
        try:
            return batch.commit()[0].update_time
        except (Moved, Gone):
            return None

    def _add_audit_entry(self, batch: WriteBatch, status: EffectStatus) -> None:
        """Add an audit entry to the batch: one for each outcome of each attempt at a write."""
        effect, now = self.effect, datetime.now(UTC)
        entry = audit.entry(
            "effect",
            effect.key,
            status.value,
            now.isoformat(),
            uid=effect.uid,
            at=now,
            tool=effect.tool,
            effectKey=effect.key,
            version=effect.version,
            argumentsDigest=effect.arguments_digest,
            status=status.value,
            threadId=effect.thread_id,
            runId=effect.run_id,
            approvalId=effect.approval_id,
        )
        audit.write(batch, self.db, entry)

    def _entry(self) -> tuple[dict[str, Any], Any]:
        snapshot = paths.effect(self.db, self.effect.key).get()
        return snapshot.to_dict() or {}, snapshot.update_time


def _outcome(status: EffectStatus, *, result: Any = None, error: str = "") -> dict[str, Any]:
    text = json.dumps(redacted_json(result), ensure_ascii=False)
    if len(text) > RESULT_CHARS:
        text = json.dumps({"note": "done; the result was too large to keep"})
    return {
        "status": status.value,
        "result": text if status is EffectStatus.DONE else None,
        "error": redacted(error)[:500] or None,
        "endedAt": None if status is EffectStatus.PENDING else datetime.now(UTC),
    }
