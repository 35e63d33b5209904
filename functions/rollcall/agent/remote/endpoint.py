"""The target `api_endpoint`: an HTTPS endpoint on the operator's allow-list.

`ROLLCALL_API_HOSTS` lists the hosts that may be called. `ROLLCALL_API_SECRETS` is a JSON object
that names, for each host, the environment variable with the secret that is sent there as a bearer
token. The user's own token is sent to no endpoint.
"""

from __future__ import annotations

import json
import os
import re
import time
from typing import Any
from urllib.parse import urldefrag, urlencode, urljoin

from msgspec import Struct

from rollcall.agent.remote.http import (
    Reply,
    Request,
    check_listed,
    exchange,
    outcome_unknown,
    public_addresses,
    read_json,
)
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.inputs import MAX_URL, Url, check_json, parse_url
from rollcall.core.texts import TEXTS
from rollcall.registry.entries import Execution

HOSTS = "ROLLCALL_API_HOSTS"
SECRETS = "ROLLCALL_API_SECRETS"
MAX_REDIRECTS = 3

_REPEAT_REDIRECTS = (307, 308)
"""Redirects that repeat the request with its method and body."""
_GET_REDIRECTS = (301, 302, 303)
"""Redirects that fetch the answer with GET."""


class _Hop(Struct, frozen=True):
    """One request of a redirect chain, each of which gets the same checks."""

    url: Url
    method: str
    body: bytes | None
    call_key: str | None
    secret: str | None

    def send(self, *, deadline: float) -> tuple[Request, Reply]:
        """Send the request, and return it with its reply.

        Args:
            deadline: The `time.monotonic()` value by which the reply must be there.

        Raises:
            FailedPrecondition: The host may not be called, or its answer cannot be read.
            Unavailable: No connection could be made, or it broke.
            DeadlineExceeded: The time is over.
            OutcomeUnknown: Any of these happened after a write was sent.
        """
        check_listed(self.url, HOSTS)
        headers = {"Host": self.url.authority, "Accept": "application/json"}
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        if self.call_key is not None:
            headers["Idempotency-Key"] = self.call_key
        if self.secret is not None:
            headers["Authorization"] = f"Bearer {self.secret}"
        addresses = public_addresses(self.url.host, self.url.port, deadline=deadline)
        request = Request(
            to=self.url.authority,
            method=self.method,
            path=self.url.path,
            host=self.url.host,
            headers=headers,
            body=self.body,
            writes=self.call_key is not None,
        )
        return request, exchange(request, addresses, self.url.port, deadline=deadline)

    def redirect(self, reply: Reply) -> _Hop:
        """Return the request that a redirect asks for; the secret is sent to the same origin
        only."""
        text = reply.headers["location"]
        if not re.fullmatch(r"[!-~]+", text):  # urljoin silently drops some characters
            raise FailedPrecondition(
                f"{self.url.authority} redirects to an address that cannot be called"
            )
        url = parse_url(urldefrag(urljoin(str(self.url), text)).url)
        secret = self.secret if url.origin == self.url.origin else None
        if reply.status in _REPEAT_REDIRECTS:
            return _Hop(url, self.method, self.body, self.call_key, secret)
        return _Hop(url, "GET", None, self.call_key, secret)


def call_endpoint(
    execution: Execution,
    *,
    arguments: dict[str, Any],
    call_key: str | None = None,
    timeout_s: float = 30.0,
) -> Any:
    """Call an endpoint and return the JSON of its answer; None for an empty answer.

    GET puts the arguments into the query, POST sends them as JSON.

    Args:
        call_key: For writes: the same for every try of one effect; sent as `Idempotency-Key`.
        timeout_s: The time for the whole call: DNS, connections, redirects, the last byte.

    Raises:
        FailedPrecondition: The endpoint may not be called, or is not configured.
        InvalidArgument: The endpoint refuses the arguments, or they do not fit into a query.
        OutcomeUnknown: A write was sent, and whether it was done is not known.
        AgentError: Another error, by the status of the endpoint's answer.
    """
    deadline = time.monotonic() + timeout_s
    check_json(arguments, field="arguments")
    url = parse_url(execution.target)
    check_listed(url, HOSTS)  # before the secret is read
    secret = _secret(url.host) if execution.requires_auth else None
    if execution.method == "GET":
        pairs = [pair for name, value in arguments.items() for pair in _pairs(name, value)]
        separator = "&" if "?" in url.path else "?"
        path = f"{url.path}{separator}{urlencode(pairs)}" if pairs else url.path
        if len(path) > MAX_URL:
            raise InvalidArgument(
                f"the arguments are longer than {MAX_URL:,} characters of a query"
            )
        hop = _Hop(Url(url.host, url.port, path), "GET", None, call_key, secret)
    else:
        body = json.dumps(arguments, ensure_ascii=False).encode()
        hop = _Hop(url, "POST", body, call_key, secret)
    for _ in range(MAX_REDIRECTS + 1):
        request, reply = hop.send(deadline=deadline)
        is_redirect = reply.status in (*_REPEAT_REDIRECTS, *_GET_REDIRECTS)
        if not is_redirect or "location" not in reply.headers:
            if not 200 <= reply.status < 300:
                raise _refusal(reply, request)
            return read_json(reply, request) if reply.body.strip() else None
        if request.writes and reply.status in _GET_REDIRECTS:
            raise outcome_unknown(f"{request.to} accepted the request and redirected its answer")
        hop = hop.redirect(reply)
    raise FailedPrecondition(f"{request.to} redirects more than {MAX_REDIRECTS} times")


