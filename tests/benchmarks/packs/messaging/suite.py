"""What is measured of the messaging pack."""

from __future__ import annotations

from tests.benchmarks.packs.messaging import firestore_cost

BENCHMARKS = {"firestore_cost": firestore_cost.measure}
