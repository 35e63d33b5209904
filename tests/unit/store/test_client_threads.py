"""Names that clients give their threads."""

from __future__ import annotations

import re

from rollcall.store.client_threads import client_thread_id
from rollcall.store.runs import thread_id_for


def test_a_name_leads_each_user_to_a_thread_of_their_own() -> None:
    names = ["a", "b", "a/b", "\u05d0", ""]
    found = {client_thread_id(uid, name) for uid in ("ann", "eve") for name in names}
    assert len(found) == 10
    assert client_thread_id("ann", "a") == client_thread_id("ann", "a")
    assert all(re.fullmatch("[0-9a-f]{20}", id) for id in found)


def test_no_name_leads_to_a_thread_that_another_endpoint_opens() -> None:
    assert client_thread_id("ann", "r1") != thread_id_for("ann", "r1")
    assert client_thread_id("ann", "x") != client_thread_id("an", "nx")
