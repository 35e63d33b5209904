"""Which files of a functions folder changed."""

from __future__ import annotations

import os
from pathlib import Path

from rollcall.emulators.sources import Change, Sources


def test_new_changed_and_deleted_files_are_seen_once(tmp_path: Path) -> None:
    (tmp_path / "capabilities").mkdir()
    ping, main = tmp_path / "capabilities" / "ping.py", tmp_path / "main.py"
    main.write_text("a")
    sources = Sources(tmp_path)
    assert sources.changes() == []
    ping.write_text("b")
    assert sources.changes() == [Change(ping, "new")]
    os.utime(main, ns=(1, 1))
    assert sources.changes() == [Change(main, "changed")]
    ping.unlink()
    assert sources.changes() == [Change(ping, "gone")]
    assert sources.changes() == []


def test_what_is_installed_or_written_beside_the_code_is_not_looked_at(tmp_path: Path) -> None:
    sources = Sources(tmp_path)
    for name in ("venv/lib.py", "__pycache__/main.py", ".git/hook.py", "node_modules/x.json"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    (tmp_path / "debug.log").touch()
    assert sources.changes() == []
    (tmp_path / ".env").touch()
    assert sources.changes() == [Change(tmp_path / ".env", "new")]
