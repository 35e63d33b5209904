"""Claims about a user's openings within a process: one after the other, and never for ever."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from rollcall.store import admission as module
from rollcall.store.admission import one_at_a_time


def test_one_user_has_one_opening_at_a_time() -> None:
    assert _most_at_once() == 1


def test_without_a_line_they_would_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.0)
    assert _most_at_once() > 1


def test_users_do_not_wait_for_each_other() -> None:
    with one_at_a_time("ann"), ThreadPoolExecutor(1) as threads:
        assert threads.submit(_enters, "ben").result(timeout=30)


def test_who_waits_too_long_goes_on_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.01)
    with one_at_a_time("ann"), ThreadPoolExecutor(1) as threads:
        assert threads.submit(_enters, "ann").result(timeout=30)


def test_an_opening_that_fails_lets_the_next_one_in() -> None:
    with pytest.raises(RuntimeError), one_at_a_time("ann"):
        raise RuntimeError
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(_enters, "ann").result(timeout=30)


def test_nothing_is_kept_of_users_who_are_gone() -> None:
    with one_at_a_time("gone"):
        assert "gone" in module._locks
    assert "gone" not in module._locks


def _most_at_once() -> int:
    """How many of eight threads are ever inside together, each of which lets the others run."""
    inside: list[int] = []
    together: list[int] = []

    def opens(number: int) -> None:
        for _ in range(50):
            with one_at_a_time("ann"):
                inside.append(number)
                time.sleep(0)
                together.append(len(inside))
                inside.remove(number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(opens, range(8)))
    return max(together)


def _enters(uid: str) -> bool:
    with one_at_a_time(uid):
        return threading.current_thread() is not threading.main_thread()
