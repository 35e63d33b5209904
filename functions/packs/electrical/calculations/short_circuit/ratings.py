"""Interrupting ratings that panels and breakers are made with."""

from __future__ import annotations

STANDARD_A: tuple[int, ...] = (
    10_000, 14_000, 18_000, 22_000, 25_000, 30_000, 35_000, 42_000, 50_000, 65_000, 100_000,
    125_000, 150_000, 200_000,
)  # fmt: skip


def smallest_standard(amps: float) -> int | None:
    """The smallest interrupting rating in common use that is not below a current, A; None above
    200 kA, where current-limiting devices must bring it down first."""
    return next((rating for rating in STANDARD_A if rating >= amps), None)
