"""What a process does not import until it needs it: by names, since times vary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FUNCTIONS = Path(__file__).parents[2] / "functions"

NEVER_AT_START = {
    "docstring_parser",
    "google.cloud.firestore",
    "google.genai",
    "grpc",
    "httpx2",
    "jsonschema",
    "numpy",
    "openai",
    "rollcall.models._offline",
    "snowballstemmer",
}
"""A function answers its first call sooner for each of these that the call does not need."""

ONLY_FOR_RUNS = {
    "rollcall.agent.loop",
    "rollcall.core.messages",
    "rollcall.models.base",
    "rollcall.registry.entries",
    "rollcall.registry.snapshot",
    "rollcall.store.threads",
}
"""A leaf needs its arguments checked, and nothing of what runs are made of."""


def loaded(target: str, names: set[str]) -> set[str]:
    """Which of `names` a process that serves `target` has imported before its first call."""
    code = "import json, sys, main; print(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=FUNCTIONS,
        env={
            "PATH": os.environ["PATH"],
            "FUNCTION_TARGET": target,
            "GCLOUD_PROJECT": "demo-test",
            "OPENAI_API_KEY": "sk-test",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return names & set(json.loads(done.stdout))


@pytest.mark.parametrize("target", ["get_user_conversations", "send_message", "run_agent"])
def test_what_the_first_call_may_not_need_is_not_there_yet(target: str) -> None:
    assert loaded(target, NEVER_AT_START) == set()


@pytest.mark.parametrize("target", ["get_user_conversations", "send_message"])
def test_a_leaf_starts_without_what_runs_are_made_of(target: str) -> None:
    assert loaded(target, ONLY_FOR_RUNS) == set()


def test_the_budget_counts_names_that_exist() -> None:
    assert loaded("run_agent", ONLY_FOR_RUNS | {"pydantic"}) == ONLY_FOR_RUNS | {"pydantic"}
