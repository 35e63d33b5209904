"""The environment that `make setup` makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from dev import packages
from dev.problem import Problem


def test_the_environment_of_another_checkout_is_never_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, link = tmp_path / "other", tmp_path / "venv"
    other.mkdir()
    (other / "pyvenv.cfg").touch()
    link.symlink_to(other)
    monkeypatch.setattr(packages, "VENV", link)
    monkeypatch.setattr(packages, "PYTHON", link / "bin" / "python")
    with pytest.raises(Problem, match="is a link to"):
        packages.prepare_python()
    assert (other / "pyvenv.cfg").exists()
