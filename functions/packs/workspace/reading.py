"""Looking at the files of the workspace."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from packs.workspace import recaps
from packs.workspace.arguments import Line, NameGlob, Path, Words
from packs.workspace.elsewhere import on_the_client
from packs.workspace.shapes import FileRead, Listing, Matches
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext


@capability(
    category="workspace",
    related=["read_file", "search_files"],
    runs_on="client",
    recap=recaps.listing,
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
    recap=recaps.reading,
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
    recap=recaps.searching,
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
