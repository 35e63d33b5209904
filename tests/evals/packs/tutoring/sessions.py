"""Sessions: what scripted models, injected instructions and tampered clients achieve, and what a
tool's call costs at Firestore."""

from __future__ import annotations

import uuid
from random import Random
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from tests.evals.packs.tutoring.injections import PAYLOADS
from tests.evals.report import EvalResult, table
from tests.support.packs.tutoring.lessons import Lessons
from tests.support.packs.tutoring.scripted_sessions import (
    WRITES,
    cost_of_call,
    inject,
    play,
    tamper,
)

SESSIONS = 300


def measure() -> EvalResult:
    """Play all of it on the emulator."""
    make: Any = AnonymousCredentials
    db = Client(project=f"demo-eval-{uuid.uuid4().hex[:8]}", credentials=make())
    notes: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        lessons = Lessons(db, patch)
        calls = allowed = effects = 0
        for seed in range(SESSIONS):
            played = play(lessons, Random(seed))
            calls, allowed = calls + played.calls, allowed + played.allowed
            effects += len(played.outside) + len(played.missing)
            notes += [f"session {seed}: outside {each}" for each in played.outside]
            notes += [f"session {seed}: missing {each}" for each in played.missing]
        injected = [inject(lessons, each, place) for each in PAYLOADS for place in ("said", "task")]
        tampered = tamper(lessons)
        costs = [[name, *cost_of_call(lessons, name)] for name in WRITES]
    rows: list[list[object]] = [
        [f"{SESSIONS} scripted sessions", calls, allowed, effects],
        ["prompt injections", len(injected), 0, sum(injected)],
        ["tampered client", tampered.tried, 0, tampered.effects],
    ]
    columns = ["measure", "calls tried", "effects allowed", "effects otherwise"]
    return EvalResult(
        [
            table("Effects in sessions", columns, rows),
            table("Firestore per tool call, beside the ledger", ["tool", "reads", "writes"], costs),
        ],
        {"effects": rows, "costs": costs},
        notes,
    )
