"""Midnight, and any other time, for tests that open runs."""

from __future__ import annotations

import pytest

from rollcall.store import admission


def later_in_the_day(patch: pytest.MonkeyPatch) -> None:
    """Openings cost what they do in any but the first minutes of a UTC day."""
    patch.setattr(admission, "BOTH_DAYS_MS", 0)


def in_the_first_minutes(patch: pytest.MonkeyPatch) -> None:
    """Openings read and write yesterday as well, as in the first minutes of a UTC day."""
    patch.setattr(admission, "BOTH_DAYS_MS", 24 * 60 * 60 * 1000)
