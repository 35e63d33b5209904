"""JSON with comments, as firebase-tools reads firebase.json and firestore.indexes.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rollcall.core.errors import Problem

_TEXT_OR_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def parse(text: str) -> Any:
    """The value of a JSON text that may hold `//` and `/* */` comments.

    Raises:
        ValueError: It is no JSON.
    """

    def without_comment(match: re.Match[str]) -> str:
        found = match[0]
        # Places in messages stay right.
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)

    return json.loads(_TEXT_OR_COMMENT.sub(without_comment, text))


def read(file: Path) -> Any:
    """The value of a file of this kind.

    Raises:
        Problem: It cannot be read, or is no JSON.
    """
    try:
        return parse(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise Problem(f"{file} is no JSON: {error}.") from error
