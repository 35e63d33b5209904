"""A turn that another one takes the place of: a retry of its message, or an edited one.

The log keeps both. The message that replaces a turn names it (`replaces`) and says what it has done
that nothing takes back (`stays`); whoever reads the log from then on leaves the turn out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from rollcall.core.errors import FailedPrecondition, NotFound, PermissionDenied
from rollcall.core.messages import UserMessage
from rollcall.core.options import collection_id
from rollcall.store import migrations, paths
from rollcall.store.log import current, from_documents, stays_of
from rollcall.store.window import newest, read_log

if TYPE_CHECKING:
    from google.cloud.firestore import Client

Field = Literal["retry", "replaces"]
MOST_STAYS = 40
"""Lines of what was done and stays: the newest, of as many tries as there were."""


class Replacing(Struct, frozen=True):
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
        left = current(documents, without=self.turn_id)
        if len(left) < len(turn) and documents[0]["n"] > 0:  # it had crowded out what was before
            left = read_log(db, thread_id, without=self.turn_id).documents
        return left, list(dict.fromkeys([*stays_of(turn), *self.stays(turn)]))[-MOST_STAYS:]


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
    message = from_documents([document])[0]
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
    documents = newest(db, thread_id, data, paths.window(db, thread_id).get()).documents
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
