"""Opens a run with a user's message, in one preconditioned batch.

    threads/{t}   uid, agent, title, status, context, place, lease, leaseToken, waiting, allowed,
                  nextMessage, messageKeys, newestTurn, createdAt, updatedAt, erasing

The batch appends the message, takes the thread's lease, creates the run, counts it in the user's
day, and answers the calls that an earlier run left open. The usual opening reads the thread, its
view and the user's day, and trusts that the rest is as it should be: the run is created, which
fails where it exists. One whose id is its client's is looked for in all threads at the same time
(`runs`).

A message may replace the thread's newest turn: a retry, or an edit. The log keeps both. The message
that replaces a turn names it (`replaces`) and says what it has done that cannot be undone
(`stays`); whoever reads the log from then on leaves the turn out.
"""

from __future__ import annotations

import itertools
import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.context import User
from rollcall.core.errors import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    NotFound,
    PermissionDenied,
)
from rollcall.core.messages import UserMessage
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.core.texts import TEXTS
from rollcall.core.titles import title_of
from rollcall.store import migrations, paths
from rollcall.store.admission import Admission
from rollcall.store.approvals import Approval
from rollcall.store.attachments import file_records, take_files, with_attachments
from rollcall.store.batches import attempts, read_all, try_commit, where, write_unchanged
from rollcall.store.event_log import EventLog
from rollcall.store.message_log import (
    lasting_effects,
    new_stamp,
    read_history,
    read_log,
    read_recent,
    user_document,
    without_replaced,
)
from rollcall.store.open_run import OpenRun
from rollcall.store.run_closing import close_calls, find_leased_run, next_lease
from rollcall.store.runs import (
    RunState,
    check_found_run,
    is_generated_id,
    new_run,
    read_for_opening,
    run_erased,
    run_key,
    state_for_repeat,
)

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.store.batches import DocumentSnapshot

MAX_CONTEXT_KEYS = 20
"""How many of a context's keys are looked at for ids."""
ID_CHARS = 128
_ID_KEY = re.compile(r"[a-z][A-Za-z0-9]{0,39}Id")
OPENING_S = 20.0
"""How long an opening is tried again that others are faster than: those of one user meet in the
user's day."""
MESSAGE_KEYS = 20
"""How many of the newest messages' keys a thread keeps, of clients whose messages have any."""
MOST_STAYS = 40
"""Lines of what was done and stays: the newest, of as many tries as there were."""

Field = Literal["retry", "replaces"]


