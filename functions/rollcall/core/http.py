"""Plain HTTP below a function's name: JSON in, JSON or server-sent events out.

What is refused has an HTTP status and the body `{"error": {code, message, details}}`. Once the
first event is out the status is said, and a failure is the handler's to tell in its stream.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any

import flask
from firebase_functions import https_fn
from flask_cors import cross_origin
from msgspec.structs import replace

from rollcall.core.callable import to_wire
from rollcall.core.context import Call
from rollcall.core.errors import AgentError, InvalidArgument, ResourceExhausted
from rollcall.core.incidents import known
from rollcall.core.inputs import parse_json
from rollcall.core.logs import in_request, set_user
from rollcall.core.options import function_options
from rollcall.core.request_checks import RequestChecks
from rollcall.core.streams import event_stream, frame

METHODS = ("GET", "POST")
_WRONG_METHOD, _TOO_LARGE = 405, 413

log = logging.getLogger("rollcall")


def bind_request(
    name: str, handler: Callable[[Call], Any], *, timeout_s: int, max_bytes: int
) -> Any:
    """Make the Cloud Function `name`, which is reached at `{name}/{path}` by GET and POST.

    `handler` returns JSON, or a generator that yields events; what that raises before its first
    one is a refusal.
    """
    gate = RequestChecks(name, timeout_s=timeout_s)

    def serve(request: flask.Request) -> flask.Response:
        if request.method not in METHODS:
            error = InvalidArgument(f"send GET or POST, not {request.method}")
            return _refusal(error, status=_WRONG_METHOD, headers={"Allow": ", ".join(METHODS)})
        try:
            body = request.get_data()
            call = gate.open_any(request)
            set_user(call.user.uid)
            if len(body) > max_bytes:
                most = f"the request has {len(body):,} bytes; at most {max_bytes:,} are accepted"
                return _refusal(ResourceExhausted(most), _TOO_LARGE)
            data = _data(request, body) if request.method == "POST" else None
            outcome = handler(replace(call, data=data, path=request.path.strip("/")))
            if isinstance(outcome, Generator):
                return event_stream(_frames(name, *_begun(outcome)))
            return flask.jsonify(outcome)
        except Exception as error:
            return _refusal(known(error))

    @cross_origin(methods=METHODS, origins="*")
    def function(request: flask.Request) -> flask.Response:
        return in_request(name, lambda: serve(request), request.headers.get)

    function.__name__ = name
    declared = https_fn.on_request(
        timeout_sec=timeout_s, invoker="public", **function_options(name)
    )(function)
    vars(function)["__firebase_endpoint__"] = vars(declared)["__firebase_endpoint__"]
    return function


def _data(request: flask.Request, body: bytes) -> dict[str, Any]:
    if request.mimetype != "application/json":
        raise InvalidArgument("the content type must be application/json")
    data = parse_json(body, most=len(body), wanted="a JSON object")
    if not isinstance(data, dict):
        raise InvalidArgument("the request is no JSON object", field="data")
    return data


def _begun(outcome: Generator[Any, None, Any]) -> tuple[list[Any], Generator[Any, None, Any]]:
    """Draw the first item, so that what is refused has a status."""
    try:
        return [next(outcome)], outcome
    except StopIteration:
        return [], outcome


def _frames(name: str, first: list[Any], rest: Generator[Any, None, Any]) -> Iterator[bytes]:
    with closing(rest):
        try:
            for item in first:
                yield _framed(item)
            for item in rest:
                yield _framed(item)
        except Exception:
            log.exception("%s broke off in its stream", name)


def _framed(item: Any) -> bytes:
    """None says that nothing has happened."""
    return b"" if item is None else frame(item)


def _refusal(
    error: AgentError, status: int | None = None, headers: dict[str, str] | None = None
) -> flask.Response:
    told = {"code": error.code, "message": error.message, "details": error.details}
    response = flask.jsonify(error=told)
    response.status_code = status or to_wire(error)._http_error_code.status
    response.headers.update(headers or {})
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    return response
