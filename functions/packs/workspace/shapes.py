"""What the workspace's tools return. The clients make these; the server checks that they did."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from rollcall.core.shapes import Wire

Name = Annotated[str, Field(max_length=4_000)]
Count = Annotated[int, Field(ge=0, le=2**53)]
FileDigest = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
"""The first 16 hex digits of the SHA-256 of the file's bytes."""


class Listed(Wire):
    """What lies in a folder; `size` in bytes, of files alone."""

    path: Name
    type: Literal["file", "directory", "link"]
    size: Count | None = None


class Listing(Wire):
    """The entries of a folder, and of those below it as deep as was asked."""

    path: Name
    entries: list[Listed]
    truncated: bool | None = None


class FileRead(Wire):
    """Lines of a file. `size`, bytes, `lines` and `digest` are those of the whole file."""

    path: Name
    content: str
    size: Count
    digest: FileDigest
    lines: Count
    start_line: Count
    end_line: Count
    truncated: bool | None = None


class Match(Wire):
    """A line in which something was found."""

    path: Name
    line: Count
    text: str


class Matches(Wire):
    """Lines that match, with the number of files and of matches that there are in all."""

    query: str
    matches: list[Match]
    files: Count
    total: Count
    truncated: bool | None = None


class FileWritten(Wire):
    """A file as it is now; `size` in bytes."""

    path: Name
    size: Count
    digest: FileDigest
    created: bool


class FileEdited(Wire):
    """A file as it is now, and how many places of it were replaced; `size` in bytes."""

    path: Name
    size: Count
    digest: FileDigest
    replaced: Count


class CommandRun(Wire):
    """How a command ended, and what it wrote to stdout and stderr in the order it came."""

    command: str
    exit_code: int | None = None
    """None where it was stopped."""
    output: str
    truncated: bool | None = None
    timed_out: bool | None = None
    ms: Count
