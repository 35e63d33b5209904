"""Declarations of the workspace's tools, which list, read, search, write and edit files and run
commands. The user's own client runs them; nothing runs here."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import to_json

from packs.workspace import compaction, previews
from packs.workspace.wording import TEXTS
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext
from rollcall.core.errors import FailedPrecondition
from rollcall.core.shapes import Wire


def on_the_client(tool: str) -> FailedPrecondition:
    """Return the error of a direct call: the tool runs on the user's client only."""
    return FailedPrecondition(
        TEXTS.text("errors.on_client", tool=tool),
        hint="ask an agent through run_agent, with this tool among clientTools",
    )


CONTENT_CHARS = 150_000
"""Longest text that is written to a file, or replaced in it."""
CONTENT_BYTES = 300_000
"""Largest such text as JSON, where escapes and non-ASCII characters take more than one byte."""
COMMAND_CHARS = 4_000
PATH_CHARS = 1_000
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_DIRECTION = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Controls of text direction. No path needs them; a command's preview shows their code points."""


def _path_below_root(path: str) -> str:
    """Refuse a path that is not below the workspace's root, before any client sees it."""
    parts = path.split("/")
    if path.startswith(("/", "~")) or "\\" in path or re.match("[A-Za-z]:", path):
        raise ValueError("write the path from the workspace's root, with /, as in src/app.py")
    if ".." in parts:
        raise ValueError(".. is not taken: write the path from the workspace's root")
    if _CONTROL.search(path) or _DIRECTION.search(path):
        raise ValueError("a path has no control characters")
    return path


def _command_text(text: str) -> str:
    if _CONTROL.search(text.replace("\n", "").replace("\t", "")):
        raise ValueError("a command has no control characters but line breaks and tabs")
    if not text.strip():
        raise ValueError("the command is empty")
    return text


def _sendable_text(text: str) -> str:
    if len(to_json(text)) > CONTENT_BYTES:
        raise ValueError(f"the text may have {CONTENT_BYTES:,} bytes as JSON; write it in parts")
    return text


