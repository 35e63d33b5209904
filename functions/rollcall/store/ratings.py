"""Ratings: what users think of answers.

    ratings/{threadId}~{runId}   threadId, runId, uid, turnId, agent, rating ("up", "down", null),
                                 comment, number, writes, createdAt, updatedAt

Each run has one rating, which the user may change; the audit log has an entry for each change, so
that changes can be counted. A rating is written on the condition that its run is unchanged. So a
run that is being erased either gets no rating, or one that is erased with it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rollcall.core.context import User
from rollcall.core.errors import (
    FailedPrecondition,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.redaction import redacted
from rollcall.core.texts import TEXTS
from rollcall.core.wire import SCHEMA_VERSION, RateRequest, RunStatus
from rollcall.store import audit, paths
from rollcall.store.batches import attempts, read_all, try_commit, update_unchanged, write_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client

MAX_WRITES = 100
"""How often one answer's rating may be written, including changes of the comment alone."""


def rate(db: Client, user: User, request: RateRequest) -> dict[str, Any]:
    """Store a user's rating of an answer; the same rating changes nothing.

    Returns:
        `{threadId, runId, rating, comment}`.
    Raises:
        NotFound: There is no such run or message.
        PermissionDenied: The run is another user's.
        FailedPrecondition: The run has not ended.
        ResourceExhausted: The answer was rated too often.
        Unavailable: Concurrent writes made every attempt fail.
    """
    run_id = request.run_id
    if run_id is None:
        number = int(request.message_id or "")
        message = paths.message(db, request.thread_id, number).get().to_dict()
        if message is None:
            raise NotFound(TEXTS.text("errors.no_message"), field="messageId")
        if message["uid"] != user.uid:
            raise PermissionDenied(TEXTS.text("errors.others_message"), field="messageId")
        run_id = str(message["runId"])
    references = (
        paths.run(db, request.thread_id, run_id),
        paths.rating(db, request.thread_id, run_id),
    )
    for _ in attempts():
        run_read, rating_read = read_all(db, *references)
        run, before = run_read.to_dict(), rating_read.to_dict() or {}
        if run is None:
            raise NotFound(TEXTS.text("errors.no_run"), field="runId")
        if run["uid"] != user.uid:
            raise PermissionDenied(TEXTS.text("errors.others_run"), field="runId")
        if run["status"] == RunStatus.RUNNING:
            raise FailedPrecondition(
                TEXTS.text("errors.run_going_on"),
                field="runId",
                hint=TEXTS.text("hints.rate_later"),
            )
        comment = redacted(request.comment) if request.comment else None
        ids = {"threadId": request.thread_id, "runId": run_id}
        stored = {**ids, "rating": request.rating, "comment": comment}
        rating_before = before.get("rating")
        is_new = rating_before != request.rating
        if not is_new and before.get("comment") == comment:
            return stored
        number = before.get("number", 0) + is_new
        writes = before.get("writes", 0) + 1
        if writes > MAX_WRITES and request.rating is not None:  # a rating can always be taken back
            raise ResourceExhausted(
                TEXTS.text("errors.rating_written_too_often", most=MAX_WRITES),
                hint=TEXTS.text("hints.take_back"),
            )
        now, batch = datetime.now(UTC), db.batch()
        document = {
            **stored,
            "schemaVersion": SCHEMA_VERSION,
            "uid": user.uid,
            "turnId": run["turnId"],
            "agent": run["agent"],
            "number": number,
            "writes": writes,
            "createdAt": before.get("createdAt", now),
            "updatedAt": now,
        }
        write_unchanged(batch, rating_read, document)
        # The same value again: this only checks that the run is unchanged.
        update_unchanged(batch, run_read, {"uid": run["uid"]})
        if is_new:
            result = json.loads(run.get("result") or "{}")  # a failed run has none
            called = [call["tool"] for call in result.get("toolCalls", ())]
            entry = audit.entry(
                "rating",
                request.thread_id,
                run_id,
                str(number),
                uid=user.uid,
                at=now,
                **ids,
                agent=run["agent"],
                variant=json.loads(run["request"]).get("variant"),
                called=audit.tool_names(called),
                runDay=run["createdAt"].astimezone(UTC).date().isoformat(),
                rating=request.rating,
                before=rating_before,
            )
            audit.write(batch, db, entry)
        if try_commit(batch) is not None:
            return stored
    raise Unavailable(TEXTS.text("errors.rating_not_stored"), retry_after_s=1)
