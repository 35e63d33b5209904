"""What is kept for the user, as it is read and refused."""

from __future__ import annotations

from typing import Any, cast

import pytest

from rollcall_cli.deployment import Deployment
from rollcall_cli.firestore import Firestore
from rollcall_cli.http import CallError
from rollcall_cli.identity import User
from rollcall_cli.store import Store

DEPLOYMENT = Deployment.emulators(auth="a:1", firestore="f:1", functions="g:1")


class _User:
    uid = "noa"


def test_a_deployments_prefix_is_in_every_path(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def note(self: Firestore, path: str, *more: Any, **options: Any) -> Any:
        asked.append(path)
        return []

    for name in ("get", "query", "update"):
        monkeypatch.setattr(Firestore, name, note)
    deployment = Deployment.emulators(auth="a:1", firestore="f:1", functions="g:1", prefix="rc")
    store = Store(deployment, cast(User, _User()))
    store.threads(limit=3)
    store.log("t1")
    store.result("t1", "r1")
    store.rename("t1", "About rooms")
    assert store.take_calls("t1", "r1")
    store.decide("a1", approved=True)
    store._pages("t1", "r1", -1)
    assert asked == [
        "rc_threads",
        "rc_threads/t1/rc_messages",
        "rc_threads/t1/rc_runs/r1",
        "rc_threads/t1",
        "rc_threads/t1",
        "rc_approvals/a1",
        "rc_threads/t1/rc_runs/r1/rc_events",
    ]


@pytest.mark.parametrize(("code", "taken"), [("permission-denied", False), (None, True)])
def test_calls_are_taken_by_one_process(
    code: str | None, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []

    def send(self: Firestore, method: str, path: str, body: Any = None) -> Any:
        sent.extend(body["writes"])
        if code:
            raise CallError(code, "denied by the rules")

    monkeypatch.setattr(Firestore, "_send", send)
    assert Store(DEPLOYMENT, cast(User, _User())).take_calls("t1", "r1") is taken
    (write,) = sent
    assert write["updateMask"] == {"fieldPaths": ["waiting.takenBy"]}


@pytest.mark.parametrize("thread_id", ["nobody", "of-another", "t1/runs/r1", "..", ""])
def test_thread_that_is_not_there_or_not_ones_own_is_not_found(
    thread_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Firestore, path: str) -> dict[str, Any] | None:
        assert path.count("/") == 1
        raise CallError("permission-denied", "evaluation error at L55:22")

    monkeypatch.setattr(Firestore, "get", refuse)
    with pytest.raises(CallError, match="you have no thread") as caught:
        Store(DEPLOYMENT, cast(User, _User())).thread(thread_id)
    assert caught.value.code == "not-found"
    assert "rollcall threads" in caught.value.hint
