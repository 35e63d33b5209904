"""Firebase's callable protocol, plain and streaming; where our errors become the wire's.

firebase-functions has no streaming, so its `on_call` serves as a gate that verifies tokens and App
Check and declares the function, and the reply is written here. A streaming reply is made of lines
`data: {"message": chunk}` and ends in `data: {"result": ...}` or `data: {"error": ...}`, always
with HTTP 200: the Firebase SDKs do not look at a stream's status, and wait forever for a frame
that never comes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any

import flask
from firebase_functions import https_fn
from flask_cors import cross_origin
from msgspec.structs import replace

from rollcall.core.context import Call, User
from rollcall.core.errors import InvalidArgument
from rollcall.core.incidents import collect, collected, known
from rollcall.core.inputs import check_json, parse_json
from rollcall.core.logs import in_request, set_user
from rollcall.core.request_checks import RequestChecks
from rollcall.core.statement import HEADER, verified
from rollcall.core.streams import event_stream, frame


def bind_callable(name: str, handler: Callable[[Call], Any], *, timeout_s: int) -> Any:
    """Make the callable Cloud Function `name`.

    `handler` returns the result, or a generator that yields chunks and returns it.
    """
    gate = RequestChecks(name, timeout_s=timeout_s)

    def serve(request: flask.Request) -> flask.Response:
        streams = "text/event-stream" in request.headers.get("Accept", "")
        collect()
        try:
            _check_envelope(request)
            call = gate.open(request, stated=_stated_user(request, name))
            set_user(call.user.uid)
            outcome = handler(replace(call, streams=streams))
        except Exception as error:
            outcome = _raising(error)
        return event_stream(_frames(outcome)) if streams else _plain(outcome)

    @cross_origin(methods="POST", origins="*")
    def function(request: flask.Request) -> flask.Response:
        return in_request(name, lambda: serve(request), request.headers.get)

    function.__name__ = name
    vars(function)["__firebase_endpoint__"] = gate.endpoint
    return function


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


def _raising(error: Exception) -> Iterator[Any]:
    raise error
    yield  # a generator, so that an early refusal takes the same way as a late failure


def _plain(outcome: Any) -> flask.Response:
    """Run to the end, then answer once."""
    try:
        if isinstance(outcome, Generator):
            outcome = _drain(outcome)
        return flask.jsonify(result=outcome, **collected())
    except Exception as error:
        wire = to_wire(error)
        response = flask.jsonify(error=wire._as_dict())
        response.status_code = wire._http_error_code.status
        return response


def _drain(outcome: Generator[Any, None, Any]) -> Any:
    while True:
        try:
            next(outcome)
        except StopIteration as end:
            return end.value


def _frames(outcome: Any) -> Iterator[bytes]:
    try:
        if isinstance(outcome, Generator):
            outcome = yield from _chunks(outcome)
        yield frame({"result": outcome, **collected()})
    except Exception as error:
        yield frame({"error": to_wire(error)._as_dict()})


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
            yield b"" if chunk is None else frame({"message": chunk})


def to_wire(error: Exception) -> https_fn.HttpsError:
    """An error as Firebase's protocol has it; one that is not ours tells an id alone."""
    ours = known(error)
    details = {**ours.details, **collected()}
    return https_fn.HttpsError(https_fn.FunctionsErrorCode(ours.code), ours.message, details)
