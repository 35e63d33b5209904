"""Server-sent events: frames of JSON, sent as they come, also while nothing comes for long."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterator
from contextvars import Context, copy_context
from typing import Any

import flask

LEAVE_S = 10.0
"""How long a request whose client is gone waits for its work to be saved."""

PING_S = 15.0
"""A comment line this often keeps proxies from closing a quiet stream."""


def event_stream(frames: Iterator[bytes]) -> flask.Response:
    """The response that sends these frames; an empty one sends nothing, but lets whoever makes
    them see that the client is gone."""
    # The server reads the stream outside of what is noted of the request.
    response = flask.Response(_with_pings(frames, copy_context()), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def frame(value: dict[str, Any]) -> bytes:
    """One event of the stream.

    Raises:
        ValueError: It holds what is no JSON.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return f"data: {text}\n\n".encode()


def _with_pings(frames: Iterator[bytes], context: Context) -> Iterator[bytes]:
    """Pass frames on from a thread of their own, at work in `context`, with a comment line while
    there are none.

    When the client is gone (the server closes this generator), the frames' generator is closed
    at its next frame, in its own thread. That is waited for: what it saves then must be saved
    before this request counts as answered, since afterwards there may be no CPU time.
    """
    ready: queue.Queue[bytes | None] = queue.Queue(maxsize=64)
    gone = threading.Event()

    def produce() -> None:
        try:
            for frame in frames:
                if gone.is_set():
                    frames.close()  # type: ignore[attr-defined]
                    return
                if frame:
                    ready.put(frame)
        finally:
            ready.put(None)  # whatever happened: without an end the client waits for ever

    producer = threading.Thread(target=context.run, args=(produce,), daemon=True)
    producer.start()
    try:
        while True:
            try:
                frame = ready.get(timeout=PING_S)
            except queue.Empty:
                yield b": ping\n\n"
                continue
            if frame is None:
                return
            yield frame
    finally:
        gone.set()
        ends = time.monotonic() + LEAVE_S
        while producer.is_alive() and time.monotonic() < ends:
            while not ready.empty():  # wakes a producer that waits for room
                ready.get_nowait()
            producer.join(0.1)
