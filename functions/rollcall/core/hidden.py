"""Hidden fields, which never leave the server through the loop: `Annotated[str, Hidden()]`.

A hidden field of a result is for code that calls the function itself; it is dropped before a model,
Firestore or a stream sees the result. A hidden argument is needed to run the call, so it is stored
with the call; wherever a call is shown, its value is "•••".

Both follow the types: models, dataclasses, structs, typed dictionaries, named tuples, lists,
dictionaries and unions of these, at any depth. If a type says too little, the value's own class
decides; if several types could be meant, a field that one of them hides is hidden.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import Struct
from pydantic import BaseModel

from rollcall.core.definition import raw_annotations

MASK = "•••"
MIN_VALUE_CHARS = 4
"""A shorter hidden text is not searched for inside other texts: almost any would contain it."""


class Hidden(Struct, frozen=True):
    """Marks a type as hidden."""


_GONE = object()
_UNKNOWN = object()
"""Stands for a Python value of which only the JSON is known."""
_SCALARS = (str, int, float, bool)


class _Field(Struct, frozen=True):
    """A field of a structured type: its attribute, its keys in JSON, its type."""

    name: str
    keys: tuple[str, ...]
    hint: Any


def without_hidden(data: Any, value: Any, hint: Any = Any) -> Any:
    """Return a function's result without hidden fields.

    Args:
        data: The result as plain JSON, from `plain(value)`.
        value: The result that the function returned.
        hint: The function's declared return type, with its marks.
    """
    if _is_plain(value) and not _hides(hint):
        return data
    shown = _shown(data, value, hint, _GONE)
    return None if shown is _GONE else shown


def mask_hidden(model: type[BaseModel], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments (plain JSON) with "•••" for each hidden value."""
    if not _hides_in_model(model):
        return arguments
    shown: dict[str, Any] = _shown(arguments, _UNKNOWN, model, MASK)
    return shown


def mask_values(data: Any, model: type[BaseModel], arguments: dict[str, Any]) -> Any:
    """Return plain JSON made from a call (a summary, a display) with the call's hidden values
    masked."""
    hidden = sorted(_texts_hidden(arguments, mask_hidden(model, arguments)), key=len, reverse=True)
    return _replaced(data, hidden) if hidden else data


def _shown(data: Any, value: Any, hint: Any, mask: Any) -> Any:
    """Return `data` with `mask` in place of what is hidden; fields and items that become `_GONE`
    are removed."""
    if data is None:
        return None
    if hint is Any and type(value) in _SCALARS:
        return data  # the usual case; inspecting types is slow
    members = _members_of(hint)
    meant = [each for each in members if _may_be(each.kind, value)] or members
    if any(each.hidden for each in meant):
        return mask
    own: Any = type(value)
    kinds = [own] if _fields_of(own) is not None else [each.kind for each in meant]
    for kind in kinds:
        data = _fields_shown(data, value, kind, mask)
    return data


def _fields_shown(data: Any, value: Any, kind: Any, mask: Any) -> Any:
    fields = _fields_of(kind)
    if fields is None:
        return _items_shown(data, value, kind, mask)
    if getattr(kind, "__pydantic_root_model__", False):
        return _shown(data, _attribute(value, "root"), fields[0].hint, mask)
    if isinstance(data, list):  # a named tuple
        hints = [field.hint for field in fields]
        return _listed(data, value, hints, mask, keeps_places=True)
    if not isinstance(data, dict):  # a custom serializer: the fields' places are unknown
        return mask if any(_hides(field.hint) for field in fields) else data
    by_key = {key: field for field in fields for key in field.keys}
    shown = {}
    for key, item in data.items():
        field = by_key.get(key, _Field(key, (key,), Any))
        shown[key] = _shown(item, _attribute(value, field.name), field.hint, mask)
    return {key: item for key, item in shown.items() if item is not _GONE}


def _items_shown(data: Any, value: Any, kind: Any, mask: Any) -> Any:
    arguments = get_args(kind)
    if isinstance(data, dict):
        hint = arguments[1] if len(arguments) == 2 else Any
        values: dict[str, Any] = {}  # by their keys in JSON
        if isinstance(value, Mapping) and len(value) == len(data):
            values = dict(zip(data, value.values(), strict=True))
        elif isinstance(value, Mapping):
            values = {str(key): item for key, item in value.items()}
        shown = {
            key: _shown(item, values.get(key, _UNKNOWN), hint, mask) for key, item in data.items()
        }
        return {key: item for key, item in shown.items() if item is not _GONE}
    if isinstance(data, list):
        is_fixed = get_origin(kind) is tuple and arguments[-1:] != (...,)
        hints = list(arguments) if is_fixed else [arguments[0] if arguments else Any] * len(data)
        return _listed(data, value, hints, mask, keeps_places=is_fixed)
    return data


def _listed(
    data: list[Any], value: Any, hints: list[Any], mask: Any, *, keeps_places: bool
) -> list[Any]:
    """Return a list without hidden items; at fixed places they become None."""
    hints += [Any] * (len(data) - len(hints))
    is_known = isinstance(value, list | tuple | set | frozenset) and len(value) == len(data)
    values = value if is_known else [_UNKNOWN] * len(data)
    shown = [
        _shown(item, each, hint, mask)
        for item, each, hint in zip(data, values, hints, strict=False)
    ]
    if keeps_places:
        return [None if item is _GONE else item for item in shown]
    return [item for item in shown if item is not _GONE]


