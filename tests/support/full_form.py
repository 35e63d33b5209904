"""Long tests: a short form in `make test`, the full form in `make chaos` (part `long`).

Such a test has the mark `long`, and takes its number of cases from here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Case = TypeVar("Case")

IS_FULL = "CHAOS_FULL" in os.environ
"""Whether this is `make chaos`."""
SEED = int(os.environ.get("CHAOS_SEED") or 20261121) if IS_FULL else 20261121
"""The seed of random cases: `make chaos` takes another one each time, or that of CHAOS_SEED."""


def amount(short: int, full: int) -> int:
    """The number of tries: `full` in `make chaos`, otherwise `short`."""
    return full if IS_FULL else short


def cases(full: Sequence[Case], *short: int) -> Sequence[Case]:
    """The cases to try: all in `make chaos`, otherwise those at the places `short`."""
    return full if IS_FULL else [full[place] for place in short]