class Replacement(Struct, frozen=True):
    """The turn that a message replaces.

    Attributes:
        field: What names the turn in the request.
        stays: Says of the turn's documents, in lines, what was done and cannot be undone.
    """

    turn_id: str
    field: Field
    stays: Callable[[Sequence[dict[str, Any]]], list[str]]

    def put_aside(
        self, db: Client, thread_id: str, documents: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """Return a thread's newest documents without the turn, and what stays of the turn.

        Args:
            documents: Their last calls are all answered.
        """
        turn = [each for each in documents if each.get("turnId") == self.turn_id]
        if turn[0]["role"] != "user":  # a long turn, whose beginning the view does not have
            turn = [*read_turn(db, thread_id, self.turn_id)[:-1], turn[-1]]
        left = without_replaced(documents, without=self.turn_id)
        if len(left) < len(turn) and documents[0]["n"] > 0:  # it had crowded out what was before
            left = read_log(db, thread_id, without=self.turn_id).documents
        stays = dict.fromkeys([*lasting_effects(turn), *self.stays(turn)])
        return left, list(stays)[-MOST_STAYS:]


class RunOpening(Struct, frozen=True, kw_only=True):
    """What opens a run: a message (`Opening`), or answers to what a run waits for (`Continuation`).

    Attributes:
        run_id: The run that is opened.
        user: Who opens it, if that is known from a token.
        opener: A random text: tells this opening, whose answer was lost, from another one's.
    """

    run_id: str
    request_digest: str
    user: User | None = None
    admission: Admission | None = None
    opener: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def key(self) -> str | None:
        """By which the run is found in any thread; None for a generated id."""
        if self.user is None or is_generated_id(self.run_id):
            return None
        return run_key(self.user.uid, self.run_id)

    def opened_before(self, db: Client, thread_id: str, run: dict[str, Any]) -> OpenRun | None:
        """Return the open run of a document that this very opening has created, though the answer
        to its batch was lost; None if it is another one's."""
        if run.get("opener") != self.opener:
            return None
        if self.admission:
            self.admission.admitted()
        thread, view = read_all(db, paths.thread(db, thread_id), paths.window(db, thread_id))
        documents = read_log(db, thread_id).documents
        events = EventLog(run["uid"], thread_id, self.run_id, writer=self.opener)
        allowed = (thread.to_dict() or {}).get("allowed")
        return OpenRun.of(db, run, events, allowed=allowed, view=view, documents=documents)

    def commit(
        self,
        db: Client,
        batch: WriteBatch,
        run: dict[str, Any],
        *,
        thread_id: str,
        allowed: dict[str, Any] | None,
        view: DocumentSnapshot,
        documents: list[dict[str, Any]],
        approvals: Sequence[Approval] = (),
    ) -> OpenRun | None:
        """Create the run and its first open page in the batch that opens it, and commit; return
        None when another process was faster.

        Args:
            run: Its document, as `new_run` begins it.
            allowed: The thread's field, `view` its window view, and `documents` its log with what
                the batch appends.
            approvals: Decisions on the waiting calls that the run answers.
        """
        run |= {
            "opener": self.opener,
            # With more documents in the log than that, the run has made progress.
            "reached": documents[-1]["n"] + 1,
            "requestDigest": self.request_digest,
            **({"key": self.key} if self.key else {}),
            "approvals": [approval.id for approval in approvals],
        }
        reference = paths.run(db, thread_id, self.run_id)
        if self.admission:
            self.admission.admit(batch, reference.path, self.key)
        batch.create(reference, run)
        events = EventLog(run["uid"], thread_id, self.run_id, writer=self.opener)
        events.open_page(batch, db, 0)
        written = try_commit(batch)
        if written is None:
            return None
        events.page_time = written[-1].update_time
        if self.admission:
            self.admission.admitted()
        return OpenRun.of(
            db, run, events, allowed=allowed, view=view, documents=documents, approvals=approvals
        )


class Opening(RunOpening, frozen=True, kw_only=True):
    """A message in a thread that opens a run.

    Attributes:
        request: Returns what is kept of the turn's request, plain JSON, from the thread's newest
            log documents as the window view has them; of a new thread there are none. Called once
            for each try at the opening.
        is_named: The client chose the run's id, which is its turn's.
        message_keys: By which the client's messages are known if they are sent again.
        answers: What its tools answered before the message, by call: `{content}` or `{error}`.
    """

    user: User
    agent: str
    thread_id: str
    is_new: bool
    message: UserMessage
    context: dict[str, Any] | None
    request: Callable[[Sequence[dict[str, Any]], str, dict[str, Any] | None], dict[str, Any]]
    supersede: bool = False
    is_named: bool = True
    message_keys: tuple[str, ...] = ()
    answers: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    replacement: Replacement | None = None


def open_run(db: Client, opening: Opening) -> OpenRun | RunState:
    """Append the user's message and take the thread's lease, in one batch.

    Returns:
        The open run; or, when this `runId` was sent before, what has become of its run.
    Raises:
        NotFound: The thread does not exist.
        PermissionDenied: It is another user's.
        AlreadyExists: The `runId` was used with other data.
        Aborted: The thread is held by another run.
        FailedPrecondition: The turn that the message is to replace is not the thread's newest.
        InvalidArgument: The message brings a file along that it may not.
        ResourceExhausted: The user's rate, or the number of runs at once, does not allow it.
    """
    if opening.is_named and is_generated_id(opening.run_id):
        run = paths.run(db, opening.thread_id, opening.run_id).get()
        if not run.exists:
            raise run_erased()
        return _opened_before(db, opening, run)
    thread_id = opening.thread_id
    references = [paths.thread(db, thread_id), paths.window(db, thread_id)]
    if opening.message.files:
        references += file_records(db, opening.message)
    for number in attempts(within_s=OPENING_S):
        # A race was lost, perhaps to this very run: it is looked for in its place as well.
        here = [paths.run(db, thread_id, opening.run_id)] if number else []
        found, before = read_for_opening(
            db, [*references, *here], key=opening.key, admission=opening.admission
        )
        if before is None and here and found[-1].exists:
            before = found[-1]
        if before is not None:
            return _opened_before(db, opening, before)
        thread, view, *files = found[: len(references)]
        check_thread(thread, uid=opening.user.uid, agent=opening.agent, new=opening.is_new)
        new_files: list[DocumentSnapshot] = []
        if files:
            message, new_files = with_attachments(
                opening.message, files, uid=opening.user.uid, thread_id=thread_id
            )
            opening = replace(opening, message=message)
        opened = _try_open(db, opening, thread, view, new_files=new_files)
        if opened is not None:
            return opened
    raise Aborted(TEXTS.text("errors.too_many_messages"), retry_after_s=2)


def _opened_before(db: Client, opening: Opening, run: DocumentSnapshot) -> OpenRun | RunState:
    """Return what has become of a run that was opened before: by this very opening, perhaps, and
    only the answer to its batch was lost.

    Raises:
        AlreadyExists: Its id was used with other data.
        NotFound: It was opened, and then erased.
    """
    check_found_run(run, thread_id=opening.thread_id, run_id=opening.run_id)
    data = run.to_dict() or {}
    return opening.opened_before(db, opening.thread_id, data) or state_for_repeat(
        data, run, uid=opening.user.uid, request_digest=opening.request_digest
    )


def _try_open(
    db: Client,
    opening: Opening,
    thread_read: DocumentSnapshot,
    view: DocumentSnapshot,
    *,
    new_files: Sequence[DocumentSnapshot],
) -> OpenRun | None:
    """Try the opening batch once; None when another process was faster.

    Args:
        view: The thread's window view.
        new_files: The records of the message's files that the thread does not have yet.
    """
    thread_id, replacement = opening.thread_id, opening.replacement
    thread = thread_read.to_dict() or {}
    if (thread.get("lease") or {}).get("runId") == opening.run_id:
        return None  # it is this very run that holds the thread, or that held it last
    leased = find_leased_run(db, thread_id, thread, view, supersede=opening.supersede)
    recent = read_recent(db, thread_id, thread, view)
    if replacement:
        newest = recent.documents[-1].get("turnId") if recent.documents else None
        if newest != replacement.turn_id:
            raise _not_newest(recent.documents, replacement.turn_id, replacement.field)
    waiting = thread.get("waiting")
    closing = close_calls(db, thread_id, recent, waiting=waiting, answers=opening.answers)
    before, stays = closing.closed(recent.documents), list[str]()
    if replacement:
        before, stays = replacement.put_aside(db, thread_id, before)
    number = recent.next_message
    run_id = opening.run_id
    token, lease = next_lease(thread, run_id)
    stamp = new_stamp(uid=opening.user.uid, number=number, run_id=run_id, turn_id=run_id)
    replaces = replacement.turn_id if replacement else None
    appended = user_document(stamp, opening.message, replaces=replaces, stays=stays)
    context = opening.context
    if context is None and thread.get("context"):
        # The user is still where the thread's last message was sent from.
        context = json.loads(migrations.read("thread", thread)["context"])
    request = opening.request(before, thread_id, context)
    batch = db.batch()
    closing.write(batch, db, thread_id)
    if leased is not None:
        leased.close(batch, db, token=token, documents=recent.documents)
    fields = _thread_fields(opening, thread, {**lease, "nextMessage": number + 1})
    write_unchanged(batch, thread_read, fields)
    batch.create(paths.message(db, thread_id, number), appended)
    if new_files:
        take_files(batch, new_files, thread_id)
    run = new_run(
        user=opening.user, agent=opening.agent, turn_id=run_id, request=request, token=token
    )
    return opening.commit(
        db,
        batch,
        run,
        thread_id=thread_id,
        allowed=thread.get("allowed"),
        view=view,
        documents=[*before, appended],
    )


def _thread_fields(
    opening: Opening, thread: dict[str, Any], lease: dict[str, Any]
) -> dict[str, Any]:
    """Return what the opening writes of the thread: all of a new one, otherwise what changes."""
    now = datetime.now(UTC)
    fields = {**lease, "waiting": None, "updatedAt": now}
    if opening.context is not None:
        # As text: Firestore refuses lists inside lists, deep maps and some keys.
        fields["context"] = json.dumps(opening.context, ensure_ascii=False)
        fields["place"] = place_of(opening.context)
    if keys := [*thread.get("messageKeys", []), *opening.message_keys]:
        fields["messageKeys"] = keys[-MESSAGE_KEYS:]
        fields["newestTurn"] = {"id": opening.run_id, "messageKeys": list(opening.message_keys)}
    if not thread.get("title"):  # it is new, or was cleared
        fields["title"] = title_of(opening.message)
    if thread:
        return fields
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": opening.user.uid,
        "agent": opening.agent,
        "status": "active",
        "createdAt": now,
        **fields,
    }


