"""The tool `run_command`: a shell command in the workspace's root, limited in time and output."""

from __future__ import annotations

import codecs
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from rollcall_cli.workspace import supervisor
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.control_chars import ControlFilter, invisible_char
from rollcall_cli.workspace.environment import GIT_FUNCTION, environment_for_commands
from rollcall_cli.workspace.errors import Stopped, ToolError
from rollcall_cli.workspace.output import Output

MAX_CHARS = 10_000
_PROGRAM = (sys.executable, "-I", "-S", str(Path(supervisor.__file__)))
_CHUNK = 65_536
_STEP_S = 0.05
_DRAIN_S = 0.5
"""How long output is read after the command has ended."""
_REPORT_S = 10.0
"""How long after the time limit a supervisor may report before it counts as dead."""


def run_command(context: Context, *, command: str, timeout_s: int = 60) -> dict[str, Any]:
    """Run a command by /bin/sh in the root, with its input closed.

    When it ends, its background processes are killed.

    Returns:
        {"command", "exitCode" (128 and more: ended by a signal), "output" (what it printed, as
        plain text, the middle left out where it is long), "truncated"?, "timedOut"?, "ms"}.
    Raises:
        ToolError: The command cannot be run, or names a file that may not be read.
        Stopped: The user stopped it.
    """
    _check(command)
    context.guard.check_command(command, context.root.path)
    context.check_stop()
    started = time.monotonic()
    with _Process(context, command, timeout_s) as process:
        exit_code, why = process.wait()
    ms = round((time.monotonic() - started) * 1000)
    if why == "stopped":
        raise Stopped(f"stopped by the user after {ms / 1000:.1f} s")
    return {
        "command": command,
        "exitCode": exit_code,
        "output": process.output.text(),
        **({"truncated": True} if process.output.is_cut else {}),
        **({"timedOut": True} if why == "late" else {}),
        "ms": ms,
    }


def _check(command: str) -> None:
    if not command.strip():
        raise ToolError("command: it is empty")
    if len(command) > MAX_CHARS:
        raise ToolError(f"command: {len(command)} characters; at most {MAX_CHARS} are run")
    if hidden := invisible_char(command):
        raise ToolError(f"command: it holds {hidden}, which nobody sees who approves it")


class _Process:
    """A command, run by its supervisor."""

    def __init__(self, context: Context, command: str, timeout_s: int) -> None:
        self._context = context
        self._ends = time.monotonic() + timeout_s + context.limits.stop_grace_s
        self.output = Output(context.limits)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._plain = ControlFilter()
        self._status, status = os.pipe()
        self._reported = b""
        try:
            self._process = self._start(command, timeout_s, status)
        except OSError as error:
            os.close(self._status)
            raise ToolError(f"commands cannot be run here: {error.strerror}") from error
        finally:
            os.close(status)

    def _start(self, command: str, timeout_s: int, status: int) -> subprocess.Popen[bytes]:
        limits = self._context.limits
        directory = self._context.root.fd
        arguments = (
            directory,
            status,
            timeout_s,
            limits.stop_grace_s,
            limits.command_file_bytes,
            limits.command_memory_bytes,
            GIT_FUNCTION + command,
        )
        return subprocess.Popen(
            (*_PROGRAM, *map(str, arguments)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment_for_commands(os.environ, self._context.environment),
            pass_fds=(directory, status),
            start_new_session=True,
            bufsize=0,
        )

    def wait(self) -> tuple[int, str]:
        """Wait for the command; return its exit code and why it ended.

        Raises:
            ToolError: The supervisor is gone without a report.
        """
        assert self._process.stdout is not None and self._process.stdin is not None
        output = self._process.stdout.fileno()
        watched = [output, self._status]
        try:
            while self._status in watched and time.monotonic() < self._ends + _REPORT_S:
                ready, _, _ = select.select(watched, [], [], _STEP_S)
                watched = [fd for fd in watched if fd not in ready or self._read(fd)]
                if self._context.stop.is_set() and not self._process.stdin.closed:
                    self._process.stdin.close()
                    grace_s = self._context.limits.stop_grace_s
                    self._ends = min(self._ends, time.monotonic() + grace_s)
                if time.monotonic() > self._ends:  # the command may have stopped its supervisor
                    self._process.send_signal(signal.SIGCONT)
        except BaseException:
            self._process.stdin.close()  # a second Ctrl-C must not leave the command running
            raise
        if output in watched:
            self._drain(output)
        self._take(self._decode.decode(b"", final=True), last=True)
        return self._report()

    def _drain(self, output: int) -> None:
        """Read the remaining output. A process that could not be killed may keep the pipe open."""
        deadline = time.monotonic() + _DRAIN_S
        while (left := deadline - time.monotonic()) > 0:
            ready, _, _ = select.select([output], [], [], left)
            if not ready or not self._read(output):
                return

    def _read(self, fd: int) -> bool:
        data = os.read(fd, _CHUNK)
        if fd == self._status:
            self._reported += data
        else:
            self._take(self._decode.decode(data))
        return bool(data)

    def _take(self, text: str, *, last: bool = False) -> None:
        shown = self._plain.feed(text) + (self._plain.end() if last else "")
        if live := self.output.add(shown):
            self._context.on_output(live)

    def _report(self) -> tuple[int, str]:
        lines = [line.split() for line in self._reported.decode().splitlines()]
        if len(lines) == 2:
            return int(lines[1][1]), lines[1][2]
        for left in supervisor.descendants(self._process.pid):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(left, signal.SIGKILL)
        for _, pid in lines:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(int(pid), signal.SIGKILL)
        raise ToolError(
            "command: its supervisor was ended before it; "
            "what the command started may still be running"
        )

    def __enter__(self) -> _Process:
        return self

    def __exit__(self, *about: object) -> None:
        assert self._process.stdout is not None and self._process.stdin is not None
        self._process.stdin.close()
        self._process.stdout.close()
        os.close(self._status)
        try:
            self._process.wait(self._context.limits.stop_grace_s + _REPORT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
