"""The running emulator suite: start, readiness, stop.

firebase-tools starts Java and Python in process groups of their own, and leaves the functions'
servers running when it ends. Those stay in the groups they were started in, so the groups are what
is looked up first and killed last.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollcall.core.errors import Problem
from rollcall.emulators import requirements
from rollcall.emulators.addresses import NEEDED, Addresses, Configuration
from rollcall.emulators.requirements import scratch

LOADED = "Loaded functions definitions"
REFUSED = "Failed to load function definition"
"""Lines that firebase-tools writes after it has looked for a codebase's functions."""

_START_S = 180.0  # the Auth emulator alone takes 10 s on two slow cores
_POLL_S = 0.1
_GRACE_S = 15.0
_GONE_S = 2.0
_READY = "All emulators ready"  # the hub lists the functions before they are known
_SUGGESTED_OFFSET = 3000  # 100 would put Firestore among the ports of functions' servers
# Starting fast matters more here than running fast.
_JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@dataclass
class Suite:
    """Running emulators, from `start` to `stop`."""

    process: subprocess.Popen[bytes]
    log: Path
    configuration: Configuration
    addresses: Addresses

    def wait_until_ready(self, only: tuple[str, ...]) -> None:
        """Wait until every emulator answers and the functions are known.

        Raises:
            Problem: The emulators ended, took too long, or found no functions.
        """
        deadline = time.monotonic() + _START_S
        # The hub lists all of `only` when they have started.
        while not (
            _READY in self.log_text()
            and set(only) <= set(get_json(self.addresses.hub, "/emulators") or {})
        ):
            if self.process.poll() is not None:
                raise self._failure(f"The emulators ended with code {self.process.returncode}.")
            if time.monotonic() > deadline:
                raise self._failure(f"The emulators did not start within {_START_S:.0f} s.")
            time.sleep(_POLL_S)
        if "functions" in only:  # firebase-tools is silent if none were found
            if REFUSED in self.log_text():
                raise self._failure("The functions could not be loaded.")
            if not self.functions():
                raise self._failure("No functions were found.")

    def functions(self) -> list[dict[str, Any]]:
        """Return the functions that the emulator can run."""
        return read_functions(self.addresses)

    def stop(self) -> None:
        """Stop the suite and everything that it started."""
        try:
            stop(self.process)
        finally:  # on a second Ctrl-C too
            self.configuration.remove_file()

    def log_text(self) -> str:
        """Return what firebase-tools and the functions have written so far."""
        return self.log.read_text(errors="replace")

    def _failure(self, what: str) -> Problem:
        before_ready = self.log_text().partition(_READY)[0]
        lines = before_ready.strip().splitlines()
        # From the first sign of trouble on.
        signs = ("Traceback", "Error", REFUSED)
        first = next((i for i, line in enumerate(lines) if any(s in line for s in signs)), -10)
        shown = lines[first:][:40]
        return Problem("\n".join([what, "", *shown, "", f"All of it is in {self.log}."]))


@contextlib.contextmanager
def running(
    configuration: Configuration, only: tuple[str, ...] = NEEDED, *, project: str | None = None
) -> Iterator[Suite]:
    """Run the emulators during the block, with their addresses in this process's environment."""
    suite, before = start(configuration, only, project=project), dict(os.environ)
    try:
        os.environ.update(suite.addresses.environment())
        yield suite
    finally:
        os.environ.clear()
        os.environ.update(before)
        suite.stop()


