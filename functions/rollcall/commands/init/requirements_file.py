"""Reads and edits an app's `requirements.txt`."""

from __future__ import annotations

import re

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from rollcall.commands.init.files import append_lines, newline_of

DISTRIBUTION = "rollcall-firebase"
FIND_LINKS = "--find-links ./vendor"
_NOTE = "# Rollcall: the wheel in vendor/, by a version that names its content (`rollcall init`)."


def merge(text: str, version: str) -> str:
    """Ask for a version of Rollcall; extras that the app asks for stay, as do all other lines."""
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        requirement = _requirement(line)
        if requirement is None or canonicalize_name(requirement.name) != DISTRIBUTION:
            continue
        pinned = f"=={version}"
        if str(requirement.specifier) != pinned:
            extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
            marker = f"; {requirement.marker}" if requirement.marker else ""
            rest = re.search(r"(?:[ \t]+#[^\r\n]*)?\r?\n?$", line)
            lines[index] = f"{DISTRIBUTION}{extras}{pinned}{marker}{rest[0] if rest else ''}"
        if not _finds_links(text):
            lines.insert(index, FIND_LINKS + newline_of(text))
        return "".join(lines)
    links = "" if _finds_links(text) else f"{FIND_LINKS}\n"
    gap = "\n" if text.strip() else ""
    return append_lines(text, f"{gap}{_NOTE}\n{links}{DISTRIBUTION}=={version}\n")


def asks_for(text: str, version: str) -> bool:
    """Whether a file asks for this version of Rollcall, and says where to find it."""
    wanted = any(
        requirement is not None
        and canonicalize_name(requirement.name) == DISTRIBUTION
        and str(requirement.specifier) == f"=={version}"
        for requirement in map(_requirement, _logical_lines(text))
    )
    return wanted and _finds_links(text)


def has_hashes(text: str) -> bool:
    """Whether pip checks hashes: one `--hash` demands them, and exact versions, of every line."""
    return any("--hash" in line or "--require-hashes" in line for line in _logical_lines(text))


def _requirement(line: str) -> Requirement | None:
    """The requirement of a line; None for options, comments, paths and links."""
    line = re.sub(r"(?:^|\s)#.*$", "", line.rstrip("\r\n")).strip()
    line = re.split(r"\s+--hash|\s*\\$", line)[0]
    if not line or line.startswith("-"):
        return None
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _logical_lines(text: str) -> list[str]:
    """Lines joined where they end in a backslash, without comments."""
    joined = re.sub(r"\\\r?\n", " ", text)
    return [re.sub(r"(?:^|\s)#.*$", "", line) for line in joined.splitlines()]


def _finds_links(text: str) -> bool:
    return any(
        re.fullmatch(r"\s*(?:--find-links|-f)[\s=]+(?:\./)?vendor/?\s*", line)
        for line in _logical_lines(text)
    )
