"""The command line of `python -m seed`.

Exit codes: 0: all was loaded; 1: something could not be imported, all else was; 2: nothing was done
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from rollcall.store.seeding import KINDS, Kind
from seed.data_sets import load_all, packs
from seed.errors import UnusableInput
from seed.screen import Screen
from seed.target import choose


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    options = _parser().parse_args(arguments)
    screen = Screen()
    try:
        target = choose(project=options.project, production=options.production, env=os.environ)
        screen.say(f"Writing to {target}")
        if options.command:
            return int(options.run(options, screen))
        kinds: frozenset[Kind] = frozenset({options.only}) if options.only else KINDS
        load_all(target, kinds, screen)
        return 0
    except UnusableInput as problem:
        screen.print_error(str(problem))
        return 2
    except KeyboardInterrupt:
        screen.print_error("stopped; run it again to go on where it was")
        return 130


def _parser() -> argparse.ArgumentParser:
    target = argparse.ArgumentParser(add_help=False)
    target.add_argument("--project", help="project id; the emulator's where left out")
    target.add_argument(
        "--production", action="store_true", help="write to a real project, not to the emulator"
    )
    parser = argparse.ArgumentParser(
        prog="python -m seed",
        parents=[target],
        description="Load reference and sample data, the demo user and the registry.",
    )
    parser.add_argument("--only", choices=sorted(KINDS), help="load only data of this kind")
    commands = parser.add_subparsers(dest="command")
    for pack in packs():
        if find_spec(f"seed.{pack}.command"):
            import_module(f"seed.{pack}.command").add_to(commands, target=target)
    return parser
