"""Imports conversations into Firestore: all items are spooled, then written by conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from packs.messaging.documents import CONVERSATIONS, Conversation
from packs.messaging.ingest import IngestCounts, write_conversation
from rollcall.core.errors import InvalidArgument
from seed.messaging.records import Item, Note, Problem, Record, Removal
from seed.messaging.spool import Spool, SpooledConversation

if TYPE_CHECKING:
    from google.cloud.firestore import Client

    from rollcall.core.context import Embedder, TextModel


@dataclass(slots=True)
class Outcome:
    """Counts of an import.

    Attributes:
        notes: How often something was left out or repaired on purpose.
        problems: How many items could not be imported; each was reported as it came.
    """

    conversations: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    problems: int = 0
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def messages(self) -> int:
        return self.added + self.changed + self.unchanged


@dataclass(frozen=True, slots=True)
class Import:
    """An import: where to write, for whom, and with which models.

    Attributes:
        user: The user who joins every conversation that is imported.
        source: Stored with each conversation, such as "slack".
        report: Called with each problem as it comes.
    """

    db: Client
    user: str
    source: str
    report: Callable[[Problem], None]
    embedder: Embedder | None = None
    text_model: TextModel | None = None

    def gather(self, items: Iterable[Item], spool: Spool) -> Outcome:
        """Spool records and removals, and count notes and problems."""
        outcome = Outcome()
        for item in items:
            result: Item | None = item
            if isinstance(item, Record):
                result = spool.add(item)
            elif isinstance(item, Removal):
                spool.remove(item)
                result = Note("deleted messages")
            if isinstance(result, Problem):
                self._fail(outcome, result)
            elif isinstance(result, Note):
                outcome.notes[result.what] += 1
        return outcome

    def write(self, spool: Spool, outcome: Outcome, on_written: Callable[[int], None]) -> None:
        """Write all conversations of the spool; `on_written` gets the number of messages done."""
        done = 0
        for gathered in spool.conversations():
            progress = partial(_add, on_written, done)
            try:
                written = self._write_one(gathered, spool, progress)
            except InvalidArgument as error:
                self._fail(outcome, Problem(f"conversation {gathered.id}", error.message))
            else:
                outcome.conversations += 1
                outcome.added += written.added
                outcome.changed += written.changed
                outcome.unchanged += written.unchanged
            done += gathered.messages
            on_written(done)

    def _write_one(
        self, gathered: SpooledConversation, spool: Spool, on_progress: Callable[[int], None]
    ) -> IngestCounts:
        return write_conversation(
            self.db,
            self._conversation(gathered),
            spool.messages(gathered.id),
            embedder=self.embedder,
            text_model=self.text_model,
            on_progress=on_progress,
        )

    def _conversation(self, gathered: SpooledConversation) -> Conversation:
        """The conversation to write: those who were in it before stay in it.

        Raises:
            InvalidArgument: A stored one of this id has another source, or the user is not in it.
        """
        people = {self.user: "", **gathered.participants}
        stored = self.db.collection(CONVERSATIONS).document(gathered.id).get()
        if stored.exists:
            before = Conversation.read(gathered.id, stored.to_dict() or {})
            if self.user not in before.participant_ids or before.source != self.source:
                raise InvalidArgument("there is another conversation of this id")
            known = dict.fromkeys(before.participant_ids, "") | before.participant_names
            people = known | {uid: name or known.get(uid, "") for uid, name in people.items()}
        names = {uid: name or uid for uid, name in people.items()}
        return Conversation(
            id=gathered.id,
            name=gathered.name,
            participant_ids=tuple(names),
            participant_names=names,
            type="direct" if len(names) <= 2 else "group",
            created_at=gathered.started_at,
            created_by=self.user,
            source=self.source,
        )

    def _fail(self, outcome: Outcome, problem: Problem) -> None:
        outcome.problems += 1
        self.report(problem)


def _add(on_written: Callable[[int], None], before: int, count: int) -> None:
    on_written(before + count)
