"""Opens threads and runs, by preconditioned batches and never by transactions.

threads/{t}                  uid, agent, title, status, lease, waiting, nextMessage
threads/{t}/messages/{n}     append-only log: the user's message, then one document a step
threads/{t}/runs/{r}         status, step, lease time, result; of a client's id its key
threads/{t}/views/window     the newest messages in one document, rebuilt from the log in doubt

The usual opening reads the thread, its view and the user's day, and trusts that the rest is as it
should be: the run is created, which fails where it is there. One whose id is its client's is looked
for in all threads at the same time (`store/run_ids.py`).

A turn that another one takes the place of: a retry of its message, or an edited one.

The log keeps both. The message that replaces a turn names it (`replaces`) and says what it has done
that nothing takes back (`stays`); whoever reads the log from then on leaves the turn out.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from rollcall.core.context import User
from rollcall.core.errors import (
    Aborted,
    FailedPrecondition,
    NotFound,
    PermissionDenied,
)
from rollcall.core.messages import UserMessage
from rollcall.core.options import collection_id
from rollcall.core.shapes import SCHEMA_VERSION
from rollcall.store import migrations, paths
from rollcall.store.admission import Admission, one_at_a_time
from rollcall.store.attachments import attached
from rollcall.store.attachments import references as file_references
from rollcall.store.batches import attempts, read_all, try_commit
from rollcall.store.budgets import settlements_of
from rollcall.store.event_log import EventLog
from rollcall.store.leases import RunLease, find_leased_run, next_lease
from rollcall.store.message_log import (
    lasting_effects,
    read_history,
    user_document,
    without_replaced,
)
from rollcall.store.open_run import OpenRun
from rollcall.store.run_closing import Closing, closing_of_cut_off, closing_of_waiting
from rollcall.store.runs import (
    Abandoned,
    Finished,
    Running,
    check_found_run,
    is_generated_id,
    read_for_opening,
    run_document,
    run_erased,
    run_key,
    state_for_repeat,
)
from rollcall.store.threads import check_thread, place_of
from rollcall.store.window import RecentLog, decisions_of, read_log, read_recent

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


MESSAGE_KEYS = 20
"""How many of the newest messages' keys a thread keeps, of clients whose messages have any."""


class Opening(Struct, frozen=True):
    """What a run starts from: a message in a thread.

    Attributes:
        request: Makes what is kept of how the turn was asked, plain JSON, from the thread's newest
            log documents as the window view has them; of a new thread there are none. Called once
            for each try at the opening.
        is_named: The client chose the run's id.
        message_keys: By which the client's messages are known if they are sent again.
        answers: What its tools answered before it went on, by call: `{content}` or `{error}`.
        replacing: The thread's newest turn, where the message takes its place.
    """

    user: User
    agent: str
    thread_id: str
    is_new: bool
    run_id: str
    turn_id: str
    request_digest: str
    message: UserMessage
    context: dict[str, Any] | None
    request: Callable[[Sequence[dict[str, Any]]], dict[str, Any]]
    admission: Admission | None = None
    supersede: bool = False
    is_named: bool = True
    message_keys: tuple[str, ...] = ()
    answers: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    replacing: Replacement | None = None
    opener: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def key(self) -> str | None:
        """By which the run is found in any thread; None where its id was made here."""
        return run_key(self.user.uid, self.run_id) if self.is_named else None


class _Read(Struct, frozen=True):
    """What an opening has read. `run` is what was found of the run that it is to open."""

    thread: DocumentSnapshot
    window: DocumentSnapshot
    run: DocumentSnapshot | None
    admission: Sequence[DocumentSnapshot]
    files: Sequence[DocumentSnapshot]

    @property
    def data(self) -> dict[str, Any]:
        return (self.thread.to_dict() or {}) if self.thread.exists else {}


