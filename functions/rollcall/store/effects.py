"""The effect ledger: every write of a tool happens at most once.

A write has a key, minted with its call. `effects/{key}` is created before anything is done, and
whoever creates it is the only one to do it. What came of it is noted there:

    pending --> done      it happened; the result is kept, and a repeat is given the same
            --> failed    it did not happen, and the reason is kept
            --> unknown   it was begun, and nobody can say

A capability that is `atomic` puts its writes into a batch, and the ledger's note goes into the
same batch: both happen or neither, so a cut-off one can be done again safely.
"""

from __future__ import annotations

import hashlib
import json
import logging
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from msgspec import Struct

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
from rollcall.core.incidents import report
from rollcall.core.options import lease_s
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.wire import SCHEMA_VERSION, RunStatus
from rollcall.store import audit, paths

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

RESULT_CHARS = 200_000
IN_PROGRESS = timedelta(minutes=10)
"""As long as this a write that was begun may still be going on in another process."""
PATIENCE_S = 10.0
"""How long a repeat waits for the one who is doing it."""

log = logging.getLogger("rollcall")


class EffectStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Effect(Struct, frozen=True):
    """One write: its key, whose it is, and what it would do."""

    key: str
    uid: str
    tool: str
    version: int
    arguments_digest: str
    thread_id: str | None = None
    run_id: str | None = None
    call_id: str | None = None
    approval_id: str | None = None


class Write(Struct, frozen=True):
    """How a capability writes.

    Attributes:
        work: Does it, given the batch of an atomic capability, and returns plain JSON.
        atomic: All its writes go into that batch.
        find: Whether the write of this key happened: its result, or None. None where the
            capability cannot tell.
    """

    work: Callable[[WriteBatch | None], Any]
    atomic: bool = False
    find: Callable[[], Any] | None = None


def effect_key(*parts: object) -> str:
    """The key of one effect; the same for every try of it."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:40]


def perform_once(db: Client, effect: Effect, way: Write, *, waits_for_others: bool) -> Any:
    """Do a write, unless it was done before; return its result, plain JSON.

    Args:
        waits_for_others: Somebody else may be doing this very write now (a client that calls
            twice), so one that was begun a short while ago is left to them.
    Raises:
        OutcomeUnknown: It was begun before and cut off, or it broke off now; nobody knows.
        AlreadyExists: The key was used for a write with other arguments.
        Aborted: Somebody else is doing it (where those are waited for), or what it changes has
            changed meanwhile.
        AgentError: It failed, now or the first time, and did not happen.
    """
    begun_at = _begin(db, effect)
    if begun_at is None:
        return _again(db, effect, way, waits_for_others=waits_for_others)
    return _do(db, effect, way, begun_at)


def read_effects(db: Client, keys: list[str]) -> dict[str, dict[str, Any]]:
    """The ledger's entries of these keys, those that exist."""
    references = [paths.effect(db, key) for key in keys]
    if not references:
        return {}
    return {each.id: each.to_dict() or {} for each in db.get_all(references) if each.exists}


def _begin(db: Client, effect: Effect) -> Any:
    """Claim the effect; its document's time, or None if somebody claimed it before."""
    from google.api_core.exceptions import AlreadyExists as Taken

    entry = {
        "schemaVersion": SCHEMA_VERSION,
        "uid": effect.uid,
        "tool": effect.tool,
        "version": effect.version,
        "argumentsDigest": effect.arguments_digest,
        "threadId": effect.thread_id,
        "runId": effect.run_id,
        "callId": effect.call_id,
        "approvalId": effect.approval_id,
        "status": EffectStatus.PENDING.value,
        "mayBeTriedAgain": False,
        "claim": uuid.uuid4().hex,
        "startedAt": datetime.now(UTC),
    }
    try:
        time = paths.effect(db, effect.key).create(entry).update_time
    except Taken:
        found, time = _entry(db, effect)
        # The client asks again by itself when an answer is lost; then the first one was ours.
        if found.get("claim") != entry["claim"]:
            return None
    _check_run_goes_on(db, effect)
    return time


def _check_run_goes_on(db: Client, effect: Effect) -> None:
    """An erasure takes the entries that close a run's calls, so a claim that comes after it must
    not count; one that comes before is found by it.

    Raises:
        Aborted: The run has ended, or is gone.
    """
    if not (effect.thread_id and effect.run_id):
        return
    run = paths.run(db, effect.thread_id, effect.run_id).get(["status"]).to_dict()
    if run is None or run.get("status") != RunStatus.RUNNING:
        paths.effect(db, effect.key).delete()
        raise Aborted("this run has ended; nothing was written")