def check_thread(thread: DocumentSnapshot, *, uid: str, agent: str, new: bool) -> None:
    """Check that a user may open a run in a thread.

    Args:
        new: Whether the thread may be one that is not there yet.
    Raises:
        NotFound: There is no such thread, and it is not a new one's id.
        PermissionDenied: It is another user's.
        AlreadyExists: It is with another agent.
        Aborted: It is being erased.
    """
    if not thread.exists:
        if new:
            return
        raise NotFound(TEXTS.text("errors.no_thread", thread_id=thread.id), field="threadId")
    data = thread.to_dict() or {}
    if data["uid"] != uid:
        raise PermissionDenied(TEXTS.text("errors.others_thread"), field="threadId")
    if data["agent"] != agent:
        raise AlreadyExists(
            TEXTS.text("errors.other_agent", agent=data["agent"], asked=agent), field="agent"
        )
    if data.get("erasing"):
        raise Aborted(TEXTS.text("errors.thread_erased"), field="threadId", retry_after_s=5)


def place_of(context: dict[str, Any]) -> dict[str, str]:
    """Return the ids in a client's context, such as `{"projectId": "house"}`, by which its user
    lists the threads of one place."""
    return {
        key: value
        for key, value in itertools.islice(context.items(), MAX_CONTEXT_KEYS)
        if _ID_KEY.fullmatch(key) and isinstance(value, str) and 0 < len(value) <= ID_CHARS
    }


