"""Translates providers' failures into `AgentError`s.

Every exception of the transport, an SDK or an adapter becomes an `AgentError`, which says what
helps: waiting, another key, a shorter request, or nothing. People get plain messages. The
provider's own message goes to the log and, if only it tells what to change, into the error; both
without keys. The original exception is not chained: its text holds the provider's body, and the
body of a refused key repeats the key.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any, get_args

from rollcall.core.errors import (
    AgentError,
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    ResourceExhausted,
    Unavailable,
)
from rollcall.core.redaction import HIDDEN, redacted
from rollcall.core.texts import TEXTS
from rollcall.models.base import (
    BrokenOff,
    Clock,
    ContextExceeded,
    Delta,
    Finish,
    FinishReason,
    QuotaExhausted,
    ToolsUnsupported,
    aborted,
    is_cancelled,
)
from rollcall.models.json_stream import mapping, sequence
from rollcall.models.provider import ErrorKind, Provider, provider_of
from rollcall.models.transport import ProviderError, TransportError, error_of

log = logging.getLogger(__name__)

_SECRET = re.compile(
    r"(?i)bearer\s+\S+|(?<=key=)[^&\s]+|\b(?:sk|pk|rk|gsk|org|proj)[-_][\w*.\-]{4,}"
    r"|\bAIza[\w*\-]+|\bya29\.[\w.\-]+|\b[\w\-]{32,}"
)
_UNIT = r"milliseconds?|ms|hours?|h|minutes?|min|m|seconds?|sec|s"
_WAIT = re.compile(rf"(?i)(?:try again|retry)(?: in| after) ((?:[\d.]+\s*(?:{_UNIT})[ ,]*)+)")

_SPENT = re.compile(r'PerDay|"quota(_limit_v|V)alue": "0"')
"""Matches the details of a quota for a day, or of a quota of zero."""
_ENDS = {"blocked": FinishReason.BLOCKED, "malformed": FinishReason.MALFORMED}
_BY_STATUS: dict[int, ErrorKind] = {
    401: "key",
    402: "quota",
    403: "key",
    404: "model",
    429: "rate",
}
_AT_ANY_STATUS: tuple[ErrorKind, ...] = ("window", "no tools")
"""Kinds that are recognized with any HTTP status: llama.cpp sends them with status 500."""


def translate_failures(deltas: Iterator[Delta], model_id: str, clock: Clock) -> Iterator[Delta]:
    """Yield a reply's deltas and raise its failures as `AgentError`s. If the provider refused the
    content, or could not parse the model's output, the reply ends with a `Finish` instead."""
    with agent_errors(model_id, clock):
        try:
            yield from deltas
        except ProviderError as error:
            kind = kind_of(error, provider_of(model_id))
            if kind not in _ENDS:
                raise
            yield Finish(_ENDS[kind], detail=code_of(error))


@contextmanager
def agent_errors(model_id: str, clock: Clock) -> Iterator[None]:
    """Turn every exception inside into an `AgentError`.

    Args:
        model_id: The model that is called, such as "gemini:gemini-3.8-flash".
        clock: The call's clock, which tells our timeout from the provider's.
    """
    try:
        yield
    except Unavailable:
        if is_cancelled():
            raise aborted() from None
        if _is_over(clock):
            raise DeadlineExceeded(TEXTS.text("errors.answer_too_slow")) from None
        raise
    except AgentError:
        raise
    except Exception as error:
        if is_cancelled():
            raise aborted() from None
        raise as_agent_error(error, model_id, clock) from None


