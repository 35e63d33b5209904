"""No single-field index on a time: Firestore takes 500 writes a second on one whose values rise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from google.cloud.firestore import Client

from rollcall.testing import calls, says
from tests.support.indexes import Indexes
from tests.support.office import Office, payment

FEW = {
    ("agents", "lastUpdated"): "one document an agent",
    ("capabilities", "lastUpdated"): "one document a capability",
    ("documents", "dueAt"): "absent once a document is read",
    ("files", "openUntil"): "on unfinished uploads and on files that tools made",
    ("registry", "asOf"): "a few documents in all",
    ("registry", "compiledAt"): "a few documents in all",
    ("threads", "waiting.until"): "present while a client's answer is missing",
}
"""Times with an index, and why few documents have them."""


def times(document: Mapping[str, Any], place: str = "") -> Iterator[str]:
    for name, value in document.items():
        if isinstance(value, datetime):
            yield place + name
        elif isinstance(value, dict):
            yield from times(value, f"{place}{name}.")


def stored(db: Client, reference: Any = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every document below a reference, with the group that it is in."""
    for collection in (reference or db).collections():
        for found in collection.stream():
            yield collection.id, found.to_dict() or {}
            yield from stored(db, found.reference)


def test_times_on_every_run_have_no_index_of_their_own(office: Office) -> None:
    waiting = office.ask(payment())
    office.resume(waiting, says("Paid."))
    office.crash({"message": "Hi."}, says("Hi."), at="finish", before=True)
    office.ask(calls(("open_file", {"path": "a"})), clientId="laptop", clientTools=["open_file"])
    indexes = Indexes.committed()
    found = {(group, field) for group, document in stored(office.db) for field in times(document)}
    assert {("threads", "updatedAt"), ("runs", "leaseUntil"), ("audit", "loggedAt")} <= found
    indexed = {
        each
        for each in found - FEW.keys()
        if not any(
            indexes.overrides.get((each[0], path)) == set()
            for path in (each[1], each[1].split(".")[0])
        )
    }
    assert indexed == set()