def open_run(db: Client, opening: Opening) -> OpenRun | Finished | Running | Abandoned:
    """Append the user's message and take the thread's lease, in one batch.

    Returns:
        The open run; or, when this `runId` was sent before, what has become of it.
    Raises:
        NotFound: The thread does not exist.
        PermissionDenied: It is another user's.
        AlreadyExists: The `runId` was used with other data.
        Aborted: The thread is held by another run.
        FailedPrecondition: The turn that the message is to replace is not the thread's newest.
        InvalidArgument: The message brings a file along that it may not.
        ResourceExhausted: The user's rate or budget does not allow it.
    """
    if opening.is_named and is_generated_id(opening.run_id):
        run = paths.run(db, opening.thread_id, opening.run_id).get()
        if not run.exists:
            raise run_erased()
        return _asked_before(db, opening, run)
    with one_at_a_time(opening.user.uid):
        for number in attempts():
            read = _read(db, opening, again=number > 0)
            if read.run is not None:
                return _asked_before(db, opening, read.run)
            check_thread(read.thread, uid=opening.user.uid, agent=opening.agent, new=opening.is_new)
            if (opened := _try_open(db, opening, read)) is not None:
                return opened
    raise Aborted("this thread is busy; try again", field="threadId", retry_after_s=1)


def _asked_before(
    db: Client, opening: Opening, run: DocumentSnapshot
) -> OpenRun | Finished | Running | Abandoned:
    """What has become of a run that was opened before; by this very opening, perhaps, and only the
    answer to its batch was lost.

    Raises:
        AlreadyExists: Its id was used with other data.
        NotFound: It was opened, and then erased.
    """
    uid, thread_id = opening.user.uid, opening.thread_id
    check_found_run(run, thread_id=thread_id, run_id=opening.run_id)
    data = run.to_dict() or {}
    if data.get("opener") != opening.opener:
        return state_for_repeat(data, run, uid=uid, request_digest=opening.request_digest)
    if opening.admission:
        opening.admission.admitted(None)
    thread, view = read_all(db, paths.thread(db, thread_id), paths.window(db, thread_id))
    documents = read_log(db, thread_id).documents
    return _handle(db, opening, data, documents, thread.to_dict() or {}, decisions_of(view))


def _read(db: Client, opening: Opening, *, again: bool) -> _Read:
    """
    Args:
        again: A race was lost, perhaps to this very run: it is looked for in its place as well.
    """
    thread_id = opening.thread_id
    references = [paths.thread(db, thread_id), paths.window(db, thread_id)]
    references += file_references(db, opening.message)
    if again:
        references.append(paths.run(db, thread_id, opening.run_id))
    found, admission, run = read_for_opening(
        db, references, key=opening.key, admission=opening.admission
    )
    here = found.pop() if again else None
    if run is None and here is not None and here.exists:
        run = here
    return _Read(found[0], found[1], run, admission, found[2:])


def _try_open(db: Client, opening: Opening, read: _Read) -> OpenRun | None:
    """One try at the opening batch; None when somebody was faster."""
    data, thread_id = read.data, opening.thread_id
    if (data.get("lease") or {}).get("runId") == opening.run_id:
        return None  # it is this very run that holds the thread, or that held it last
    attaching = attached(opening.message, read.files, uid=opening.user.uid, thread_id=thread_id)
    opening = replace(opening, message=attaching.message)
    holder = find_leased_run(db, thread_id, data, read.window, supersede=opening.supersede)
    found = read_recent(db, thread_id, data, read.window)
    if opening.replacing:
        opening.replacing.check(found.documents)
    closing = _closing(db, thread_id, data, found, opening.answers)
    before, stays = closing.closed(found.documents), list[str]()
    if opening.replacing:
        before, stays = opening.replacing.put_aside(db, thread_id, before)
    number = found.next_message
    token, taken = next_lease(data, opening.run_id)
    replaces = opening.replacing.turn_id if opening.replacing else None
    message = user_document(
        _stamp(opening, number), opening.message, replaces=replaces, stays=stays
    )
    run = run_document(
        user=opening.user,
        agent=opening.agent,
        turn_id=opening.turn_id,
        request=_request(opening, before, data),
        token=token,
        digest=opening.request_digest,
        opener=opening.opener,
        key=opening.key,
        first_message=number,
        reached=number + 1,
    )
    batch = db.batch()
    closing.write(batch, db, thread_id)
    if holder is not None:
        holder.close(batch, db, token=token, documents=found.documents)
    _write_thread(batch, db, opening, read.thread, {**taken, "nextMessage": number + 1})
    batch.create(paths.message(db, thread_id, number), message)
    attaching.write(batch, db, thread_id)
    if opening.admission:
        opening.admission.admit(batch, read.admission, settlements_of(read.window))
    batch.create(paths.run(db, thread_id, opening.run_id), run)
    _events(opening).open_page(batch, db, 0)
    written = try_commit(batch)
    if written is None:
        return None
    documents, time = [*before, message], written[-1].update_time
    if opening.admission:
        opening.admission.admitted(time)
    return _handle(db, opening, run, documents, data, found.decisions, time)


