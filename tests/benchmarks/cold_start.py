"""Process start to first answer, over a bare one-function file with the same dependencies."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx2
from rich.table import Table

from tests.support.calling import PROJECT, token
from tests.support.ports import free_port

FUNCTIONS = Path(__file__).parents[2] / "functions"
ROUNDS = 9
BARE = """
import firebase_admin
from firebase_functions import https_fn
from google.auth.credentials import AnonymousCredentials

firebase_admin.initialize_app(AnonymousCredentials())

@https_fn.on_call()
def bare(request):
    return {"uid": request.auth.uid}
"""


def measure() -> Table:
    """Compare a capability's function and the orchestrator with a bare callable function."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "main.py").write_text(BARE, encoding="utf-8")
        cases = {
            "a bare callable function": (Path(folder), "bare"),
            "list_capabilities (refused before any read)": (FUNCTIONS, "list_capabilities"),
            "get_priority_messages (refused before any read)": (FUNCTIONS, "get_priority_messages"),
            "run_agent (refused before any read)": (FUNCTIONS, "run_agent"),
        }
        times: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(ROUNDS):  # interleaved, so that a busy moment strikes all alike
            for name, (source, target) in cases.items():
                times[name].append(_first_answer_s(source, target))
    bare = statistics.median(times["a bare callable function"])
    table = Table(title=f"Cold start: process start to first answer, median of {ROUNDS}")
    for column in ("function", "seconds", "ratio"):
        table.add_column(column, justify="left" if column == "function" else "right")
    for name, seconds in times.items():
        median = statistics.median(seconds)
        table.add_row(name, f"{median:.2f}", f"{median / bare:.2f}")
    return table


def _first_answer_s(source: Path, target: str) -> float:
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "GCLOUD_PROJECT": PROJECT,
        "FUNCTIONS_EMULATOR": "true",
        "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:1",
        "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1",
        "FUNCTION_TARGET": target,
    }
    started = time.monotonic()
    command = [sys.executable, "-m", "functions_framework", f"--target={target}"]
    process = subprocess.Popen(
        [*command, "--source=main.py", f"--port={port}", "--host=127.0.0.1"],
        cwd=source,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with httpx2.Client(trust_env=False) as client:
            while True:
                try:
                    client.post(
                        f"http://127.0.0.1:{port}/",
                        json={"data": {"unknown": 1}},
                        headers={"Authorization": f"Bearer {token()}"},
                        timeout=30,
                    )
                    return time.monotonic() - started
                except httpx2.ConnectError:
                    if process.poll() is not None:
                        raise RuntimeError(f"{target} did not start") from None
                    time.sleep(0.005)
    finally:
        process.terminate()
        process.wait()
