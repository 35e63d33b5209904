"""What holds for all tests in Python."""

from __future__ import annotations

import gc

import pytest
from hypothesis import settings

# No example is timed: a busy machine makes no claim false.
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=50)
# `make chaos` tries more, and other examples each time: --hypothesis-profile=free.
settings.register_profile("free", deadline=None, max_examples=500, print_blob=True)
settings.load_profile("fixed")

gc.disable()  # while all is imported, and nothing thrown away


def pytest_collection_finish(session: pytest.Session) -> None:
    """Leave what was imported and collected out of every later garbage collection."""
    gc.freeze()
    gc.enable()
