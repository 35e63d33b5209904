"""The target `firebase_function`: a callable function of this project or of another codebase.

The user's token goes along while it is good. Where `ROLLCALL_STATEMENT_SECRET` is set, so does a
signed statement of who the user is: it stands for the user once the token is gone, and for the
device's App Check token, which a server does not have. Google's own door (a function that only
service accounts may invoke) is opened by the service's identity, in a header of its own, since
`Authorization` is the user's.
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
"""A user's token that ends sooner counts as gone."""

_OPEN = (errors.Unavailable, errors.DeadlineExceeded, errors.Internal)


class _Place(Struct, frozen=True):
    """Where a function is. `host` is None on the emulator, which has neither TLS nor identities;
    `name` is whom a statement is for."""

    host: str | None
    address: str
    port: int
    path: str
    name: str

    @property
    def authority(self) -> str:
        plain = self.host is not None and self.port == 443
        return self.address if plain else f"{self.address}:{self.port}"


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
        user: Whom it is called for.
        token: The user's ID token, if there is one; one that is over, or soon is, is not sent.
        context: What the client says of where the user is; not sent where it is empty.
        call_key: For writes: the same for every try of one effect.
        timeout_s: For everything together.

    Raises:
        FailedPrecondition: It may not be called, or neither a token nor a secret for a statement
            is there.
        OutcomeUnknown: A write was sent, and whether it was done is not known.
        AgentError: The function's own, with its code, message, field and hint.
    """
    ends = time.monotonic() + timeout_s
    check_json(arguments, field="arguments")
    place = _place(execution.target)
    about = {"context": dict(context) if context else None, "callKey": call_key, "locale": locale}
    data = {"arguments": arguments, **about}
    given = {key: value for key, value in data.items() if value is not None}
    body = json.dumps({"data": given}, ensure_ascii=False).encode()
    request = Request(
        to=f"the function {place.name}",
        method="POST",
        path=place.path,
        host=place.host,
        headers={
            "Host": place.authority,
            "Content-Type": "application/json",
            "Accept": "application/json",
            **_credentials(place, user, token, body),
            # A function is ours, or one that an operator lists: its work is part of our trace.
            **({"traceparent": trace} if (trace := traceparent()) else {}),
        },
        body=body,
        writes=call_key is not None,
    )
    addresses = look_up(place.address, place.port, ends=ends)
    return _result(exchange(request, addresses, place.port, ends=ends), request)


def reach_function(execution: Execution, *, timeout_s: float) -> int:
    """Ask a function as a browser does before it calls, which runs none of its code; return the
    HTTP status.

    Raises:
        FailedPrecondition: It may not be called.
        AgentError: It did not answer.
    """
    ends = time.monotonic() + timeout_s
    place = _place(execution.target)
    request = Request(
        to=f"the function {place.name}",
        method="OPTIONS",
        path=place.path,
        host=place.host,
        headers={
            "Host": place.authority,
            "Origin": "https://rollcall.invalid",
            "Access-Control-Request-Method": "POST",
        },
    )
    addresses = look_up(place.address, place.port, ends=ends)
    return exchange(request, addresses, place.port, ends=ends).status


def _place(target: str) -> _Place:
    """A function by its name in this project and region, or by its URL."""
    if target.startswith("https://"):
        # The addresses behind Google's own domains are not checked: inside a VPC they may be
        # private ones, and nobody but Google says where these names lead.
        url = parse_url(target)
        if not url.host.endswith(DOMAINS):
            raise FailedPrecondition(f"a function's host ends in {' or '.join(DOMAINS)}")
        check_listed(url, HOSTS)
        name = url.path.partition("?")[0].strip("/").rpartition("/")[2]
        return _Place(url.host, url.host, url.port, url.path, name or url.host)
    if on_emulator():
        # Our own tools name the emulator; a function inside it is told of the hub only.
        named, hub = (os.environ.get(name) for name in (EMULATOR, HUB))
        if not named and not hub:
            raise FailedPrecondition(
                "it is not known where the functions emulator is", hint=f"set {EMULATOR}"
            )
        address, _, port = (named or _told_by(hub or "")).rpartition(":")
        return _Place(None, address, int(port), f"/{project()}/{region()}/{target}", target)
    host = f"{region()}-{project()}.cloudfunctions.net"
    return _Place(host, host, 443, f"/{target}", target)


@cache
def _told_by(hub: str) -> str:
    """Return `host:port` of the functions emulator, as the emulators' hub knows it."""
    address, _, port = hub.rpartition(":")
    ends = time.monotonic() + HUB_S
    request = Request(
        to="the emulators' hub", method="GET", path="/emulators", host=None, headers={"Host": hub}
    )
    addresses = look_up(address, int(port), ends=ends)
    found = read_json(exchange(request, addresses, int(port), ends=ends), request)
    if not isinstance(found, dict) or "functions" not in found:
        raise FailedPrecondition("the functions emulator does not run")
    return f"{found['functions']['host']}:{found['functions']['port']}"


def _credentials(place: _Place, user: User, token: str | None, body: bytes) -> dict[str, str]:
    headers = {}
    token = token if token and _lasts(token) else None
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


def _lasts(token: str) -> bool:
    """Whether a token, verified when it came, is still good for a call."""
    import jwt

    try:
        claims = jwt.decode(token, options={"verify_signature": False, "verify_exp": False})
    except jwt.PyJWTError:
        return False
    ends = claims.get("exp")
    return isinstance(ends, int | float) and ends - time.time() > TOKEN_LEFT_S


def _identity(audience: str) -> str:
    """This service's own ID token; the metadata server keeps it while it is good."""
    from google.auth.exceptions import GoogleAuthError
    from google.auth.transport.requests import Request as Transport
    from google.oauth2.id_token import fetch_id_token

    try:
        token: str = fetch_id_token(Transport(), audience)  # type: ignore[no-untyped-call]
    except GoogleAuthError as error:
        raise FailedPrecondition("this service has no identity to call functions with") from error
    return token


def _result(reply: Reply, request: Request) -> Any:
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


def _refusal(status: int, request: Request) -> AgentError:
    """An answer that is no function's: Google's door, or something else under this URL."""
    if status in (401, 403):
        return FailedPrecondition(
            TEXTS.text("errors.may_not_call", to=request.to),
            hint="an operator can grant it the role of an invoker",
        )
    if status == 404:
        return FailedPrecondition(TEXTS.text("errors.not_there", to=request.to), hint="deploy it")
    if status == 429:
        return errors.ResourceExhausted(TEXTS.text("errors.provider_busy", name=request.to))
    what = TEXTS.text("errors.no_functions_answer", to=request.to, status=status)
    if request.writes and not 300 <= status < 500:
        return outcome_unknown(what)
    return Unavailable(what) if status >= 500 else FailedPrecondition(what)


def _error(said: dict[str, Any], request: Request) -> AgentError:
    """The function's error as ours. One that leaves open how far it came leaves a write open."""
    code = str(said.get("status", "")).lower().replace("_", "-")
    details = said.get("details")
    details = details if isinstance(details, dict) else {}
    stored: dict[str, Any] = {
        key: details[key] for key in ("field", "hint") if isinstance(details.get(key), str)
    }
    wait_s = details.get("retryAfterS")
    if isinstance(wait_s, int | float) and not isinstance(wait_s, bool):
        stored["retryAfterS"] = wait_s
    message = str(said.get("message") or code or "the function failed")[:500]
    error = error_from({**stored, "code": code, "message": message})
    if request.writes and isinstance(error, _OPEN):
        return outcome_unknown(f"{request.to} failed ({error.code}: {message})")
    return error
