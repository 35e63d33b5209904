"""The tools that only read: `list_directory`, `read_file` and `search_files`."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from rollcall_cli.workspace import files
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError, translate_os_errors
from rollcall_cli.workspace.globs import Glob
from rollcall_cli.workspace.paths import MAX_PARTS, directory_parts, file_parts
from rollcall_cli.workspace.patterns import pattern_of
from rollcall_cli.workspace.root import name_on_disk
from rollcall_cli.workspace.walk import Entry, Walk


def list_directory(context: Context, *, path: str = ".", depth: int = 1) -> dict[str, Any]:
    """List a directory and, to `depth`, those below it.

    Returns:
        {"path", "entries": [{"path", "type": "file" | "directory" | "link", "size"?}],
        "truncated": true where there is more}. Paths are relative to the workspace. A link is
        listed and never followed, so nothing below one is here and none can be read.
    Raises:
        ToolError: There is no such directory.
    """
    parts = directory_parts(path)
    if reason := context.guard.unreadable(parts):
        raise ToolError(f"{path}: {reason}")
    walk = Walk(context)
    entries: list[dict[str, Any]] = []
    chars = 0
    is_cut = False
    for entry in walk.entries(parts, depth):
        chars += len(entry.path)
        if len(entries) >= context.limits.entries or chars > context.limits.content_chars:
            is_cut = True
            break
        size = {} if entry.size is None else {"size": entry.size}
        entries.append({"path": entry.path, "type": entry.kind, **size})
    return {
        "path": path,
        "entries": entries,
        **({"truncated": True} if is_cut or walk.is_cut else {}),
    }


def read_file(
    context: Context, *, path: str, start_line: int = 1, end_line: int | None = None
) -> dict[str, Any]:
    """Read lines of a file, as many as one result may hold.

    Returns:
        {"path", "content", "size" (bytes of the file), "digest" (of the whole file), "lines"
        (of the whole file), "startLine", "endLine" (the last that is in `content`), "truncated":
        true where lines that were asked for are missing or cut}.
    Raises:
        ToolError: There is no such text file, or it has no such lines.
    """
    file = files.read(
        context.root, context.guard, path, file_parts(path), context.limits.file_bytes
    )
    lines = _lines(files.Form.of(file).text(file.data, path))
    if start_line > max(len(lines), 1):
        raise ToolError(f"{path}: it has {len(lines)} lines; startLine is {start_line}")
    if end_line is not None and end_line < start_line:
        raise ToolError(f"{path}: endLine {end_line} is before startLine {start_line}")
    wanted = lines[start_line - 1 : end_line]
    given = _fit_lines(wanted, context.limits.content_chars)
    return {
        "path": path,
        "content": "".join(given),
        "size": len(file.data),
        "digest": file.digest,
        "lines": len(lines),
        "startLine": start_line,
        "endLine": start_line + len(given) - 1,
        **({"truncated": True} if given != wanted else {}),
    }


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
            total, lines = pattern.matching_lines(data, entry.path, max(search.walk.left_s(), 0.1))
            search.add(entry.path, total, lines)
    return {"query": query, **search.result()}


def _lines(text: str) -> list[str]:
    """The lines of a text with their ends; only "\\n" ends one."""
    *ended, rest = text.split("\n")
    return [line + "\n" for line in ended] + ([rest] if rest else [])


def _fit_lines(lines: list[str], limit: int) -> list[str]:
    """The first lines that fit in `limit` characters of JSON; a longer first line is cut."""
    chars = 0
    for count, line in enumerate(lines):
        chars += _json_chars(line)
        if chars > limit:
            return lines[:count] or [_cut(line, limit)]
    return lines


def _cut(line: str, limit: int) -> str:
    text = line[:limit]
    while (over := _json_chars(text) - limit) > 0:
        # No character takes more than the six of "\\u0000".
        text = text[: -(over // 6 + 1)]
    return text


def _json_chars(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False)) - 2


def _target(context: Context, path: str) -> Entry:
    """The directory, or the one file, that a search is to begin at.

    Raises:
        ToolError: There is neither, or it may not be read.
    """
    parts = directory_parts(path)
    context.guard.check_read(path, parts)
    if parts and not path.endswith("/"):
        with context.root.directory(parts[:-1]) as fd, translate_os_errors(path):
            status = os.stat(name_on_disk(fd, parts[-1]), dir_fd=fd, follow_symlinks=False)
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
