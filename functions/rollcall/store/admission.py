"""What an opening reads and writes beside its thread, so that its user's runs are counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rollcall.store.settlements import Settlements

if TYPE_CHECKING:
    from google.cloud.firestore import DocumentReference, WriteBatch
    from google.cloud.firestore import DocumentSnapshot as _Snapshot

    DocumentSnapshot = _Snapshot[Any]


class Admission(Protocol):
    """One opening's. Each of its tries reads `references` together with the thread, asks `admit`
    for its writes, and tells `admitted` when its batch has gone through."""

    @property
    def references(self) -> Sequence[DocumentReference]:
        """The documents to read, in the order in which the snapshots are to be given."""

    def was_started(self, snapshots: Sequence[DocumentSnapshot]) -> bool:
        """Whether a run of this key was opened in the last minutes."""

    def admit(
        self, batch: WriteBatch, snapshots: Sequence[DocumentSnapshot], said: Settlements
    ) -> None:
        """Add the writes, which insist on the documents as they were read.

        Args:
            said: What the thread's last run says it spent.
        Raises:
            ResourceExhausted: The user's rate does not allow it.
        """

    def admitted(self, time: Any) -> None:
        """The batch is written. `time` is the update time of its documents; None where the answer
        to it was lost."""
