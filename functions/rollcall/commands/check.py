"""`check`: checks the definitions in the app's packages, without running or reaching anything."""

from __future__ import annotations

from argparse import Namespace

from rollcall.commands.app import find_app, require_app
from rollcall.commands.output import say


def run(options: Namespace) -> int:
    """Say that the definitions are sound.

    Raises:
        Problem: Some are not.
    """
    app = require_app(find_app())
    app.check_definitions()
    capabilities, agents = app.catalog.capabilities(), app.catalog.agents()
    say(f"{len(capabilities)} capabilities and {len(agents)} agents: no definition is wrong")
    return 0
