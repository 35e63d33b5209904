"""Opens a run with a user's message, in one preconditioned batch.

    threads/{t}   uid, agent, title, status, context, place, lease, leaseToken, waiting, allowed,
                  nextMessage, messageKeys, newestTurn, createdAt, updatedAt, erasing

The batch appends the message, takes the thread's lease, creates the run, counts it in the user's
day, and answers the calls that an earlier run left open. A usual opening reads only the thread, its
view and the user's day; creating the run fails if it exists. A run whose id its client chose is
looked up in all threads at the same time (`runs`).

A message may replace the thread's newest turn: a retry, or an edit. The log keeps both. The new
message names the turn that it replaces (`replaces`) and lists what that turn did and cannot be
undone (`stays`); later readers of the log skip the replaced turn.
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
from rollcall.store.run_closing import close_calls, close_run, find_leased_run, next_lease
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
"""How many keys of a context are searched for ids."""
ID_CHARS = 128
_ID_KEY = re.compile(r"[a-z][A-Za-z0-9]{0,39}Id")
OPENING_S = 20.0
"""How long an opening is retried after lost races: all openings of a user write the user's day."""
MESSAGE_KEYS = 20
"""How many keys of the newest messages a thread keeps, for clients whose messages have keys."""
MAX_STAYS = 40
"""The most lines of lasting effects over all replaced attempts; the newest are kept."""

Field = Literal["retry", "replaces"]


