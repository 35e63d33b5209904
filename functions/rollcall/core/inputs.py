"""Validation of data from outside: JSON, and HTTPS URLs that may be called.

JSON allows what later stages cannot handle: lone surrogates cannot be stored, NaN cannot be sent
back, deep nesting breaks parsers. Each is refused here with the path of the value at fault. A URL
is parsed once, by one pattern, so that no two parsers can disagree about it.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any, TypeVar

from msgspec import Struct
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from rollcall.core.errors import FailedPrecondition, InvalidArgument, ResourceExhausted
from rollcall.core.redaction import redacted_json
from rollcall.core.texts import FALLBACK, TEXTS, Text

CONTEXT_CHARS = 4_000
"""The longest context that a client may send, as JSON text."""
MAX_BODY_BYTES = 4_000_000
MAX_DEPTH = 24
NOT_BLANK = r"\S"
"""The pattern of a text that is more than spaces."""
MAX_VALUES = 20_000
_INT64 = 2**63
_NO_TEXT = re.compile("[\0\ud800-\udfff]")

M = TypeVar("M", bound=BaseModel)


def parse_json(body: bytes, *, most: int = MAX_BODY_BYTES, wanted: str = '{"data": {...}}') -> Any:
    """Parse a request body of a limited size.

    Raises:
        ResourceExhausted: It has more than `most` bytes.
        InvalidArgument: It is not JSON, or is nested too deeply.
    """
    if len(body) > most:
        raise ResourceExhausted(
            f"the request has {len(body):,} bytes; at most {most:,} are accepted"
        )
    try:
        value = json.loads(body)
    except RecursionError as error:
        raise InvalidArgument("the request's JSON is nested too deeply") from error
    except (ValueError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"the request is not JSON; send {wanted}") from error
    return value


def check_json(value: Any, *, field: str = "data", most: int = MAX_VALUES) -> None:
    """Refuse JSON that cannot be stored or returned.

    Raises:
        InvalidArgument: With `field` naming the value: a lone surrogate or NUL in a text, a
            number that is not finite or past 64 bits, more than `MAX_DEPTH` levels or
            `most` values.
    """
    seen = 1
    stack: list[tuple[Any, _Place, int]] = [(value, (None, field), 0)]
    while stack:
        item, place, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise _refusal(place, f"is nested deeper than {MAX_DEPTH} levels")
        if not isinstance(item, dict | list):
            if isinstance(item, str):
                _check_text(item, place)
            elif isinstance(item, float) and not math.isfinite(item):
                raise _refusal(place, "must be a finite number")
            elif isinstance(item, int) and not -_INT64 <= item < _INT64:
                raise _refusal(place, "must fit into 64 bits")
            continue
        seen += len(item)
        if seen > most:
            raise InvalidArgument(
                f"the request has more than {most:,} values", field=field or "data"
            )
        if isinstance(item, dict):
            for key in item:
                _check_text(key, place)
        inner = item.items() if isinstance(item, dict) else enumerate(item)
        stack.extend((each, (place, key), depth + 1) for key, each in inner)


_Place = tuple[Any, str | int]
"""The parent's place, and the key in it. It becomes a text only in a refusal, since a sender can
make each key, and so each place's text, very long."""


def _refusal(place: _Place, what: str) -> InvalidArgument:
    keys: list[str | int] = []
    at: _Place | None = place
    while at is not None:
        at, key = at
        keys.append(key)
    path = ""
    for key in reversed(keys):
        path += f"[{key}]" if isinstance(key, int) else f".{key}" if path else key
    name = path[:120].encode("utf-8", "replace").decode() or "data"
    return InvalidArgument(f"{name} {what}", field=name)


def _check_text(text: str, place: _Place) -> None:
    if _NO_TEXT.search(text):
        raise _refusal(
            place, "holds half a character (a lone surrogate) or a NUL; send valid Unicode text"
        )


def validate(model: type[M], value: Any, *, field: str = "") -> M:
    """Validate plain JSON as `model`, strictly: "5" is not a number.

    Raises:
        InvalidArgument: The first field at fault, named after the prefix `field`.
    """
    if not isinstance(value, dict):
        name = field or "data"
        names = {list: "a list", str: "text", bool: "true or false", type(None): "null"}
        kind = names.get(type(value), "a number")
        raise InvalidArgument(f"{name} must be an object, not {kind}", field=name)
    try:
        return model.model_validate_json(json.dumps(_integral(value)), strict=True)
    except ValidationError as error:
        raise invalid(error, value, field=field) from error


def check(kind: Any, value: Any, *, field: str = "") -> None:
    """Check that plain JSON is of a type, strictly.

    Raises:
        InvalidArgument: The first part at fault, named after the prefix `field`.
    """
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        validate(kind, value, field=field)
        return
    try:
        TypeAdapter(kind).validate_json(json.dumps(_integral(value)), strict=True)
    except ValidationError as error:
        raise invalid(error, value, field=field) from error


