"""Paths from a model: relative to the root, with parts joined by `/`.

A path is never decoded, expanded or resolved: `%2e%2e` is a name of six characters. A part that has
a special meaning on any system, Windows included, is refused on all, so that the same call does the
same everywhere. Containment in the root does not depend on this: `root` opens part by part.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rollcall_cli.workspace.errors import ToolError

MAX_PATH_BYTES = 1024
MAX_NAME_BYTES = 255
MAX_PARTS = 64

_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])", re.IGNORECASE
)
_SHORT = re.compile(r"[^.]{1,6}~[0-9]+(?:\.[^.]{0,3})?")
_UNPRINTABLE = frozenset(("Cc", "Cs", "Zl", "Zp"))
_OVERRIDES = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def directory_parts(path: str) -> tuple[str, ...]:
    """Split a path into its parts; the root itself, `.`, has none.

    Raises:
        ToolError: It is not a plain relative path.
    """
    if not path:
        raise ToolError('an empty path: write "." for the workspace itself')
    if len(path.encode("utf-8", "replace")) > MAX_PATH_BYTES:
        raise ToolError(f"{path[:80]}…: longer than {MAX_PATH_BYTES} bytes")
    if path.startswith(("/", "\\")):
        raise _path_error(path, "paths are relative to the workspace, such as src/main.py")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if len(parts) > MAX_PARTS:
        raise ToolError(f"{path[:80]}…: deeper than {MAX_PARTS} directories")
    for part in parts:
        if reason := refusal(part):
            raise _path_error(path, reason)
    if parts and parts[0] == "~":
        raise _path_error(path, "the home directory is not part of the workspace")
    return parts


def file_parts(path: str) -> tuple[str, ...]:
    """Split the path of a file into its parts.

    Raises:
        ToolError: It is not a plain relative path, or names a directory.
    """
    parts = directory_parts(path)
    if not parts or path.endswith(("/", "/.")):
        raise _path_error(path, "a directory, not a file")
    return parts


def refusal(name: str) -> str | None:
    """The reason why a name cannot be part of a path, or None."""
    if any(unicodedata.category(char) in _UNPRINTABLE or char in _OVERRIDES for char in name):
        return "control characters are not allowed in a path"
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"a name is longer than {MAX_NAME_BYTES} bytes"
    compatible = unicodedata.normalize("NFKC", name)
    if set(compatible) <= {".", " "}:
        return "paths cannot go up or use names of dots: name what is inside the workspace"
    if "\\" in compatible or "/" in compatible:
        return "only / joins the parts of a path"
    if ":" in compatible:
        return "a colon (drive letters and streams) is not allowed"
    if compatible.endswith((".", " ")) or name.startswith(" "):
        return "a name cannot start with a space or end with a space or a dot"
    if _RESERVED.fullmatch(compatible.split(".")[0].rstrip()):
        return f"{name.split('.')[0]} is a device name on Windows"
    if _SHORT.fullmatch(compatible):
        return "Windows reads it as the short form of another name"
    return None


@lru_cache(maxsize=8192)
def fold(name: str) -> str:
    """Normalize a name as the most lenient file system would compare it.

    Case, compatibility forms and ignorable characters are dropped: `.GIT`, `.ｇit` and
    `.g\u200cit` are all `.git`.
    """
    visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


def printable(name: str) -> str:
    """A name from the disk as printable text; characters that are not become `�`."""
    if name.isascii() and name.isprintable():
        return name
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(
        "�" if unicodedata.category(char) in _UNPRINTABLE or char in _OVERRIDES else char
        for char in text
    )


def _path_error(path: str, reason: str) -> ToolError:
    return ToolError(f"{printable(path.encode('utf-8', 'replace').decode())}: {reason}")
