"""The secrets of Ada's class, which nobody else may see, and the calls that ask for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from google.cloud.firestore import Client

from packs.education.agents import EDUCATION
from rollcall.core.capability import Capability
from rollcall.core.shapes import Role
from rollcall.testing import Result, ScriptedModel, calls, run
from tests.support.bad_input import own_functions
from tests.support.catalogs import catalog
from tests.support.local_functions import Functions
from tests.support.packs.education.classroom import (
    ITEMS,
    add_attempt,
    add_content,
    add_course,
    context,
)

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
WANTED: list[tuple[str, dict[str, Any]]] = [
    ("publish_content", {"contentId": "draft", "courseId": "math4"}),
    ("delete_content", {"contentId": "fractions"}),
    ("get_analytics", {"courseId": "math4"}),
    ("get_analytics", {"studentId": "math4-1"}),
    ("search_user_content", {"query": "fractions שברים"}),
    ("search_prompts", {"keywords": "fractions"}),
]
"""What a model calls for somebody who wants what is Ada's."""


def add_school(db: Client) -> None:
    """Ada and Dov teach math4, Ben teaches other; Ada has a draft and a published activity."""
    add_course(db, "math4", ["ada", "dov"], grade="ד", subject="math")
    add_course(db, "other", ["ben"])
    add_content(db, "draft", "ada")
    add_content(db, "fractions", "ada", status="published", courseId="math4", maxTries=2)


def add_work(db: Client, setenv: Callable[[str, str], None]) -> Functions:
    """Store what Ada's pupils answered, and return the functions."""
    for number in range(1, 7):
        answers = {"1": ("apply", 1.0)}
        add_attempt(db, f"math4-{number}", answers=answers, title="Fractions draft")
    db.document("attempts/adas").set({"uid": "math4-1", "status": "open", "answers": {}})
    return own_functions(db, setenv)


def secrets_in(text: str) -> list[str]:
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


def run_for_ben(db: Client) -> Result:
    """Run the teachers' agent for Ben, with a model that calls for what is Ada's."""
    tools = [each.function for each in OWN if each.id in EDUCATION.tools]
    model = ScriptedModel([calls(*WANTED), "nothing"])
    approved = {"publish_content", "delete_content"}
    ctx = context(db, "ben")
    return run(EDUCATION, "הכול", model=model, capabilities=tools, ctx=ctx, approved=approved)
