"""A Slack export's files, from its folder or its zip, without trusting either.

Nothing is unpacked to disk, no name found inside a file is ever used as a path, links are not
followed, and what a file may hold is bounded.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any

from seed.errors import UnusableInput

DAY_BYTES = 32_000_000
LIST_BYTES = 256_000_000  # users.json of a large company
TOTAL_BYTES = 8_000_000_000
FILES = 500_000

_LISTS = {"users.json", "channels.json", "groups.json", "dms.json", "mpims.json"}

_Read = Callable[[int], bytes]
"""Reads a file up to so many bytes."""


class Export:
    """The files of an export by name, such as "users.json" or "general/2026-01-02.json".

    Raises:
        UnusableInput: The path is neither a folder nor a zip, or holds no Slack export.
    """

    def __init__(self, path: Path) -> None:
        self._zip: zipfile.ZipFile | None = None
        self._left = TOTAL_BYTES
        self.passed_over: list[str] = []
        if path.is_dir():
            self._files: dict[str, _Read] = self._in_folder(path)
        elif path.is_file():
            self._files = self._in_zip(path)
        else:
            raise UnusableInput(f"{path}: no such file or folder")
        self._files = _from_root(self._files)

    def __enter__(self) -> Export:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._zip:
            self._zip.close()

    def days(self) -> list[tuple[str, str]]:
        """Folder and name of every file of messages, folder by folder, oldest first."""
        split = [(PurePosixPath(name).parent.name, name) for name in sorted(self._files)]
        return [(folder, name) for folder, name in split if folder]

    def read_list(self, name: str) -> list[Any]:
        """Read a JSON list; an empty one where the export has no such file.

        Raises:
            ValueError: The file is no JSON list, or too large; says which.
        """
        if name not in self._files:
            return []
        try:
            most = min(self._left, DAY_BYTES if "/" in name else LIST_BYTES)
            data = self._files[name](most + 1)
            self._left -= len(data)
            if len(data) > most:
                raise ValueError(f"larger than the {most:,} bytes that are read")
            found = json.loads(data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8 at byte {error.start + 1}") from error
        except json.JSONDecodeError as error:
            raise ValueError(f"not JSON: {error}") from error
        except RecursionError as error:
            raise ValueError("nested too deep") from error
        except (OSError, RuntimeError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ValueError(f"cannot be read: {error}") from error
        if not isinstance(found, list):
            raise ValueError("has to be a JSON list")
        return found

    def _in_folder(self, root: Path) -> dict[str, _Read]:
        found: dict[str, _Read] = {}
        for pattern in ("*.json", "*/*.json", "*/*/*.json"):
            for path in root.glob(pattern):
                name = path.relative_to(root).as_posix()
                if path.resolve().is_relative_to(root.resolve()) and path.is_file():
                    found[name] = partial(_read, path)
                else:
                    self.passed_over.append(name)
        return found

    def _in_zip(self, path: Path) -> dict[str, _Read]:
        try:
            self._zip = archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError) as error:
            raise UnusableInput(f"{path} is neither a folder nor a zip: {error}") from error
        infos = archive.infolist()
        if len(infos) > FILES:
            raise UnusableInput(f"{path} holds {len(infos):,} files; at most {FILES:,} are read")
        found: dict[str, _Read] = {}
        for info in infos:
            parts = PurePosixPath(info.filename).parts
            if not info.filename.endswith(".json") or "__MACOSX" in parts:
                continue
            if ".." in parts or "\\" in info.filename or info.filename.startswith("/"):
                self.passed_over.append(info.filename)
            else:
                found[info.filename] = partial(_unpack, archive, info)
        return found


def _read(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, size: int) -> bytes:
    """Unpack no more than asked for, whatever size the zip claims."""
    with archive.open(info) as file:
        return file.read(size)


def _from_root(files: dict[str, _Read]) -> dict[str, _Read]:
    """Leave off the folder that an export is often zipped within."""
    roots = {str(PurePosixPath(name).parent) for name in files if _is_list(name)}
    if not roots:
        raise UnusableInput("no Slack export: it holds no users.json or channels.json")
    root = min(roots, key=len)
    prefix = "" if root == "." else root + "/"
    inside = {name[len(prefix) :]: read for name, read in files.items() if name.startswith(prefix)}
    return {name: read for name, read in inside.items() if name.count("/") <= 1}


def _is_list(name: str) -> bool:
    return PurePosixPath(name).name in _LISTS
