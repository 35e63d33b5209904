"""Attachments: files that are uploaded in parts, and referenced in a message by file id."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rollcall_cli.functions import Functions
from rollcall_cli.problem import Problem

MAX_BYTES = 10_000_000
"""The server's limit for a file."""

_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")
_DOCUMENTS = ("application/pdf", "text/markdown", "text/csv", "application/json")


def upload(functions: Functions, file: Path) -> dict[str, Any]:
    """Upload a file and return the message part that references it.

    Raises:
        Problem: It cannot be read, or is too large.
        CallError: The server refuses it.
    """
    content = _read(file)
    content_type = _content_type(file, content)
    begun = functions.call(
        "begin_upload",
        {
            "name": file.name,
            "contentType": content_type,
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "purpose": "attachment",
        },
    )
    for part in begun["missing"]:
        piece = content[part * begun["partBytes"] : (part + 1) * begun["partBytes"]]
        functions.call(
            "upload_part",
            {
                "fileId": begun["fileId"],
                "part": part,
                "content": base64.b64encode(piece).decode(),
            },
        )
    functions.call("finish_upload", {"fileId": begun["fileId"]})
    return {
        "type": "image" if content_type in _IMAGES else "document",
        "fileId": begun["fileId"],
        "name": file.name,
    }


def parts_again(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The attachments of a logged message, as parts for another message of its thread."""
    names = ("type", "fileId", "name")
    attached = [part for part in parts if part.get("fileId")]
    return [{name: part[name] for name in names if part.get(name)} for part in attached]


def _read(file: Path) -> bytes:
    try:
        if not file.exists():
            raise Problem("no_file", file=file)
        if not file.is_file():
            raise Problem("not_a_file", file=file)
        if (size := file.stat().st_size) > MAX_BYTES:
            raise Problem("large_file", file=file, bytes=f"{size:,}", most=f"{MAX_BYTES:,}")
        return file.read_bytes()
    except OSError as error:
        raise Problem("unreadable", file=file, why=error.strerror) from error


def _content_type(file: Path, content: bytes) -> str:
    """The content type, by the file's name; other UTF-8 files count as plain text.

    Raises:
        Problem: The server accepts no files of this type.
    """
    guessed = mimetypes.guess_type(file.name)[0]
    if guessed in (*_IMAGES, *_DOCUMENTS):
        return guessed
    try:
        content.decode()
    except UnicodeDecodeError:
        raise Problem("other_file", file=file) from None
    return "text/plain"
