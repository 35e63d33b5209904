"""Stored values as JSON in an export."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from google.cloud.firestore import GeoPoint
from google.cloud.firestore_v1.vector import Vector

from rollcall.store.user_data import plain


@pytest.mark.parametrize(
    ("stored", "exported"),
    [
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        (b"xy", "eHk="),
        (GeoPoint(1.5, 2.0), {"latitude": 1.5, "longitude": 2.0}),
        (Vector([1.0, 2.5]), [1.0, 2.5]),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (2**62, 2**62),
    ],
)
def test_values_of_firestore_become_json_wherever_they_stand(stored: Any, exported: Any) -> None:
    assert plain({"a": [stored, None, True, "א"]}) == {"a": [exported, None, True, "א"]}
