"""Firebase's callable protocol, plain and streaming; where our errors become the wire's.

firebase-functions has no streaming, so its `on_call` serves as a gate that verifies tokens and App
Check and declares the function, and the reply is written here. A streaming reply is made of lines
`data: {"message": chunk}` and ends in `data: {"result": ...}` or `data: {"error": ...}`, always
with HTTP 200: the Firebase SDKs do not look at a stream's status, and wait forever for a frame
that never comes.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from contextvars import Context, copy_context
from dataclasses import replace
from typing import Any

import flask
from firebase_functions import https_fn
from flask_cors import cross_origin

from rollcall.core.context import User
from rollcall.core.current import in_request, note_user
from rollcall.core.errors import (
    AgentError,
    Internal,
    InvalidArgument,
    Unauthenticated,
    Unavailable,
)
from rollcall.core.inputs import check_json, parse_json
from rollcall.core.options import function_options
from rollcall.core.statement import HEADER, verified
from rollcall.core.triggers import Call, to_user

LEAVE_S = 10.0
"""How long a request whose client is gone waits for its work to be saved."""

PING_S = 15.0
"""A comment line this often keeps proxies from closing a quiet stream."""

log = logging.getLogger("rollcall")


def bind_callable(name: str, handler: Callable[[Call], Any], *, timeout_s: int) -> Any:
    """Make the callable Cloud Function `name`.

    `handler` returns the result, or a generator that yields chunks and returns it.
    """

    def gate(request: https_fn.CallableRequest[Any]) -> None:
        flask.g.callable_request = request

    gate.__name__ = name
    options = {"timeout_sec": timeout_s, **function_options(name)}
    checked = https_fn.on_call(enforce_app_check=_app_check(), **options)(gate)
    # App Check tells that a call comes from our app. A statement, which only our own functions can
    # sign, tells that it comes from one of these; they have no device to attest.
    stated = https_fn.on_call(enforce_app_check=False, **options)(gate)

    def serve(request: flask.Request) -> flask.Response:
        streams = "text/event-stream" in request.headers.get("Accept", "")
        try:
            _check_envelope(request)
            user = _stated_user(request, name)
            call = replace(_open(stated if user else checked, request, user), streams=streams)
            note_user(call.user.uid)
            outcome = handler(call)
        except Exception as error:
            outcome = _raising(error)
        return _stream(outcome) if streams else _plain(outcome)

    @cross_origin(methods="POST", origins="*")
    def function(request: flask.Request) -> flask.Response:
        return in_request(name, lambda: serve(request), request.headers.get)

    function.__name__ = name
    vars(function)["__firebase_endpoint__"] = vars(checked)["__firebase_endpoint__"]
    return function


def _app_check() -> bool:
    """App Check is enforced where ENFORCE_APP_CHECK=true; the emulator cannot issue its tokens."""
    return (
        os.environ.get("ENFORCE_APP_CHECK") == "true"
        and os.environ.get("FUNCTIONS_EMULATOR") != "true"
    )


def _check_envelope(request: flask.Request) -> None:
    if request.method != "POST":
        raise InvalidArgument(f"this function is called by POST, not {request.method}")
    if request.mimetype != "application/json":
        raise InvalidArgument("the content type must be application/json")
    body = parse_json(request.get_data())
    if not isinstance(body, dict) or set(body) != {"data"}:
        raise InvalidArgument('the request must be an object with the one key "data"', field="data")
    check_json(body["data"], field="")


def _stated_user(request: flask.Request, name: str) -> User | None:
    """Whom another function calls `name` for, by its signed statement; None without one."""
    statement = request.headers.get(HEADER)
    return verified(statement, function=name, body=request.get_data()) if statement else None


def _open(gate: Callable[..., Any], request: flask.Request, stated: User | None) -> Call:
    """Check token and App Check; the user is the token's or, without one, the statement's."""
    response = flask.make_response(gate(request))
    found: https_fn.CallableRequest[Any] | None = flask.g.pop("callable_request", None)
    if found is None:
        if response.status_code == 401:
            raise Unauthenticated(
                "the ID token or the App Check token is missing, expired or not of this project",
                hint="sign in again and send a fresh token",
            )
        raise InvalidArgument('the request is not a callable\'s; send POST {"data": {...}}')
    if found.auth is None and stated:
        return Call(user=stated, data=found.data)
    if found.auth is None or not found.auth.uid:
        raise Unauthenticated("nobody is signed in", hint="send an ID token")
    if stated and stated.uid != found.auth.uid:
        raise Unauthenticated("the ID token and the statement are of different users")
    if found.auth.token.get("exp", 0) < time.time():
        # The Admin SDK does not look at the expiry while it works with the Auth emulator.
        raise Unauthenticated("the ID token is expired", hint="send a fresh one")
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    claims = dict(found.auth.token)
    return Call(user=to_user(found.auth.uid, claims), data=found.data, token=token, claims=claims)


def _raising(error: Exception) -> Iterator[Any]:
    raise error
    yield  # a generator, so that an early refusal takes the same way as a late failure


def _plain(outcome: Any) -> flask.Response:
    """Run to the end, then answer once."""
    try:
        if isinstance(outcome, Generator):
            outcome = _drain(outcome)
        return flask.jsonify(result=outcome)
    except Exception as error:
        known = _to_wire(error)
        response = flask.jsonify(error=known._as_dict())
        response.status_code = known._http_error_code.status
        return response


def _drain(outcome: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(outcome)
        except StopIteration as end:
            return end.value


def _stream(outcome: Any) -> flask.Response:
    # The server reads the stream outside of what is noted of the request.
    frames = _with_pings(_frames(outcome), copy_context())
    response = flask.Response(frames, mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _frames(outcome: Any) -> Iterator[bytes]:
    try:
        if isinstance(outcome, Generator):
            outcome = yield from _chunks(outcome)
        yield _frame({"result": outcome})
    except Exception as error:
        yield _frame({"error": _to_wire(error)._as_dict()})


def _chunks(outcome: Generator[Any, None, Any]) -> Generator[bytes, None, Any]:
    """Frame each chunk; return what the generator returns."""
    with closing(outcome):
        while True:
            try:
                chunk = next(outcome)
            except StopIteration as end:
                return end.value
            # None says that nothing has happened: nobody is sent anything, but whoever drives
            # this generator may see that the client is gone.
            yield b"" if chunk is None else _frame({"message": chunk})


def _frame(value: dict[str, Any]) -> bytes:
    """One event of the stream; a value that is not JSON fails here, where it can still be said."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return f"data: {text}\n\n".encode()


def _to_wire(error: Exception) -> https_fn.HttpsError:
    known = error if isinstance(error, AgentError) else _explained(error)
    return https_fn.HttpsError(
        https_fn.FunctionsErrorCode(known.code), known.message, known.details
    )


def _explained(error: Exception) -> AgentError:
    """What is not ours is logged under an id, and the caller is told the id only."""
    from google.api_core.exceptions import Aborted, ServerError, TooManyRequests

    incident = uuid.uuid4().hex[:12]
    log.error("incident %s", incident, exc_info=error)
    if isinstance(error, Aborted | ServerError | TooManyRequests):
        message = f"the database did not answer in time (incident {incident})"
        return Unavailable(message, hint="try again", retry_after_s=2)
    return Internal(f"something went wrong on our side (incident {incident})")


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
