"""Other teachers, pupils and users without a role reach nothing of a teacher's: by the pack's
functions, its agent, search or files."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.core.shapes import Role
from tests.support.bad_input import read_rows, wrong_answers
from tests.support.local_functions import Functions
from tests.support.packs.education.secrets import (
    OTHERS,
    OWN,
    WANTED,
    add_work,
    arguments,
    run_for_ben,
    secrets_in,
)
from tests.support.user_data import all_documents


@pytest.fixture
def functions(school: Client, monkeypatch: pytest.MonkeyPatch) -> Functions:
    return add_work(school, monkeypatch.setenv)


def of_the_pack(db: Client) -> dict[str, dict[str, Any]]:
    """The courses, material and work that are stored, by path."""
    kept = ("contents/", "courses/", "attempts/", "documents/", "files/")
    return {path: data for path, data in all_documents(db).items() if path.startswith(kept)}


def test_others_get_nothing_by_any_function(school: Client, functions: Functions) -> None:
    before = of_the_pack(school)
    for capability in OWN:
        least = list(Role).index(capability.mark.min_role)
        for uid, role in OTHERS.items():
            data = {"arguments": arguments(capability), "callKey": f"{uid}-{capability.id}"[:60]}
            answer = functions.post(capability.id, data, uid=uid, claims={"role": role.value})
            text = f"{capability.id} as {role}: {answer.get_data(as_text=True)}"
            assert answer.status_code < 500 and not secrets_in(text), text
            assert answer.status_code == 403 or list(Role).index(role) >= least, text
    after = of_the_pack(school)
    assert {path: after[path] for path in before} == before
    # What they made on the way is of themselves alone.
    made = [data for path, data in after.items() if path not in before and "uid" in data]
    assert {data["uid"] for data in made} <= OTHERS.keys()


def test_another_teachers_agent_is_refused_what_is_not_hers(school: Client) -> None:
    found = run_for_ben(school)
    assert len(found.calls) == len(WANTED)
    text = str(found.calls) + str(found.citations) + str(found.events)
    assert not secrets_in(text)
    statuses = [each.status.value for each in found.calls]
    assert statuses == ["failed", "failed", "failed", "failed", "done", "done"]
    assert school.document("contents/fractions").get().exists


def test_every_row_of_the_corpus_gets_its_code_and_field(functions: Functions) -> None:
    assert wrong_answers(functions, read_rows("packs/education/bad_requests.jsonl")) == []
