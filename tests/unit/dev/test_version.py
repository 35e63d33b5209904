"""The library's version changes with its content, and with nothing else."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from dev import version
from dev.paths import ROOT


def copy(folder: Path) -> Path:
    """A small checkout: the files that the version reads."""
    (folder / "dev").mkdir(parents=True)
    (folder / "functions" / "rollcall").mkdir(parents=True)
    shutil.copy(ROOT / "dev" / "version.py", folder / "dev" / "version.py")
    (folder / "pyproject.toml").write_text("[project]\n")
    (folder / "functions" / "rollcall" / "a.py").write_text("A = 1\n")
    return folder


def version_of(root: Path) -> str:
    scope = {"__file__": str(root / "dev" / "version.py")}
    exec((root / "dev" / "version.py").read_text(), scope)
    return str(scope["version"]())  # type: ignore[operator]


def test_a_version_names_its_content(tmp_path: Path) -> None:
    assert re.fullmatch(r"0\.1\.0\+g[0-9a-f]{8}", version.version())
    one, two = copy(tmp_path / "one"), copy(tmp_path / "two")
    assert version_of(one) == version_of(two)
    (two / "functions" / "rollcall" / "a.py").write_text("A = 2\n")
    assert version_of(one) != version_of(two)


def test_what_python_writes_beside_the_sources_changes_nothing(tmp_path: Path) -> None:
    root = copy(tmp_path / "one")
    before = version_of(root)
    cache = root / "functions" / "rollcall" / "__pycache__"
    cache.mkdir()
    (cache / "a.cpython-311.pyc").write_bytes(b"x")
    (root / "README.md").write_text("other")
    assert version_of(root) == before