def reach_endpoint(execution: Execution, *, timeout_s: float) -> int:
    """Send a HEAD request without credentials to an endpoint; return the HTTP status.

    Raises:
        FailedPrecondition: The endpoint may not be called.
        AgentError: It did not answer.
    """
    url = parse_url(execution.target)
    _, reply = _Hop(url, "HEAD", None, None, None).send(deadline=time.monotonic() + timeout_s)
    return reply.status


def _pairs(name: str, value: Any) -> list[tuple[str, str]]:
    """Return an argument as query parameters: one for each item of a list."""
    if value is None:
        return []
    if isinstance(value, list) and not any(isinstance(each, list) for each in value):
        return [pair for each in value for pair in _pairs(name, each)]
    if isinstance(value, dict | list):
        raise InvalidArgument(
            f"{name} must be a text, a number, true or false, or a list of these",
            field=f"arguments.{name}",
        )
    return [(name, json.dumps(value) if isinstance(value, bool) else str(value))]


def _secret(host: str) -> str:
    """Return the bearer token for a host, from the variable that ROLLCALL_API_SECRETS names."""
    try:
        names = json.loads(os.environ.get(SECRETS) or "{}")
    except ValueError:
        raise FailedPrecondition(f"{SECRETS} is not JSON") from None
    name = names.get(host) if isinstance(names, dict) else None
    secret = os.environ.get(name, "").strip() if isinstance(name, str) and name else ""
    if not secret:
        raise FailedPrecondition(
            f"no secret for {host} is configured", hint=f"an operator can set {SECRETS}"
        )
    if not re.fullmatch(r"[!-~]+", secret):
        raise FailedPrecondition(f"the secret for {host} has a character that cannot be sent")
    return secret


def _refusal(reply: Reply, request: Request) -> AgentError:
    """Return the error for an answer whose status is not 2xx."""
    to, status = request.to, reply.status
    if status in (401, 403):
        return FailedPrecondition(
            TEXTS.text("errors.credentials_refused", to=to), hint=f"an operator can check {SECRETS}"
        )
    if status in (404, 410):
        return NotFound(TEXTS.text("errors.nothing_of_this_kind", to=to, words=_words(reply)))
    if status == 429:
        wait = reply.headers.get("retry-after", "")
        wait_s = float(wait) if re.fullmatch(r"[0-9]{1,6}", wait) else None
        return ResourceExhausted(TEXTS.text("errors.provider_busy", name=to), retry_after_s=wait_s)
    if status in (400, 413, 414, 422):
        return InvalidArgument(TEXTS.text("errors.arguments_refused", to=to, words=_words(reply)))
    if 400 <= status < 500 and status != 408:
        return FailedPrecondition(
            TEXTS.text("errors.refused", to=to, status=status, words=_words(reply))
        )
    problem = TEXTS.text("errors.problem_of_its_own", to=to, status=status)
    return outcome_unknown(problem) if request.writes else Unavailable(problem)


def _words(reply: Reply) -> str:
    """Return the error message in an endpoint's answer, cut short; it tells the model what to
    change."""
    try:
        answer = json.loads(reply.body)
    except (ValueError, RecursionError):
        return ""
    for key in ("error", "message", "detail"):
        inner = answer.get(key) if isinstance(answer, dict) else None
        if isinstance(inner, dict):
            inner = inner.get("message")
        if isinstance(inner, str) and inner.isprintable():
            return f": {inner[:300]}"
    return ""
