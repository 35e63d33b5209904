"""The names that clients choose for threads.

An AG-UI client names its thread before there is one. Every user has names of their own: a thread
has the id that follows from user and name, so that nobody can take or try another's.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.store import paths
from rollcall.store.runs import is_generated_id, read_for_opening, run_key, thread_of_run

if TYPE_CHECKING:
    from google.cloud.firestore import Client


_MAY_BE_AN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


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
