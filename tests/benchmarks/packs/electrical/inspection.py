"""An inspection's own time: CPU of run_inspection after the project is read, at growing projects.

The project is a tower with every kind of fault in it: four issues for every three circuits, so that
most of the work of the worst case, texts and proposed sizes, is done. Times are of the process,
medians of five; reading is counted by the emulator's tests (a document for each panel, and one).
"""

from __future__ import annotations

import statistics
import time

from rich.table import Table

from packs.electrical.inspection.facts import Facts
from packs.electrical.inspection.report import inspect
from packs.electrical.inspection.rules import RULES
from packs.electrical.projects.records import Project
from tests.support.packs.electrical.tower import tower

SIZES = ((5, 40), (10, 40), (25, 40), (50, 40))
ROUNDS = 5


def measure() -> Table:
    """One row for each size of project."""
    table = Table(title="Inspection")
    for column in ("panels", "circuits", "issues", "validated, ms", "inspected, ms", "µs/circuit"):
        table.add_column(column, justify="right")
    for panels, circuits in SIZES:
        project = tower(panels, circuits)
        data = project.dump()
        validated = statistics.median(_cpu_ms(lambda: Project.model_validate(data)))  # noqa: B023
        inspected = statistics.median(_cpu_ms(lambda: inspect(Facts(project), RULES)))  # noqa: B023
        count = sum(len(panel.circuits) for panel in project.panels)
        issues = len(inspect(Facts(project), RULES).issues)
        table.add_row(
            *(str(panels), str(count), str(issues)),
            *(f"{validated:.0f}", f"{inspected:.0f}", f"{1000 * inspected / count:.0f}"),
        )
    return table


def _cpu_ms(work: object) -> list[float]:
    assert callable(work)
    found = []
    for _ in range(ROUNDS):
        before = time.process_time()
        work()
        found.append(1000 * (time.process_time() - before))
    return found
