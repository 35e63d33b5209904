"""Files and folders that a request names."""

from __future__ import annotations

import re

from rollcall.models._offline.files.masked import HELD, Masked

_ENDINGS = (
    "py|pyi|ipynb|js|mjs|cjs|jsx|ts|tsx|json|jsonl|md|rst|txt|toml|yaml|yml|cfg|ini|conf|env|html|"
    "htm|css|scss|sass|less|sh|bash|bat|ps1|sql|csv|tsv|xml|svg|rs|go|java|kt|kts|swift|dart|c|h|"
    "cc|cpp|hpp|cs|rb|php|lua|pl|r|scala|vue|svelte|lock|log|tf|proto|gradle|properties|mk|in|tex"
)
_WELL_KNOWN = "Makefile|Dockerfile|Procfile|Gemfile|Rakefile|LICENSE|CHANGELOG|CODEOWNERS"
# A message may have 32,000 characters of anything: a path's parts are bounded.
_PART = r"[A-Za-z0-9_@+.-]{1,100}"
_PART_HE = r"[א-תA-Za-z0-9_@+.-]{1,100}"
PATH = (
    rf"(?<![A-Za-z0-9_./@])(?<![A-Za-z0-9_][-+])(?![-+])(?:\./)?(?:(?:{_PART}/){{1,20}}(?:{_PART})?(?![א-ת])"
    rf"|[A-Za-z0-9_@+-][A-Za-z0-9_@+.-]{{0,100}}\.(?:{_ENDINGS})(?![A-Za-z0-9_(/]|\.\w)"
    rf"|\.(?:gitignore|env|editorconfig|dockerignore|npmrc|prettierrc|eslintrc)(?![A-Za-z0-9_/])"
    rf"|(?:{_WELL_KNOWN})(?![A-Za-z0-9_/]))"
    rf"|(?<!\S)(?:{_PART_HE}/){{0,20}}[א-ת][א-ת0-9_-]{{0,60}}\.(?:{_ENDINGS})(?![A-Za-z0-9_(/])"
    rf"|(?<!\S)(?=[^\s/]*[א-ת])(?:{_PART_HE}/){{1,20}}(?:{_PART})?"
)
_PATH = re.compile(PATH)
_PATH_OR_HELD = re.compile(f"{PATH}|{HELD}")
_README = re.compile(r"(?<![\w.])readme(?![\w.])", re.IGNORECASE)
_JOINED = re.compile(r"^[בהוכלמש][-־](?=\w)")  # a Hebrew word for "in" or "to" by a hyphen
_NAME = re.compile(
    rf"(?:{_PART}/){{0,20}}{_PART}|(?:{_PART_HE}/){{0,20}}[\w.-]{{1,100}}\.[A-Za-z0-9]{{1,8}}"
)
_ENDS_AS_FILE = re.compile(rf"\.(?:{_ENDINGS})$|(?:^|/)(?:{_WELL_KNOWN}|\.[a-z]+)$|/")


def paths_in(text: str, of: Masked) -> list[str]:
    """The paths that a part of a masked text names, in order, each once: those in quotes too."""
    found = [_as_path(match[0], of) for match in _PATH_OR_HELD.finditer(text)]
    if not any(found) and _README.search(text):
        return ["README.md"]
    return list(dict.fromkeys(path for path in found if path))


def _as_path(text: str, of: Masked) -> str | None:
    held = of.find(text) if len(text) == 1 else None
    if held is None:
        return tidy(_JOINED.sub("", text.rstrip(".")))
    said = held.value.strip()
    return tidy(said) if is_path(said) else None


def is_path(text: str) -> bool:
    """Whether a text is a path by its looks: it has a folder in it, or a known ending."""
    return bool(_NAME.fullmatch(text) and _ENDS_AS_FILE.search(text)) and text not in ("/", ".")


def first_path(text: str, of: Masked) -> str | None:
    """The first path that a part of a masked text names."""
    return next(iter(paths_in(text, of)), None)


def tidy(path: str) -> str:
    """A path as tools write it: from the root, without "./" or a slash at its end."""
    while path.startswith("./"):
        path = path[2:]
    return path.rstrip("/") or "."


def folder_of(path: str) -> str:
    """The folder that a path lies in; "." for the root."""
    return path.rpartition("/")[0] or "."


def name_of(path: str) -> str:
    """A path without its folders."""
    return path.rpartition("/")[2]


def same(one: str, other: str) -> bool:
    """Whether two paths are the same."""
    return tidy(one) == tidy(other)
