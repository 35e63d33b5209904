"""The Node packages: firebase-tools, and what the JavaScript tests use."""

from __future__ import annotations

import re

from dev import commands
from dev.paths import NODE_MODULES, ROOT
from dev.problem import Problem
from dev.stamp import Stamp
from rollcall.emulators.requirements import output

OLDEST = 20


def prepare() -> bool:
    """Install the locked packages, unless they are there already; whether they were installed."""
    version = _version()
    stamp = Stamp(
        NODE_MODULES, ROOT / "package-lock.json", str(version), str(NODE_MODULES.resolve())
    )
    if stamp.is_current():
        return False
    print("Installing the Node packages into node_modules (under a minute) ...", flush=True)
    # The optional packages are native speed-ups that take a minute to compile,
    # and no package needs its install script to run the emulators.
    skip = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]
    commands.run(
        ["npm", "ci", "--prefer-offline", "--loglevel=error", *skip],
        failing="The Node packages could not be installed; npm says why above.",
    )
    stamp.write()
    return True


def _version() -> int:
    """Node's major version."""
    found = re.match(r"v(\d+)", output(["node", "--version"]))
    if found is None:
        raise Problem(f"Rollcall's emulators need Node {OLDEST} or newer: https://nodejs.org")
    if int(found[1]) < OLDEST:
        raise Problem(f"Rollcall's emulators need Node {OLDEST} or newer; this is {found[0]}.")
    return int(found[1])
