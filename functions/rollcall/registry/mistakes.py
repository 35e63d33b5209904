"""What is wrong with a stored document, for whoever wrote it: which field, what stands there, and
what would be accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

_SHOWN_CHARS = 60
_NO_LIST, _NO_OBJECT = "{given} is no list", "{given} is no object"
_WORDS = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "string_type": "{given} is no text",
    "tuple_type": _NO_LIST,
    "list_type": _NO_LIST,
    "dict_type": _NO_OBJECT,
    "model_type": _NO_OBJECT,
    "bool_type": "{given} is neither true nor false",
    "int_type": "{given} is no whole number",
    "int_parsing": "{given} is no whole number",
    "enum": "{given} is not {expected}",
    "literal_error": "{given} is not {expected}",
    "string_pattern_mismatch": "{given} does not fit {pattern}",
    "greater_than_equal": "{given} is less than {ge}",
    "greater_than": "{given} is not above {gt}",
    "less_than_equal": "{given} is more than {le}",
    "float_type": "{given} is no number",
    "finite_number": "{given} is no finite number",
    "string_too_long": "it has more than {max_length:,} characters",
    "too_long": "it has more than {max_length:,} items",
}
"""By pydantic's kind of error; what is not here is told in pydantic's own words."""


def in_words(error: ValidationError) -> str:
    """The first mistake, with the field it is in."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(each) for each in first["loc"])
    words: Callable[..., str] | None = getattr(_WORDS.get(first["type"]), "format", None)
    context: Mapping[str, Any] = first.get("ctx", {})
    if words:
        message = words(**{**context, "given": _shown(first["input"])})
    else:
        message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _shown(value: Any) -> str:
    """What stands there, as JSON has it, cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
