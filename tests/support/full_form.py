"""Tests that try much: a short form in `make test`, the full one in `make chaos` (part `long`).

Such a test has the mark `long`, and asks here how much to try.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

IS_FULL = "CHAOS_FULL" in os.environ
"""Whether this is `make chaos`."""
SEED = int(os.environ.get("CHAOS_SEED") or 20261121) if IS_FULL else 20261121
"""What chance follows: `make chaos` takes another one each time, or that of CHAOS_SEED."""


def amount(short: int, full: int) -> int:
    """How often to try."""
    return full if IS_FULL else short


def cases(full: Sequence[Case], *short: int) -> Sequence[Case]:
    """Which cases to try: those at these places of the list, or all."""
    return full if IS_FULL else [full[place] for place in short]
