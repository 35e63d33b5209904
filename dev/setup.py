"""Installs what Rollcall needs to be run and changed: python3 -m dev.setup

Installs into functions/venv and node_modules only. Run again, it sees that
nothing is missing and is done at once.
"""

from __future__ import annotations

from dev import newer_python, problem


def main() -> int:
    # Not before the right Python runs: an old one would not understand them.
    from dev import java, node, venv
    from dev.paths import ROOT
    from rollcall.emulators import firestore

    venv.prepare()
    node.prepare()
    java.prepare()
    firestore.prepare(ROOT)
    return 0


if __name__ == "__main__":
    newer_python.require("dev.setup")
    problem.run(main)