Path = Annotated[str, Field(min_length=1, max_length=PATH_CHARS), AfterValidator(_path_below_root)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
"""The first 16 hex digits of the SHA-256 of the file's bytes."""
Line = Annotated[int, Field(ge=1, le=10_000_000)]
Content = Annotated[str, Field(max_length=CONTENT_CHARS), AfterValidator(_sendable_text)]
Passage = Annotated[
    str, Field(min_length=1, max_length=CONTENT_CHARS), AfterValidator(_sendable_text)
]
Command = Annotated[
    str, Field(min_length=1, max_length=COMMAND_CHARS), AfterValidator(_command_text)
]
Words = Annotated[str, Field(min_length=1, max_length=1_000)]
NameGlob = Annotated[str, Field(min_length=1, max_length=200)]


Name = Annotated[str, Field(max_length=4_000)]
Count = Annotated[int, Field(ge=0, le=2**53)]


class FolderEntry(Wire):
    """An entry of a folder. Only a file has a `size`, in bytes."""

    path: Name
    type: Literal["file", "directory", "link"]
    size: Count | None = None


class Listing(Wire):
    """The entries of a folder, and of the folders below it to the requested depth."""

    path: Name
    entries: list[FolderEntry]
    truncated: bool | None = None


class FileRead(Wire):
    """Lines of a file. `size`, bytes, `lines` and `digest` are those of the whole file."""

    path: Name
    content: str
    size: Count
    digest: Digest
    lines: Count
    start_line: Count
    end_line: Count
    truncated: bool | None = None


class Match(Wire):
    """A line that matches a search."""

    path: Name
    line: Count
    text: str


class Matches(Wire):
    """Lines that match a search, with the total numbers of files and of matches."""

    query: str
    matches: list[Match]
    files: Count
    total: Count
    truncated: bool | None = None


class FileWritten(Wire):
    """A file after it was written; `size` in bytes."""

    path: Name
    size: Count
    digest: Digest
    created: bool


class FileEdited(Wire):
    """A file after it was edited, and how many places were replaced; `size` in bytes."""

    path: Name
    size: Count
    digest: Digest
    replaced: Count


class CommandRun(Wire):
    """How a command ended, and its output: stdout and stderr in the order they were written."""

    command: str
    exit_code: int | None = None
    """None where it was stopped."""
    output: str
    truncated: bool | None = None
    timed_out: bool | None = None
    ms: Count


@capability(
    related=["read_file", "search_files"],
    runs_on="client",
    compaction=compaction.compact_list("entries", tool="list_directory"),
)
def list_directory(
    ctx: ToolContext,
    *,
    path: Path = ".",
    depth: Annotated[int, Field(ge=1, le=5)] = 1,
) -> Listing:
    """List the files and folders of the workspace, before any of them is read or changed.

    Args:
        path: The folder, from the workspace's root, such as "src"; "." for the root.
        depth: How many levels to go down.
    """
    raise on_the_client("list_directory")


@capability(
    related=["list_directory", "search_files", "edit_file"],
    runs_on="client",
    compaction=compaction.compact_read,
)
def read_file(
    ctx: ToolContext,
    *,
    path: Path,
    start_line: Line = 1,
    end_line: Line | None = None,
) -> FileRead:
    """Read a text file of the workspace, whole or some of its lines. Read a file before changing
    it, and again when its content is not at hand any more.

    Args:
        path: The file, from the workspace's root, such as "src/app.py".
        start_line: The first line, counted from 1.
        end_line: The last line; leave out for the end of the file.
    """
    raise on_the_client("read_file")


@capability(
    related=["read_file", "list_directory"],
    runs_on="client",
    compaction=compaction.compact_list("matches", tool="search_files"),
)
def search_files(
    ctx: ToolContext,
    *,
    query: Words,
    path: Path = ".",
    is_regex: bool = False,
    case_sensitive: bool = False,
    glob: NameGlob | None = None,
    max_matches: Annotated[int, Field(ge=1, le=1_000)] = 100,
) -> Matches:
    """Find the lines of the workspace's files that contain a text.

    Args:
        query: The text as it stands in the files, or a regular expression with is_regex.
        path: The folder or file to look in, from the workspace's root.
        is_regex: Whether the query is a regular expression.
        case_sensitive: Whether capital letters differ from small ones.
        glob: Look only in files whose name matches, such as "*.py".
        max_matches: Most lines to return.
    """
    raise on_the_client("search_files")


@capability(
    related=["edit_file", "read_file"],
    effect="write",
    runs_on="client",
    summary=previews.summary("write_the_file", "path"),
    preview=previews.preview_write,
    compaction=compaction.compact_write,
)
def write_file(
    ctx: ToolContext, *, path: Path, content: Content, digest: Digest | None = None
) -> FileWritten:
    """Create a file of the workspace, or replace the whole of one. For a small change use
    edit_file. The user sees the content and is asked first. A file that exists is replaced only
    if it was read before and is still the same.

    Args:
        path: The file, from the workspace's root, such as "src/app.py".
        content: All of the file's text.
        digest: Leave out: it is filled in from what was read.
    """
    raise on_the_client("write_file")


@capability(
    related=["write_file", "read_file", "search_files"],
    effect="write",
    runs_on="client",
    summary=previews.summarize_edit,
    preview=previews.preview_edit,
    compaction=compaction.compact_write,
)
def edit_file(
    ctx: ToolContext,
    *,
    path: Path,
    old_text: Passage,
    new_text: Content,
    replace_all: bool = False,
    digest: Digest | None = None,
) -> FileEdited:
    """Replace a text in a file of the workspace by another, exactly. The user sees the difference
    and is asked first. Read the file before: it is refused where the text is not there, is there
    more than once, or the file changed since it was read.

    Args:
        path: The file, from the workspace's root, such as "src/app.py".
        old_text: The text to be replaced, exactly as it stands in the file, with enough around it
            to be there only once.
        new_text: What takes its place; empty to remove it.
        replace_all: Replace every place where the text is found.
        digest: Leave out: it is filled in from what was read.
    """
    raise on_the_client("edit_file")


@capability(
    related=["read_file", "edit_file"],
    effect="write",
    runs_on="client",
    summary=previews.summary("run", "command"),
    preview=previews.preview_command,
    compaction=compaction.compact_command,
)
def run_command(
    ctx: ToolContext,
    *,
    command: Command,
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 60,
) -> CommandRun:
    """Run a command in the workspace's root, such as its tests, and read what it wrote. The user
    sees the command and is asked first. Nobody can type into it while it runs.

    Args:
        command: The command as it would be typed, such as "pytest -q tests".
        timeout_s: How long it may take, s.
    """
    raise on_the_client("run_command")