def as_agent_error(error: Exception, model_id: str, clock: Clock) -> AgentError:
    """Return the `AgentError` for an exception of the transport, an adapter or an SDK."""
    provider = provider_of(model_id)
    name = provider.called_name() if provider else model_id.partition(":")[0]
    status, body, headers = _parts(error)
    words = shown(str(body.get("message") or ""))
    cause = f"{type(error).__name__}{f' {status}' if status else ''}"
    log.warning("%s failed: %s %s", model_id, cause, words or shown(str(error)))
    if not (isinstance(error, ProviderError) or status):
        if _is_over(clock):
            return DeadlineExceeded(TEXTS.text("errors.answer_too_slow"))
        if isinstance(error, TransportError) and error.is_address:
            return FailedPrecondition(TEXTS.text("errors.unusable_address", name=name))
        if isinstance(error, UnicodeError):
            return InvalidArgument(TEXTS.text("errors.unusable_characters"))
        was_sent = not isinstance(error, TransportError) or error.is_sent
        unreachable = f"{name} could not be reached, or its answer broke off"
        return BrokenOff(unreachable) if was_sent else Unavailable(unreachable)
    kind, wait_s = kind_of(error, provider), _retry_after_s(body, headers)
    if kind == "key" and provider and provider.needs_no_key():
        refusal = f"{name} refused the identity it was called by"
        return FailedPrecondition(refusal, hint=provider.alone_hint)
    if kind == "key":
        hint = f"check {provider.keys[-1] if provider else 'its key'} and its rights"
        return FailedPrecondition(TEXTS.text("errors.key_refused", name=name), hint=hint)
    if kind == "model":
        text = TEXTS.text("errors.no_model_for_key", name=name, model=model_id.partition(":")[2])
        hint = "check the model's name and the address it is called at"
        return FailedPrecondition(text, hint=hint)
    if kind == "quota":
        hint = "waiting does not help: the quota is used up, or smaller than this request"
        return QuotaExhausted(f"{name} accepts no request like this now", hint=hint)
    if kind == "rate":
        busy = TEXTS.text("errors.provider_busy", name=name)
        return ResourceExhausted(busy, retry_after_s=wait_s)
    if kind == "setup":
        return FailedPrecondition(TEXTS.text("errors.provider_unusable", name=name, words=words))
    if kind == "unavailable":
        is_in_answer = isinstance(error, ProviderError) and not error.status
        failure = BrokenOff if is_in_answer else Unavailable
        return failure(f"{name} has a problem of its own; try again", retry_after_s=wait_s)
    refusal = f"{name} refused this request: {words or 'no reason given'}"
    kinds = {"window": ContextExceeded, "no tools": ToolsUnsupported}
    return kinds.get(kind, InvalidArgument)(refusal)


def kind_of(error: Exception, provider: Provider | None) -> ErrorKind:
    """Return the kind of a failure, from the provider's error codes, its message or the HTTP
    status."""
    status, body, _ = _parts(error)
    message = str(body.get("message") or "").lower()
    table = provider.errors if provider else {}
    kinds = {table[name] for name in _names(body) if name in table}
    for kind, words in (provider.words if provider else {}).items():
        counts = status < 500 or kind in _AT_ANY_STATUS
        if status == 429:  # here "too many tokens" is about a minute, not about the window
            counts = kind == "quota"
        if counts and re.search(words, message):
            kinds.add(kind)
    if _SPENT.search(json.dumps(body.get("details") or "", default=str)):
        kinds.add("quota")
    if kinds:
        return min(kinds, key=get_args(ErrorKind).index)
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "request" if 400 <= status < 500 and status not in (408, 409, 425) else "unavailable"


def shown(words: str) -> str:
    """Shorten a provider's message, and hide keys and everything that looks like one."""
    return _SECRET.sub(HIDDEN, redacted(" ".join(words.split())))[:300]


def code_of(error: Exception) -> str:
    """Return the provider's error code, such as "content_filter"; empty if there is none."""
    return next(iter(_names(_parts(error)[1])), "")


def _names(body: dict[str, Any]) -> list[str]:
    """Return all codes, types and reasons in an error object, the most specific first."""
    inner = [mapping(body.get("innererror")).get("code")]
    details = [mapping(each) for each in sequence(body.get("details"))]
    inner += [value for each in details for value in (each.get("reason"), each.get("code"))]
    outer = [body.get("code"), body.get("type"), body.get("status")]
    return [str(name) for name in (*inner, *outer) if isinstance(name, str) and name]


def _parts(error: Exception) -> tuple[int, dict[str, Any], Any]:
    """Return an error's HTTP status, error object and headers; 0 and empty if it has none."""
    if isinstance(error, ProviderError):
        number = _number(error.body.get("code")) or 0
        inside = int(number) if 400 <= number < 600 else 0
        return error.status or inside, error.body, error.headers
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    body = error_of(getattr(error, "body", None) or getattr(error, "details", None))
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    return (status if isinstance(status, int) else 0), body, headers


def _retry_after_s(body: dict[str, Any], headers: Any) -> float | None:
    """Return the seconds to wait, from the error's details, the headers or its message; None if
    none of them says."""
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
    total = None
    for amount, unit in re.findall(rf"([\d.]+)\s*({_UNIT})", duration.lower()):
        unit_s = 0.001 if unit.startswith(("ms", "mil")) else {"s": 1, "m": 60, "h": 3600}[unit[0]]
        total = (total or 0.0) + (_number(amount) or 0.0) * unit_s
    return total


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number < float("inf") else None


def _is_over(clock: Clock) -> bool:
    # A little early counts as over: sockets round timeouts to milliseconds.
    return clock.deadline is not None and time.monotonic() > clock.deadline - 0.05