class Replacement(Struct, frozen=True):
    """The turn that a message replaces.

    Attributes:
        field: The request's field that names the turn.
        stays: Returns, from the turn's documents, lines with what was done and cannot be undone.
    """

    turn_id: str
    field: Field
    stays: Callable[[Sequence[dict[str, Any]]], list[str]]

    def remove_turn(
        self, db: Client, thread_id: str, documents: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """Return a thread's newest documents without the turn, and the turn's lasting effects.

        Args:
            documents: The newest documents, in which all calls are answered.
        """
        turn = [each for each in documents if each.get("turnId") == self.turn_id]
        if turn[0]["role"] != "user":  # a long turn, whose beginning the view does not have
            turn = [*read_turn(db, thread_id, self.turn_id)[:-1], turn[-1]]
        rest = without_replaced(documents, without=self.turn_id)
        if len(rest) < len(turn) and documents[0]["n"] > 0:  # it had crowded out earlier turns
            rest = read_log(db, thread_id, without=self.turn_id).documents
        stays = dict.fromkeys([*lasting_effects(turn), *self.stays(turn)])
        return rest, list(stays)[-MAX_STAYS:]


class RunOpening(Struct, frozen=True, kw_only=True):
    """Opens a run: with a message (`Opening`), or with answers to a waiting run (`Continuation`).

    Attributes:
        run_id: The id of the run to open.
        user: The user who opens it, if known from a token.
        opener: Random text that identifies this opening, in case the answer to its batch is lost.
    """

    run_id: str
    request_digest: str
    user: User | None = None
    admission: Admission | None = None
    opener: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def key(self) -> str | None:
        """The key by which the run is found in any thread; None for a generated id."""
        if self.user is None or is_generated_id(self.run_id):
            return None
        return run_key(self.user.uid, self.run_id)

    def opened_before(self, db: Client, thread_id: str, run: dict[str, Any]) -> OpenRun | None:
        """Return the open run of a document if this opening created it and only the answer to its
        batch was lost; None if another opening did."""
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
        None if another process was faster.

        Args:
            run: The run's document, as `new_run` returned it.
            allowed: The thread's field of that name.
            view: The thread's window view.
            documents: The thread's log, including the documents that the batch appends.
            approvals: Decided approvals for the calls that the run answers.
        """
        run |= {
            "opener": self.opener,
            # The run has made progress if the log has more documents than this.
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
    """Opens a run with a user's message.

    Attributes:
        request: Returns the turn's request to store, as plain JSON, from the thread's newest
            documents (none for a new thread), the thread's id and the context. Called once for each
            attempt at the opening.
        is_named: Whether the client chose the run's id, which is also the turn's.
        message_keys: Keys by which repeats of the client's messages are recognized.
        answers: Results of the client's tools that came with the message, by call: `{content}` or
            `{error}`.
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
        The open run; or, if this `runId` was sent before, the state of its run.
    Raises:
        NotFound: The thread does not exist.
        PermissionDenied: The thread is another user's.
        AlreadyExists: The `runId` was used with other data.
        Aborted: Another run holds the thread.
        FailedPrecondition: The turn to replace is not the thread's newest.
        InvalidArgument: The message may not include one of its files.
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
        # The lost race may have been won by the same run, so it is looked up by its id as well.
        own = [paths.run(db, thread_id, opening.run_id)] if number else []
        read, existing = read_for_opening(
            db, [*references, *own], key=opening.key, admission=opening.admission
        )
        if existing is None and own and read[-1].exists:
            existing = read[-1]
        if existing is not None:
            return _opened_before(db, opening, existing)
        thread, view, *files = read[: len(references)]
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
    """Return the state of a run that was opened before. It is an open run if this opening created
    it and only the answer to its batch was lost.

    Raises:
        AlreadyExists: The id was used with other data.
        NotFound: The run was erased.
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
    """Try the opening batch once; None if another process was faster.

    Args:
        thread_read: The thread's snapshot.
        view: The thread's window view.
        new_files: Records of the message's files that do not belong to the thread yet.
    """
    thread_id, replacement = opening.thread_id, opening.replacement
    thread = thread_read.to_dict() or {}
    if (thread.get("lease") or {}).get("runId") == opening.run_id:
        return None  # this run already holds the thread, or held it last
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
        before, stays = replacement.remove_turn(db, thread_id, before)
    number = recent.next_message
    run_id = opening.run_id
    token, lease = next_lease(thread, run_id)
    stamp = new_stamp(uid=opening.user.uid, number=number, run_id=run_id, turn_id=run_id)
    replaces = replacement.turn_id if replacement else None
    appended = user_document(stamp, opening.message, replaces=replaces, stays=stays)
    context = opening.context
    if context is None and thread.get("context"):
        # Without a new context, that of the thread's last message still holds.
        context = json.loads(migrations.read("thread", thread)["context"])
    request = opening.request(before, thread_id, context)
    batch = db.batch()
    closing.write(batch, db, thread_id)
    if leased is not None:
        close_run(batch, db, *leased, token=token, documents=recent.documents)
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
    """Return the fields of the thread that the opening writes: all for a new one, otherwise those
    that change."""
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
        new: Whether the thread may be missing, because the run creates it.
    Raises:
        NotFound: The thread does not exist, and may not be new.
        PermissionDenied: The thread is another user's.
        AlreadyExists: The thread is with another agent.
        Aborted: The thread is being erased.
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
    """Return the ids in a client's context, such as `{"projectId": "house"}`, by which users list
    the threads of one place."""
    return {
        key: value
        for key, value in itertools.islice(context.items(), MAX_CONTEXT_KEYS)
        if _ID_KEY.fullmatch(key) and isinstance(value, str) and 0 < len(value) <= ID_CHARS
    }


def message_to_retry(db: Client, uid: str, thread_id: str, turn_id: str) -> UserMessage:
    """Return the complete message that began a turn, from the user's own thread.

    Raises:
        NotFound: There is no such thread.
        PermissionDenied: The thread is another user's.
        FailedPrecondition: The thread has no such turn, or not any more.
    """
    messages = paths.thread(db, thread_id).collection(collection_id("messages"))
    of_turn = messages.where(filter=where("turnId", "==", turn_id))
    found = list(of_turn.where(filter=where("role", "==", "user")).limit(1).stream())
    data = (found[0] if found else paths.thread(db, thread_id).get()).to_dict()
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
    snapshots = messages.where(filter=where("turnId", "==", turn_id)).stream()
    documents = [migrations.read("message", each.to_dict() or {}) for each in snapshots]
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
