"""Runs code in a Python process that has the installed packages imported already.

A process that imports firebase-functions and Firestore's client takes most of a second to start,
and a test of what an app's process does starts several. Here a server of the test process imports
them once and forks a child for each run: the child has a folder, an environment and a `sys.path`
of its own, as `python -c` would have there, and nothing of Rollcall imported. A test of what a
process imports takes the server that has the `FEWEST`, so that it can say more of the others.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FEWEST = (
    *("firebase_functions.https_fn", "flask_cors"),
    *("pydantic.main", "pydantic.json_schema", "pydantic.type_adapter"),
)
"""What every function's process imports."""
MOST = (
    *FEWEST,
    *("firebase_functions.firestore_fn", "firebase_functions.scheduler_fn"),
    *("firebase_functions.tasks_fn", "firebase_admin.auth", "google.auth.transport"),
    *("docstring_parser", "msgspec", "rich.console", "statistics", "yaml"),
)


def run_python(
    code: str,
    *,
    folder: Path,
    environment: Mapping[str, str],
    preloaded: tuple[str, ...] = MOST,
) -> subprocess.CompletedProcess[str]:
    """Run code as `python -c` does in a folder, with this environment and no other variable."""
    server = _server(preloaded)
    assert server.stdin is not None and server.stdout is not None
    with tempfile.TemporaryDirectory() as written:
        out, errors = Path(written, "stdout"), Path(written, "stderr")
        request = [code, str(folder), dict(environment), str(out), str(errors)]
        server.stdin.write(f"{json.dumps(request)}\n")
        server.stdin.flush()
        returncode = int(server.stdout.readline())
        return subprocess.CompletedProcess(
            ["python", "-c", code], returncode, out.read_text(), errors.read_text()
        )


@cache
def _server(preloaded: tuple[str, ...]) -> subprocess.Popen[str]:
    """The server of this process with these modules, which ends with it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    server = subprocess.Popen(
        [sys.executable, __file__, *preloaded],
        env={**environment, "GCLOUD_PROJECT": "demo-x"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate)
    return server


def _serve() -> None:
    """Fork a child for each line that comes, and answer with its exit code."""
    sys.path.remove(str(Path(__file__).parent))
    for name in sys.argv[1:]:
        __import__(name)
    for line in sys.stdin:
        if not (child := os.fork()):
            _be_child(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _be_child(code: str, folder: str, environment: dict[str, str], out: str, errors: str) -> None:
    """Run the code and exit as the interpreter does."""
    for path, descriptor in ((os.devnull, 0), (out, 1), (errors, 2)):
        flags = os.O_RDWR | os.O_CREAT
        os.dup2(os.open(path, flags), descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    added = environment.get("PYTHONPATH", "")
    sys.path[:0] = ["", *filter(None, added.split(os.pathsep))]
    returncode = 1
    try:
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        returncode = 0
    except SystemExit as ended:
        returncode = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(returncode)


if __name__ == "__main__":
    _serve()
