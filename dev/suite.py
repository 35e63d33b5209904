"""The running emulator suite: starting it, knowing that it works, stopping it."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from dev import addresses, commands, firestore, java, processes
from dev.addresses import PROJECT, Addresses
from dev.paths import FIREBASE, SCRATCH
from dev.problem import Problem

ALL = ("auth", "functions", "firestore", "tasks")

_START_S = 180.0  # the Auth emulator alone takes 10 s on two slow cores
_POLL_S = 0.1
_READY = "All emulators ready"  # the hub lists the functions before they are known
_REFUSED = "Failed to load function definition"
_SUGGESTED_OFFSET = 3000  # 100 would put Firestore among the ports of functions' servers
# Starting fast matters more here than running fast.
_JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


class Suite:
    """Emulators that run. Made by `start`, ended by `stop`."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log
        self.addresses = addresses.current()

    def wait_until_ready(self, only: tuple[str, ...]) -> None:
        """Return once every emulator answers and the functions are known."""
        deadline = time.monotonic() + _START_S
        while not (_READY in self._log_text() and _are_up(self.addresses, only)):
            if self.process.poll() is not None:
                raise self._failure(f"The emulators ended with code {self.process.returncode}.")
            if time.monotonic() > deadline:
                raise self._failure(f"The emulators did not start within {_START_S:.0f} s.")
            time.sleep(_POLL_S)
        if "functions" in only:
            self._check_functions()

    def stop(self) -> None:
        """End the suite and everything that it started."""
        processes.stop(self.process)
        if addresses.offset():
            addresses.config_file().unlink(missing_ok=True)

    def _check_functions(self) -> None:
        """Make sure that functions were found: firebase-tools is silent if not."""
        if _REFUSED in self._log_text():
            raise self._failure("The functions could not be loaded.")
        if not _functions(self.addresses):
            raise self._failure("No functions were found.")

    def _failure(self, what: str) -> Problem:
        before_ready = self._log_text().partition(_READY)[0]
        lines = _telling(before_ready.strip().splitlines())
        return Problem("\n".join([what, "", *lines, "", f"All of it is in {self.log}."]))

    def _log_text(self) -> str:
        return self.log.read_text(errors="replace")


def start(only: tuple[str, ...] = ALL) -> Suite:
    """Start the emulators and wait until they work."""
    _check_ports()
    folder = SCRATCH / f"emulators-{addresses.offset()}"  # each copy has its own logs
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "emulators.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            _command(only),
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that Ctrl-C reaches only us, and we stop it in order
        )
    suite = Suite(process, log)
    try:
        suite.wait_until_ready(only)
    except BaseException:
        suite.stop()
        raise
    return suite


def _command(only: tuple[str, ...]) -> commands.Command:
    where: commands.Command = ["--project", PROJECT, "--config", addresses.config_file()]
    return [FIREBASE, "emulators:start", *where, "--only", ",".join(only), "--non-interactive"]


def _environment() -> dict[str, str]:
    """This environment as firebase-tools, Java and the functions need it."""
    return {
        **os.environ,
        **firestore.environment(),
        "PATH": java.search_path(),
        "JAVA_TOOL_OPTIONS": f"{_JAVA_OPTIONS} {os.environ.get('JAVA_TOOL_OPTIONS', '')}".strip(),
        "FUNCTIONS_DISCOVERY_TIMEOUT": os.environ.get("FUNCTIONS_DISCOVERY_TIMEOUT", "120"),
        "CI": "true",  # no questions, and no looking for news of firebase-tools
        "METADATA_SERVER_DETECTION": "none",  # this is no machine of Google's: do not ask
        "NO_GCE_CHECK": "true",
        "NO_COLOR": "1",
    }


def _check_ports() -> None:
    """Say which port is taken before firebase-tools says it at length."""
    for name, port in addresses.shifted_ports().items():
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError as error:
                raise Problem(
                    f"Port {port} ({name}) is taken, perhaps by emulators that already run.\n"
                    "Stop them, or run these beside them on other ports: "
                    f"PORT_OFFSET={addresses.offset() + _SUGGESTED_OFFSET} make ..."
                ) from error


def _are_up(at: Addresses, only: tuple[str, ...]) -> bool:
    """Whether the hub lists all of `only`, which it does when they have started."""
    running = _get_json(at.hub, "/emulators") or {}
    return set(only) <= set(running)


def _functions(at: Addresses) -> list[str]:
    """Names of the functions that the emulator can run."""
    backends = (_get_json(at.functions, "/backends") or {}).get("backends", [])
    return [trigger["name"] for backend in backends for trigger in backend["functionTriggers"]]


def _get_json(host: str, path: str) -> Any:
    """What `host` answers; None while it does not."""
    connection = http.client.HTTPConnection(host, timeout=5)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _telling(lines: list[str]) -> list[str]:
    """The lines of a log that say what went wrong: from the first sign of trouble on."""
    signs = ("Traceback", "Error", _REFUSED)
    first = next((i for i, line in enumerate(lines) if any(s in line for s in signs)), -10)
    return lines[first:][:40]
