"""What is measured of the electrical pack."""

from __future__ import annotations

from tests.benchmarks.packs.electrical import inspection

BENCHMARKS = {"inspection": inspection.measure}
