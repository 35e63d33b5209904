"""The workspace's tools: files are listed, read, searched, written and edited, commands are run.

They run in the user's own client; nothing of their work is done here."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from packs.workspace import previews, recaps
from packs.workspace.shapes import (
    Command,
    CommandRun,
    Content,
    Digest,
    FileEdited,
    FileRead,
    FileWritten,
    Line,
    Listing,
    Matches,
    NameGlob,
    Passage,
    Path,
    Words,
    on_the_client,
)
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext


@capability(
    category="workspace",
    related=["read_file", "search_files"],
    runs_on="client",
    recap=recaps.compact_listing,
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
    category="workspace",
    related=["list_directory", "search_files", "edit_file"],
    runs_on="client",
    recap=recaps.compact_read,
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
    category="workspace",
    related=["read_file", "list_directory"],
    runs_on="client",
    recap=recaps.compact_matches,
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
    category="workspace",
    related=["edit_file", "read_file"],
    effect="write",
    runs_on="client",
    summary=previews.summarize_write,
    preview=previews.preview_write,
    recap=recaps.compact_write,
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
    category="workspace",
    related=["write_file", "read_file", "search_files"],
    effect="write",
    runs_on="client",
    summary=previews.summarize_edit,
    preview=previews.preview_edit,
    recap=recaps.compact_edit,
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
    category="workspace",
    related=["read_file", "edit_file"],
    effect="write",
    runs_on="client",
    summary=previews.summarize_command,
    preview=previews.preview_command,
    recap=recaps.compact_command,
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
