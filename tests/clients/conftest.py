"""What every test of the terminal client has: the sample data and its user."""

from __future__ import annotations

import subprocess

import pytest

from dev.paths import PYTHON, ROOT
from rollcall.store.client import database


@pytest.fixture(scope="session")
def seeded() -> None:
    """The sample data is loaded, and its user may ask faster than people do."""
    database().document("budgets/limits").set({"users": {"demo": {"runsPerMinute": None}}})
    subprocess.run([PYTHON, "-m", "seed"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
