"""The offline planner's answers to first messages, over the sample data of all packs."""

from __future__ import annotations

import pytest

from rollcall.models.provider import OFFLINE
from tests.evals.planner.cases import read_cases
from tests.evals.planner.measure import RIGHT_SHARE, Outcome, counts, send_all


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    return send_all(read_cases(), OFFLINE)


@pytest.mark.slow
def test_every_message_is_answered(outcomes: list[Outcome]) -> None:
    assert not [each.error for each in outcomes if each.error]


def test_no_answer_is_beside_the_question(outcomes: list[Outcome]) -> None:
    assert not [(each.case.id, each.reply) for each in outcomes if each.verdict == "wrong"]


def test_most_messages_are_understood(outcomes: list[Outcome]) -> None:
    assert counts(outcomes)["rightShare"] >= RIGHT_SHARE