def message_to_retry(db: Client, uid: str, thread_id: str, turn_id: str) -> UserMessage:
    """Return the message that a turn began with, whole, from the user's own thread.

    Raises:
        NotFound: There is no such thread.
        PermissionDenied: It is another user's.
        FailedPrecondition: It has no such turn, or not any more.
    """
    messages = paths.thread(db, thread_id).collection(collection_id("messages"))
    of_turn = messages.where(filter=where("turnId", "==", turn_id))
    found = list(of_turn.where(filter=where("role", "==", "user")).limit(1).stream())
    read = found[0] if found else paths.thread(db, thread_id).get()
    data = read.to_dict()
    if data is None:
        raise NotFound(TEXTS.text("errors.no_thread", thread_id=thread_id), field="threadId")
    if data["uid"] != uid:
        raise PermissionDenied(TEXTS.text("errors.others_thread"), field="threadId")
    if not found:
        recent = read_recent(db, thread_id, data, paths.window(db, thread_id).get())
        raise _not_newest(recent.documents, turn_id, "retry")
    message = read_history([migrations.read("message", data)])[0]
    assert isinstance(message, UserMessage)
    return message


def read_turn(db: Client, thread_id: str, turn_id: str) -> list[dict[str, Any]]:
    """Return all documents of a turn, in their order."""
    messages = paths.thread(db, thread_id).collection(collection_id("messages"))
    found = messages.where(filter=where("turnId", "==", turn_id)).stream()
    documents = [migrations.read("message", each.to_dict() or {}) for each in found]
    return sorted(documents, key=lambda each: int(each["n"]))


def _not_newest(
    documents: Sequence[dict[str, Any]], turn_id: str, field: Field
) -> FailedPrecondition:
    newest_turn = documents[-1].get("turnId") if documents else None
    if newest_turn is None:
        return FailedPrecondition(
            TEXTS.text("errors.nothing_said", turn_id=turn_id),
            field=field,
            hint=TEXTS.text("hints.message_alone"),
        )
    return FailedPrecondition(
        TEXTS.text("errors.not_newest", turn_id=turn_id, newest_turn=newest_turn),
        field=field,
    )
