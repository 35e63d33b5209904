"""Any pack can be deleted: what is said of all packs then holds for the others.

`python -m dev.without_pack <pack>` runs all tests in such a copy.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dev.without_pack import copy_without, packs

TESTS = (
    "tests/unit/test_docs.py",
    "tests/unit/test_deploy_page.py",
    "tests/unit/test_operating_page.py",
    "tests/unit/test_every_section.py",
    "tests/unit/test_indexes.py",
    "tests/unit/commands/test_rules.py",
)
"""What looks at all packs: discovery, rules, indexes, data of users, documentation."""


@pytest.mark.parametrize("pack", packs())
def test_without_a_pack_the_rest_holds(tmp_path: Path, pack: str) -> None:
    copy = copy_without(pack, tmp_path)
    assert not list(copy.glob(f"**/packs/{pack}"))
    command = [sys.executable, "-m", "pytest", *TESTS, "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
