"""The context that each tool function gets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from rollcall_cli.workspace.errors import Stopped
from rollcall_cli.workspace.guard import Guard
from rollcall_cli.workspace.limits import Limits
from rollcall_cli.workspace.root import Root


@dataclass(frozen=True, slots=True)
class Context:
    """A workspace's folder, rules and limits, and one call's stop signal and output.

    Attributes:
        write_lock: Held while a file is written: one at a time.
        stop: Set when the user stops the call.
        on_output: Receives a command's output, as plain text, while it runs.
    """

    root: Root
    guard: Guard
    limits: Limits
    environment: tuple[str, ...] = ()
    write_lock: threading.Lock = field(default_factory=threading.Lock)
    stop: threading.Event = field(default_factory=threading.Event)
    on_output: Callable[[str], None] = lambda text: None

    def check_stop(self) -> None:
        """
        Raises:
            Stopped: The user stopped the call.
        """
        if self.stop.is_set():
            raise Stopped("stopped by the user")
