"""`python -m seed`: the project's own data, of the packs that are there."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from rollcall.store.seeding import read_folder
from seed.data_sets import packs
from tests.support.seed_command import ROOT

FILES = [file for pack in packs() for file in read_folder(ROOT / "seed" / pack)]
"""The packs' data; several packs may have files of one collection."""
DOCUMENTS = Counter(file.collection for file in FILES for _ in file.documents)
SAMPLES = [file.collection for file in FILES if file.kind == "sample"]


@pytest.mark.slow
def test_reference_data_comes_without_the_sample_and_a_second_run_changes_nothing(
    seeding: Any,
) -> None:
    reference = seeding.run("--only", "reference")
    assert reference.returncode == 0, reference.stderr
    assert {name: seeding.count(name) for name in SAMPLES} == dict.fromkeys(SAMPLES, 0)
    capabilities = seeding.count("capabilities")
    assert capabilities > 0

    first = seeding.run(as_typed=True)
    assert first.returncode == 0, first.stderr
    before = {name: seeding.count(name) for name in (*DOCUMENTS, "capabilities")}
    assert before == {**DOCUMENTS, "capabilities": capabilities}
    assert all(before.values())

    second = seeding.run()
    assert second.returncode == 0, second.stderr
    rows = [line.split("│")[1:-1] for line in second.stdout.splitlines() if line.startswith("│")]
    assert {row[0].strip() for row in rows} == {*DOCUMENTS, "registry"}
    assert all(row[2].strip() == "0" for row in rows), second.stdout
    assert {name: seeding.count(name) for name in before} == before


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--production"], "unset it first"),
        (["--only", "everything"], "invalid choice"),
    ],
)
def test_what_cannot_be_done_is_said(seeding: Any, arguments: list[str], reason: str) -> None:
    done = seeding.run(*arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