def _again(db: Client, effect: Effect, way: Write, *, waits_for_others: bool) -> Any:
    """The write was begun before: give its outcome, or find out."""
    entry, time = _entry(db, effect)
    if entry.get("uid") != effect.uid or entry["argumentsDigest"] != effect.arguments_digest:
        raise AlreadyExists("this key was used for another write; use a new one", field="callKey")
    status = EffectStatus(entry["status"])
    if status is EffectStatus.DONE:
        return json.loads(entry["result"])
    if status is EffectStatus.FAILED and not entry["mayBeTriedAgain"]:
        raise FailedPrecondition(f"this was tried before and failed: {entry['error']}")
    if status is EffectStatus.PENDING and waits_for_others:
        entry, time = _settled(db, effect, entry, time)
        status = EffectStatus(entry["status"])
        if status is EffectStatus.DONE:
            return json.loads(entry["result"])
    if status is EffectStatus.FAILED or (way.atomic and status is EffectStatus.PENDING):
        claimed = _note(db, effect, EffectStatus.PENDING, before=time)
        if claimed is not None:
            return _do(db, effect, way, claimed)
        if waits_for_others:  # who asks again does so under the same key
            raise Aborted("this very call is being carried out; ask again", retry_after_s=2)
        failed = FailedPrecondition("this was tried at the same time elsewhere, and failed")
        return _of_others(db, effect, failed)
    if way.find is not None:
        may_go_on = datetime.now(UTC) - entry["startedAt"] < timedelta(seconds=lease_s())
        return _found(db, effect, way.find, time, may_go_on=may_go_on)
    raise _unknown(db, effect, "it was begun and cut off before its end was noted", before=time)


def _settled(
    db: Client, effect: Effect, entry: dict[str, Any], time: Any
) -> tuple[dict[str, Any], Any]:
    """Wait a while for whoever is doing it; one that was begun long ago is done by nobody."""
    patience = monotonic() + PATIENCE_S
    while entry.get("status") == EffectStatus.PENDING:
        if datetime.now(UTC) - entry["startedAt"] > IN_PROGRESS:
            break
        if monotonic() > patience:
            raise Aborted("this very call is being carried out; ask again", retry_after_s=5)
        sleep(0.1)
        entry, time = _entry(db, effect)
    if not entry:
        raise NotFound("what was written under this key was erased", field="callKey")
    return entry, time


def _found(
    db: Client, effect: Effect, find: Callable[[], Any], time: Any, *, may_go_on: bool
) -> Any:
    """Let the capability itself say whether a cut-off write happened. That it did not is believed
    only when whoever began it has had its time: it may be about to."""
    result = find()
    if result is None and may_go_on:
        raise _unknown(db, effect, "it was begun a moment ago and may still happen", before=time)
    if result is None:
        message = "it was cut off before anything was written"
        _note(db, effect, EffectStatus.FAILED, error=message, again=True, before=time)
        raise Unavailable(f"{message}; it may be asked for again")
    _note_truth(db, effect, EffectStatus.DONE, result=result)
    return result


def _do(db: Client, effect: Effect, way: Write, begun_at: Any) -> Any:
    batch = db.batch() if way.atomic else None
    try:
        result = way.work(batch)
    except OutcomeUnknown as error:
        raise _unknown(db, effect, error.message) from error
    except AgentError as error:
        return _failed(db, effect, error, begun_at)
    except Exception as error:
        if way.atomic:  # what was gathered is thrown away with the batch
            _note(db, effect, EffectStatus.FAILED, error=type(error).__name__, before=begun_at)
            raise
        report(error, f"the effect {effect.key} of {effect.tool} broke off")
        raise _unknown(db, effect, "it broke off on our side") from error
    if batch is not None:
        return _commit(db, effect, batch, result, begun_at)
    _note_truth(db, effect, EffectStatus.DONE, result=result)
    return result


def _failed(db: Client, effect: Effect, error: AgentError, begun_at: Any) -> Any:
    """Note a failure, unless somebody else has taken an atomic write over meanwhile: then theirs
    counts."""
    again = isinstance(error, Unavailable | Aborted | ResourceExhausted)
    noted = _note(
        db, effect, EffectStatus.FAILED, error=error.message, again=again, before=begun_at
    )
    if noted is None:
        return _of_others(db, effect, error)
    raise error


