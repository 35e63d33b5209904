"""How well questions are answered: figures without a verdict. Run by `make eval`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "functions"))
