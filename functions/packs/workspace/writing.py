"""Changing the files of the workspace."""

from __future__ import annotations

from packs.workspace import previews, recaps, words
from packs.workspace.arguments import Content, Digest, Passage, Path
from packs.workspace.elsewhere import on_the_client
from packs.workspace.shapes import FileEdited, FileWritten
from rollcall.core.capability import capability
from rollcall.core.context import ToolContext


@capability(
    category="workspace",
    related=["edit_file", "read_file"],
    effect="write",
    runs_on="client",
    summary=words.writing,
    preview=previews.writing,
    recap=recaps.writing,
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
    summary=words.editing,
    preview=previews.editing,
    recap=recaps.editing,
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