class _Member(Struct, frozen=True):
    """One type of a union, or the only one."""

    kind: Any
    hidden: bool


def _members_of(hint: Any, *, hidden: bool = False) -> list[_Member]:
    """Return the types that a value of this hint may have, each with whether it is hidden."""
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *marks = get_args(hint)
        hidden = hidden or any(mark is Hidden or isinstance(mark, Hidden) for mark in marks)
        return _members_of(inner, hidden=hidden)
    if getattr(origin, "_name", "") in ("NotRequired", "Required", "ReadOnly"):
        return _members_of(get_args(hint)[0], hidden=hidden)
    if origin in (Union, types.UnionType):
        return [each for inner in get_args(hint) for each in _members_of(inner, hidden=hidden)]
    if type(hint).__name__ == "TypeAliasType":
        return _members_of(hint.__value__, hidden=hidden)
    return [_Member(hint, hidden)]


def _may_be(kind: Any, value: Any) -> bool:
    """Tell whether a value may be of this type; true if that cannot be determined."""
    if kind is type(None):
        return value is None
    base = get_origin(kind) or kind
    if value is _UNKNOWN or base is Any or not isinstance(base, type) or _is_typed_dict(base):
        return True
    try:
        return isinstance(value, base) or (base is float and isinstance(value, int))
    except TypeError:  # a protocol that only type checkers can check
        return True


def _is_typed_dict(kind: type) -> bool:
    """Tell whether a class is a typed dictionary. `typing.is_typeddict` does not recognise those of
    typing_extensions, which pydantic requires."""
    return issubclass(kind, dict) and hasattr(kind, "__required_keys__")


@lru_cache(maxsize=1_000)
def _fields_of(kind: Any) -> tuple[_Field, ...] | None:
    """Return the fields of a structured type; None for other types."""
    kind = kind if isinstance(kind, type) else get_origin(kind)
    if not isinstance(kind, type):
        return None
    if issubclass(kind, BaseModel):
        fields = [
            _Field(name, _keys(name, info), Annotated[info.annotation, *info.metadata, None])
            for name, info in kind.model_fields.items()
        ]
        for name, computed in kind.model_computed_fields.items():
            fields.append(_Field(name, _keys(name, computed), computed.return_type))
        return tuple(fields)
    is_named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    is_record = dataclasses.is_dataclass(kind) or issubclass(kind, Struct)
    if not (is_record or _is_typed_dict(kind) or is_named_tuple):
        return None
    aliases = getattr(kind, "__pydantic_fields__", {})
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError:
        # A name is imported for type checkers only. The marks can still be read.
        hints = {
            name: Annotated[Any, Hidden()] if "Hidden" in str(hint) else Any
            for name, hint in raw_annotations(kind).items()
        }
    return tuple(_Field(name, _keys(name, aliases.get(name)), hint) for name, hint in hints.items())


def _keys(name: str, info: Any) -> tuple[str, ...]:
    keys = (getattr(info, "serialization_alias", None), getattr(info, "alias", None), name)
    return tuple(dict.fromkeys(key for key in keys if isinstance(key, str)))


def _hides(hint: Any) -> bool:
    """Tell whether a type has a hidden field at any depth."""
    seen: list[Any] = []
    stack = [hint]
    while stack:
        for member in _members_of(stack.pop()):
            kind = member.kind
            if member.hidden:
                return True
            if kind is Any or isinstance(kind, list) or any(kind is each for each in seen):
                continue
            seen.append(kind)
            stack += [field.hint for field in _fields_of(kind) or ()]
            stack += get_args(kind)
    return False


_hides_in_model = lru_cache(maxsize=1_000)(_hides)  # other types may not be hashable


def _is_plain(value: Any) -> bool:
    """Tell whether a value consists of dictionaries, lists and scalars, whose classes hide
    nothing."""
    stack = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is dict:
            stack.extend(item.values())
        elif kind is list:
            stack.extend(item)
        elif item is not None and kind not in _SCALARS:
            return False
    return True


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name, _UNKNOWN)
    return getattr(value, name, _UNKNOWN)


def _texts_hidden(data: Any, shown: Any) -> set[str]:
    """Return the texts of `data` that are masked in `shown`."""
    if isinstance(data, dict | list):
        keys: Iterable[Any] = data if isinstance(data, dict) else range(len(data))
        inner = ((data[key], MASK if shown == MASK else shown[key]) for key in keys)
        return {text for item, other in inner for text in _texts_hidden(item, other)}
    text = str(data)
    return {text} if shown == MASK and len(text) >= MIN_VALUE_CHARS else set()


def _replaced(data: Any, hidden: list[str]) -> Any:
    if isinstance(data, str):
        for text in hidden:
            data = data.replace(text, MASK)
        return data
    if isinstance(data, dict):
        return {key: _replaced(item, hidden) for key, item in data.items()}
    if isinstance(data, list):
        return [_replaced(item, hidden) for item in data]
    return MASK if not isinstance(data, bool) and str(data) in hidden else data
