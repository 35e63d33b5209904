from __future__ import annotations

from pathlib import Path

import pytest

from rollcall.commands.init.files import Change, write
from rollcall.core.errors import Problem
from tests.unit.commands.init.apps import make, tree


def test_changes_are_written_and_rights_stay(tmp_path: Path) -> None:
    make(tmp_path, {"run.sh": "old", "gone": "x"})
    (tmp_path / "run.sh").chmod(0o755)
    write(
        tmp_path,
        [
            Change("run.sh", b"old", b"new"),
            Change("gone", b"x", None),
            Change("a/b/new", None, b"n"),
        ],
    )
    assert tree(tmp_path) == {"run.sh": b"new", "a/b/new": b"n"}
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755


def test_nobody_else_may_read_a_private_file_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {".env": "KEY=old"})
    (tmp_path / ".env").chmod(0o600)
    modes, write_bytes = [], Path.write_bytes

    def spy(path: Path, content: bytes) -> int:
        written = write_bytes(path, content)
        modes.append(path.stat().st_mode & 0o777)
        return written

    monkeypatch.setattr(Path, "write_bytes", spy)
    write(tmp_path, [Change(".env", b"KEY=old", b"KEY=new")])
    assert modes == [0o600]
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    make(tmp_path, {"shared/rules": "old"})
    (tmp_path / "rules").symlink_to("shared/rules")
    write(tmp_path, [Change("rules", b"old", b"new")])
    assert (tmp_path / "rules").is_symlink()
    assert (tmp_path / "shared/rules").read_bytes() == b"new"


@pytest.mark.parametrize("blocked", ["a/file", "folder"])
def test_where_one_file_cannot_be_written_none_is(tmp_path: Path, blocked: str) -> None:
    make(tmp_path, {"first": "1", "gone": "x", "a": "a file", "folder/in/it": ""})
    before = tree(tmp_path)
    changes = [
        Change("first", b"1", b"2"),
        Change("gone", b"x", None),
        Change("new/deep/file", None, b"n"),
        Change(blocked, None, b"n"),
    ]
    with pytest.raises(Problem, match=rf"^{blocked} cannot be written: (Not|Is) a directory\.\n"):
        write(tmp_path, changes)
    assert tree(tmp_path) == before
    assert not (tmp_path / "new").exists()
