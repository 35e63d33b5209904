"""Cloud Functions over HTTP: authentication, Firebase's callable protocol, plain requests, streams.

firebase-functions' `on_call` verifies ID tokens and App Check, but cannot stream. So an `on_call`
that does nothing performs these checks for both protocols, and this module writes the reply and
translates errors to the wire.

Callable: a streaming reply consists of lines `data: {"message": chunk}` and ends in
`data: {"result": ...}` or `data: {"error": ...}`, always with HTTP 200: the Firebase SDKs ignore a
stream's status, and would wait forever for a last frame.

Plain, at `{name}/{path}`: JSON in, JSON or server-sent events out. A refused request gets an HTTP
status and the body `{"error": {code, message, details}}`. After the first event the status is sent,
so the handler reports failures in its stream.
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
        """The declaration of a callable function, for the deploy."""
        # App Check proves that a call comes from our app. A statement proves that it comes from one
        # of our functions, which have no device to attest.
        self._stated = https_fn.on_call(enforce_app_check=False, **options)(passed)

    def open(self, request: flask.Request, *, stated: User | None = None) -> Call:
        """Check token and App Check of a callable's request. The user is the token's or, without a
        token, the statement's.

        Raises:
            Unauthenticated: Nobody is signed in, or a token is not valid.
            InvalidArgument: It is not a callable request.
        """
        check: Any = self._stated if stated else self._checked
        response = flask.make_response(check(request))
        found: https_fn.CallableRequest[Any] | None = flask.g.pop("callable_request", None)
        if found is None:
            if response.status_code == 401:
                hint = TEXTS.text("hints.sign_in_again")
                raise Unauthenticated(TEXTS.text("errors.bad_token"), hint=hint)
            raise InvalidArgument('this is not a callable request; send POST {"data": {...}}')
        if found.auth is None and stated:
            return Call(user=stated, data=found.data)
        if found.auth is None or not found.auth.uid:
            raise Unauthenticated(TEXTS.text("errors.not_signed_in"), hint="send an ID token")
        if stated and stated.uid != found.auth.uid:
            raise Unauthenticated("the ID token and the statement are of different users")
        if found.auth.token.get("exp", 0) < time.time():
            # With the Auth emulator, the Admin SDK does not check the expiry.
            raise Unauthenticated(TEXTS.text("errors.token_expired"), hint="send a fresh one")
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        claims = dict(found.auth.token)
        user = to_user(found.auth.uid, claims)
        return Call(user=user, data=found.data, token=token, claims=claims)

    def open_any(self, request: flask.Request) -> Call:
        """Check token and App Check of any request. Its body is ignored, and `data` is None.

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
    """Tell whether App Check is enforced: with ENFORCE_APP_CHECK=true, except on the emulator,
    which issues no tokens."""
    return os.environ.get("ENFORCE_APP_CHECK") == "true" and not on_emulator()


LEAVE_S = 10.0
"""How long a request whose client has disconnected waits for its work to be saved."""

PING_S = 2.0
"""A comment line this often keeps proxies from closing a quiet stream, and detects that the client
has disconnected, which a server notices only when it writes."""


