"""Cold start: from process start to the first answer, over a bare file with the same libraries.

Each function is served by functions-framework as a deployed one is (one worker; ours with what
`functions/.env` sets), and its first call is a whole one: signed in, valid, answered with a result.
Time counts from the start of the process to the answer's last byte; CPU is user and system time of
the server and its worker by then. Rounds are interleaved, so that other load hits all cases alike.
Everything is compiled to bytecode before. Firestore is the emulator, and the model's provider a
server in a process of its own, on the same machine and always answering at once.

The bare files are in `tests/benchmarks/bare`: one callable, an initialised app, the same libraries.
The leaves are capabilities of `tests/benchmarks/pack`, put beside the real packs for the while, and
one of a real pack, which reads more than its bare neighbour. `run_agent` answers a first message in
a new thread. It is compared with one call on the bare SDK and nothing kept, as anyone would begin,
and for Gemini also with that call and the three round trips to Firestore that keeping a dialogue
takes at least.
"""

from __future__ import annotations

import compileall
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client
from rich.table import Table

from dev.emulators import running
from tests.support.function_server import FUNCTIONS, deployed_environment, serve_function
from tests.support.local_functions import PROJECT
from tests.support.steady_provider import steady_provider

ROUNDS = 9
BARE = Path(__file__).parent / "bare"
PACK = Path(__file__).parent / "pack"
POWER = {"arguments": {"volts": 230, "amps": 2}}
NOTE = {"arguments": {"id": "n1"}}
MESSAGE = {"agent": "messaging", "message": "Hello, how are you?"}
# The provider's address alone would make it Gemini, which is looked at first.
OPENAI = {"OPENAI_API_KEY": "sk-bench", "ROLLCALL_MODEL": "openai:gpt-5.5"}
GEMINI = {"GEMINI_API_KEY": "bench"}


@dataclass
class Case:
    """A function, and what its first call cost in each round.

    Attributes:
        over: The names of the bare cases it is compared with.
    """

    source: Path
    target: str
    data: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)
    over: tuple[str, ...] = ()
    seconds: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)

    def run(self, environment: dict[str, str]) -> None:
        """Start it and call it once."""
        if self.source.parent != BARE:
            environment = environment | deployed_environment()
        with serve_function(self.source, self.target, environment | self.environment) as function:
            function.call(self.data)
            self.seconds.append(time.monotonic() - function.started)
            self.cpu_s.append(function.cpu_s())


def cases(main: Path) -> dict[str, Case]:
    """All cases by name; `main` is the `main.py` of a tree that has the bench's pack."""
    power, note, model_calls = (BARE / f"{name}.py" for name in ("power", "note", "model_calls"))
    of_gemini = ("bare, one Gemini call", "bare, one Gemini call, kept")
    return {
        "bare, computes": Case(power, "bench_power", POWER),
        "leaf, computes": Case(main, "bench_power", POWER, over=("bare, computes",)),
        "bare, reads": Case(note, "bench_note", NOTE),
        "leaf, reads": Case(main, "bench_note", NOTE, over=("bare, reads",)),
        "get_user_conversations": Case(
            main, "get_user_conversations", {"arguments": {}}, over=("bare, reads",)
        ),
        "bare, one OpenAI call": Case(model_calls, "ask_openai", MESSAGE, OPENAI),
        "run_agent, OpenAI": Case(main, "run_agent", MESSAGE, OPENAI, ("bare, one OpenAI call",)),
        "bare, one Gemini call": Case(model_calls, "ask_gemini", MESSAGE, GEMINI),
        "bare, one Gemini call, kept": Case(model_calls, "ask_gemini_and_store", MESSAGE, GEMINI),
        "run_agent, Gemini": Case(main, "run_agent", MESSAGE, GEMINI, of_gemini),
    }


def measure() -> Table:
    """Run every case in turn, round by round."""
    with firestore() as emulator, tempfile.TemporaryDirectory() as folder:
        found = cases(tree_with_pack(Path(folder)))
        publish(Path(folder))
        with steady_provider() as provider:
            for _ in range(ROUNDS):
                for case in found.values():
                    case.run(emulator | provider)
    table = Table(title=f"Cold start: process start to first answer, median of {ROUNDS}")
    for column in ("function", "s", "CPU s", "over", "ratio", "ratio of CPU"):
        table.add_column(column, justify="left" if column in ("function", "over") else "right")
    for name, case in found.items():
        ratios = [_ratios(case, found[over]) for over in case.over]
        table.add_row(
            name,
            f"{_median(case.seconds):.2f}",
            f"{_median(case.cpu_s):.2f}",
            "\n".join(over.removeprefix("bare, ") for over in case.over),
            "\n".join(f"{seconds:.2f}" for seconds, _ in ratios),
            "\n".join(f"{cpu:.2f}" for _, cpu in ratios),
        )
    return table


def _ratios(case: Case, bare: Case) -> tuple[float, float]:
    seconds = _median(case.seconds) / _median(bare.seconds)
    return seconds, _median(case.cpu_s) / _median(bare.cpu_s)


def _median(values: list[float]) -> float:
    return statistics.median(values)


@contextmanager
def firestore() -> Iterator[dict[str, str]]:
    """The Firestore emulator of this environment, or one for the while."""
    name = "FIRESTORE_EMULATOR_HOST"
    if name in os.environ:
        yield {name: os.environ[name]}
        return
    with running(only=("firestore",)):
        yield {name: os.environ[name]}


def tree_with_pack(folder: Path) -> Path:
    """Copy what is deployed, with the bench's pack beside the others; its `main.py`."""
    for name in ("rollcall", "packs"):
        shutil.copytree(FUNCTIONS / name, folder / name)
    shutil.copytree(PACK, folder / "packs" / "bench")
    compileall.compile_dir(folder, quiet=1)
    return Path(shutil.copy(FUNCTIONS / "main.py", folder))


def publish(folder: Path) -> None:
    """Fill the registry from the tree in `folder`, and write the note that is read."""
    environment = os.environ | {"GCLOUD_PROJECT": PROJECT}
    command = [sys.executable, "-m", "rollcall", "sync"]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    db = Client(project=PROJECT, credentials=AnonymousCredentials())  # type: ignore[no-untyped-call]
    db.collection("benchNotes").document("n1").set({"text": "Read me."})
