"""When a provider's failure is worth another try, and after how long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator

from msgspec import Struct

from rollcall.core.errors import AgentError, ResourceExhausted, Unavailable
from rollcall.models.base import QuotaExhausted

TRIES = 3
"""Calls of one model before the next one is tried."""
MAX_WAIT_S = 20.0
MARGIN_S = 2.0
"""Kept back from the request's time: a call that begins later would have no time to answer."""
_BASE_S = 0.5


class Patience(Struct, frozen=True):
    """The clock that waits are measured by, and the dice that spread them.

    Args:
        idle_s: How often somebody who waits is given a chance to do something else, in seconds.
    """

    idle_s: float = 1.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def wait_s(self, error: AgentError, *, tries: int, deadline: float | None) -> float | None:
        """Seconds to wait before the same model is called again; None if it should not be.

        Exponential backoff with full jitter, on top of what the provider asks for.

        Args:
            tries: How often it was called already.
            deadline: Value of `clock` by which the answer must be there.
        """
        passes = isinstance(error, Unavailable | ResourceExhausted)
        if not passes or isinstance(error, QuotaExhausted) or tries >= TRIES:
            return None
        wait_s = (error.retry_after_s or 0.0) + self.random() * _BASE_S * (1 << tries)
        if wait_s > MAX_WAIT_S:
            return None
        if deadline is not None and self.clock() + wait_s > deadline - MARGIN_S:
            return None
        return wait_s

    def wait(self, wait_s: float, is_stopped: Callable[[], bool]) -> Generator[None, None, None]:
        """Wait, yielding every `idle_s` seconds, until the time is over or it was stopped."""
        ends = self.clock() + wait_s
        while (left_s := ends - self.clock()) > 0 and not is_stopped():
            self.sleep(min(left_s, self.idle_s))
            if left_s > self.idle_s:
                yield None


PATIENCE = Patience()
