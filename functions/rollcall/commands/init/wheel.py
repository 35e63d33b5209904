"""The wheel of the library that is running, made again from its installed files.

An app carries the wheel in its functions folder, since a deploy uploads nothing else. The version
names the content (`0.1.0+g1a2b3c4`): the cloud's build keeps what it installed for as long as
`requirements.txt` has the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

import rollcall
from rollcall.commands.init.files import append_lines, newline_of
from rollcall.core.errors import Problem
from rollcall.core.extras import DISTRIBUTION

_FILE_PREFIX = "rollcall_firebase-"
_NOT_IN_WHEELS = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}
_TIME = (1980, 1, 1, 0, 0, 0)
_HOW = (
    "`init` copies the library into the app as a wheel, so it has to be installed from one:\n"
    "  make wheel                      # in a checkout of Rollcall; writes dist/*.whl\n"
    "  python -m pip install dist/rollcall_firebase-*.whl\n"
    "and then run `python -m rollcall init` again, outside the checkout."
)


class Wheel(Struct, frozen=True):
    """A wheel file of Rollcall."""

    version: str
    content: bytes
    needs: tuple[str, ...] = ()
    """The requirements of the library, those of extras among them."""

    @property
    def file_name(self) -> str:
        return f"{_FILE_PREFIX}{self.version}-py3-none-any.whl"


def is_wheel_of_ours(file_name: str) -> bool:
    """Whether a file is a wheel of Rollcall, of any version."""
    return file_name.startswith(_FILE_PREFIX) and file_name.endswith(".whl")


def installed_wheel() -> Wheel:
    """Make the wheel again that the running library was installed from.

    Raises:
        Problem: It runs from its sources, or its files were changed after the installation.
    """
    try:
        installed = distribution(DISTRIBUTION)
    except PackageNotFoundError:
        raise Problem(f"Rollcall runs from its sources here. {_HOW}") from None
    running = Path(rollcall.__file__).resolve().parent
    if running != Path(str(installed.locate_file("rollcall"))).resolve():
        raise Problem(f"Rollcall runs from its sources, {running}. {_HOW}")
    return wheel_of(installed)


def wheel_of(installed: Distribution) -> Wheel:
    """Make the wheel again that a distribution was installed from.

    Raises:
        Problem: Its files are not there, or were changed.
    """
    return Wheel(installed.version, _zip(_read_files(installed)), (*(installed.requires or ()),))


def same_content(one: bytes, other: bytes) -> bool:
    """Whether two wheels hold the same files; compressed bytes differ from machine to machine."""
    return one == other or _members(one) == _members(other)


def _read_files(installed: Distribution) -> dict[str, bytes]:
    """The files of the distribution by their path in a wheel, RECORD made anew."""
    files = {}
    info = ""
    for path in installed.files or ():
        name = path.as_posix()
        is_info = ".dist-info/" in name
        if name.startswith("..") or "__pycache__" in path.parts or path.suffix == ".pyc":
            continue  # scripts and bytecode, which every installation makes by itself
        if is_info:
            info = path.parts[0]
            if path.name in _NOT_IN_WHEELS:
                continue
        file = Path(str(path.locate()))
        if not file.is_file():
            raise Problem(f"{file} of {DISTRIBUTION} is missing. Install the wheel again.")
        content = file.read_bytes()
        if path.hash is not None and path.hash.value != _digest(content):
            raise Problem(
                f"{file} was changed after {DISTRIBUTION} {installed.version} was installed, so "
                "its version would name other content. Change the checkout, `make wheel`, and "
                "install that."
            )
        files[name] = content
    if not info or not any(name.startswith("rollcall/") for name in files):
        raise Problem(f"{DISTRIBUTION} is installed without its files (editable). {_HOW}")
    ordered = dict(sorted(files.items(), key=lambda each: (each[0].startswith(info), each[0])))
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, content in ordered.items():
        rows.writerow((name, f"sha256={_digest(content)}", len(content)))
    rows.writerow((f"{info}/RECORD", "", ""))
    return {**ordered, f"{info}/RECORD": record.getvalue().encode()}


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def _members(wheel: bytes) -> dict[str, int] | None:
    try:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            return {entry.filename: entry.CRC for entry in archive.infolist()}
    except zipfile.BadZipFile:
        return None


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


FIND_LINKS = "--find-links ./vendor"
_NOTE = "# Rollcall: the wheel in vendor/, by a version that names its content (`rollcall init`)."


def require(text: str, version: str) -> str:
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
        if not _finds_links("".join(lines)):
            lines.insert(index, FIND_LINKS + newline_of(text))
        return "".join(lines)
    links = "" if _finds_links(text) else f"{FIND_LINKS}\n"
    gap = "\n" if text.strip() else ""
    return append_lines(text, f"{gap}{_NOTE}\n{links}{DISTRIBUTION}=={version}\n")


def asks_for(text: str, version: str) -> bool:
    """Whether a file asks for this version of Rollcall, which no other text looks like."""
    return any(version in unquote(line) for line in _logical_lines(text))


def conflicts(text: str, needs: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that ask for versions with which the library cannot be installed, each as its
    number and what is wrong.

    Args:
        needs: The library's own requirements.
    """
    wanted = {
        canonicalize_name(need.name): need
        for need in map(Requirement, needs)
        if need.marker is None or need.marker.evaluate({"extra": ""})
    }
    for number, line in enumerate(text.splitlines(), start=1):
        found = _requirement(line)
        need = None if found is None else wanted.get(canonicalize_name(found.name))
        if found is None or need is None or (found.marker and not found.marker.evaluate()):
            continue
        # If any version will do for both, so does one that they name, the next after it, or the
        # next of its length.
        tried = [Version("0")]
        for each in (*found.specifier, *need.specifier):
            with suppress(InvalidVersion):  # `===` takes any text
                named = Version(each.version.removesuffix(".*"))
                *above, last = named.release
                release = ".".join(map(str, (*above, last + 1)))
                tried += [named, Version(f"{named.base_version}.1"), Version(release)]
        if not any(map((found.specifier & need.specifier).contains, tried)):
            yield (
                number,
                f"`{found}` and Rollcall's `{need}` leave no version that pip could install. "
                f"Write `{need}` there, and try your functions with it",
            )


_PATH = re.compile(
    rf"(?:\./)?vendor/{_FILE_PREFIX}(?P<version>[^-\s]+)\S*\.whl"
    r"(?P<extras>\[[^\]]*\])?\s*(?P<marker>;.*)?"
)


def has_hashes(text: str) -> bool:
    """Whether pip checks hashes: one `--hash` demands them, and exact versions, of every line."""
    return any("--hash" in line or "--require-hashes" in line for line in _logical_lines(text))


def _requirement(line: str) -> Requirement | None:
    """The requirement of a line; None for options, comments, links and paths other than those of
    Rollcall's wheel, which `uv export` writes."""
    line = re.sub(r"(?:^|\s)#.*$", "", line.rstrip("\r\n")).strip()
    line = re.split(r"\s+--hash|\s*\\$", line)[0]
    if not line or line.startswith("-"):
        return None
    if path := _PATH.fullmatch(line):
        version = unquote(path["version"])  # "+" may stand there as "%2B"
        line = f"{DISTRIBUTION}{path['extras'] or ''}=={version} {path['marker'] or ''}"
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
        re.fullmatch(r"\s*(?:--find-links|-f)[\s=]+(?:\./)?vendor/?\s*", line) or _PATH.match(line)
        for line in _logical_lines(text)
    )
