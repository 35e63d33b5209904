"""The target `firebase_function`: a callable function of this project or of another codebase.

The user's token is sent while it is valid. If `ROLLCALL_STATEMENT_SECRET` is set, a signed
statement of who the user is is sent too: it replaces the token once that has expired, and the
device's App Check token, which a server does not have. A function that only service accounts may
invoke also gets this service's identity token, in `X-Serverless-Authorization`, since
`Authorization` has the user's.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from rollcall.agent.remote.http import (
    Reply,
    Request,
    check_listed,
    exchange,
    look_up,
    outcome_unknown,
    read_json,
)
from rollcall.core import errors
from rollcall.core.context import User
from rollcall.core.errors import AgentError, FailedPrecondition, Unavailable, error_from
from rollcall.core.inputs import check_json, parse_url
from rollcall.core.logs import traceparent
from rollcall.core.options import on_emulator, region
from rollcall.core.statement import HEADER, can_sign, project, signed
from rollcall.core.texts import TEXTS
from rollcall.registry.entries import Execution

HOSTS = "ROLLCALL_FUNCTION_HOSTS"
EMULATOR, HUB = "FUNCTIONS_EMULATOR_HOST", "FIREBASE_EMULATOR_HUB"
DOMAINS = (".cloudfunctions.net", ".run.app")
HUB_S = 5.0
TOKEN_LEFT_S = 30.0
"""A user's token that expires sooner counts as expired."""

_INCONCLUSIVE = (errors.Unavailable, errors.DeadlineExceeded, errors.Internal)
"""Errors that do not tell whether the function has written."""


class _Address(Struct, frozen=True):
    """The address of a function. `host` is None on the emulator, which has neither TLS nor
    identities; `name` is the audience of a signed statement."""

    host: str | None
    address: str
    port: int
    path: str
    name: str

    @property
    def authority(self) -> str:
        is_default = self.host is not None and self.port == 443
        return self.address if is_default else f"{self.address}:{self.port}"

    def send(
        self,
        method: str,
        headers: dict[str, str],
        body: bytes | None = None,
        *,
        writes: bool = False,
        deadline: float,
    ) -> tuple[Request, Reply]:
        """Send a request to the function, and return it with its reply.

        Args:
            writes: Whether the function may write: then a lost reply is `OutcomeUnknown`.
            deadline: The `time.monotonic()` value by which the reply must be there.

        Raises:
            Unavailable: No connection could be made, or it broke.
            DeadlineExceeded: The time is over.
            FailedPrecondition: The answer is too large, or has an unknown encoding.
            OutcomeUnknown: Any of these happened after a write was sent.
        """
        request = Request(
            to=f"the function {self.name}",
            method=method,
            path=self.path,
            host=self.host,
            headers={"Host": self.authority, **headers},
            body=body,
            writes=writes,
        )
        addresses = look_up(self.address, self.port, deadline=deadline)
        return request, exchange(request, addresses, self.port, deadline=deadline)


def call_function(
    execution: Execution,
    *,
    user: User,
    token: str | None,
    arguments: dict[str, Any],
    context: Mapping[str, Any] | None = None,
    call_key: str | None = None,
    locale: str | None = None,
    timeout_s: float = 60.0,
) -> Any:
    """Call a function by the callable protocol and return its result.

    Args:
        user: The user in whose name it is called.
        token: The user's ID token, if there is one; it is not sent if it has expired or soon will.
        context: The client's context; not sent if it is empty.
        call_key: For writes: the same for every try of one effect.
        timeout_s: The time for the whole call.

    Raises:
        FailedPrecondition: It may not be called, or there is neither a token nor a secret to sign
            a statement with.
        OutcomeUnknown: A write was sent, and whether it was done is not known.
        AgentError: The function's own error, with its code, message, field and hint.
    """
    deadline = time.monotonic() + timeout_s
    check_json(arguments, field="arguments")
    place = _address(execution.target)
    optional = {
        "context": dict(context) if context else None,
        "callKey": call_key,
        "locale": locale,
    }
    data = {"arguments": arguments} | {k: v for k, v in optional.items() if v is not None}
    body = json.dumps({"data": data}, ensure_ascii=False).encode()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        **_credentials(place, user, token, body),
    }
    if trace := traceparent():
        # The function is this project's or one that an operator lists, so it joins our trace.
        headers["traceparent"] = trace
    writes = call_key is not None
    request, reply = place.send("POST", headers, body, writes=writes, deadline=deadline)
    try:
        answer = read_json(reply, request)
    except AgentError:
        if 200 <= reply.status < 300:
            raise
        raise _refusal(reply.status, request) from None
    if reply.status == 200 and isinstance(answer, dict) and "result" in answer:
        return answer["result"]
    if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
        raise _error(answer["error"], request)
    raise _refusal(reply.status, request)


def reach_function(execution: Execution, *, timeout_s: float) -> int:
    """Send a function a CORS preflight, which runs none of its code; return the HTTP status.

    Raises:
        FailedPrecondition: The function may not be called.
        AgentError: It did not answer.
    """
    headers = {"Origin": "https://rollcall.invalid", "Access-Control-Request-Method": "POST"}
    deadline = time.monotonic() + timeout_s
    return _address(execution.target).send("OPTIONS", headers, deadline=deadline)[1].status


