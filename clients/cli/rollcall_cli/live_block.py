"""A live block below the printed output: spinners, and text being written."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rich.console import RenderableType
from rich.live import Live

from rollcall_cli.screen import Screen

FRAMES_PER_S = 12


class LiveBlock:
    """A block that is redrawn many times a second, on screens that support it.

    rich computes how many lines to erase before it writes. Output of another thread in between
    would make it erase the wrong ones, so a redraw holds the screen's lock, as `Screen.say` does.

    Args:
        block: Returns the current content.
    """

    def __init__(self, screen: Screen, block: Callable[[], RenderableType]) -> None:
        self._screen = screen
        self._live = Live(
            console=screen.console, get_renderable=block, auto_refresh=False, transient=True
        )
        self._stopped = threading.Event()

    def start(self) -> None:
        """Start drawing."""
        if self._screen.redraws:
            with self._screen.lock:
                self._live.start()
            threading.Thread(target=self._redraw, name="redraw", daemon=True).start()

    def stop(self) -> None:
        """Erase the block and stop."""
        with self._screen.lock:
            self._stopped.set()
            self._live.stop()

    def _redraw(self) -> None:
        while not self._stopped.wait(1 / FRAMES_PER_S):
            with self._screen.lock:
                if not self._stopped.is_set():
                    self._live.refresh()
