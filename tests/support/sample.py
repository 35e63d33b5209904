"""The sample data on the emulators, and its user, as tests of clients need them."""

from __future__ import annotations

import os
import subprocess
from typing import Any

from dev.paths import PYTHON, ROOT
from rollcall.store.client import database
from tests.support.full_form import IS_FULL


def load_sample() -> None:
    """Load the sample data unless `make test` has, and let its user ask faster than people do; in
    the full form, all users ask more than people may in a day."""
    limits: dict[str, Any] = {"users": {"demo": {"runsPerMinute": None, "runsAtOnce": None}}}
    if IS_FULL:
        limits["user"] = {"usdPerDay": None, "tokensPerDay": None}
    database().document("budgets/limits").set(limits, merge=True)
    if "SAMPLE_LOADED" not in os.environ:
        subprocess.run([PYTHON, "-m", "seed"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
