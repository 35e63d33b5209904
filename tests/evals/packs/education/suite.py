"""What the evals measure of the education pack."""

from __future__ import annotations

from collections.abc import Callable

from tests.evals.packs.education import curriculum, defects, formats, mathematics, requests
from tests.evals.report import Measured

EVALS: dict[str, Callable[[str], Measured]] = {
    "mathematics": lambda model: mathematics.measure(),
    "teachers_requests": requests.measure,
    "curriculum": curriculum.measure,
    "defects": lambda model: defects.measure(),
    "exchange_formats": lambda model: formats.measure_exchange(),
    "documents": lambda model: formats.measure_documents(),
}
"""By name; each is given the model to measure."""
