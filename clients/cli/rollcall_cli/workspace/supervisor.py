"""A program that runs one shell command and kills every process it started.

    supervisor.py DIRECTORY STATUS TIMEOUT_S GRACE_S FILE_BYTES MEMORY_BYTES COMMAND

DIRECTORY and STATUS are file descriptors. /bin/sh runs the command in the directory, with an empty
input and the supervisor's own output. When the supervisor's input ends, because the client stops
the command or has died itself, the command is killed.

To STATUS it writes "pid N" when the command begins, and "done EXIT_CODE WHY" when none of its
processes runs any more; WHY is "ended", "late" or "stopped".

On Linux it adopts orphaned descendants, so a process that has detached itself from its session is
still found. On other systems only the command's process group is killed. Processes that other
services start on request (docker, systemd, cron, a build daemon) are found on neither.

It imports little, so that it starts fast: neither `typing` nor `contextlib` nor `subprocess`.
"""

# ruff: noqa: SIM105

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time

_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER
_SIGNAL_ON_PARENTS_DEATH = 1  # PR_SET_PDEATHSIG
_ROUNDS = 200
_ROUND_S = 0.01
_INPUT = 0


class Command:
    """A running shell command and its descendants."""

    def __init__(self, text: str, status: int) -> None:
        self._wakes, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._exit: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _exec(text, status)

    def wait(self, seconds: float, *, for_input: bool) -> bool:
        """Wait for the command to end, or for the input to end; true where the command has."""
        deadline = time.monotonic() + seconds
        watched = [self._wakes, _INPUT] if for_input else [self._wakes]
        while not self._has_ended():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            ready, _, _ = select.select(watched, [], [], left)
            if self._wakes in ready:
                os.read(self._wakes, 1024)
            if _INPUT in ready:  # the client sends nothing: its end was closed
                return self._has_ended()
        return True

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill all processes that still run."""
        for _ in range(_ROUNDS):
            self._signal(signal.SIGKILL)
            if self._has_ended() and not descendants(os.getpid()):
                return
            time.sleep(_ROUND_S)

    def exit_code(self) -> int:
        """The exit code as shells give it: 128 plus the signal's number where a signal ended it."""
        if self._exit is None:
            return 128 + signal.SIGKILL  # it is waiting for a device, and will end after that
        return self._exit if self._exit >= 0 else 128 - self._exit

    def _has_ended(self) -> bool:
        """Reap all children that have ended; true where the command is one of them."""
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                if pid == self.pid:
                    self._exit = os.waitstatus_to_exitcode(status)
        except ChildProcessError:
            pass  # none is left
        return self._exit is not None

    def _signal(self, number: signal.Signals) -> None:
        for pid in descendants(os.getpid()):
            _send(number, pid)
        _send(number, self.pid, to_group=True)


def _exec(text: str, status: int) -> None:
    """Replace this forked process with the command."""
    try:
        os.setsid()
        _prctl(_SIGNAL_ON_PARENTS_DEATH, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), _INPUT)
        # Before the command can do anything, the client knows which process it is.
        os.write(status, b"pid %d\n" % os.getpid())
        os.execv("/bin/sh", ("/bin/sh", "-c", text))
    finally:
        os._exit(126)


def descendants(ancestor: int) -> list[int]:
    """The ids of all descendants of a process; none where there is no /proc."""
    if sys.platform != "linux":
        return []
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208  (pathlib is slow)
        if parent := _parent(name):
            children.setdefault(parent, []).append(int(name))
    found: list[int] = []
    waiting = [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _parent(pid: str) -> int | None:
    """The parent of a process, or None where it has ended meanwhile."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as status:  # noqa: PTH123
            # "pid (name) state parent …"; the name may hold anything, parentheses too.
            return int(status.read().rpartition(b")")[2].split()[1])
    except OSError:
        return None


def _send(number: int, pid: int, *, to_group: bool = False) -> None:
    """Send a signal to what may have ended meanwhile, or runs as another user."""
    try:
        if to_group:
            os.killpg(pid, number)
        else:
            os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _set_limits(timeout_s: int, file_bytes: int, memory_bytes: int) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_DATA: memory_bytes,
        resource.RLIMIT_CPU: (timeout_s + 1) * (os.cpu_count() or 1),
    }
    for name, most in limits.items():
        _, hard = resource.getrlimit(name)
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(name, (value, value))
        except (ValueError, OSError):
            pass  # not every system supports all of these


def main() -> None:
    directory, status, timeout_s = map(int, sys.argv[1:4])
    grace_s = float(sys.argv[4])
    os.fchdir(directory)
    os.close(directory)
    os.set_inheritable(status, False)
    _prctl(_ADOPT_ORPHANS, 1)
    _set_limits(timeout_s, int(sys.argv[5]), int(sys.argv[6]))
    command = Command(sys.argv[7], status)
    started = time.monotonic()
    try:
        why = "ended"
        if not command.wait(timeout_s, for_input=True):
            why = "late" if time.monotonic() - started >= timeout_s else "stopped"
            command.terminate()
            command.wait(grace_s, for_input=False)
    finally:
        command.kill()
    try:
        os.write(status, f"done {command.exit_code()} {why}\n".encode())
    except BrokenPipeError:
        pass  # the client is gone: nobody to report to


if __name__ == "__main__":
    main()
