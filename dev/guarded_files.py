"""Writes the clients' copies of the guarded files: python -m dev.guarded_files

`guarded_files.js` of the JavaScript client and `guarded_files.json` of the terminal client are made
of `rollcall/core/guarded_files.json` and the engine's English texts, and never edited; a test says
that they are current.
"""

from __future__ import annotations

import json
from pathlib import Path

from dev.paths import FUNCTIONS, ROOT

_ENGINE = FUNCTIONS / "rollcall"
_JS = ROOT / "clients" / "js" / "src" / "workspace" / "guarded_files.js"
_CLI = ROOT / "clients" / "cli" / "rollcall_cli" / "workspace" / "guarded_files.json"
_HEAD = "// Made of functions/rollcall/core/guarded_files.json by `make format`; do not edit.\n\n"


def main() -> int:
    for file, text in render().items():
        file.write_text(text, encoding="utf-8")
        print(f"{file.relative_to(ROOT)} is written.")
    return 0


def render() -> dict[Path, str]:
    """The text of each copy: kind, reason in English and paths of each row."""
    listed = json.loads((_ENGINE / "core" / "guarded_files.json").read_text("utf-8"))
    texts = json.loads((_ENGINE / "texts" / "en.json").read_text("utf-8"))["guarded_files"]
    copy = {
        "secretExceptions": listed["secretExceptions"],
        "files": [{**row, "reason": texts[row["reason"]]} for row in listed["files"]],
    }
    text = json.dumps(copy, indent=2) + "\n"
    return {_JS: f"{_HEAD}export const GUARDED_FILES = {text.rstrip()};\n", _CLI: text}


if __name__ == "__main__":
    raise SystemExit(main())
