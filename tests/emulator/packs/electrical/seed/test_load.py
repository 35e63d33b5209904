"""The sample projects, as `python -m seed` loads them."""

from __future__ import annotations

from typing import Any


def test_the_sample_projects_are_loaded(seeding: Any) -> None:
    assert seeding.run("--only", "sample").returncode == 0
    assert seeding.count("projects") == 4
