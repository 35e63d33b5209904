"""The offline planner's answers to first messages, over the sample data of all packs."""

from __future__ import annotations

import pytest

from rollcall.models.provider import OFFLINE
from tests.evals.planner.cases import read_cases
from tests.evals.planner.measure import RIGHT_SHARE, Outcome, counts, send_all
from tests.support.full_form import cases


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    every = read_cases()
    one_of_each_kind = {case.kind: place for place, case in enumerate(every)}.values()
    some = sorted({*range(0, len(every), 20), *one_of_each_kind})
    return send_all(cases(every, *some), OFFLINE)


@pytest.mark.long
def test_every_message_is_answered(outcomes: list[Outcome]) -> None:
    assert not [each.error for each in outcomes if each.error]


@pytest.mark.long
def test_no_answer_is_beside_the_question(outcomes: list[Outcome]) -> None:
    assert not [(each.case.id, each.reply) for each in outcomes if each.verdict == "wrong"]


@pytest.mark.long
def test_most_messages_are_understood(outcomes: list[Outcome]) -> None:
    assert counts(outcomes)["rightShare"] >= RIGHT_SHARE
