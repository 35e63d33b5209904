"""Keeping this process's environment and memory from the commands that it runs."""

from __future__ import annotations

import sys

_DUMPABLE = 4  # PR_SET_DUMPABLE


def hide_process() -> None:
    """Let no other process of the same user look into this one.

    A command does not inherit the client's environment, but on Linux it could read it in /proc, and
    the sign-in in the client's memory with a debugger. After this only root can. Elsewhere nothing
    is done: macOS asks for the user's password before another process may look.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)
