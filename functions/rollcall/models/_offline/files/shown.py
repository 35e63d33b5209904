"""Paths, code and output, put into an answer."""

from __future__ import annotations

import re

from rollcall.models._offline.fields import defanged, one_line

_LANGUAGES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "sh": "bash",
    "md": "markdown",
}
_CODE_CHARS = 160


def code(text: str) -> str:
    """Untrusted text as a piece of code on one line."""
    flat = one_line(text, most=_CODE_CHARS).replace("`", "ˋ")
    return f"`{flat}`" if flat else ""


def name(text: str, language: str) -> str:
    """A file's name as code; in Hebrew isolated, so that it turns nothing around."""
    told = code(text)
    return f"\u2068{told}\u2069" if told and language == "he" else told


def plain(text: str) -> str:
    """Untrusted text for the inside of a pair of backquotes."""
    return one_line(text, most=_CODE_CHARS).replace("`", "ˋ")


def block(text: str, *, path: str = "") -> str:
    """Untrusted lines as a block of code, which nothing in them can end."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    ending = path.rpartition(".")[2] if "." in path else ""
    language = _LANGUAGES.get(ending, ending if re.fullmatch(r"[a-z]{1,10}", ending) else "")
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def size(number: int, language: str) -> str:
    """A size in bytes, as people write it."""
    bytes_, kilobytes = ("בתים", "ק״ב") if language == "he" else ("B", "KB")
    return f"{number:,} {bytes_}" if number < 1024 else f"{number / 1024:,.1f} {kilobytes}"


def listed(lines: list[str], *, most: int, more: str) -> list[str]:
    """The first of some lines as a list; `more` says how many are left, by {count}."""
    left = len(lines) - most
    shown = [f"- {line}" for line in lines[:most]]
    return [*shown, f"- {more.format(count=left)}"] if left > 0 else shown


def said(text: str) -> str:
    """The user's own words, quoted back on one line."""
    return defanged(one_line(text, most=80))
