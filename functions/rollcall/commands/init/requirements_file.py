"""Reads and edits an app's `requirements.txt`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from rollcall.commands.init.files import append_lines, newline_of

DISTRIBUTION = "rollcall-firebase"
FIND_LINKS = "--find-links ./vendor"
_NOTE = "# Rollcall: the wheel in vendor/, by a version that names its content (`rollcall init`)."
_INCLUDE = re.compile(r"\s*(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)")


class Line(Struct, frozen=True):
    """A requirement in one of the app's files."""

    file: str
    number: int
    requirement: Requirement


class Conflict(Struct, frozen=True):
    """Two requirements that no version of a package meets."""

    line: Line
    needed: Requirement


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


def extras(text: str) -> frozenset[str]:
    """The extras of Rollcall that a file asks for."""
    return frozenset(
        extra
        for requirement in map(_requirement, _logical_lines(text))
        if requirement is not None and canonicalize_name(requirement.name) == DISTRIBUTION
        for extra in requirement.extras
    )


def has_hashes(text: str) -> bool:
    """Whether pip checks hashes: one `--hash` demands them, and exact versions, of every line."""
    return any("--hash" in line or "--require-hashes" in line for line in _logical_lines(text))


def conflicts(
    file: str, text: str, needed: Sequence[Requirement], read: Callable[[str], str | None]
) -> list[Conflict]:
    """The lines that no version meets together with what Rollcall needs.

    Args:
        file: The requirements file's path, from the app's folder.
        text: Its text.
        needed: What the wheel requires.
        read: Reads a file that this one includes (`-r`, `-c`), by its path from the app's folder.
    """
    by_name = {canonicalize_name(each.name): each for each in needed}
    found = []
    for line in _lines(file, text, read, {file}):
        other = by_name.get(canonicalize_name(line.requirement.name))
        applies = line.requirement.marker is None or line.requirement.marker.evaluate()
        if other and applies and not _meet(line.requirement.specifier, other.specifier):
            found.append(Conflict(line, other))
    return found


def _lines(
    file: str, text: str, read: Callable[[str], str | None], seen: set[str]
) -> Iterator[Line]:
    for number, line in enumerate(text.splitlines(), start=1):
        requirement = _requirement(line)
        if requirement is not None:
            yield Line(file, number, requirement)
        elif include := _INCLUDE.match(line):
            folder, slash, _ = file.rpartition("/")
            path = f"{folder}{slash}{include[1].removeprefix('./')}"
            if path not in seen and (included := read(path)) is not None:
                seen.add(path)
                yield from _lines(path, included, read, seen)


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


def _meet(one: SpecifierSet, other: SpecifierSet) -> bool:
    """Whether some version is in both. Versions at the bounds of both and just above are tried:
    where the sets meet, they meet at one of these or below them all."""
    bounds = [Version("0")]
    for specifier in (*one, *other):
        try:
            bounds.append(Version(specifier.version.removesuffix(".*")))
        except InvalidVersion:  # `===` with any text
            return True
    tried = [*bounds]
    for bound in bounds:
        release = (*bound.release, 0, 0)[: max(3, len(bound.release))]
        tried.append(Version(".".join(map(str, (*release, 1)))))
        tried.append(Version(".".join(map(str, (*release[:-1], release[-1] + 1)))))
    return any(
        one.contains(version, prereleases=True) and other.contains(version, prereleases=True)
        for version in tried
    )
