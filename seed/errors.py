"""The error of `python -m seed`."""

from __future__ import annotations


class UnusableInput(Exception):
    """The input cannot be used at all; the message says why."""
