"""Calls a function on the emulators that run, as the demo user.

`python -m dev.call meeting_cost '{"arguments": {"people": 6, "hours": 2}}'` prints its result.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rich.console import Console

from dev import problem
from dev.emulators import current
from dev.paths import FUNCTIONS
from dev.problem import Problem
from rollcall.core.options import region
from rollcall.emulators.addresses import Addresses
from rollcall_cli.callable import Functions
from rollcall_cli.http import CallError
from rollcall_cli.identity import User, sign_in
from rollcall_cli.place import Place


def place_of(at: Addresses) -> Place:
    """These emulators as the terminal client knows them."""
    return Place.emulators(
        auth=at.auth,
        firestore=at.firestore,
        functions=at.functions,
        project=at.project,
        region=region(),
    )


def demo_user(at: Addresses) -> User:
    """The sample data's own user, signed in.

    Raises:
        CallError: The emulators do not answer, or hold no sample data.
    """
    sys.path.insert(0, str(FUNCTIONS))  # the sample data comes with the backend's own code
    from seed.target import DEMO_USER

    return sign_in(place_of(at), email=DEMO_USER.email, password=DEMO_USER.password)


def demo_functions(at: Addresses) -> Functions:
    """The functions at these addresses, called by that user.

    Raises:
        CallError: As for `demo_user`.
    """
    return Functions(at.functions_url, token=demo_user(at).token)


def main() -> int:
    options = _options()
    try:
        result = demo_functions(current()).call(options.function, options.data)
    except CallError as error:
        told = "".join(f"\n\n{each['traceback']}" for each in error.incidents)
        raise Problem(f"{error.code}: {error.message}\n{error.hint}".rstrip() + told) from error
    Console(soft_wrap=True).print_json(json.dumps(result), ensure_ascii=False)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m dev.call", description=__doc__)
    parser.add_argument("function", help="its name, such as list_capabilities")
    parser.add_argument("data", nargs="?", default={}, type=_json, help="JSON; {} if left out")
    return parser.parse_args()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"this is not JSON: {error}") from error


if __name__ == "__main__":
    problem.run(main)
