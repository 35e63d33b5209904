"""`call`: calls a function on the emulators that run, as a development user."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from dataclasses import replace

from rollcall.commands.app import find_app, require_app
from rollcall.commands.client import Backend, CallError, Session, emulated, sign_in_developer
from rollcall.commands.output import print_json
from rollcall.core.problem import Problem
from rollcall.emulators.addresses import Configuration


def run(options: Namespace) -> int:
    """Print the function's result as JSON; 1 where it failed."""
    try:
        backend, session = sign_in(options)
        print_json(backend.call(options.function, options.data, session.token))
    except CallError as error:
        raise Problem(error.report) from error
    return 0


def sign_in(options: Namespace) -> tuple[Backend, Session]:
    """The app's emulators, and the user of `--as` signed in there.

    Raises:
        Problem: This is no app, or its emulators do not run.
        CallError: The Auth emulator refused.
    """
    app = require_app(find_app())
    backend = emulated(Configuration(app.root), options.project)
    app.load_environment(backend.project, emulator=True, env=os.environ)
    backend = replace(backend, on_incident=lambda text: print(text, file=sys.stderr))
    return backend, sign_in_developer(backend, options.user)
