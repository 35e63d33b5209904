"""`python -m seed` loads data to start with; `python -m seed import` brings in your own."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

_FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"


def main() -> int:
    """Run the command in the backend's own environment."""
    _use_own_python()
    sys.path.insert(0, str(_FUNCTIONS))
    from seed.cli import run

    return run(sys.argv[1:])


def _use_own_python() -> None:
    """Start over with the Python that `make setup` prepared, if this one lacks what is needed."""
    own = _FUNCTIONS / "venv" / "bin" / "python"
    if find_spec("pydantic") and find_spec("rich"):
        return
    if Path(sys.prefix).resolve() == own.parent.parent.resolve() or not own.exists():
        sys.exit("Python packages are missing: run `make setup` first.")
    os.execv(own, [str(own), "-m", "seed", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
