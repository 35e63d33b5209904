"""What a thread remembers of approvals."""

from __future__ import annotations

from rollcall.store.approvals import RememberedApproval, read_remembered


def test_a_remembered_approval_is_read_as_it_was_stored() -> None:
    stored = RememberedApproval("d", "a1", {"docs/**": "a2"})
    assert read_remembered({"edit_file": stored.fields()}) == {"edit_file": stored}


def test_without_the_ids_of_its_approvals_the_user_is_asked_again() -> None:
    earlier = {"pay": "d", "edit_file": {"digest": "d", "patterns": ["docs/**"]}}
    assert read_remembered(earlier) == {}
