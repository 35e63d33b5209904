"""Checks of who calls: ID tokens and App Check, verified by firebase-functions.

Its `on_call` verifies callables alone, so an `on_call` that does nothing is used as the check:
whatever the protocol is, the request's headers go through it."""

from __future__ import annotations

import io
import os
import time
from typing import Any

import flask
from firebase_functions import https_fn

from rollcall.core.context import Call, User, to_user
from rollcall.core.errors import InvalidArgument, Unauthenticated
from rollcall.core.options import function_options

_NO_DATA = b'{"data":null}'


class RequestChecks:
    """Lets the requests of one function through, as calls of verified users."""

    def __init__(self, name: str, *, timeout_s: int) -> None:
        def passed(request: https_fn.CallableRequest[Any]) -> None:
            flask.g.callable_request = request

        passed.__name__ = name
        options = {"timeout_sec": timeout_s, **function_options(name)}
        self._checked = https_fn.on_call(enforce_app_check=app_check(), **options)(passed)
        # App Check tells that a call comes from our app. A statement, which only our own functions
        # can sign, tells that it comes from one of these; they have no device to attest.
        self._stated = https_fn.on_call(enforce_app_check=False, **options)(passed)

    @property
    def endpoint(self) -> Any:
        """How a callable function is declared, for the deploy."""
        return vars(self._checked)["__firebase_endpoint__"]

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
                    "the ID token or the App Check token is missing, expired or not of this "
                    "project",
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
    """App Check is enforced where ENFORCE_APP_CHECK=true; the emulator cannot issue its tokens."""
    return (
        os.environ.get("ENFORCE_APP_CHECK") == "true"
        and os.environ.get("FUNCTIONS_EMULATOR") != "true"
    )
