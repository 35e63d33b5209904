"""The client's own texts, in the languages of `texts/`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rollcall_cli.bidi import FIRST_STRONG_ISOLATE, POP_ISOLATE, isolated, reads_from_right


@cache
def texts(locale: str) -> dict[str, str]:
    """The texts of a language, by key."""
    file = files("rollcall_cli") / "texts" / f"{locale}.json"
    return dict(json.loads(file.read_text(encoding="utf-8")))


def texts_for(message: str) -> dict[str, str]:
    """The texts in the language that an approval's message is in."""
    return texts(language_of(message))


def language_of(message: str) -> str:
    """The language of a message, out of those in `texts/`."""
    return "he" if reads_from_right(message) else "en"


def language_in(env: Mapping[str, str]) -> str:
    """The language of the environment's locale, out of those in `texts/`."""
    named = env.get("LC_ALL") or env.get("LC_MESSAGES") or env.get("LANG") or ""
    return "he" if re.match(r"(he|iw)(?![a-z])", named) else "en"


def text_in(language: str, key: str, **values: object) -> str:
    """A text in a language. Values in its placeholders do not reorder the words around them."""
    shown: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Message):
            shown[name] = value.say(language)
        elif language == "he":
            shown[name] = f"{FIRST_STRONG_ISOLATE}{value}{POP_ISOLATE}"
        else:
            shown[name] = isolated(str(value))
    return texts(language)[key].format(**shown)


def stop_text(language: str, reason: str) -> str:
    """The text for a stop reason; an unknown one of a newer server stays as it is."""
    return texts(language).get(f"stop.{reason}") or reason.replace("_", " ")


def counted(language: str, key: str, count: int) -> str:
    """A count in words: the text `<key>.one` or `<key>.many`."""
    return text_in(language, f"{key}.{'one' if count == 1 else 'many'}", count=f"{count:,}")


@dataclass(frozen=True, slots=True)
class Message:
    """A text whose language is chosen where it is shown, such as an error."""

    key: str
    values: Mapping[str, object]

    def say(self, locale: str | None) -> str:
        """The text in a language, English by default."""
        return text_in(locale or "en", self.key, **self.values)

    def __str__(self) -> str:
        return self.say("en")


def error_text(key: str, **values: object) -> Message:
    """The message of an error: the text `error.<key>`, with its values."""
    return Message(f"error.{key}", values)


def say(message: object, locale: str | None) -> str:
    """A message in a language; a server's message is a string already."""
    return message.say(locale) if isinstance(message, Message) else str(message)
