"""What the client says by itself, in the languages of `texts/`: around approvals, in errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rollcall_cli.bidi import FIRST_STRONG_ISOLATE, POP_ISOLATE, isolated, reads_from_right


@cache
def texts(locale: str) -> dict[str, str]:
    """The texts of a language, by what each is for."""
    file = files("rollcall_cli") / "texts" / f"{locale}.json"
    return dict(json.loads(file.read_text(encoding="utf-8")))


def texts_for(message: str) -> dict[str, str]:
    """The texts in the language that an approval's message is in."""
    return texts(language_of(message))


def language_of(message: str) -> str:
    """The language of a text that somebody wrote, of those in `texts/`."""
    return "he" if reads_from_right(message) else "en"


@dataclass(frozen=True, slots=True)
class Message:
    """An error's text, which is put into a language where it is shown."""

    key: str
    values: Mapping[str, object]

    def say(self, locale: str | None) -> str:
        """The text in a language, English unless named; values do not move the words around."""
        language = locale or "en"
        values: dict[str, str] = {}
        for name, value in self.values.items():
            if isinstance(value, Message):
                values[name] = value.say(locale)
            elif language == "he":
                values[name] = f"{FIRST_STRONG_ISOLATE}{value}{POP_ISOLATE}"
            else:
                values[name] = isolated(str(value))
        return texts(language)[f"error.{self.key}"].format(**values)

    def __str__(self) -> str:
        return self.say("en")


def error_text(key: str, **values: object) -> Message:
    """The text of an error: `error.<key>` of the texts, with what belongs into its places."""
    return Message(key, values)


def say(message: object, locale: str | None) -> str:
    """A message in a language; a server's is in one already."""
    return message.say(locale) if isinstance(message, Message) else str(message)
