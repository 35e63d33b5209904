"""The tools that write: `write_file` and `edit_file`, and previews of their changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollcall_cli.workspace import atomic_write, files
from rollcall_cli.workspace.context import Context
from rollcall_cli.workspace.errors import ToolError
from rollcall_cli.workspace.files import File, Form
from rollcall_cli.workspace.limits import MIB
from rollcall_cli.workspace.paths import file_parts

_PLACES = 10


@dataclass(frozen=True, slots=True)
class Change:
    """The change that a call makes to a file: its text before (None for a new file) and after."""

    path: str
    before: str | None
    after: str
    data: bytes
    file: File | None
    replaced: int = 0


def write_file(
    context: Context, *, path: str, content: str, digest: str | None = None
) -> dict[str, Any]:
    """Create a file, or replace one that was read and has not changed since.

    A file that was read and has since been deleted is created again: nothing is lost by that.

    Returns:
        {"path", "size" (bytes), "digest", "created": bool}.
    Raises:
        ToolError: It exists and was not read, has changed since, or may not be written.
    """
    with context.write_lock:
        change = change_of_write(context, path, content)
        if change.file is not None:
            if digest is None:
                raise ToolError(f"{path}: it exists and was not read; read it first")
            _check_digest(change.file, digest)
        _put(context, change)
    return {**_result(change), "created": change.file is None}


def edit_file(
    context: Context,
    *,
    path: str,
    old_text: str,
    new_text: str,
    replace_all: bool = False,
    digest: str | None = None,
) -> dict[str, Any]:
    """Replace a text that occurs in a file exactly once, or everywhere.

    Returns:
        {"path", "size" (bytes), "digest", "replaced": number of places}.
    Raises:
        ToolError: The text is not there, is there more than once, the file has changed since it
            was read, or may not be written.
    """
    with context.write_lock:
        file = _read(context, path)
        if digest is not None:
            _check_digest(file, digest)
        change = _edit(context, file, old_text, new_text, replace_all)
        _put(context, change)
    return {**_result(change), "replaced": change.replaced}


def change_of_write(context: Context, path: str, content: str) -> Change:
    """Preview `write_file`, whether or not the file was read before.

    A replaced file keeps its byte order mark and its line endings.

    Raises:
        ToolError: The path may not be written, or what is there is no text file.
    """
    parts = file_parts(path)
    context.guard.check_write(path, parts, context.root.fd)
    file = _file_or_none(context, path)
    form = Form.of(file) if file else Form()
    data = form.data(content, path)
    _check_size(context, path, data)
    before = form.text(file.data, path) if file else None
    return Change(path, before, form.text(data, path), data, file)


def change_of_edit(
    context: Context, path: str, old_text: str, new_text: str, replace_all: bool
) -> Change:
    """Preview `edit_file` on the file as it is now.

    Raises:
        ToolError: As for `edit_file`.
    """
    return _edit(context, _read(context, path), old_text, new_text, replace_all)


def _read(context: Context, path: str) -> File:
    return files.read(
        context.root, context.guard, path, file_parts(path), context.limits.file_bytes
    )


def _put(context: Context, change: Change) -> None:
    parts = file_parts(change.path)
    context.check_stop()
    with context.root.directory(parts[:-1], create=change.file is None) as directory:
        if change.file is None:
            atomic_write.create(directory, parts[-1], change.path, change.data)
        else:
            atomic_write.replace(directory, change.file, change.data)


def _edit(context: Context, file: File, old: str, new: str, replace_all: bool) -> Change:
    path = file.path
    context.guard.check_write(path, file_parts(path), context.root.fd)
    form = Form.of(file)
    text = form.text(file.data, path)
    if form.crlf:
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise ToolError(f"{path}: oldText is empty; use write_file for a whole file")
    if old == new:
        raise ToolError(f"{path}: oldText and newText are the same; nothing would change")
    places = text.count(old)
    if not places:
        raise ToolError(f"{path}: oldText is not in the file; {_hint(text, old)}")
    if not replace_all and (lines := _lines_of_places(text, old)):
        raise ToolError(
            f"{path}: ambiguous: oldText is in {max(places, 2)} places ({lines}); "
            "give more of the lines around it, or replaceAll"
        )
    _check_chars(context, path, len(text) + places * (len(new) - len(old)))
    after = text.replace(old, new)
    data = form.data(after, path)
    _check_size(context, path, data)
    return Change(path, text, after, data, file, replaced=places)


def _file_or_none(context: Context, path: str) -> File | None:
    """The existing file, or None where it or one of its directories does not exist."""
    try:
        return _read(context, path)
    except ToolError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


def _check_digest(file: File, digest: str) -> None:
    if file.digest != digest:
        raise ToolError(f"{file.path}: changed since it was read: read it again")


def _check_size(context: Context, path: str, data: bytes) -> None:
    _check_chars(context, path, len(data))


def _check_chars(context: Context, path: str, size: int) -> None:
    limit = context.limits.file_bytes
    if size > limit:
        raise ToolError(f"{path}: {size:,} bytes; at most {limit // MIB or 1} MB is written")


def _lines_of_places(text: str, part: str) -> str | None:
    """The line numbers of the first occurrences of a text, or None where it occurs once.

    Overlapping occurrences count as two: replacing either would be a guess.
    """
    at = text.find(part)
    following = text.find(part, at + 1)
    if following < 0:
        return None
    lines: list[int] = []
    line, counted = 1, 0
    while at >= 0 and len(lines) <= _PLACES:
        line += text.count("\n", counted, at)
        counted = at
        lines.append(line)
        at, following = following, text.find(part, following + 1) if following >= 0 else -1
    more = ", …" if len(lines) > _PLACES else ""
    return "lines " + ", ".join(map(str, lines[:_PLACES])) + more


def _hint(text: str, old: str) -> str:
    """Advice for the model when `oldText` was not found."""
    words = "".join(old.split())
    if words and words in "".join(text.split()):
        return "it is there with other spaces or line ends: copy it exactly from read_file"
    return "read it again and copy the lines exactly"


def _result(change: Change) -> dict[str, Any]:
    return {
        "path": change.path,
        "size": len(change.data),
        "digest": files.digest(change.data),
    }
