"""What the evals measure of the tutoring pack."""

from __future__ import annotations

from collections.abc import Callable

from tests.evals.packs.tutoring import lessons, sessions
from tests.evals.report import EvalResult

EVALS: dict[str, Callable[[str], EvalResult]] = {
    "tutor_lessons": lambda model: lessons.measure(),
    "tutor_sessions": lambda model: sessions.measure(),
}
"""By name; each is given the model to measure, and no model takes part in these."""
