"""How far extraction has come in a conversation: `extraction/{conversation}`.

The cursor is the last message looked at, by time and id. What arrives behind it, or is edited
there, waits in `pending`; a whole history arriving late moves the cursor back instead.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from packs.messaging.batches import chunks, fetch
from packs.messaging.chat import ChatMessage
from packs.messaging.documents import (
    ACTION_ITEMS,
    DECISIONS,
    EXTRACTION,
    SCHEMA_VERSION,
    count_of,
    moment_of,
    strings,
    text_of,
)
from packs.messaging.retries import until_unchanged

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch
    from google.cloud.firestore_v1.base_document import DocumentSnapshot

BEGINNING = (datetime(1970, 1, 1, tzinfo=UTC), "")
MOST_PENDING = 50
"""Late messages kept by id; with more, the cursor moves back."""
SEEN_IDS = 20
"""The last messages looked at, kept by id: a neighbour that is not among them is new."""
_DELETES = 400


@dataclass(frozen=True, slots=True)
class State:
    """Where extraction stands.

    Attributes:
        cursor: (timestamp, id) of the last message looked at.
        drained_count: The conversation's `messageCount` when nothing was left to do, else None.
        version: Update time of the stored state, None where there is none.
    """

    cursor: tuple[datetime, str] = BEGINNING
    seen: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    extractor: str = ""
    drained_count: int | None = None
    drained_at: datetime | None = None
    version: Any = None

    @staticmethod
    def read(snapshot: DocumentSnapshot[Any]) -> State:
        """Read a stored state; none at all is the beginning."""
        data = snapshot.to_dict() or {}
        if not snapshot.exists:
            return State()
        moment = moment_of(data.get("cursorTimestamp"))
        drained = data.get("drainedCount")
        return State(
            cursor=(moment, text_of(data.get("cursorMessageId"))) if moment else BEGINNING,
            seen=tuple(strings(data.get("seenIds"))),
            pending=tuple(strings(data.get("pendingIds"))),
            extractor=text_of(data.get("extractor")),
            drained_count=count_of(drained) if drained is not None else None,
            drained_at=moment_of(data.get("drainedAt")),
            version=snapshot.update_time,
        )

    def write(self, db: Client, batch: WriteBatch, conversation_id: str) -> None:
        """Add this state to a batch that fails if the stored one is not `version` any more."""
        document = {
            "schemaVersion": SCHEMA_VERSION,
            "conversationId": conversation_id,
            "cursorTimestamp": self.cursor[0],
            "cursorMessageId": self.cursor[1],
            "seenIds": list(self.seen),
            "pendingIds": list(self.pending),
            "extractor": self.extractor,
            "drainedCount": self.drained_count,
            "drainedAt": self.drained_at,
            # Writing what is there already would leave the update time as it was.
            "revision": secrets.token_hex(8),
        }
        reference = db.collection(EXTRACTION).document(conversation_id)
        if self.version is None:
            batch.create(reference, document)
        else:
            unchanged = db.write_option(last_update_time=self.version)
            batch.update(reference, document, option=unchanged)


def note_late(
    db: Client, conversation_id: str, messages: Sequence[ChatMessage], *, changed: bool = False
) -> None:
    """Let extraction look at messages that were written behind its cursor.

    Args:
        changed: The messages were edited or deleted: then an extraction that is under way must
            start over as well, for it may have read them as they were.
    """

    def work() -> None:
        state = State.read(db.collection(EXTRACTION).document(conversation_id).get())
        late = [item for item in messages if (item.sent_at, item.id) <= state.cursor]
        late = [item for item in late if not item.encrypted and item.id not in state.pending]
        if not late and not changed:
            return
        batch = db.batch()
        _behind(state, late).write(db, batch, conversation_id)
        batch.commit()

    until_unchanged(work)


def _behind(state: State, late: list[ChatMessage]) -> State:
    pending = (*state.pending, *(item.id for item in late))
    if len(pending) <= MOST_PENDING:
        return replace(state, pending=pending, drained_count=None)
    first = min(item.sent_at for item in late)
    return replace(state, cursor=min(state.cursor, (first, "")), seen=(), drained_count=None)


def forget_items(db: Client, message_id: str) -> None:
    """Delete what was extracted from a message that was edited, deleted or encrypted since.

    Call `note_late(..., changed=True)` before, so that nothing old is written afterwards.
    """
    from google.cloud.firestore import FieldFilter

    batch = db.batch()
    for collection in (ACTION_ITEMS, DECISIONS):
        of_message = FieldFilter("messageId", "==", message_id)
        for snapshot in db.collection(collection).where(filter=of_message).select([]).stream():
            batch.delete(snapshot.reference)
    batch.commit()


def forget_all_items(db: Client, conversation_id: str) -> None:
    """Delete what an older version extracted; what somebody marked done stays."""
    from google.cloud.firestore import FieldFilter

    here = FieldFilter("conversationId", "==", conversation_id)
    for collection in (ACTION_ITEMS, DECISIONS):
        found = fetch(db.collection(collection).where(filter=here).select(["status"]))
        open_ones = [item for item in found if (item.to_dict() or {}).get("status") != "done"]
        for some in chunks(open_ones, _DELETES):
            batch = db.batch()
            for snapshot in some:
                batch.delete(snapshot.reference)
            batch.commit()
