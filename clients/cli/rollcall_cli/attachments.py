"""Files that go with a message: uploaded part by part, and named in it by their upload's id."""

from __future__ import annotations

import base64
import hashlib
import mimetypes
from pathlib import Path
from typing import Any

from rollcall_cli.callable import Functions
from rollcall_cli.problem import Problem

MOST_BYTES = 20_000_000
"""What a server takes as one file."""

_TYPES = {".md": "text/markdown", ".markdown": "text/markdown"}


def upload(functions: Functions, file: Path) -> dict[str, Any]:
    """Upload a file and return the part of a message that names it.

    Raises:
        Problem: It cannot be read, or is too large.
        CallError: The server does not take it.
    """
    content = _read(file)
    type_ = _TYPES.get(file.suffix.lower()) or mimetypes.guess_type(file.name)[0] or "text/plain"
    begun = functions.call(
        "begin_upload",
        {
            "name": file.name,
            "contentType": type_,
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
        "type": "image" if type_.startswith("image/") else "document",
        "fileId": begun["fileId"],
        "name": file.name,
    }


def _read(file: Path) -> bytes:
    try:
        if not file.is_file():
            raise Problem(f"{file} is no file.")
        if (size := file.stat().st_size) > MOST_BYTES:
            raise Problem(f"{file} has {size:,} bytes; at most {MOST_BYTES:,} can be attached.")
        return file.read_bytes()
    except OSError as error:
        raise Problem(f"{file} cannot be read: {error.strerror}.") from error
