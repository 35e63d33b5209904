"""A pool of worker threads for replies and tool calls.

A turn reads each reply, and runs each call, in a thread of the pool, so that it can be stopped
while these wait. Starting a thread takes as long as checking and running a small tool, so idle
threads are kept for the next task.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import copy_context
from functools import cache, partial
from queue import SimpleQueue
from threading import Thread, current_thread

MAX_IDLE = 64
"""How many idle threads are kept at most."""

_IDLE = "idle worker"
_Task = tuple[str, Callable[[], object]]


class Workers:
    """A pool without a limit: a task gets an idle thread or a new one. The threads are daemons,
    which do not keep the process from ending; `ThreadPoolExecutor` is as fast, but its threads
    keep the process alive while a tool hangs."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[_Task]] = []

    def start(self, work: Callable[[], object], *, name: str) -> None:
        """Run `work` in a thread, in a copy of this thread's context.

        Args:
            name: The thread's name during the task.
        """
        try:
            tasks = self._idle.pop()
        except IndexError:
            tasks = SimpleQueue()
            Thread(target=self._serve, args=(tasks,), name=_IDLE, daemon=True).start()
        tasks.put((name, partial(copy_context().run, work)))

    def _serve(self, tasks: SimpleQueue[_Task]) -> None:
        thread = current_thread()
        while True:
            thread.name, work = tasks.get()
            work()
            del work  # it holds a whole request
            thread.name = _IDLE
            if len(self._idle) >= MAX_IDLE:
                return
            self._idle.append(tasks)


def workers() -> Workers:
    """Return this process's pool; a forked process gets a new one."""
    return _workers_of(os.getpid())


@cache
def _workers_of(pid: int) -> Workers:
    return Workers()
