"""Optimistic writes: read, commit with preconditions, and start over when somebody was faster."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

from rollcall.core.errors import Aborted

R = TypeVar("R")

_ATTEMPTS = 15
_FIRST_WAIT_S = 0.01
_LONGEST_WAIT_S = 0.5


def until_unchanged(work: Callable[[], R]) -> R:
    """Run `work` again until its preconditions hold; it must read anew each time.

    Raises:
        Aborted: Others were faster every time.
    """
    from google.api_core import exceptions

    for attempt in range(_ATTEMPTS):
        try:
            return work()
        except (
            exceptions.FailedPrecondition,
            exceptions.AlreadyExists,
            exceptions.NotFound,
            exceptions.Aborted,
        ):
            wait_s = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 1.6**attempt)
            time.sleep(wait_s * random.uniform(0.5, 1.5))
    raise Aborted("too many writers at once; try again", retry_after_s=1)
