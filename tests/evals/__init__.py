"""Evals: figures of how well questions are answered, without thresholds. Run by `make eval`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "functions"))
