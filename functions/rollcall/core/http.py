"""Cloud Functions over HTTP: who calls, Firebase's callable protocol, plain requests, streams.

firebase-functions' `on_call` verifies ID tokens and App Check, and knows no streaming. So an
`on_call` that does nothing is used as the check, whatever the protocol is, and the reply is written
here; this is also where our errors become the wire's.

Callable: a streaming reply is made of lines `data: {"message": chunk}` and ends in
`data: {"result": ...}` or `data: {"error": ...}`, always with HTTP 200: the Firebase SDKs do not
look at a stream's status, and wait forever for a frame that never comes.

Plain, below a function's name: JSON in, JSON or server-sent events out. What is refused has an HTTP
status and the body `{"error": {code, message, details}}`. Once the first event is out the status is
said, and a failure is the handler's to tell in its stream.
"""

from __future__ import annotations

import io
import json
import logging
import math
import os
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from contextvars import Context, copy_context
from itertools import chain, islice
from typing import Any

import flask
from firebase_functions import https_fn
from flask_cors import cross_origin
from msgspec.structs import replace

from rollcall.core.context import Call, User, to_user
from rollcall.core.errors import AgentError, InvalidArgument, ResourceExhausted, Unauthenticated
from rollcall.core.inputs import check_json, parse_json
from rollcall.core.logs import (
    as_agent_error,
    collect_incidents,
    in_request,
    incidents_of_request,
    set_user,
)
from rollcall.core.options import function_options, on_emulator
from rollcall.core.statement import HEADER, verified
from rollcall.core.texts import FALLBACK, TEXTS

_NO_DATA = b'{"data":null}'


class RequestChecks:
    """Verifies the requests of one function and returns them as calls of users."""

    def __init__(self, name: str, *, timeout_s: int) -> None:
        def passed(request: https_fn.CallableRequest[Any]) -> None:
            flask.g.callable_request = request

        passed.__name__ = name
        options = {"timeout_sec": timeout_s, **function_options(name)}
        self._checked = https_fn.on_call(enforce_app_check=app_check(), **options)(passed)
        self.endpoint: Any = vars(self._checked)["__firebase_endpoint__"]
        """How a callable function is declared, for the deploy."""
        # App Check tells that a call comes from our app. A statement, which only our own functions
        # can sign, tells that it comes from one of these; they have no device to attest.
        self._stated = https_fn.on_call(enforce_app_check=False, **options)(passed)

    def open(self, request: flask.Request, *, stated: User | None = None) -> Call:
        """Check token and App Check of a callable's request; the user is the token's or, without
        one, the statement's.

        Raises:
            Unauthenticated: Nobody is signed in, or a token is not valid.
            InvalidArgument: It is no callable's request.
        """
        gate: Any = self._stated if stated else self._checked
        response = flask.make_response(gate(request))
        found: https_fn.CallableRequest[Any] | None = flask.g.pop("callable_request", None)
        if found is None:
            if response.status_code == 401:
                raise Unauthenticated(
                    TEXTS.text("errors.bad_token"),
                    hint=TEXTS.text("hints.sign_in_again"),
                )
            raise InvalidArgument('the request is not a callable\'s; send POST {"data": {...}}')
        if found.auth is None and stated:
            return Call(user=stated, data=found.data)
        if found.auth is None or not found.auth.uid:
            raise Unauthenticated(TEXTS.text("errors.not_signed_in"), hint="send an ID token")
        if stated and stated.uid != found.auth.uid:
            raise Unauthenticated("the ID token and the statement are of different users")
        if found.auth.token.get("exp", 0) < time.time():
            # The Admin SDK does not look at the expiry while it works with the Auth emulator.
            raise Unauthenticated(TEXTS.text("errors.token_expired"), hint="send a fresh one")
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        claims = dict(found.auth.token)
        user = to_user(found.auth.uid, claims)
        return Call(user=user, data=found.data, token=token, claims=claims)

    def open_any(self, request: flask.Request) -> Call:
        """Check token and App Check of any request; its body is not looked at, and `data` is None.

        Raises:
            Unauthenticated: Nobody is signed in, or a token is not valid.
        """
        environ = {
            **request.environ,
            "REQUEST_METHOD": "POST",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(_NO_DATA)),
            "wsgi.input": io.BytesIO(_NO_DATA),
        }
        return self.open(flask.Request(environ, populate_request=False))


def app_check() -> bool:
    """Tell whether App Check is enforced: with ENFORCE_APP_CHECK=true, but not on the emulator,
    which issues no tokens."""
    return os.environ.get("ENFORCE_APP_CHECK") == "true" and not on_emulator()


LEAVE_S = 10.0
"""How long a request whose client is gone waits for its work to be saved."""

PING_S = 2.0
"""A comment line this often keeps proxies from closing a quiet stream, and shows that the client is
gone, which a server notices only when it writes."""


