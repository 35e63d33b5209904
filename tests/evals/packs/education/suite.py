"""What the evals measure of the education pack."""

from __future__ import annotations

from collections.abc import Callable

from tests.evals.packs.education import (
    access,
    curriculum,
    defects,
    formats,
    mathematics,
    requests,
    results,
)
from tests.evals.report import EvalResult

EVALS: dict[str, Callable[[str], EvalResult]] = {
    "mathematics": lambda model: mathematics.measure(),
    "teachers_requests": requests.measure,
    "curriculum": curriculum.measure,
    "defects": lambda model: defects.measure(),
    "exchange_formats": lambda model: formats.measure_exchange(),
    "results_export": lambda model: results.measure(),
    "access": access.measure,
    "documents": lambda model: formats.measure_documents(),
}
"""By name; each is given the model to measure."""
