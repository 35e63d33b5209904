"""Clients that all calls of a process share."""

from __future__ import annotations

import threading

import pytest

from rollcall.models._sharing import shared


def test_who_asks_while_it_is_made_waits_for_it_and_it_is_made_once() -> None:
    begun, may_end, made = threading.Event(), threading.Event(), list[str]()

    @shared
    def client(key: str) -> object:
        made.append(key)
        begun.set()
        may_end.wait(30)
        return object()

    found: list[object] = []
    first = threading.Thread(target=lambda: found.append(client("k")))
    first.start()
    begun.wait(30)
    second = threading.Thread(target=lambda: found.append(client("k")))
    second.start()
    may_end.set()
    first.join(30)
    second.join(30)
    assert made == ["k"]
    assert found[0] is found[1]


def test_another_key_is_another_client() -> None:
    client = shared(lambda key: [key])
    assert client("a") == ["a"]
    assert client("b") == ["b"]
    assert client("a") is client("a")


def test_what_could_not_be_made_is_tried_again() -> None:
    tries: list[int] = []

    @shared
    def client() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("no certificates")
        return "made"

    with pytest.raises(OSError, match="certificates"):
        client()
    assert client() == "made"