def start(
    configuration: Configuration, only: tuple[str, ...] = NEEDED, *, project: str | None = None
) -> Suite:
    """Start the emulators and wait until they work.

    Raises:
        Problem: Something that they need is missing, a port is taken, or they do not start.
    """
    root = configuration.root
    firebase = requirements.find_firebase(root)
    environment = _variables(root)
    _check_ports(configuration, only)
    folder = scratch(root) / f"emulators-{configuration.offset}"  # each copy has its own logs
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "emulators.log"
    file = configuration.file(ui=requirements.is_downloaded(firebase, "ui"))
    at = configuration.addresses(project)
    where: list[str | Path] = ["--project", at.project, "--config", file]
    with log.open("wb") as written:
        process = subprocess.Popen(
            [firebase, "emulators:start", *where, "--only", ",".join(only), "--non-interactive"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that Ctrl-C reaches only us, and we stop it in order
        )
    suite = Suite(process, log, configuration, at)
    try:
        suite.wait_until_ready(only)
    except BaseException:
        suite.stop()
        raise
    return suite


def get_json(host: str, path: str) -> Any:
    """Return the JSON that `host` answers; None if it does not answer."""
    connection = http.client.HTTPConnection(host, timeout=5)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def read_functions(at: Addresses) -> list[dict[str, Any]]:
    """Return the functions of all codebases, as the emulator describes them."""
    backends = (get_json(at.functions, "/backends") or {}).get("backends", [])
    return [function for backend in backends for function in backend["functionTriggers"]]


def is_free(port: int) -> bool:
    """Tell whether nothing on this computer listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _variables(root: Path) -> dict[str, str]:
    """Return this environment with what firebase-tools, Java and the functions need."""
    return {
        **os.environ,
        **requirements.firestore_environment(root),
        "PATH": requirements.search_path(root),
        "JAVA_TOOL_OPTIONS": f"{_JAVA_OPTIONS} {os.environ.get('JAVA_TOOL_OPTIONS', '')}".strip(),
        "FUNCTIONS_DISCOVERY_TIMEOUT": os.environ.get("FUNCTIONS_DISCOVERY_TIMEOUT", "120"),
        "CI": "true",  # no questions, and no looking for news of firebase-tools
        "METADATA_SERVER_DETECTION": "none",  # this is no machine of Google's: do not ask
        "NO_GCE_CHECK": "true",
        "NO_COLOR": "1",
    }


def _check_ports(configuration: Configuration, only: tuple[str, ...]) -> None:
    """Check that all ports are free; firebase-tools' own message about a taken one is long.

    Raises:
        Problem: A port is taken.
    """
    for name, port in configuration.ports(only).items():
        if not is_free(port):
            raise Problem(
                f"Port {port} ({name}) is taken, perhaps by emulators that already run.\n"
                "Stop them, or run these beside them on other ports, with "
                f"PORT_OFFSET={configuration.offset + _SUGGESTED_OFFSET} in the environment."
            )


def stop(process: subprocess.Popen[bytes]) -> None:
    """Interrupt `process` as Ctrl-C does, then kill what is left of its process groups.

    It must have been started with `start_new_session=True`.
    """
    groups = _groups_below(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGINT)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        pass  # it is killed below
    finally:  # on a second Ctrl-C too
        for group in groups:
            _signal(group, signal.SIGKILL)
    process.wait()
    # Killed processes release their ports a moment later.
    deadline = time.monotonic() + _GONE_S
    while time.monotonic() < deadline and any(_signal(group, 0) for group in groups):
        time.sleep(0.02)


def _groups_below(pid: int) -> set[int]:
    """Return the process groups of `pid` and of all its descendants."""
    children = defaultdict(list)
    group_of = {}
    if Path("/proc/self/stat").exists():  # macOS has no /proc, and small images have no `ps`
        lines = []
        for file in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # it ended just now
                # "123 (name) S parent group ...", and a name may hold anything.
                after_name = file.read_text().rpartition(")")[2].split()
                lines.append(f"{file.parent.name} {after_name[1]} {after_name[2]}")
    else:
        command = ["ps", "-A", "-o", "pid=,ppid=,pgid="]
        lines = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for child, parent, group in (map(int, line.split()) for line in lines):
        children[parent].append(child)
        group_of[child] = group
    groups, waiting = {pid}, [pid]
    while waiting:
        current = waiting.pop()
        groups.add(group_of.get(current, pid))
        waiting += children[current]
    return groups


def _signal(group: int, number: int) -> bool:
    """Send a signal to a process group, and return whether the group existed."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # the second is macOS's for dead processes
        return False
    return True