def event_stream(frames: Iterator[bytes]) -> flask.Response:
    """Return a response that streams frames. An empty frame sends nothing, but reveals whether the
    client has disconnected."""
    # The server reads the stream outside of the request's context, which has the log fields.
    response = flask.Response(_with_pings(frames, copy_context()), mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def frame(value: dict[str, Any]) -> bytes:
    """Return one event of the stream.

    Raises:
        ValueError: It holds a value that is not JSON.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return f"data: {text}\n\n".encode()


def _with_pings(frames: Iterator[bytes], context: Context) -> Iterator[bytes]:
    """Yield frames that a thread produces in `context`, and a comment line while there are none.

    When the client disconnects (the server closes this generator), the thread closes the frames'
    generator at its next frame. This waits for that: what the generator saves on closing must be
    saved before the request counts as answered, since afterwards there may be no CPU time.
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
            ready.put(None)  # in any case: without an end the client waits forever

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
    checks = RequestChecks(name, timeout_s=timeout_s)

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
            if statement:  # another function calls this one for a user
                user = verified(statement, function=name, body=request.get_data())
            call = checks.open(request, stated=user)
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
    vars(function)["__firebase_endpoint__"] = checks.endpoint
    return function


def _check_mimetype(request: flask.Request) -> None:
    if request.mimetype != "application/json":
        raise InvalidArgument("the content type must be application/json")


def _locale(request: flask.Request, data: Any = None) -> str:
    """Return the language of the caller's errors: `locale` of the data or, without it, the one
    among ours that the browser prefers."""
    stated = data.get("locale") if isinstance(data, dict) else None
    if stated in TEXTS.languages:
        return str(stated)
    return request.accept_languages.best_match(TEXTS.languages, FALLBACK)


def _refusal_generator(error: Exception) -> Iterator[Any]:
    raise error
    yield  # makes this a generator: an early refusal is handled like a late failure


def _plain(outcome: Any, locale: str) -> flask.Response:
    """Run the handler to its end and return one response."""
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
                    # None sends nothing, but reveals whether the client has disconnected.
                    yield b"" if chunk is None else frame({"message": chunk})
        yield frame({"result": outcome, **incidents_of_request()})
    except Exception as error:
        yield frame({"error": to_wire(error, locale)._as_dict()})


def to_wire(error: Exception, locale: str) -> https_fn.HttpsError:
    """Return an error in the form of the callable protocol; an unexpected one has only an incident
    id."""
    ours = as_agent_error(error).translate(locale)
    details = {**ours.details, **incidents_of_request()}
    return https_fn.HttpsError(https_fn.FunctionsErrorCode(ours.code), ours.message, details)


METHODS = ("GET", "POST")
_WRONG_METHOD, _TOO_LARGE = 405, 413

log = logging.getLogger("rollcall")


def bind_request(
    name: str, handler: Callable[[Call], Any], *, timeout_s: int, max_bytes: int
) -> Any:
    """Make the Cloud Function `name`, which serves GET and POST at `{name}/{path}`.

    `handler` returns JSON, or a generator that yields events; an error before the first one is a
    refusal.
    """
    checks = RequestChecks(name, timeout_s=timeout_s)

    def serve(request: flask.Request) -> flask.Response:
        if request.method not in METHODS:
            error = InvalidArgument(f"send GET or POST, not {request.method}")
            return _refusal(error, status=_WRONG_METHOD, headers={"Allow": ", ".join(METHODS)})
        try:
            body = request.get_data()
            call = checks.open_any(request)
            set_user(call.user.uid)
            if len(body) > max_bytes:
                most = f"the request has {len(body):,} bytes; at most {max_bytes:,} are accepted"
                return _refusal(ResourceExhausted(most), _TOO_LARGE)
            data = None
            if request.method == "POST":
                _check_mimetype(request)
                data = parse_json(body, most=len(body), wanted="a JSON object")
                if not isinstance(data, dict):
                    raise InvalidArgument("the request is not a JSON object", field="data")
            outcome = handler(replace(call, data=data, path=request.path.strip("/")))
            if not isinstance(outcome, Generator):
                return flask.jsonify(outcome)
            first = list(islice(outcome, 1))  # so that a refusal still has a status
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
                yield b"" if item is None else frame(item)  # None as in `_callable_frames`
        except Exception:
            log.exception("%s broke off in its stream", name)


def _refusal(
    error: AgentError, status: int | None = None, headers: dict[str, str] | None = None
) -> flask.Response:
    body = {"code": error.code, "message": error.message, "details": error.details}
    response = flask.jsonify(error=body)
    response.status_code = status or to_wire(error, FALLBACK)._http_error_code.status
    response.headers.update(headers or {})
    if error.retry_after_s is not None:
        response.headers["Retry-After"] = str(math.ceil(error.retry_after_s))
    return response
