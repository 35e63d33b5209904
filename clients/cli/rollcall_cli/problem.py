"""A problem for the person at the keyboard, told without a traceback."""

from __future__ import annotations


class Problem(Exception):
    """Something a person can put right; the message says what and how."""
