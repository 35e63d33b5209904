"""No time has a single-field index: Firestore takes 500 writes a second on one with rising
values."""

from __future__ import annotations

from rollcall.testing import calls, says
from tests.support.indexes import indexed_times, stored_times
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


def test_times_on_every_run_have_no_index_of_their_own(office: Office) -> None:
    waiting = office.ask(payment())
    office.resume(waiting, says("Paid."))
    office.crash({"message": "Hi."}, says("Hi."), at="finish", before=True)
    office.ask(calls(("open_file", {"path": "a"})), clientId="laptop", clientTools=["open_file"])
    assert indexed_times(office.db) <= FEW.keys()
    stored = set(stored_times(office.db))
    assert {("threads", "updatedAt"), ("runs", "leaseUntil"), ("audit", "loggedAt")} <= stored
