"""Reading several documents at once, and committing what another may have been faster with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch


def read_all(db: Client, *references: Any) -> list[Any]:
    """The snapshots of these documents, in their order, in one round trip."""
    found = {snapshot.reference.path: snapshot for snapshot in db.get_all(list(references))}
    return [found[reference.path] for reference in references]


def committed(batch: WriteBatch) -> Any:
    """Commit a preconditioned batch: what was written, or None when somebody was faster."""
    from google.api_core.exceptions import Conflict, FailedPrecondition, NotFound

    try:
        return batch.commit()
    except (Conflict, FailedPrecondition, NotFound):
        return None