def _address(target: str) -> _Address:
    """Return the address of a function that is named by its name in this project and region, or by
    its URL."""
    if target.startswith("https://"):
        # The IP addresses of Google's own domains are not checked: inside a VPC they may be
        # private, and only Google controls where these names resolve to.
        url = parse_url(target)
        if not url.host.endswith(DOMAINS):
            raise FailedPrecondition(f"a function's host ends in {' or '.join(DOMAINS)}")
        check_listed(url, HOSTS)
        name = url.path.partition("?")[0].strip("/").rpartition("/")[2]
        return _Address(url.host, url.host, url.port, url.path, name or url.host)
    if on_emulator():
        # Our own tools set the emulator's address; a function inside it knows the hub's only.
        emulator, hub = (os.environ.get(name) for name in (EMULATOR, HUB))
        if not emulator and not hub:
            raise FailedPrecondition(
                "it is not known where the functions emulator is", hint=f"set {EMULATOR}"
            )
        address, _, port = (emulator or _functions_emulator(hub or "")).rpartition(":")
        return _Address(None, address, int(port), f"/{project()}/{region()}/{target}", target)
    host = f"{region()}-{project()}.cloudfunctions.net"
    return _Address(host, host, 443, f"/{target}", target)


@cache
def _functions_emulator(hub: str) -> str:
    """Return `host:port` of the functions emulator, read from the emulators' hub."""
    address, _, port = hub.rpartition(":")
    deadline = time.monotonic() + HUB_S
    request = Request(
        to="the emulators' hub", method="GET", path="/emulators", host=None, headers={"Host": hub}
    )
    addresses = look_up(address, int(port), deadline=deadline)
    found = read_json(exchange(request, addresses, int(port), deadline=deadline), request)
    if not isinstance(found, dict) or "functions" not in found:
        raise FailedPrecondition("the functions emulator does not run")
    return f"{found['functions']['host']}:{found['functions']['port']}"


def _credentials(place: _Address, user: User, token: str | None, body: bytes) -> dict[str, str]:
    """Return the headers that prove to a function who the user is, and who this service is."""
    headers = {}
    token = token if token and _is_valid(token) else None
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if can_sign() or not token:
        headers[HEADER] = signed(user, function=place.name, body=body)
    if place.host and not on_emulator():
        audience = f"https://{place.host}"
        if place.host.endswith(".cloudfunctions.net"):
            audience += place.path.partition("?")[0]
        headers["X-Serverless-Authorization"] = f"Bearer {_identity(audience)}"
    return headers


def _is_valid(token: str) -> bool:
    """Whether a token, whose signature was verified with the request, has not expired."""
    import jwt

    try:
        claims = jwt.decode(token, options={"verify_signature": False, "verify_exp": False})
    except jwt.PyJWTError:
        return False
    expires_at = claims.get("exp")
    return isinstance(expires_at, int | float) and expires_at - time.time() > TOKEN_LEFT_S


def _identity(audience: str) -> str:
    """Return this service's own ID token; the metadata server caches it."""
    from google.auth.exceptions import GoogleAuthError
    from google.auth.transport.requests import Request as Transport
    from google.oauth2.id_token import fetch_id_token

    try:
        token: str = fetch_id_token(Transport(), audience)  # type: ignore[no-untyped-call]
    except GoogleAuthError as error:
        raise FailedPrecondition("this service has no identity to call functions with") from error
    return token


def _refusal(status: int, request: Request) -> AgentError:
    """Return the error for an answer that is not by the callable protocol: Google refused the
    call, or the URL is something else's."""
    if status in (401, 403):
        return FailedPrecondition(
            TEXTS.text("errors.may_not_call", to=request.to),
            hint="an operator can grant it the role of an invoker",
        )
    if status == 404:
        return FailedPrecondition(TEXTS.text("errors.not_there", to=request.to), hint="deploy it")
    if status == 429:
        return errors.ResourceExhausted(TEXTS.text("errors.provider_busy", name=request.to))
    problem = TEXTS.text("errors.no_functions_answer", to=request.to, status=status)
    if request.writes and not 300 <= status < 500:
        return outcome_unknown(problem)
    return Unavailable(problem) if status >= 500 else FailedPrecondition(problem)


def _error(body: dict[str, Any], request: Request) -> AgentError:
    """Return a function's error as an `AgentError`. After a write, an error that does not tell
    whether it happened becomes `OutcomeUnknown`."""
    code = str(body.get("status", "")).lower().replace("_", "-")
    details = body.get("details")
    details = details if isinstance(details, dict) else {}
    stored: dict[str, Any] = {
        key: details[key] for key in ("field", "hint") if isinstance(details.get(key), str)
    }
    wait_s = details.get("retryAfterS")
    if isinstance(wait_s, int | float) and not isinstance(wait_s, bool):
        stored["retryAfterS"] = wait_s
    message = str(body.get("message") or code or "the function failed")[:500]
    error = error_from({**stored, "code": code, "message": message})
    if request.writes and isinstance(error, _INCONCLUSIVE):
        return outcome_unknown(f"{request.to} failed ({error.code}: {message})")
    return error
