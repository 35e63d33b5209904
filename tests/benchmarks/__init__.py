"""Measurements: ratios within one run, and counted operations. Run by `make bench`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "functions"))
