"""Small apps to add Rollcall to, and a small Rollcall to add."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rollcall.commands.init.files import write
from rollcall.commands.init.plan import Plan
from rollcall.commands.init.wheel import Wheel
from rollcall.commands.rules import Platform
from rollcall.core.errors import Problem


def wheel(version: str = "0.1.0+g1", content: str = "one") -> Wheel:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("rollcall/__init__.py", content)
    return Wheel(version, buffer.getvalue(), ("firebase-functions~=0.6.0",))


def platform(prefix: str, packages: Mapping[str, Path] | None = None) -> Platform:
    before = f"{prefix}_" if prefix else ""
    threads, messages, effects = (f"{before}{id}" for id in ("threads", "messages", "effects"))
    content: dict[str, Any] = {
        "indexes": [
            {
                "collectionGroup": threads,
                "queryScope": "COLLECTION",
                "fields": [
                    {"fieldPath": "uid", "order": "ASCENDING"},
                    {"fieldPath": "updatedAt", "order": "DESCENDING"},
                ],
            }
        ],
        "fieldOverrides": [{"collectionGroup": messages, "fieldPath": "text", "indexes": []}],
    }
    files = (folder / "firestore.rules" for folder in (packages or {}).values())
    of_packages = "".join(file.read_text() for file in files if file.is_file())
    return Platform(
        rules="match /databases/{database}/documents {\n"
        f"  match /{threads}/{{t}} {{\n  }}\n{of_packages}}}",
        indexes=content,
        collections=(effects, threads, f"{threads}/{{}}/{messages}"),
        shared_groups=frozenset({messages}),
        functions=frozenset({f"{before}run_agent", f"{before}get_file"}),
    )


def make(root: Path, files: dict[str, str]) -> Path:
    """Write an app's files."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root


def planned(
    root: Path,
    *,
    prefix: str | None = None,
    library: Wheel | None = None,
    web: str | None = None,
) -> Plan:
    return Plan(root, library or wheel(), platform, prefix, web)


def init(
    root: Path,
    *,
    prefix: str | None = None,
    library: Wheel | None = None,
    web: str | None = None,
) -> Plan:
    """Do what `python -m rollcall init --yes` does."""
    plan = planned(root, prefix=prefix, library=library, web=web)
    write(root, plan.changes)
    return plan


def refusal(
    root: Path,
    *,
    prefix: str | None = None,
    library: Wheel | None = None,
    web: str | None = None,
) -> str:
    """What init says of an app that it cannot be added to."""
    before = tree(root)
    try:
        planned(root, prefix=prefix, library=library, web=web)
    except Problem as error:
        assert tree(root) == before
        return str(error)
    raise AssertionError("init has nothing against this app")


def tree(root: Path) -> dict[str, bytes]:
    """Every file of an app with its content."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
