"""The effect ledger where two do the same write at once, or where it cannot be written itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from google.api_core.exceptions import ServiceUnavailable
from google.cloud.firestore import Client, WriteBatch

from rollcall.core.errors import Aborted, OutcomeUnknown, Unavailable
from rollcall.store import effects
from rollcall.store.effects import Effect, Write, effect_key, perform_once
from tests.support.losing import losing_commit

EFFECT = Effect(effect_key("t", "r", 1, 0), "ann", "pay", 1, "digest")
RESULT = {"paid": 5}


class Stalled:
    """A write that stands between its work and its commit until it is told to go on."""

    def __init__(self, db: Client) -> None:
        self.db = db
        self.worked, self.may_go_on = threading.Event(), threading.Event()
        self.outcome: Any = None
        self._thread = threading.Thread(target=self._perform)
        self._thread.start()
        assert self.worked.wait(10)

    def go_on(self) -> Any:
        self.may_go_on.set()
        self._thread.join(10)
        return self.outcome

    def _work(self, batch: WriteBatch | None) -> Any:
        assert batch is not None
        batch.create(self.db.collection("done").document(), {"paid": 5})
        self.worked.set()
        assert self.may_go_on.wait(10)
        return RESULT

    def _perform(self) -> None:
        try:
            self.outcome = perform_once(
                self.db, EFFECT, Write(self._work, atomic=True), waits_for_others=False
            )
        except Exception as error:
            self.outcome = error


def written(db: Client) -> int:
    return len(list(db.collection("done").stream()))


def started(db: Client) -> datetime:
    found: datetime = db.document(f"effects/{EFFECT.key}").get().get("startedAt")
    return found


def test_who_lost_an_atomic_write_to_another_is_told_what_came_of_it_there(db: Client) -> None:
    first = Stalled(db)
    second = Stalled(db)  # it has taken the write over
    threading.Timer(0.5, second.may_go_on.set).start()
    assert first.go_on() == RESULT
    assert second.go_on() == RESULT
    assert written(db) == 1


def test_who_lost_an_atomic_write_to_another_that_stays_at_it_does_not_call_it_unwritten(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "PATIENCE_S", 0.3)
    first, second = Stalled(db), Stalled(db)
    assert isinstance(first.go_on(), OutcomeUnknown)
    assert second.go_on() == RESULT
    assert written(db) == 1


def test_an_unknown_outcome_is_called_so_also_where_it_cannot_be_noted(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaking_off(batch: WriteBatch | None) -> Any:
        raise ServiceUnavailable("the connection was lost")

    with losing_commit(monkeypatch, 1, "before") as seen, pytest.raises(OutcomeUnknown):
        perform_once(db, EFFECT, Write(breaking_off), waits_for_others=False)
    assert len(seen) == 2  # the claim, and the note that failed


def test_what_is_found_to_have_happened_is_so_also_where_it_cannot_be_noted(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = Write(lambda batch: RESULT, find=lambda: RESULT)
    with losing_commit(monkeypatch, 1, "before"):
        assert perform_once(db, EFFECT, way, waits_for_others=False) == RESULT
    with losing_commit(monkeypatch, 1, "before"):
        assert perform_once(db, EFFECT, way, waits_for_others=False) == RESULT


def failing_then(db: Client, work: Callable[[WriteBatch | None], Any]) -> Write:
    """Fail in passing long ago; the way of the next try."""

    def passing(batch: WriteBatch | None) -> Any:
        raise Unavailable("closed")

    with pytest.raises(Unavailable):
        perform_once(db, EFFECT, Write(passing), waits_for_others=True)
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    db.document(f"effects/{EFFECT.key}").update({"startedAt": long_ago})
    return Write(work, find=lambda: None)


def test_a_second_try_is_left_to_whoever_is_at_it_however_old_the_first_is(
    db: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "PATIENCE_S", 0.3)
    others: list[Exception] = []

    def slowly(batch: WriteBatch | None) -> Any:
        try:
            perform_once(db, EFFECT, way, waits_for_others=True)
        except Aborted as error:
            others.append(error)
        return RESULT

    way = failing_then(db, slowly)
    assert perform_once(db, EFFECT, way, waits_for_others=True) == RESULT
    assert len(others) == 1
    assert datetime.now(UTC) - started(db) < timedelta(minutes=1)
