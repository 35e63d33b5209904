"""Another teacher, a pupil and a user without a role get nothing of what is a teacher's: by any
function of the pack, by its agent, by search or as a file."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education.agents import EDUCATION
from rollcall.core.capability import Capability
from rollcall.core.shapes import Role
from rollcall.testing import ScriptedModel, calls, run
from tests.support.bad_input import own_functions, read_rows, wrong_answers
from tests.support.calling import Functions
from tests.support.catalogs import catalog
from tests.support.keeping import everything
from tests.support.packs.education.classroom import ITEMS, add_attempt, context

OWN = [
    each
    for each in catalog.capabilities()
    if each.function.__module__.startswith("packs.education.")
]
SECRETS = (
    *("Fractions draft", "Fractions fractions", "secret", "Zipora", "1/2+1/4"),
    ITEMS[0].block.stem,
)
"""What only the owner, and of what is published the course, may see."""
OTHERS = {"ben": Role.TEACHER, "other-1": Role.STUDENT, "eve": Role.USER, "x": Role.ADMIN}
IDS: dict[str, Any] = {
    "contentId": "draft",
    "blockId": "draft-001",
    "courseId": "math4",
    "attemptId": "adas",
    "studentId": "math4-1",
    "unitId": "unit-1",
    "fileId": "0" * 32,
}


@pytest.fixture
def functions(school: Client, monkeypatch: pytest.MonkeyPatch) -> Functions:
    answers = {"1": ("apply", 1.0)}
    for number in range(1, 7):
        add_attempt(school, f"math4-{number}", answers=answers, title="Fractions draft")
    school.document("attempts/adas").set({"uid": "math4-1", "status": "open", "answers": {}})
    return own_functions(school, monkeypatch.setenv)


def of_the_pack(db: Client) -> dict[str, dict[str, Any]]:
    """The courses, material and work that are stored, by path."""
    kept = ("contents/", "courses/", "attempts/", "documents/", "files/")
    return {path: data for path, data in everything(db).items() if path.startswith(kept)}


def told(text: str) -> list[str]:
    """The secrets that a text has, as they are or as JSON writes them."""
    return [each for each in SECRETS if each in text or json.dumps(each)[1:-1] in text]


def arguments(capability: Capability) -> dict[str, Any]:
    """A valid call of a capability, about what is Ada's."""
    schema = capability.json_schema
    [example, *_] = capability.examples or ({"parameters": {}},)
    given = {**example["parameters"]}
    given |= {name: id for name, id in IDS.items() if name in schema["properties"]}
    if "fileBase64" in given:
        del given["fileBase64"]
    return given


def test_others_get_nothing_by_any_function(school: Client, functions: Functions) -> None:
    before = of_the_pack(school)
    for capability in OWN:
        least = list(Role).index(capability.mark.min_role)
        for uid, role in OTHERS.items():
            data = {"arguments": arguments(capability), "callKey": f"{uid}-{capability.id}"[:60]}
            answer = functions.post(capability.id, data, uid=uid, claims={"role": role.value})
            text = f"{capability.id} as {role}: {answer.get_data(as_text=True)}"
            assert answer.status_code < 500 and not told(text), text
            assert answer.status_code == 403 or list(Role).index(role) >= least, text
    after = of_the_pack(school)
    assert {path: after[path] for path in before} == before
    # What they made on the way is of themselves alone.
    made = [data for path, data in after.items() if path not in before and "uid" in data]
    assert {data["uid"] for data in made} <= OTHERS.keys()


def test_another_teachers_agent_is_refused_what_is_not_hers(school: Client) -> None:
    wanted = [
        ("publish_content", {"contentId": "draft", "courseId": "math4"}),
        ("delete_content", {"contentId": "fractions"}),
        ("get_analytics", {"courseId": "math4"}),
        ("get_analytics", {"studentId": "math4-1"}),
        ("search_user_content", {"query": "fractions שברים"}),
        ("search_prompts", {"keywords": "fractions"}),
    ]
    tools = [each.function for each in OWN if each.id in EDUCATION.tools]
    model = ScriptedModel([calls(*wanted), "nothing"])
    approved = {"publish_content", "delete_content"}
    ctx = context(school, "ben")
    found = run(EDUCATION, "הכול", model=model, capabilities=tools, ctx=ctx, approved=approved)
    assert len(found.calls) == len(wanted)
    text = str(found.calls) + str(found.citations) + str(found.events)
    assert not told(text)
    statuses = [each.status.value for each in found.calls]
    assert statuses == ["failed", "failed", "failed", "failed", "done", "done"]
    assert school.document("contents/fractions").get().exists


def test_every_row_of_the_corpus_gets_its_code_and_field(functions: Functions) -> None:
    assert wrong_answers(functions, read_rows("packs/education/bad_requests.jsonl")) == []
