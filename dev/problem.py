"""Runs a command's `main`, and prints its problems without a traceback."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

from rollcall.core.errors import Problem as Problem


def run(main: Callable[[], int]) -> None:
    """Run a command's `main` and leave with its exit code.

    SIGTERM and SIGHUP unwind as Ctrl-C does, so that everything that was started is stopped too.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    try:
        sys.exit(main())
    except Problem as problem:
        print(f"\n{problem}", file=sys.stderr)
        sys.exit(problem.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