def event_stream(frames: Iterator[bytes]) -> flask.Response:
    """Return the response that sends frames. An empty frame sends nothing, but reveals whether the
    client is gone."""
    # The server reads the stream outside of what is noted of the request.
    response = flask.Response(_with_pings(frames, copy_context()), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def frame(value: dict[str, Any]) -> bytes:
    """Return one event of the stream.

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


def bind_callable(name: str, handler: Callable[[Call], Any], *, timeout_s: int) -> Any:
    """Make the callable Cloud Function `name`.

    `handler` returns the result, or a generator that yields chunks and returns it.
    """
    gate = RequestChecks(name, timeout_s=timeout_s)

    def serve(request: flask.Request) -> flask.Response:
        streams = "text/event-stream" in request.headers.get("Accept", "")
        locale = _locale(request)
        collect_incidents()
        try:
            if request.method != "POST":
                raise InvalidArgument(f"this function is called by POST, not {request.method}")
            _check_mimetype(request)
            body = parse_json(request.get_data())
            if not isinstance(body, dict) or set(body) != {"data"}:
                what = 'the request must be an object with the one key "data"'
                raise InvalidArgument(what, field="data")
            check_json(body["data"], field="")
            locale = _locale(request, body["data"])
            statement, user = request.headers.get(HEADER), None
            if statement:  # another function's: whom it calls this one for
                user = verified(statement, function=name, body=request.get_data())
            call = gate.open(request, stated=user)
            set_user(call.user.uid)
            outcome = handler(replace(call, streams=streams))
        except Exception as error:
            outcome = _refusal_generator(error)
        return (
            event_stream(_callable_frames(outcome, locale)) if streams else _plain(outcome, locale)
        )

    @cross_origin(methods="POST", origins="*")
    def function(request: flask.Request) -> flask.Response:
        return in_request(name, lambda: serve(request), request.headers.get)

    function.__name__ = name
    vars(function)["__firebase_endpoint__"] = gate.endpoint
    return function


def _check_mimetype(request: flask.Request) -> None:
    if request.mimetype != "application/json":
        raise InvalidArgument("the content type must be application/json")


def _locale(request: flask.Request, data: Any = None) -> str:
    """Return the language that a caller is told errors in: `locale` of the data; without it, the
    one of ours that the caller's browser asks for first."""
    stated = data.get("locale") if isinstance(data, dict) else None
    if stated in TEXTS.languages:
        return str(stated)
    return request.accept_languages.best_match(TEXTS.languages, FALLBACK)


def _refusal_generator(error: Exception) -> Iterator[Any]:
    raise error
    yield  # a generator, so that an early refusal takes the same way as a late failure


def _plain(outcome: Any, locale: str) -> flask.Response:
    """Run to the end, then answer once."""
    try:
        while isinstance(outcome, Generator):
            try:
                next(outcome)
            except StopIteration as end:
                outcome = end.value
        return flask.jsonify(result=outcome, **incidents_of_request())
    except Exception as error:
        wire = to_wire(error, locale)
        response = flask.jsonify(error=wire._as_dict())
        response.status_code = wire._http_error_code.status
        return response


def _callable_frames(outcome: Any, locale: str) -> Iterator[bytes]:
    try:
        if isinstance(outcome, Generator):
            with closing(outcome):
                while True:
                    try:
                        chunk = next(outcome)
                    except StopIteration as end:
                        outcome = end.value
                        break
                    # Nobody is sent None, but whoever drives this may see that the client is gone.
                    yield b"" if chunk is None else frame({"message": chunk})
        yield frame({"result": outcome, **incidents_of_request()})
    except Exception as error:
        yield frame({"error": to_wire(error, locale)._as_dict()})


def to_wire(error: Exception, locale: str) -> https_fn.HttpsError:
    """Return an error in the form of the callable protocol; an unexpected one as an incident id
    alone."""
    ours = as_agent_error(error).translate(locale)
    details = {**ours.details, **incidents_of_request()}
    return https_fn.HttpsError(https_fn.FunctionsErrorCode(ours.code), ours.message, details)


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
            data = None
            if request.method == "POST":
                _check_mimetype(request)
                data = parse_json(body, most=len(body), wanted="a JSON object")
                if not isinstance(data, dict):
                    raise InvalidArgument("the request is no JSON object", field="data")
            outcome = handler(replace(call, data=data, path=request.path.strip("/")))
            if not isinstance(outcome, Generator):
                return flask.jsonify(outcome)
            first = list(islice(outcome, 1))  # so that what is refused has a status
            return event_stream(_frames(name, first, outcome))
        except Exception as error:
            return _refusal(as_agent_error(error).translate(_locale(request)))

    @cross_origin(methods=METHODS, origins="*")
    def function(request: flask.Request) -> flask.Response:
        return in_request(name, lambda: serve(request), request.headers.get)

    function.__name__ = name
    declared = https_fn.on_request(
        timeout_sec=timeout_s, invoker="public", **function_options(name)
    )(function)
    vars(function)["__firebase_endpoint__"] = vars(declared)["__firebase_endpoint__"]
    return function


def _frames(name: str, first: list[Any], rest: Generator[Any, None, Any]) -> Iterator[bytes]:
    with closing(rest):
        try:
            for item in chain(first, rest):
                yield b"" if item is None else frame(item)  # None as above
        except Exception:
            log.exception("%s broke off in its stream", name)


def _refusal(
    error: AgentError, status: int | None = None, headers: dict[str, str] | None = None
) -> flask.Response:
    told = {"code": error.code, "message": error.message, "details": error.details}
    response = flask.jsonify(error=told)
    response.status_code = status or to_wire(error, FALLBACK)._http_error_code.status
    response.headers.update(headers or {})
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    return response
