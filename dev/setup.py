"""Installs what Rollcall needs to be run and changed: python3 -m dev.setup

Installs into functions/venv and node_modules only. Run again, it sees that
nothing is missing and is done at once. What takes its time says so first, and
how long it took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from dev import newer_python, problem

Step = tuple[str, Callable[[], bool]]
"""What is installed, and what installs it where it is missing and says whether it was."""


def main() -> int:
    # Not before the right Python runs: an old one would not understand them.
    from dev import packages
    from dev.paths import ROOT
    from rollcall.emulators import requirements

    install(
        (
            ("Python packages", packages.prepare_python),
            ("Node packages", packages.prepare_node),
            ("Java", packages.prepare_java),
            ("Firestore emulator", lambda: requirements.prepare_firestore(ROOT)),
        )
    )
    return 0


def install(steps: Sequence[Step], clock: Callable[[], float] = monotonic) -> None:
    """Take the steps of a set-up, and say of each that had to install something how long it
    took."""
    for number, (what, prepare) in enumerate(steps, start=1):
        began = clock()
        if prepare():
            seconds = clock() - began
            print(f"{number} of {len(steps)}: {what}, {seconds:.0f} s.", flush=True)


if __name__ == "__main__":
    newer_python.require("dev.setup")
    problem.run(main)
