"""Functions as functions-framework serves them notice a client that disconnects."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.support.function_server import FUNCTIONS, serve_function
from tests.support.local_functions import token

SOURCE = """
import os, sys, time
from pathlib import Path

sys.path.insert(0, {functions!r})

from rollcall.catalog import prepare_process
from rollcall.core.http import bind_callable
from rollcall.core.http import bind_request

prepare_process(None)


def ticking(call):
    try:
        while True:
            yield {{"tick": 1}}
            time.sleep(0.05)
    finally:
        Path({note!r} + ".new").write_text("left")
        os.replace({note!r} + ".new", {note!r})  # there at once, and whole


as_callable = bind_callable("as_callable", ticking, timeout_s=60)
as_request = bind_request("as_request", ticking, timeout_s=60, max_bytes=1000)
"""


@pytest.mark.parametrize(
    ("target", "path", "body"),
    [("as_callable", "/", {"data": {}}), ("as_request", "/desk", {})],
)
def test_a_client_that_leaves_is_noticed(
    tmp_path: Path, target: str, path: str, body: dict[str, object]
) -> None:
    source, note = tmp_path / "main.py", tmp_path / "left"
    source.write_text(SOURCE.format(functions=str(FUNCTIONS), note=str(note)))
    headers = {
        "Authorization": f"Bearer {token()}",
        "Content-Type": "application/json",
        "Accept": "text/event-stream",
    }
    with serve_function(source, target, {"FUNCTIONS_EMULATOR": "true"}) as server:
        connection = server.connect()
        connection.request("POST", path, json.dumps(body).encode(), headers)
        response = connection.getresponse()
        assert (response.status, response.getheader("Content-Type")) == (
            200,
            "text/event-stream; charset=utf-8",
        )
        assert b"tick" in response.readline()
        assert not note.exists()
        response.close()
        connection.close()
        ends = time.monotonic() + 10
        while not note.exists() and time.monotonic() < ends:
            time.sleep(0.05)
        assert note.read_text() == "left"
