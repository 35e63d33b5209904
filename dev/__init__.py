"""Tools for developing Rollcall: setup, emulators, tests, documentation.

`dev.setup` and what it imports run on the standard library alone, because they
install everything else.
"""

import sys
from pathlib import Path

# The library starts the emulators, and is not installed here.
_FUNCTIONS = str(Path(__file__).resolve().parent.parent / "functions")
if _FUNCTIONS not in sys.path:
    sys.path.append(_FUNCTIONS)
