"""What is measured of the education pack."""

from __future__ import annotations

from collections.abc import Callable

from tests.evals.packs.education import mathematics
from tests.evals.report import Measured

EVALS: dict[str, Callable[[str], Measured]] = {
    "mathematics": lambda model: mathematics.measure(),
}
"""By name; each is given the model to measure."""
