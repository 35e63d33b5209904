"""Spans: what was done inside of what, and how long it took. None are made unless the operator
wants them (`ROLLCALL_TRACES=otel`); until then a span is one object that does nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import TracebackType
from typing import Literal, Protocol

SWITCH = "ROLLCALL_TRACES"

Attribute = str | bool | int | float | Sequence[str]
Attributes = Mapping[str, Attribute]
Kind = Literal["internal", "client"]
"""Work of this process, or a request to another service."""


class Span(Protocol):
    """Lasts as long as its `with` block; an error that passes through marks it."""

    def __enter__(self) -> Span: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

    def set(self, attributes: Attributes) -> None:
        """Say more of it, as it gets known."""


class Nothing:
    """The span of a process that makes none."""

    __slots__ = ()

    def __enter__(self) -> Span:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None

    def set(self, attributes: Attributes) -> None:
        return None


NOTHING = Nothing()


def span(name: str, attributes: Attributes, *, kind: Kind = "internal") -> Span:
    """A span inside of the one that this thread is in. Its attributes hold no text of a message."""
    begin = _begin()
    return NOTHING if begin is None else begin(name, attributes, kind)


def is_on() -> bool:
    """Whether spans are made: what only they need is not worked out otherwise."""
    return _begin() is not None


def prepare() -> None:
    """Find out now what the first span would: whether the switch and what it asks for are there.

    Raises:
        ValueError: The switch says nothing that is known.
        RuntimeError: What it asks for is not installed.
    """
    _begin()


@cache
def _begin() -> Callable[[str, Attributes, Kind], Span] | None:
    chosen = os.environ.get(SWITCH)
    if not chosen:
        return None
    if chosen != "otel":
        raise ValueError(f"{SWITCH} is otel or not set, not {chosen!r}")
    from rollcall.core.otel import spans

    return spans()
