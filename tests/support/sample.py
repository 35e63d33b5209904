"""The sample data on the emulators, and its user, as tests of clients need them."""

from __future__ import annotations

import os
import subprocess

from dev.paths import PYTHON, ROOT
from rollcall.store.client import database


def load_sample() -> None:
    """Load the sample data unless `make test` has, and let its user ask faster than people do."""
    limits = database().document("budgets/limits")
    limits.set({"users": {"demo": {"runsPerMinute": None, "runsAtOnce": None}}}, merge=True)
    if "SAMPLE_LOADED" not in os.environ:
        subprocess.run([PYTHON, "-m", "seed"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
