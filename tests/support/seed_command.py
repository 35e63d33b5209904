"""Runs `python -m seed` in a project of the test: in a new process, or in a forked one that has
its imports already."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from google.cloud.firestore import Client, FieldFilter

from tests.support.forked_python import MOST, run_python

ROOT = Path(__file__).parents[2]
_CODE = "import sys; sys.path.insert(1, 'functions'); from seed.cli import run; sys.exit(run({}))"


@dataclass(frozen=True)
class SeedCommand:
    """The command, and reads of what it wrote."""

    db: Client

    def run(
        self, *arguments: str | Path, as_typed: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """Run the command; without the Auth emulator, whose users tests would share.

        Args:
            as_typed: Start a new Python, as a terminal does.
        """
        env = {k: v for k, v in os.environ.items() if k != "FIREBASE_AUTH_EMULATOR_HOST"}
        env["COLUMNS"] = "100"
        words = [str(argument) for argument in arguments]
        place = 1 if words[:1] in (["import"], ["standards"]) else 0
        words[place:place] = ["--project", self.db.project]
        if as_typed:
            command = [sys.executable, "-m", "seed", *words]
            return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        preloaded = (*MOST, "google.cloud.firestore")
        return run_python(_CODE.format(words), folder=ROOT, environment=env, preloaded=preloaded)

    def count(self, collection: str) -> int:
        return int(self.db.collection(collection).count().get()[0][0].value)

    def messages(self, conversation: str) -> list[dict[str, Any]]:
        """A conversation's messages, oldest first."""
        here = FieldFilter("conversationId", "==", conversation)
        found = self.db.collection("messages").where(filter=here).stream()
        return sorted((s.to_dict() or {} for s in found), key=lambda data: data["timestamp"])


@pytest.fixture
def seeding(db: Client) -> SeedCommand:
    return SeedCommand(db)
