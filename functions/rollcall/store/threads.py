"""A thread's document: its id, its user, and clients' names for threads.

    threads/{t}   uid, agent, title, status, context, place, lease, leaseToken, waiting, allowed,
                  nextMessage, messageKeys, newestTurn, createdAt, updatedAt, erasing

An AG-UI client names its thread before there is one. Every user has names of their own: a thread
has the id that follows from user and name, so that nobody can take or try another's.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.errors import Aborted, AlreadyExists, NotFound, PermissionDenied
from rollcall.store import paths
from rollcall.store.runs import is_generated_id, read_for_opening, run_key, thread_of_run

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.store.batches import DocumentSnapshot

MAX_CONTEXT_KEYS = 20
"""How many of a context's keys are looked at for ids."""
ID_CHARS = 128
_ID_KEY = re.compile(r"[a-z][A-Za-z0-9]{0,39}Id")
_MAY_BE_AN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def thread_id_for(uid: str, run_id: str) -> str:
    """Return the id of the thread that a first message opens; the same for its repeats."""
    return hashlib.sha256(f"{uid}/{run_id}".encode()).hexdigest()[:20]


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
        raise NotFound(f"there is no thread {thread.id!r}", field="threadId")
    data = thread.to_dict() or {}
    if data["uid"] != uid:
        raise PermissionDenied("this thread belongs to someone else", field="threadId")
    if data["agent"] != agent:
        raise AlreadyExists(
            f"this thread is with the agent {data['agent']!r}, not {agent!r}", field="agent"
        )
    if data.get("erasing"):
        raise Aborted("this thread is being erased", field="threadId", retry_after_s=5)


def next_lease(thread: dict[str, Any], run_id: str) -> tuple[int, dict[str, Any]]:
    """Return the next lease token of a thread, and the fields by which a run takes its lease."""
    token = thread.get("leaseToken", 0) + 1
    return token, {"lease": {"runId": run_id, "token": token}, "leaseToken": token}


def place_of(context: dict[str, Any]) -> dict[str, str]:
    """Return the ids in a client's context, such as `{"projectId": "house"}`, by which its user
    lists the threads of one place."""
    return {
        key: value
        for key, value in itertools.islice(context.items(), MAX_CONTEXT_KEYS)
        if _ID_KEY.fullmatch(key) and isinstance(value, str) and 0 < len(value) <= ID_CHARS
    }


class ClientThread(Struct, frozen=True):
    """The thread that a client's name for it leads to.

    Attributes:
        id: The thread's own id; there may be no such thread yet.
        data: The thread's document; empty where there is none.
        run_thread_id: The thread that the run was opened in, if its id was used before.
    """

    id: str
    data: dict[str, Any]
    run_thread_id: str | None = None

    @property
    def is_new(self) -> bool:
        return not self.data

    @property
    def message_keys(self) -> tuple[str, ...]:
        """Keys of its newest messages, from clients whose messages have any."""
        return tuple(self.data.get("messageKeys", ()))

    @property
    def newest_turn(self) -> tuple[str | None, tuple[str, ...]]:
        """The id of its newest turn, and the keys of the messages that this began with."""
        turn = self.data.get("newestTurn") or {}
        return turn.get("id"), tuple(turn.get("messageKeys", ()))

    @property
    def waiting(self) -> dict[str, Any]:
        """What it waits for, if for anything."""
        return self.data.get("waiting") or {}


def client_thread_id(uid: str, name: str) -> str:
    """Return the id of the thread that a user's client calls `name`."""
    return hashlib.sha256(f"client thread\0{uid}\0{name}".encode()).hexdigest()[:20]


def find_client_thread(db: Client, uid: str, name: str, *, run_id: str) -> ClientThread:
    """Find the thread that a user's client calls `name`: the user's own thread of that id, or else
    the one whose id follows from the name. Another user's thread of either id is ignored."""
    own = client_thread_id(uid, name)
    references = [paths.thread(db, own)]
    if _MAY_BE_AN_ID.fullmatch(name):
        references.append(paths.thread(db, name))
    key = None if is_generated_id(run_id) else run_key(uid, run_id)
    threads, _, run = read_for_opening(db, references, key=key)
    run_thread_id = thread_of_run(run) if run is not None else None
    for thread in reversed(threads):
        data = thread.to_dict() or {}
        if data.get("uid") == uid:
            return ClientThread(thread.id, data, run_thread_id)
    return ClientThread(own, {}, run_thread_id)
