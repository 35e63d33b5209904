"""`python -m seed`: the project's own data."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest


def test_a_second_run_changes_nothing(seeding: Any) -> None:
    first = seeding.run()
    assert first.returncode == 0, first.stderr
    collections = ("conversations", "messages", "projects", "capabilities")
    before = {name: seeding.count(name) for name in collections}
    assert (before["conversations"], before["projects"]) == (18, 4)
    assert before["messages"] > 300

    second = seeding.run()
    assert second.returncode == 0, second.stderr
    rows = [line.split("│")[1:-1] for line in second.stdout.splitlines() if line.startswith("│")]
    assert {row[0].strip() for row in rows} >= {"conversations", "messages", "projects", "registry"}
    assert all(row[2].strip() == "0" for row in rows), second.stdout
    assert {name: seeding.count(name) for name in before} == before


def test_reference_data_comes_without_the_sample(seeding: Any) -> None:
    done = seeding.run("--only", "reference")
    assert done.returncode == 0, done.stderr
    assert seeding.count("messages") == seeding.count("conversations") == 0
    assert seeding.count("projects") == 0
    assert seeding.count("capabilities") > 0


def test_the_sample_looks_fresh_and_is_counted(seeding: Any) -> None:
    assert seeding.run("--only", "sample").returncode == 0
    chat = seeding.db.document("conversations/sample-budget").get().to_dict()
    assert timedelta() < datetime.now(UTC) - chat["lastMessageAt"] < timedelta(days=4)
    assert chat["messageCount"] == len(seeding.messages("sample-budget"))
    sealed = seeding.db.document("conversations/sample-rina-private").get().to_dict()
    assert sealed["encryptedCount"] == sealed["messageCount"] > 0


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