def _closing(
    db: Client,
    thread_id: str,
    thread: dict[str, Any],
    found: RecentLog,
    answers: Mapping[str, dict[str, Any]],
) -> Closing:
    """What must be written so that the calls of an earlier turn are all answered.

    Raises:
        Aborted: All that the thread waited for is decided, and is about to be carried out.
    """
    if not found.documents:
        return Closing()
    if thread.get("waiting"):
        return closing_of_waiting(db, thread_id, thread["waiting"], found, answers)
    return closing_of_cut_off(db, thread_id, found)


def _events(opening: Opening) -> EventLog:
    return EventLog(opening.user.uid, opening.thread_id, opening.run_id, hand=opening.opener)


def _handle(
    db: Client,
    opening: Opening,
    run: dict[str, Any],
    documents: list[dict[str, Any]],
    thread: dict[str, Any],
    decisions: list[str],
    page_time: Any = None,
) -> OpenRun:
    events = _events(opening)
    events.page_time = page_time
    return OpenRun(
        db=db,
        user=opening.user,
        agent=opening.agent,
        thread_id=opening.thread_id,
        run_id=opening.run_id,
        turn_id=opening.turn_id,
        request=json.loads(run["request"]),
        token=run["token"],
        history=read_history(documents),
        documents=documents,
        next_message=documents[-1]["n"] + 1,
        hold=RunLease(db, opening.thread_id, opening.run_id, events),
        allowed=thread.get("allowed") or {},
        decisions=decisions,
        told_decisions=decisions,
    )


def _stamp(opening: Opening, number: int) -> dict[str, Any]:
    return {
        "schemaVersion": SCHEMA_VERSION,
        "uid": opening.user.uid,
        "n": number,
        "runId": opening.run_id,
        "turnId": opening.turn_id,
        "createdAt": datetime.now(UTC),
    }


def _request(
    opening: Opening, documents: Sequence[dict[str, Any]], thread: dict[str, Any]
) -> dict[str, Any]:
    """What the turn is asked with; where the client does not say where the user is, they are where
    the thread's last message was sent from."""
    request = opening.request(documents)
    if opening.context is None and thread.get("context"):
        request["context"] = json.loads(migrations.read("thread", thread)["context"])
    return request


def _write_thread(
    batch: WriteBatch,
    db: Client,
    opening: Opening,
    thread: DocumentSnapshot,
    taken: dict[str, Any],
) -> None:
    """Create the thread, or take its lease provided that it is as it was read."""
    now = datetime.now(UTC)
    fields = {**taken, "waiting": None, "updatedAt": now}
    if opening.context is not None:
        # As text: Firestore refuses lists inside lists, deep maps and some keys.
        fields["context"] = json.dumps(opening.context, ensure_ascii=False)
        fields["place"] = place_of(opening.context)
    if keys := [*(thread.to_dict() or {}).get("messageKeys", []), *opening.message_keys]:
        fields["messageKeys"] = keys[-MESSAGE_KEYS:]
        fields["newestTurn"] = {"id": opening.turn_id, "messageKeys": list(opening.message_keys)}
    reference = paths.thread(db, opening.thread_id)
    data = thread.to_dict() or {}
    if not data.get("title"):  # it is new, or was cleared
        from rollcall.core.titles import title_of

        fields["title"] = title_of(opening.message)
    if thread.exists:
        option = db.write_option(last_update_time=thread.update_time)
        batch.update(reference, fields, option=option)
        return
    batch.create(
        reference,
        {
            "schemaVersion": SCHEMA_VERSION,
            "uid": opening.user.uid,
            "agent": opening.agent,
            "status": "active",
            "createdAt": now,
            **fields,
        },
    )


