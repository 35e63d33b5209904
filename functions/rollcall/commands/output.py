"""Output of commands beside tables: announcements, JSON, times and names."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from pydantic.alias_generators import to_camel

from rollcall.commands.place import Place
from rollcall.core.readable import marked


def announce(place: Place, options: Namespace, *, writes: bool = False) -> None:
    """Print where this command reads or writes, to standard error beside JSON."""
    verb = "Writing to" if writes else "Reading"
    out = sys.stderr if getattr(options, "json", False) else sys.stdout
    print(f"{verb} {place}", file=out, flush=True)


def say(text: str) -> None:
    """Print a line that may contain others' words, which cannot move the cursor, hide text or
    change direction."""
    print(marked(text))


def print_json(value: Any) -> None:
    """One JSON value, for programs, in characters that the output can hold. Times are ISO 8601,
    keys are camelCase as all that programs read; see `in_camel_case`."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2, default=_plain)
    print(text)


def in_camel_case(record: Any) -> Any:
    """A struct as it stands in JSON, with those in it; anything else as it is."""
    if not isinstance(record, Struct):
        return record
    return {to_camel(name): in_camel_case(value) for name, value in asdict(record).items()}


def moment(value: Any) -> str:
    """A time in the document, for people; anything else as it is."""
    return f"{value:%Y-%m-%d %H:%M} UTC" if hasattr(value, "strftime") else str(value or "")


def named(names: Any) -> str:
    """A name in every language, English first; what is no names as it is."""
    if not isinstance(names, dict):
        return short(names)
    told = [str(names[locale]) for locale in sorted(names, key=lambda each: each != "en")]
    return " · ".join(dict.fromkeys(told))


def noted(overrides: Mapping[str, Any]) -> str:
    """Who overruled a status, when and why; empty where nobody left a note."""
    note = overrides.get("note")
    if not isinstance(note, dict):
        return ""
    return f"{note.get('by', '?')}, {moment(note.get('at'))}: {note.get('text') or 'no reason'}"


def short(value: Any) -> str:
    """As short JSON; words and lists of words by themselves."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, set | frozenset | tuple):
        return sorted(value)
    return str(value)
