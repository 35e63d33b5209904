"""Providers' failures as ours.

Everything an SDK or its transport can raise becomes one of six `AgentError`s here. People get
plain words. What the provider said goes to the log and, where only that tells what to change,
into the message; both without keys. The original exception is not chained: its text holds the
provider's body, and the body of a refused key repeats the key.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any

from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.models._json_stream import mapping, sequence
from rollcall.models.base import BrokenOff, Clock, QuotaExhausted
from rollcall.models.cutting import aborted, is_cut

log = logging.getLogger(__name__)

_NAMES = {"gemini": ("Gemini", "GEMINI_API_KEY"), "openai": ("OpenAI", "OPENAI_API_KEY")}
_SECRET = re.compile(
    r"(?i)bearer\s+\S+|(?<=key=)[^&\s]+|\b(?:sk|pk|rk|gsk|org|proj)[-_][\w*.\-]{4,}"
    r"|\bAIza[\w*\-]+|\bya29\.[\w.\-]+|\b[\w\-]{32,}"
)
_NOT_REACHED = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError"}
"""What happens before a request is sent."""
_WAIT = re.compile(r"(?i)(?:try again|retry) in ((?:[\d.]+(?:ms|h|m|s))+)")
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_USED_UP = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_CODES = {
    "insufficient_quota": 429,
    "rate_limit_exceeded": 429,
    "invalid_api_key": 401,
    "model_not_found": 404,
    "context_length_exceeded": 400,
    "invalid_prompt": 400,
    "invalid_request_error": 400,
}


class ProviderError(Exception):
    """A failure that a provider reports inside a stream that began well."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code)
        self.status_code = _CODES.get(code, 400 if code.startswith("invalid_") else 503)
        self.body = {"code": code, "message": message}


@contextmanager
def failures_as_ours(model_id: str, clock: Clock, *secrets: str) -> Iterator[None]:
    """Turn whatever is raised inside into an `AgentError`.

    Args:
        model_id: The model that is called, such as "gemini:gemini-3.8-flash".
        clock: Tells a timeout of ours from the provider's.
        secrets: Texts that must not be repeated.
    """
    try:
        yield
    except Unavailable:
        if is_cut():
            raise aborted() from None
        if _is_over(clock):
            raise DeadlineExceeded("the time allowed for this answer is over") from None
        raise
    except AgentError:
        raise
    except Exception as error:
        if is_cut():
            raise aborted() from None
        raise as_agent_error(error, model_id, clock, *secrets) from None


def as_agent_error(error: Exception, model_id: str, clock: Clock, *secrets: str) -> AgentError:
    """Choose the `AgentError` for an exception of an SDK or of its transport."""
    status, body, headers = _parts(error)
    words = redacted(str(body.get("message") or ""), *secrets)
    named = f"{type(error).__name__}{f' {status}' if status else ''}"
    log.warning("%s failed: %s %s", model_id, named, words)
    if status:
        return _from_status(status, body, words, headers, model_id)
    if _is_over(clock):
        return DeadlineExceeded("the time allowed for this answer is over")
    provider = _NAMES[model_id.partition(":")[0]][0]
    chain = {type(each).__name__ for each in (error, error.__cause__) if each}
    if chain & {"InvalidURL", "UnsupportedProtocol"}:
        return FailedPrecondition(f"the address configured for {provider} is not a usable URL")
    if isinstance(error, UnicodeError):
        return InvalidArgument("the message holds characters that cannot be sent")
    kind = Unavailable if chain & _NOT_REACHED else BrokenOff
    return kind(f"{provider} could not be reached, or its answer broke off")


def redacted(words: str, *secrets: str) -> str:
    """Shorten a provider's words and take keys, and what looks like one, out of them."""
    for secret in filter(None, secrets):
        words = words.replace(secret, "[hidden]")
    return _SECRET.sub("[hidden]", " ".join(words.split()))[:300]


def code_of(error: Exception) -> str:
    """The provider's own code for a failure, such as "content_filter"."""
    return str(_parts(error)[1].get("code") or "")


def _parts(error: Exception) -> tuple[int, dict[str, Any], Any]:
    """The HTTP status, the provider's error object and the headers; 0 and empty if none."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    body = mapping(getattr(error, "body", None) or getattr(error, "details", None))
    body = mapping(body.get("error")) or body
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    return (status if isinstance(status, int) else 0), body, headers


def _from_status(
    status: int, body: dict[str, Any], words: str, headers: Any, model_id: str
) -> AgentError:
    provider, variable = _NAMES[model_id.partition(":")[0]]
    if status in (401, 403) or _is_about_key(body, words):
        return FailedPrecondition(
            f"{provider} refused the key it was given", hint=f"check {variable} and its rights"
        )
    if status == 404:
        return FailedPrecondition(
            f"{provider} has no model {model_id.partition(':')[2]!r} for this key",
            hint="check the model's name and the address it is called at",
        )
    if status in (402, 429):
        if status == 402 or _is_used_up(body) or "too large" in words:
            hint = "waiting does not help: the quota is used up, or smaller than this request"
            return QuotaExhausted(f"{provider} takes no request like this now", hint=hint)
        wait_s = _retry_after_s(body, headers)
        return ResourceExhausted(f"{provider} takes no more requests now", retry_after_s=wait_s)
    if 400 <= status < 500 and status not in (408, 409, 425):
        if body.get("status") == "FAILED_PRECONDITION":
            return FailedPrecondition(f"{provider} cannot be used as it is set up: {words}")
        return InvalidArgument(f"{provider} refused this request: {words or 'no reason given'}")
    wait_s = _retry_after_s(body, headers)
    return Unavailable(f"{provider} has a problem of its own; try again", retry_after_s=wait_s)


def _is_used_up(body: dict[str, Any]) -> bool:
    return not _USED_UP.isdisjoint((str(body.get("code")), str(body.get("type"))))


def _is_about_key(body: dict[str, Any], words: str) -> bool:
    reasons = {mapping(each).get("reason") for each in sequence(body.get("details"))}
    known = "API_KEY_INVALID" in reasons or body.get("code") == "invalid_api_key"
    return known or bool(re.search(r"(?i)\bapi[ _]key (not|is|was)\b", words))


def _retry_after_s(body: dict[str, Any], headers: Any) -> float | None:
    """Seconds to wait: from the headers, the error's details or, failing both, its words."""
    for detail in sequence(body.get("details")):
        if delay := mapping(detail).get("retryDelay"):
            return _seconds(str(delay))
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    if value := headers.get("retry-after"):
        if (seconds := _number(value)) is not None:
            return seconds
        try:
            return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
        except ValueError:
            return None
    found = _WAIT.search(str(body.get("message") or ""))
    return _seconds(found[1]) if found else None


def _seconds(duration: str) -> float | None:
    parts = re.findall(r"([\d.]+)(ms|h|m|s)", duration)
    numbers = [(_number(amount), _UNITS_S[unit]) for amount, unit in parts]
    return sum(n * unit_s for n, unit_s in numbers if n is not None) if numbers else None


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None


def _is_over(clock: Clock) -> bool:
    # A little early counts: timeouts are rounded to milliseconds on their way to the socket.
    return clock.deadline is not None and time.monotonic() > clock.deadline - 0.05