def _of_others(db: Client, effect: Effect, failure: AgentError) -> Any:
    """What comes of a write that somebody else has taken over: they are waited for.

    Raises:
        OutcomeUnknown: They are still at it.
        AgentError: `failure`: they did not write either.
    """
    ends = monotonic() + PATIENCE_S
    entry, _ = _entry(db, effect)
    while entry.get("status") == EffectStatus.PENDING:
        if monotonic() > ends:
            raise OutcomeUnknown(
                f"nobody knows whether {effect.tool} happens: it is being carried out elsewhere",
                hint="look before it is done again",
            )
        sleep(0.1)
        entry, _ = _entry(db, effect)
    if entry.get("status") == EffectStatus.DONE:
        return json.loads(entry["result"])
    raise failure


def _commit(db: Client, effect: Effect, batch: WriteBatch, result: Any, begun_at: Any) -> Any:
    """Commit an atomic write together with the ledger's note of it.

    Whatever the commit says, the ledger's entry is in the same batch and tells what happened;
    and writing that entry anew keeps a commit that is still on its way from happening later.
    """
    from google.api_core.exceptions import Aborted as Contended
    from google.api_core.exceptions import AlreadyExists as Exists
    from google.api_core.exceptions import FailedPrecondition as Moved
    from google.api_core.exceptions import GoogleAPIError, NotFound
    from google.api_core.exceptions import InvalidArgument as Unfit

    option = db.write_option(last_update_time=begun_at)
    done = _outcome(EffectStatus.DONE, result=result)
    batch.update(paths.effect(db, effect.key), done, option=option)
    audit.write(batch, db, _trace(effect, EffectStatus.DONE))
    try:
        batch.commit()
    except (Contended, Moved, Exists, NotFound):
        refused = Aborted(
            "what this would change was changed meanwhile; nothing was written",
            hint="look again at how it is now",
        )
        return _failed(db, effect, refused, begun_at)
    except Unfit as error:
        log.error("the database does not take what %s writes: %r", effect.tool, error)
        unfit = InvalidArgument(
            f"the database does not take what {effect.tool} would write; nothing was written",
            hint="it may be too large: ask for less at once",
        )
        return _failed(db, effect, unfit, begun_at)
    except GoogleAPIError:
        broken = Unavailable("the database did not take the write; nothing was written")
        try:
            return _failed(db, effect, broken, begun_at)
        except GoogleAPIError as error:
            raise OutcomeUnknown(
                f"nobody knows whether {effect.tool} happened: the database does not answer",
                hint="look before it is done again",
            ) from error
    return result


def _unknown(db: Client, effect: Effect, what: str, *, before: Any = None) -> OutcomeUnknown:
    _note_truth(db, effect, EffectStatus.UNKNOWN, error=what, before=before)
    return OutcomeUnknown(
        f"nobody knows whether {effect.tool} happened: {what}",
        hint="look before it is done again",
    )


def _note_truth(db: Client, effect: Effect, status: EffectStatus, **what: Any) -> None:
    """Note what is so whether or not it can be noted."""
    from google.api_core.exceptions import GoogleAPIError

    try:
        _note(db, effect, status, **what)
    except GoogleAPIError:
        log.exception("effect %s of %s is %s, which was not noted", effect.key, effect.tool, status)


def _note(
    db: Client,
    effect: Effect,
    status: EffectStatus,
    *,
    result: Any = None,
    error: str = "",
    again: bool = False,
    before: Any = None,
) -> Any:
    """Write what came of it, if the entry is as it was at `before`; None if it is not, or if it
    was erased with its thread."""
    from google.api_core.exceptions import FailedPrecondition as Moved
    from google.api_core.exceptions import NotFound as Gone

    option = db.write_option(last_update_time=before) if before is not None else None
    fields = {**_outcome(status, result=result, error=error), "mayBeTriedAgain": again}
    if status is EffectStatus.PENDING:
        fields["startedAt"] = datetime.now(UTC)
    batch = db.batch()
    batch.update(paths.effect(db, effect.key), fields, option=option)
    if status is not EffectStatus.PENDING:
        audit.write(batch, db, _trace(effect, status))
    try:
        return batch.commit()[0].update_time
    except (Moved, Gone):
        return None


def _trace(effect: Effect, status: EffectStatus) -> dict[str, Any]:
    now = datetime.now(UTC)
    return audit.effect_entry(
        uid=effect.uid,
        key=effect.key,
        tool=effect.tool,
        version=effect.version,
        arguments_digest=effect.arguments_digest,
        status=status.value,
        tried_at=now,
        at=now,
        thread_id=effect.thread_id,
        run_id=effect.run_id,
        approval_id=effect.approval_id,
    )


def _entry(db: Client, effect: Effect) -> tuple[dict[str, Any], Any]:
    snapshot = paths.effect(db, effect.key).get()
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
