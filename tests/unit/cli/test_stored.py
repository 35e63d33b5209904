"""What is kept for the user, as it is read and refused."""

from __future__ import annotations

from typing import Any, cast

import pytest

from rollcall_cli.firestore import Firestore
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.place import Place
from rollcall_cli.stored import Stored

PLACE = Place.emulators(auth="a:1", firestore="f:1", functions="g:1")


class _User:
    uid = "noa"


@pytest.mark.parametrize("thread_id", ["nobody", "of-another", "t1/runs/r1", "..", ""])
def test_thread_that_is_not_there_or_not_ones_own_is_not_found(
    thread_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Firestore, path: str) -> dict[str, Any] | None:
        assert path.count("/") == 1
        raise CallError("permission-denied", "evaluation error at L55:22")

    monkeypatch.setattr(Firestore, "get", refuse)
    with pytest.raises(CallError, match="you have no thread") as caught:
        Stored(PLACE, cast(User, _User())).thread(thread_id)
    assert caught.value.code == "not-found"
    assert "rollcall threads" in caught.value.hint
