"""Arguments and results of the workspace's tools, which run in the user's own client."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import to_json

from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Wire


def on_the_client(tool: str) -> FailedPrecondition:
    """What a call of the function itself ends in."""
    return FailedPrecondition(
        f"{tool} runs on the user's client, where the files are, and not on the server",
        hint="ask an agent through run_agent, with this tool among clientTools",
    )


CONTENT_CHARS = 150_000
"""The longest text of a file that is written, and of a piece of it that is replaced."""
CONTENT_BYTES = 300_000
"""The same as it travels: what is not ASCII, and what JSON escapes, takes more than its length."""
COMMAND_CHARS = 4_000
PATH_CHARS = 1_000
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""What turns a line around. No path needs it; in a command it is shown by its number."""


def _inside(path: str) -> str:
    """What cannot be a path below the workspace's root is refused before any client sees it."""
    parts = path.split("/")
    if path.startswith(("/", "~")) or "\\" in path or re.match("[A-Za-z]:", path):
        raise ValueError("write the path from the workspace's root, with /, as in src/app.py")
    if ".." in parts:
        raise ValueError(".. is not taken: write the path from the workspace's root")
    if _CONTROL.search(path) or _TURNING.search(path):
        raise ValueError("a path has no control characters")
    return path


def _typed(text: str) -> str:
    if _CONTROL.search(text.replace("\n", "").replace("\t", "")):
        raise ValueError("a command has no control characters but line breaks and tabs")
    if not text.strip():
        raise ValueError("the command is empty")
    return text


def _carried(text: str) -> str:
    if len(to_json(text)) > CONTENT_BYTES:
        raise ValueError(f"the text may have {CONTENT_BYTES:,} bytes as JSON; write it in parts")
    return text


Path = Annotated[str, Field(min_length=1, max_length=PATH_CHARS), AfterValidator(_inside)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
Line = Annotated[int, Field(ge=1, le=10_000_000)]
Content = Annotated[str, Field(max_length=CONTENT_CHARS), AfterValidator(_carried)]
Passage = Annotated[str, Field(min_length=1, max_length=CONTENT_CHARS), AfterValidator(_carried)]
Command = Annotated[str, Field(min_length=1, max_length=COMMAND_CHARS), AfterValidator(_typed)]
Words = Annotated[str, Field(min_length=1, max_length=1_000)]
NameGlob = Annotated[str, Field(min_length=1, max_length=200)]


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
