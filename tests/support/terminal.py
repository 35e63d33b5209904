"""A program on a terminal of its own, and a person at the keyboard.

with Terminal([PYTHON, "-m", "rollcall_cli", "chat"], env=env) as terminal:
    terminal.wait_for("❯")
    terminal.type("Hello")
    terminal.press(CTRL_C)
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from typing import Self

CTRL_C, CTRL_D = "\x03", "\x04"
# Ctrl-C is heeded also where the tests run in the background, and a shell had them ignore it.
_LAUNCH = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.login_tty(os.open(sys.argv[1], os.O_RDWR)); os.execv(sys.argv[2], sys.argv[2:])"
)
_PATIENCE_S = 60.0
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-B0-2]")


class Terminal:
    """What the program writes is gathered in `raw`; `seen` is that without what moves cursors."""

    def __init__(
        self, command: Sequence[str], *, env: Mapping[str, str], columns: int = 100, rows: int = 50
    ) -> None:
        self.raw = ""
        self._looked = 0  # what `wait_for` has gone past
        self._bytes = b""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._slave = slave
        launch = [sys.executable, "-c", _LAUNCH, os.ttyname(slave), *command]
        self.process = subprocess.Popen(launch, env={**env, "TERM": "xterm-256color"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._slave)
        os.close(self._master)

    @property
    def seen(self) -> str:
        return _ESCAPE.sub("", self.raw).replace("\r", "")

    def type(self, text: str) -> None:
        """Type a line."""
        self.press(f"{text}\r")

    def press(self, keys: str) -> None:
        """Press keys; Ctrl-C after a moment, since readline notices one that comes between its
        prompt and its wait for keys at the next key only."""
        if keys == CTRL_C:
            time.sleep(0.2)
        os.write(self._master, keys.encode())

    def wait_for(self, text: str, *, within_s: float = _PATIENCE_S) -> str:
        """Read until the program has written `text`, after what was waited for before; return all
        up to it.

        Raises:
            AssertionError: It did not come.
        """
        deadline = time.monotonic() + within_s
        while (at := self.seen.find(text, self._looked)) < 0:
            left = deadline - time.monotonic()
            assert left > 0, f"{text!r} did not come; seen:\n{self.seen[self._looked :]}"
            if not self._read(min(left, 0.5)):
                assert self.process.poll() is None, f"it ended before {text!r}:\n{self.seen}"
        passed = self.seen[self._looked : at + len(text)]
        self._looked = at + len(text)
        return passed

    def forget(self) -> None:
        """Drop the output so far, which takes time to search."""
        self.raw, self._bytes, self._looked = "", b"", 0

    def end(self, *, within_s: float = _PATIENCE_S) -> int:
        """Wait for the program to end by itself, and return its exit code."""
        deadline = time.monotonic() + within_s
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"it does not end; seen:\n{self.seen}"
            self._read(0.1)
        while self._read(0.0):
            pass
        return self.process.returncode

    def _read(self, timeout_s: float) -> bool:
        """Take what is there; whether anything was."""
        ready, _, _ = select.select([self._master], [], [], timeout_s)
        if not ready:
            return False
        with contextlib.suppress(OSError):  # the other end is closed
            self._bytes += os.read(self._master, 65_536)
            self.raw = self._bytes.decode(errors="ignore")
            return True
        return False
