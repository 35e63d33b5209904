"""What a process does not import before it needs it: by names, since times vary."""

from __future__ import annotations

import json
import os
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.catalogs import catalog
from tests.support.for_every import for_every
from tests.support.forked_python import FEWEST, run_python
from tests.support.full_form import cases

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
    "rollcall.models.planner.plan",
    "Stemmer",
}
"""A function answers its first call sooner for each of these that the call does not need."""

ONLY_FOR_RUNS = {
    "rollcall.agent.loop",
    "rollcall.core.messages",
    "rollcall.core.wire",
    "rollcall.models.base",
    "rollcall.registry.entries",
    "rollcall.registry.snapshot",
    "rollcall.store.run_opening",
}
"""A leaf needs its arguments checked, and nothing of what runs are made of."""


def _leaves() -> dict[str, str]:
    """A read and a write of one pack, whichever has both: capabilities, each with its pack."""
    found: dict[str, dict[str, str]] = {}
    for capability in catalog.capabilities():
        if capability.mark.runs_on == "server":
            pack = capability.function.__module__.split(".")[1]
            found.setdefault(pack, {}).setdefault(capability.mark.effect, capability.id)
    pack, ids = max(found.items(), key=lambda each: (len(each[1]), each[0]))
    return dict.fromkeys(ids.values(), pack)


LEAVES = _leaves()


def loaded(target: str, names: set[str], **environment: str) -> set[str]:
    """Which of `names` a process that serves `target` has imported before its first call."""
    return names & _modules(target, tuple(environment.items()))


@cache
def _modules(target: str, environment: tuple[tuple[str, str], ...]) -> frozenset[str]:
    code = "import json, sys, main; print(json.dumps(list(sys.modules)))"
    served = {"FUNCTION_TARGET": target, "GCLOUD_PROJECT": "demo-test"}
    done = run_python(
        code,
        folder=FUNCTIONS,
        environment={"PATH": os.environ["PATH"], **served, **dict(environment)},
        preloaded=FEWEST,
    )
    assert done.returncode == 0, done.stderr
    return frozenset(json.loads(done.stdout))


@for_every("target", [*LEAVES, "list_capabilities"])
def test_what_the_first_call_may_not_need_is_not_there_yet(target: str) -> None:
    assert loaded(target, NEVER_AT_START, OPENAI_API_KEY="sk-test") == set()


@for_every("target", LEAVES)
def test_a_leaf_starts_without_what_runs_are_made_of(target: str) -> None:
    assert loaded(target, ONLY_FOR_RUNS, OPENAI_API_KEY="sk-test") == set()


@for_every(("target", "pack"), LEAVES.items())
def test_a_leaf_imports_no_pack_but_its_own_and_those_it_requires(target: str, pack: str) -> None:
    modules = _modules(target, (("OPENAI_API_KEY", "sk-test"),))
    packs = {name.split(".")[1] for name in modules if name.startswith("packs.")}
    required: tuple[str, ...] = getattr(import_module(f"packs.{pack}"), "REQUIRES", ())
    assert pack in packs and packs <= {pack, *required}
    assert "firebase_functions.firestore_fn" not in modules


ENVIRONMENTS: list[dict[str, str]] = [
    {"OPENAI_API_KEY": "sk-test"},
    {"GEMINI_API_KEY": "test"},
    {},
    {"ROLLCALL_MODEL": "nobody:x"},  # which each call is told, and not the deploy
]


@pytest.mark.long
@pytest.mark.parametrize("environment", cases(ENVIRONMENTS, 0))
def test_run_agent_starts_with_firestore_and_nothing_else_that_is_heavy(
    environment: dict[str, str],
) -> None:
    wanted = {"google.cloud.firestore"} | ONLY_FOR_RUNS
    others = NEVER_AT_START - {"grpc", "numpy"}
    assert loaded("run_agent", others | wanted, **environment) == wanted


def test_a_turn_is_answered_without_any_sdk_of_a_provider() -> None:
    code = (
        "import sys\n"
        "for provider in ('gemini', 'openai'):\n"
        "    from rollcall.models.base import load_model\n"
        "    load_model(f'{provider}:x')\n"
        "print(sorted({'google.genai', 'openai', 'httpx2'} & sys.modules.keys()))"
    )
    done = run_python(code, folder=FUNCTIONS, environment={}, preloaded=FEWEST)
    assert done.stdout.strip() == "[]", done.stderr
