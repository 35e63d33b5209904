"""What holds for all tests in Python."""

from __future__ import annotations

import gc
import time
from collections import Counter

import pytest
from hypothesis import is_hypothesis_test, settings

from tests.support.full_form import amount

# No example is timed: a busy machine makes no claim false.
examples = amount(6, full=25)
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=examples)
# `make chaos` tries more, and other examples each time: --hypothesis-profile=free.
settings.register_profile("free", deadline=None, max_examples=500, print_blob=True)
settings.load_profile("fixed")

gc.disable()  # while all is imported, and nothing thrown away

_DAY_S, _LAST_S = 86_400, 60


def pytest_runtest_setup() -> None:
    """Begin no test in the last minute of a day by UTC: budgets and usage are counted by days."""
    left_s = _DAY_S - time.time() % _DAY_S
    if left_s < _LAST_S:
        time.sleep(left_s)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, then those with most tests, so that none that takes long is
    begun when all others are done. A test of generated cases is a long one to `make chaos`."""
    slow = {item.path for item in items if _is_slow(item)}
    counts = Counter(item.path for item in items)
    items.sort(key=lambda item: 0 if item.path in slow else 1 / counts[item.path])
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("long")


def _is_slow(item: pytest.Item) -> bool:
    """Whether a test is marked so, tries much in `make chaos`, or is one in a browser."""
    is_marked = item.get_closest_marker("slow") or item.get_closest_marker("long")
    return bool(is_marked) or "browser" in getattr(item, "fixturenames", ())


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was imported and collected out of every later garbage collection, and collect
    seldom: what tests make is mostly freed as soon as they let go of it."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()