Field = Literal["retry", "replaces"]
MOST_STAYS = 40
"""Lines of what was done and stays: the newest, of as many tries as there were."""


class Replacement(Struct, frozen=True):
    """Which turn a message takes the place of.

    Attributes:
        field: What names the turn in the request.
        stays: Says of the turn's documents, in lines, what was done and stays done.
    """

    turn_id: str
    field: Field
    stays: Callable[[Sequence[dict[str, Any]]], list[str]]

    def check(self, documents: Sequence[dict[str, Any]]) -> None:
        """
        Raises:
            FailedPrecondition: The turn is not the newest of these, a thread's newest documents.
        """
        found = documents[-1].get("turnId") if documents else None
        if found != self.turn_id:
            raise _not_newest(self.turn_id, found, self.field)

    def put_aside(
        self, db: Client, thread_id: str, documents: list[dict[str, Any]]
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """What is left of a thread's newest documents without the turn, and what stays of it.

        Args:
            documents: Their last calls are all answered.
        """
        turn = [each for each in documents if each.get("turnId") == self.turn_id]
        if turn[0]["role"] != "user":  # a long turn, whose beginning the view does not have
            turn = [*read_turn(db, thread_id, self.turn_id)[:-1], turn[-1]]
        left = without_replaced(documents, without=self.turn_id)
        if len(left) < len(turn) and documents[0]["n"] > 0:  # it had crowded out what was before
            left = read_log(db, thread_id, without=self.turn_id).documents
        return left, list(dict.fromkeys([*lasting_effects(turn), *self.stays(turn)]))[-MOST_STAYS:]


def message_to_retry(db: Client, uid: str, thread_id: str, turn_id: str) -> UserMessage:
    """The message that a turn began with, whole, from the user's own thread.

    Raises:
        NotFound: There is no such thread.
        PermissionDenied: It is another user's.
        FailedPrecondition: It has no such turn, or not any more.
    """
    from google.cloud.firestore import FieldFilter

    messages = paths.thread(db, thread_id).collection(collection_id("messages"))
    of_turn = messages.where(filter=FieldFilter("turnId", "==", turn_id))
    found = list(of_turn.where(filter=FieldFilter("role", "==", "user")).limit(1).stream())
    if not found:
        raise _no_such_turn(db, uid, thread_id, turn_id)
    document = migrations.read("message", found[0].to_dict() or {})
    if document["uid"] != uid:
        raise _anothers()
    message = read_history([document])[0]
    assert isinstance(message, UserMessage)
    return message


def read_turn(db: Client, thread_id: str, turn_id: str) -> list[dict[str, Any]]:
    """All documents of a turn, in their order."""
    from google.cloud.firestore import FieldFilter

    messages = paths.thread(db, thread_id).collection(collection_id("messages"))
    found = messages.where(filter=FieldFilter("turnId", "==", turn_id)).stream()
    documents = [migrations.read("message", each.to_dict() or {}) for each in found]
    return sorted(documents, key=lambda each: int(each["n"]))


def _no_such_turn(db: Client, uid: str, thread_id: str, turn_id: str) -> Exception:
    """Why there is no message to ask again."""
    thread = paths.thread(db, thread_id).get()
    data = thread.to_dict()
    if data is None:
        return NotFound(f"there is no thread {thread_id!r}", field="threadId")
    if data["uid"] != uid:
        return _anothers()
    documents = read_recent(db, thread_id, data, paths.window(db, thread_id).get()).documents
    return _not_newest(turn_id, documents[-1].get("turnId") if documents else None, "retry")


def _anothers() -> PermissionDenied:
    return PermissionDenied("this thread belongs to someone else", field="threadId")


def _not_newest(turn_id: str, newest_turn: str | None, field: Field) -> FailedPrecondition:
    if newest_turn is None:
        return FailedPrecondition(
            f"nothing was said in this thread yet, so there is no turn {turn_id!r}",
            field=field,
            hint="send a message alone",
        )
    return FailedPrecondition(
        f"{turn_id!r} is not this thread's newest turn, which is {newest_turn!r}; "
        "only the newest can be asked again or replaced",
        field=field,
    )
