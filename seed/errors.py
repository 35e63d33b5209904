"""What ends a command of `python -m seed` before it is done."""

from __future__ import annotations


class Unusable(Exception):
    """What was given cannot be used as a whole; the message says why."""
