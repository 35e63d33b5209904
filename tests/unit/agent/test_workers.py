"""Worker threads are reused, and keep nothing of earlier work."""

from __future__ import annotations

import os
import threading
import time
from contextvars import ContextVar

import pytest

from rollcall.agent import workers as module
from rollcall.agent.workers import Workers, workers

SAID: ContextVar[str] = ContextVar("said", default="nothing")


def run(pool: Workers, *, name: str = "one") -> tuple[threading.Thread, str, str]:
    """Do a piece of work; return its thread, the thread's name and what was said, once it waits."""
    seen = list[tuple[threading.Thread, str, str]]()

    def work() -> None:
        thread = threading.current_thread()
        seen.append((thread, thread.name, SAID.get()))
        SAID.set("something of its own")

    pool.start(work, name=name)
    ends = time.monotonic() + 10
    while not pool._idle and time.monotonic() < ends:
        time.sleep(0.001)
    return seen[0]


def test_a_thread_that_is_done_takes_the_next_work() -> None:
    pool = Workers()
    assert run(pool)[0] is run(pool)[0]


def test_work_at_one_time_has_a_thread_each() -> None:
    together = threading.Barrier(6, timeout=10)
    pool = Workers()
    for _ in range(5):
        pool.start(together.wait, name="one of five")
    together.wait()


def test_work_runs_in_a_copy_of_its_starters_context_under_its_own_name() -> None:
    pool = Workers()
    token = SAID.set("hello")
    assert run(pool, name="first")[1:] == ("first", "hello")
    assert run(pool, name="second")[1:] == ("second", "hello")
    SAID.reset(token)
    assert run(pool)[2] == "nothing"


def test_only_so_many_threads_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_IDLE", 1)
    pool, begun, release = Workers(), threading.Event(), threading.Event()
    others = list[threading.Thread]()

    def work() -> None:
        others.append(threading.current_thread())
        begun.set()
        release.wait(10)

    pool.start(work, name="long")
    assert begun.wait(10)
    run(pool)  # whose thread is kept
    release.set()
    others[0].join(10)
    assert not others[0].is_alive()


def test_a_forked_process_begins_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = workers()
    assert workers() is ours
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert workers() is not ours
