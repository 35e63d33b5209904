"""The command `rollcall`, also as `python -m rollcall_cli`."""

from __future__ import annotations

import signal


def run() -> None:
    """Run the command and leave with its exit code. While its parts are loaded, Ctrl-C just ends
    it."""
    handles = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if handles:  # and is not ignored, as in the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from rollcall_cli import main

    if handles:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main.run()


if __name__ == "__main__":
    run()
