"""What the evals measure of the education pack."""

from __future__ import annotations

from collections.abc import Callable

from tests.evals.packs.education import curriculum, defects, mathematics, requests
from tests.evals.report import Measured

EVALS: dict[str, Callable[[str], Measured]] = {
    "mathematics": lambda model: mathematics.measure(),
    "teachers_requests": requests.measure,
    "curriculum": curriculum.measure,
    "defects": lambda model: defects.measure(),
}
"""By name; each is given the model to measure."""
