"""Clients that all calls of a process share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class shared(Generic[P, T]):  # noqa: N801  # a decorator
    """Like `functools.cache`, and who asks while something is being made waits for it."""

    def __init__(self, make: Callable[P, T]) -> None:
        self._made = cache(make)
        self._lock = Lock()

    def __call__(self, *args: P.args, **options: P.kwargs) -> T:
        with self._lock:
            return self._made(*args, **options)  # type: ignore[arg-type]

    def cache_clear(self) -> None:
        """Forget what was made."""
        self._made.cache_clear()
