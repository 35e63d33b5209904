"""`search_files`: the lines of files that a text or a regular expression is in."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from rollcall_cli.workspace import files
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError, in_plain_words
from rollcall_cli.workspace.globs import Glob
from rollcall_cli.workspace.names import MAX_PARTS, directory_parts
from rollcall_cli.workspace.patterns import pattern_of
from rollcall_cli.workspace.root import existing
from rollcall_cli.workspace.walking import Entry, Walk


def search_files(
    context: Context,
    *,
    query: str,
    path: str = ".",
    is_regex: bool = False,
    case_sensitive: bool = False,
    glob: str | None = None,
    max_matches: int = 100,
) -> dict[str, Any]:
    """Search the text files below a directory, line by line, or one file.

    Files that may not be read, are binary, or are larger than the limit are passed over.

    Returns:
        {"query", "matches": [{"path", "line", "text"}], "files" (with matches), "total" (lines
        that match), "truncated": true where not all of it was searched or is here}.
    Raises:
        ToolError: No such directory, a query that is none, or one that takes too long.
    """
    target = _target(context, path)
    wanted = Glob(glob) if glob else None
    pattern = pattern_of(
        context, query, is_regex=is_regex, case_sensitive=case_sensitive, limit=max_matches
    )
    with closing(pattern):
        search = _Search(context, target, max_matches)
        for entry in search.files():
            if wanted and not wanted.matches(entry.parts):
                continue
            if (data := search.read(entry)) is None:
                continue
            total, lines = pattern.matching(data, entry.path, max(search.walk.left_s(), 0.1))
            search.add(entry.path, total, lines)
    return {"query": query, **search.result()}


def _target(context: Context, path: str) -> Entry:
    """The directory, or the one file, that a search is to begin at.

    Raises:
        ToolError: There is neither, or it may not be read.
    """
    parts = directory_parts(path)
    context.guard.check_read(path, parts)
    if parts and not path.endswith("/"):
        with context.root.directory(parts[:-1]) as fd, in_plain_words(path):
            status = os.stat(existing(fd, parts[-1]), dir_fd=fd, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            return Entry(parts, "file", status.st_size)
    with context.root.directory(parts):
        return Entry(parts, "directory")


class _Search:
    """What a search has read and found so far."""

    def __init__(self, context: Context, target: Entry, max_matches: int) -> None:
        """Begin at a directory or a file; the time of the search begins to run."""
        self._context = context
        self._target = target
        self._max_matches = max_matches
        self._left_bytes = context.limits.searched_bytes
        self._left_chars = context.limits.content_chars
        self._matches: list[dict[str, Any]] = []
        self._files = 0
        self._total = 0
        self.walk = Walk(context)

    def files(self) -> Iterator[Entry]:
        """The files to search, nearest first."""
        if self._target.kind == "file":
            yield self._target
            return
        for entry in self.walk.entries(self._target.parts, MAX_PARTS):
            if self._left_bytes <= 0 or self.walk.left_s() < 0:
                self.walk.is_cut = True
                return
            if entry.kind == "file":
                yield entry

    def read(self, entry: Entry) -> bytes | None:
        """A text file's bytes, or None where it is passed over.

        Raises:
            ToolError: It was asked for by its name, and may not be read.
        """
        limits = self._context.limits
        self._context.check_stop()
        try:
            file = files.read(
                self._context.root,
                self._context.guard,
                entry.path,
                entry.parts,
                limits.searched_file_bytes,
            )
        except ToolError:
            if entry is self._target:
                raise
            return None  # secret, gone, swapped, linked or too large: passed over, as promised
        self._left_bytes -= len(file.data)
        return None if b"\0" in file.data else file.data  # as for `read_file`

    def add(self, path: str, total: int, lines: list[tuple[int, str]]) -> None:
        self._total += total
        self._files += total > 0
        for line, text in lines:
            self._left_chars -= len(json.dumps(path + text, ensure_ascii=False))
            if len(self._matches) < self._max_matches and self._left_chars > 0:
                self._matches.append({"path": path, "line": line, "text": text})

    def result(self) -> dict[str, Any]:
        is_cut = self.walk.is_cut or len(self._matches) < self._total
        return {
            "matches": self._matches,
            "files": self._files,
            "total": self._total,
            **({"truncated": True} if is_cut else {}),
        }
