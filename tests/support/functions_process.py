"""All functions in one process of their own, with models that a test chooses.

    with functions_process({"ROLLCALL_MODEL": "openai:gpt-5.5", **fake.env()}) as address:
        ...                       # callables at http://{address}/demo-rollcall/us-central1/{name}

Firestore and Auth are those of the emulators that run, and the task queue is this process's own.
Unlike in the functions emulator, whose models were chosen when it began, each test has its own.
"""

from __future__ import annotations

import base64
import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import flask
import httpx2
from werkzeug.serving import make_server

from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]
PREFIX = "/demo-rollcall/us-central1"
_TASKS = "/projects/<project>/locations/<location>/queues/<queue>/tasks"
_START_S = 180.0  # on a busy machine
_POLL_S = 0.1


@contextlib.contextmanager
def functions_process(environment: Mapping[str, str]) -> Iterator[str]:
    """Serve until the block ends; gives `host:port`.

    Raises:
        RuntimeError: The process ended, or does not answer.
    """
    port = free_port()
    path = os.pathsep.join([str(ROOT), str(ROOT / "functions")])
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.functions_process", str(port)],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": path,
            "FUNCTIONS_EMULATOR": "true",
            "CLOUD_TASKS_EMULATOR_HOST": f"127.0.0.1:{port}",
            **environment,
        },
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait(process, port)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the functions ended with code {process.returncode}")
        with contextlib.suppress(httpx2.HTTPError):
            httpx2.get(f"http://127.0.0.1:{port}/", trust_env=False)
            return
        time.sleep(_POLL_S)
    raise RuntimeError("the functions did not start")


def _app() -> flask.Flask:
    """Every function that is called over HTTP, at its path on the emulator."""
    from tests.support.catalogs import catalog

    app = flask.Flask("functions")
    for name, function in catalog.cloud_functions(None).items():
        at = function.__firebase_endpoint__
        triggers = (at.callableTrigger, at.httpsTrigger, at.taskQueueTrigger)
        if any(trigger is not None for trigger in triggers):  # one without options is empty
            methods = ["GET", "POST", "OPTIONS"]
            app.add_url_rule(f"{PREFIX}/{name}", name, _view(function), methods=methods)
    app.add_url_rule(_TASKS, "tasks", _enqueue(app), methods=["POST"])
    return app


def _enqueue(app: flask.Flask) -> Callable[..., Any]:
    """The task queue: each task is run at once, in a thread of its own."""

    def view(queue: str, **where: str) -> Any:
        body = base64.b64decode(flask.request.get_json()["task"]["httpRequest"]["body"])
        options = {"data": body, "content_type": "application/json"}
        calling = app.test_client().post
        threading.Thread(target=calling, args=(f"{PREFIX}/{queue}",), kwargs=options).start()
        return {"name": "one", "task": {"name": "one"}}

    return view


def _view(function: Any) -> Callable[[], Any]:
    return lambda: function(flask.request)


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), _app(), threaded=True).serve_forever()
