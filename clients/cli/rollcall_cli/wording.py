"""What the client says around an approval, in the languages of `texts/`."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from rollcall_cli.bidi import reads_from_right


@cache
def texts(locale: str) -> dict[str, str]:
    """The texts of a language, by what each is for."""
    file = files("rollcall_cli") / "texts" / f"{locale}.json"
    return dict(json.loads(file.read_text(encoding="utf-8")))


def texts_for(message: str) -> dict[str, str]:
    """The texts in the language that an approval's message is in."""
    return texts("he" if reads_from_right(message) else "en")
