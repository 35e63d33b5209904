"""The Firestore emulator that evals run on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from dev.emulators import running

_EMULATOR = "FIRESTORE_EMULATOR_HOST"


@contextmanager
def emulator() -> Iterator[None]:
    """Use the Firestore emulator that the environment names, or start one."""
    if os.environ.get(_EMULATOR):
        yield
    else:
        with running(("firestore",)):
            yield
