"""Localized texts of the engine or of a pack, in `texts/<language>.json` of its folder.

    TEXTS = Texts(__file__)  # texts/en.json and texts/he.json beside this module

    TEXTS.say("he", "errors.no_panel", name=isolated(name))     # a text in one language
    TEXTS.text("issues.overloaded", load=watts(load))           # a text, localized later
    TEXTS.data("en", "cues.request")                            # a list, such as patterns

A key is the path to a text through nested objects. A text is a template of `str.format`. An object
with the key "other" is a text with a count: it may also have "one" and "zero", and the value
`count` chooses among them. Another language is another file; English replaces the texts it lacks.

Other people's words in a text are put into an isolate (`isolated`, `short`): a name that reads in
the other direction must not move the text around it, and its own direction marks could disguise it.
"""

from __future__ import annotations

import json
import re
import sys
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

FALLBACK = "en"
FOLDER = "texts"


class Text(Struct, frozen=True):
    """A text that can be localized later. Its values are texts, lists of texts, strings or
    numbers."""

    source: Texts
    key: str
    values: tuple[tuple[str, Any], ...] = ()

    def say(self, locale: str) -> str:
        """Return the text in the locale's language."""
        return self.source.say(locale, self.key, **dict(self.values))

    def plain(self, locale: str) -> str:
        """Return the text like `say`, but in English without isolates, for terminals and logs."""
        text = self.say(locale)
        return without_isolates(text) if locale.startswith(FALLBACK) else text

    def __str__(self) -> str:
        return self.plain(FALLBACK)


class Texts:
    """The texts of one folder; a language is read when it is first needed.

    Args:
        beside: A file in the folder that has `texts/`, usually `__file__` of the module.
    """

    def __init__(self, beside: str) -> None:
        self.folder = Path(beside).parent / FOLDER

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the folder, English first."""
        names = sorted(path.stem for path in self.folder.glob("*.json"))
        return tuple(sorted(names, key=lambda language: language != FALLBACK))

    def say(self, locale: str, key: str, /, **values: Any) -> str:
        """Return a text in the locale's language, with `values` in its placeholders.

        Raises:
            KeyError: There is no such text, or a placeholder has no value.
        """
        template = self.data(locale, key)
        if isinstance(template, dict):
            count = values["count"]
            form = "zero" if count == 0 else "one" if count == 1 else "other"
            template = template.get(form, template["other"])
        return str(
            template.format(**{name: _localized(value, locale) for name, value in values.items()})
        )

    def text(self, key: str, /, **values: Any) -> Text:
        """Return a text to be localized later, when the language is known."""
        return Text(self, key, tuple(values.items()))

    def by_language(self, key: str, /, **values: Any) -> dict[str, str]:
        """Return a text in every language."""
        return {language: self.say(language, key, **values) for language in self.languages}

    def data(self, locale: str, key: str, /) -> Any:
        """Return the value of a key (a template, a list or an object), in English if the locale's
        language lacks it.

        Raises:
            KeyError: English has no such key either.
        """
        found = self.find(locale[:2], key)
        if found is None:
            found = self.find(FALLBACK, key)
        if found is None:
            raise KeyError(f"{self.folder} has no text {key!r}")
        return found

    def every(self, key: str, /) -> list[Any]:
        """Return the values of a key in all languages that have it, English first."""
        values = (self.find(language, key) for language in self.languages)
        return [each for each in values if each]

    def words(self, key: str, /) -> frozenset[str]:
        """Return the words under a key in all languages; each has them as a list of lines."""
        return frozenset(
            word for lines in self.every(key) for line in lines for word in line.split()
        )

    def phrases(self, key: str, /) -> list[str]:
        """Return the phrases of a list, of all languages together."""
        return [phrase for phrases in self.every(key) for phrase in phrases]

    def table(self, key: str, /) -> dict[str, Any]:
        """Return the entries of an object, of all languages together."""
        return {name: value for entries in self.every(key) for name, value in entries.items()}

    def find(self, language: str, key: str, /) -> Any:
        """Return the value of a key in one language; None if it has none."""
        value: Any = _read(str(self.folder / f"{language}.json"))
        for name in key.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value


def _localized(value: Any, locale: str) -> Any:
    if isinstance(value, list):
        return "; ".join(_localized(each, locale) for each in value)
    return value.say(locale) if isinstance(value, Text) else value


TEXTS = Texts(str(Path(__file__).parent))
"""The engine's texts, in `rollcall/texts`."""


@cache
def texts_around(module: str) -> tuple[Texts, ...]:
    """Return the texts of all packages around a loaded module that have any, innermost first."""
    around, package = list[Texts](), module
    while package := package.rpartition(".")[0]:
        file = getattr(sys.modules.get(package), "__file__", None)
        if file and (Path(file).parent / FOLDER).is_dir():
            around.append(Texts(file))
    return tuple(around)


def texts_of(module: str) -> Texts | None:
    """Return the texts of the innermost package around a loaded module that has any."""
    return next(iter(texts_around(module)), None)


@cache
def _read(path: str) -> dict[str, Any]:
    """Return the object in a file; an empty one if there is no file."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    content: dict[str, Any] = json.loads(text)
    return content


_ISOLATE, _POP = "\u2068", "\u2069"
_DIRECTION_MARKS = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")
_SHORT = 120


def isolated(text: str) -> str:
    """Return a text isolated from the direction of the text around it."""
    return f"{_ISOLATE}{_DIRECTION_MARKS.sub('', text)}{_POP}"


def without_isolates(text: str) -> str:
    """Return a text without isolates, for a reader of plain English."""
    return text.replace(_ISOLATE, "").replace(_POP, "")


def clipped(text: str, chars: int) -> str:
    """Return a text on one line, cut after `chars` characters."""
    line = " ".join(text.split())
    return line if len(line) <= chars else f"{line[: chars - 1].rstrip()}…"


def short(text: str, *, most: int = _SHORT) -> str:
    """Return the beginning of a text on one line, isolated."""
    return isolated(clipped(text, most))