def invalid(error: ValidationError, value: Any, *, field: str = "") -> InvalidArgument:
    """Translate a pydantic error: what is wrong, where, and what is accepted."""
    # The error of the first field; if it is a union, that of the member with the longest path.
    errors = error.errors(include_url=False)
    same_field = [item for item in errors if item["loc"][:1] == errors[0]["loc"][:1]]
    paths = [(item, _path(value, item)) for item in same_field]
    first, path = max(paths, key=lambda pair: len(pair[1]))
    kind = first["type"]
    name = ".".join(part for part in (field, *path) if part) or "data"
    if kind in ("missing", "extra_forbidden"):
        return InvalidArgument(TEXTS.text(f"invalid.{kind}", name=name), field=name)
    wrong = first.get("input")
    text = repr(wrong)
    short = text if len(text) <= 60 else text[:57] + "…"
    ending = "" if isinstance(wrong, dict | list) else f" (not {short})"
    reason = _kinds([item for item, at in paths if at == path]) or reason_of(first)
    if isinstance(reason, str):
        return InvalidArgument(f"{name}: {reason[:1].lower()}{reason[1:]}{ending}", field=name)
    key = "invalid.field_and_value" if ending else "invalid.field"
    return InvalidArgument(TEXTS.text(key, name=name, reason=reason, value=short), field=name)


def reason_of(error: ErrorDetails) -> str | Text:
    """Return the message of a pydantic error: the `Text` of a check's ValueError, or the text for a
    bound or a type. What only programs send wrong has pydantic's English message."""
    values = error.get("ctx") or {}
    cause = values.get("error")
    if isinstance(cause, ValueError) and isinstance(text := next(iter(cause.args), None), Text):
        return text
    if values.get("pattern") == NOT_BLANK:
        return TEXTS.text("invalid.blank")
    if TEXTS.find(FALLBACK, f"invalid.{error['type']}") is None:
        return error["msg"].removeprefix("Value error, ")
    count = next((values[bound] for bound in ("min_length", "max_length") if bound in values), 0)
    values = {**_integral(values), "kind": str(values.get("field_type", "")).lower()}
    if "actual_length" in values and values["actual_length"] is None:  # pydantic stopped counting
        values["actual_length"] = TEXTS.text("invalid.more")
    return TEXTS.text(f"invalid.{error['type']}", count=count, **values)


def _kinds(errors: list[ErrorDetails]) -> str | None:
    """Return the message for a value of none of the types of a union; None for other errors."""
    start = re.compile("Input should be (?:a valid|an?) ")
    kinds = [start.sub("", each["msg"]) for each in errors if each["type"].endswith("_type")]
    if not 1 < len(kinds) == len(errors):
        return None
    return f"Input should be a valid {', '.join(kinds[:-1])} or {kinds[-1]}"


def _path(value: Any, error: ErrorDetails) -> list[str]:
    """Return the path of the value, without the union members that pydantic adds to it."""
    path: list[str] = []
    *above, last = error["loc"] or ("",)
    is_missing = error["type"] == "missing"  # it may be there, and null
    for part in above if is_missing else error["loc"]:
        in_list = isinstance(part, int) and isinstance(value, list) and part < len(value)
        if in_list or (isinstance(part, str) and isinstance(value, dict) and part in value):
            value = value[part]
            path.append(str(part))
    return [*path, str(last)] if is_missing else path


def _integral(value: Any) -> Any:
    """Return plain JSON with whole floats as integers: JSON has one kind of number."""
    if isinstance(value, float) and value.is_integer() and abs(value) < _INT64:
        return int(value)
    if isinstance(value, dict):
        return {key: _integral(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_integral(item) for item in value]
    return value


def read_context(context: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the context that a client sent (where its user is), without credentials.

    Raises:
        InvalidArgument: It is too large.
    """
    # Measured after redaction, which can make it longer: another codebase's function gets the
    # redacted form and measures it again.
    redacted: dict[str, Any] | None = redacted_json(context)
    size = len(json.dumps(redacted or {}, ensure_ascii=False))
    if size > CONTEXT_CHARS:
        raise InvalidArgument(
            f"context has {size:,} characters of JSON; at most {CONTEXT_CHARS:,} are accepted",
            field="context",
        )
    return redacted


def digest(value: Any) -> str:
    """Return a short fingerprint of plain JSON, the same for equal values."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


MAX_URL = 8_000

# Only ASCII, and no user and password, brackets, backslash or fragment: a host in another script
# is written in its DNS form, "xn--…".
_URL = re.compile(
    r"https://(?P<host>[A-Za-z0-9.-]{1,253})(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[!$-\[\]-~]*)?(?P<query>\?[!$-\[\]-~]*)?",
    re.IGNORECASE | re.ASCII,  # without ASCII, the Kelvin sign would match k
)
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label of this form makes the host an IPv4 address in one of its old notations."""


class Url(Struct, frozen=True):
    """The parts of an HTTPS URL; `path` includes the query."""

    host: str
    port: int
    path: str

    @property
    def origin(self) -> tuple[str, int]:
        return self.host, self.port

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        return self.host if self.port == 443 else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"https://{self.authority}{self.path}"


def parse_url(text: str) -> Url:
    """Parse a URL.

    Raises:
        FailedPrecondition: It is not a plain `https://name/path?query` in ASCII, or its host is
            an IP address or a single word.
    """
    found = _URL.fullmatch(text) if len(text) <= MAX_URL else None
    host = found["host"].lower() if found else ""
    port = int(found["port"] or 443) if found else 0
    if found is None or not is_host(host) or not 0 < port < 65_536:
        raise FailedPrecondition(
            "the address of this tool's service may not be called",
            hint="write it as https://name/path?query, in ASCII, with the name of a host",
        )
    return Url(host, port, (found["path"] or "/") + (found["query"] or ""))


def is_host(name: str) -> bool:
    """Tell whether this is a full host name in lower case that is not an IP address."""
    labels = name.split(".")
    return (
        len(name) <= 253
        and len(labels) > 1
        and all(_LABEL.fullmatch(label) for label in labels)
        and not _NUMBER.fullmatch(labels[-1])
    )
