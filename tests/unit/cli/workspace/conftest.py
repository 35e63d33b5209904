"""A workspace in a temporary folder, beside things that are none of its business."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rollcall_cli.workspace import ToolError, Workspace

MARK = "what nobody inside may see"


@dataclass(frozen=True)
class Sandbox:
    """A workspace, its folder, and a folder beside it."""

    workspace: Workspace
    root: Path
    outside: Path

    def run(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.workspace.run(tool, arguments)

    def refusal(self, tool: str, **arguments: Any) -> str:
        """What the tool says when it refuses; fails where it does not."""
        with pytest.raises(ToolError) as refused:
            self.workspace.run(tool, arguments)
        return str(refused.value)

    def put(self, path: str, content: str | bytes = "text\n") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def digest(self, path: str) -> str:
        digest: str = self.run("read_file", path=path)["digest"]
        return digest


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text(MARK)
    with Workspace(root) as workspace:
        yield Sandbox(workspace, root, outside)
