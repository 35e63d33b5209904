"""What teachers search: standards, their own material, prompts. The standards here are made up."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education.contents import own_contents
from packs.education.curriculum import search_curriculum
from packs.education.material import search_user_content
from packs.education.prompts import search_prompts
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument
from tests.support.packs.education.classroom import add_content, add_course, context

SOURCE = {"title": "Made up for tests", "url": "https://example.org/made-up", "page": "7"}


@pytest.fixture
def standards(db: Client) -> Client:
    made_up = {
        "frac": ("שברים", "השוואת שברים שווי מכנה", ["ד"], ["apply"]),
        "area": ("שטח", "חישוב שטח מלבן", ["ד", "ה"], []),
        "perc": ("אחוזים", "אחוז כחלק ממאה", ["ו"], ["understand"]),
    }
    for id, (topic, statement, grades, bloom) in made_up.items():
        db.document(f"curriculumStandards/{id}").set(
            {
                "documentId": "made-up",
                "code": None,
                "statement": {"he": statement},
                "subject": "math",
                "grades": grades,
                "topic": topic,
                "bloomLevels": bloom,
                "source": SOURCE,
                "schemaVersion": 1,
            }
        )
    return db


def search(db: Client, **given: Any) -> dict[str, Any]:
    found: dict[str, Any] = Capability.of(search_curriculum).call(context(db), given)
    return found


@pytest.mark.parametrize("grade", ["ד", "ד׳", "4", 4, "כיתה ד", "grade 4"])
@pytest.mark.parametrize("subject", ["math", "מתמטיקה"])
@pytest.mark.parametrize("name", ["grade", "gradeLevel"])
def test_a_grade_and_a_subject_have_many_spellings(
    standards: Client, grade: Any, subject: str, name: str
) -> None:
    found = search(standards, subject=subject, **{name: grade})
    assert [each["id"] for each in found["standards"]] == ["area", "frac"]
    assert (found["subject"], found["grade"], found["stored"]) == ("math", "ד", 2)


def test_a_topic_ranks_and_each_standard_is_cited_with_its_page(standards: Client) -> None:
    ctx = context(standards)
    found = search_curriculum(ctx, subject="math", grade_level="ד", topic="השברים")
    assert [each.id for each in found.standards] == ["frac"]
    (cited,) = ctx.citations
    assert (cited.document_id, cited.section, cited.title) == ("frac", "7", "Made up for tests")
    assert cited.url == SOURCE["url"] and cited.code is None


def test_nothing_found_is_said_and_nothing_is_made_up(standards: Client) -> None:
    none_fits = search(standards, subject="math", grade="ד", topic="פוטוסינתזה")
    assert none_fits["standards"] == [] and "None of the 2 stored" in none_fits["answer"]
    none_stored = search(standards, subject="bible", grade="ד")
    assert none_stored["standards"] == [] and "No standard in Bible" in none_stored["answer"]
    by_level = search(standards, subject="math", grade="ד", bloomLevels=["apply"])
    assert [each["id"] for each in by_level["standards"]] == ["frac"]
    assert by_level["withoutBloom"] == 1
    no_levels = search(standards, subject="math", grade="ה", bloomLevels=["apply"])
    assert (no_levels["standards"], no_levels["stored"], no_levels["withoutBloom"]) == ([], 1, 1)
    assert "None of the 1 stored" in no_levels["answer"] and "Bloom" in no_levels["answer"]


@pytest.mark.parametrize(
    ("given", "field", "nearest"),
    [
        ({"subject": "math", "grade": "כיתה יג"}, "arguments.grade", "יב"),
        ({"subject": "math", "gradeLevel": "0"}, "arguments.gradeLevel", "א"),
        ({"subject": "מתמתיקות", "grade": "ד"}, "arguments.subject", "math"),
    ],
)
def test_an_unknown_grade_or_subject_is_refused_with_the_nearest(
    standards: Client, given: dict[str, Any], field: str, nearest: str
) -> None:
    with pytest.raises(InvalidArgument, match=f"the nearest is '{nearest}'") as refused:
        search(standards, **given)
    assert refused.value.field == field


def test_both_names_of_the_grade_at_once_are_refused(standards: Client) -> None:
    with pytest.raises(InvalidArgument):
        search(standards, subject="math", grade="ד", gradeLevel="ה")


def test_own_material_is_found_by_topic_subject_grade_and_kind(school: Client) -> None:
    add_content(school, "photo", "ada", [], title="צמחים", topic="פוטוסינתזה", subject="science")
    add_content(school, "bens", "ben", title="שברים של בן")
    ctx = context(school, locale="he")
    found = search_user_content(ctx, query="שברים לכיתה ד")
    assert {each.content_id for each in found.contents} == {"draft", "fractions"}
    assert found.searched == 3 and found.searched_all and ctx.display is not None
    assert "bens" not in str(found) + str(ctx.display)
    [plants] = search_user_content(context(school), query="science plants פוטוסינתזה").contents
    assert plants.content_id == "photo"
    assert search_user_content(ctx, query="שברים", content_type="worksheet").contents == []
    nothing = search_user_content(context(school), query="volcanoes")
    assert nothing.contents == [] and "3 were looked at" in nothing.answer
    assert [each.id for each in own_contents(context(school, "ben"), 9)] == ["bens"]


def test_a_search_for_nothing_lists_own_material_newest_first(school: Client) -> None:
    ctx = context(school)
    add_content(school, "bens", "ben", title="שברים של בן")
    listed = search_user_content(ctx, query="")
    assert [each.content_id for each in listed.contents] == [e.id for e in own_contents(ctx, 9)]
    assert "2 of your 2" in listed.answer and ctx.display is not None
    assert len(search_user_content(ctx, query=" ", limit=1).contents) == 1
    none = search_user_content(ctx, query="", content_type="letter")
    assert none.contents == [] and "nothing of this kind" in none.answer


def add_prompt(db: Client, id: str, uid: str, *, stars: tuple[int, ...] = (), **given: Any) -> None:
    prompt = {"title": "מבחן", "text": "כתוב מבחן בנושא", "category": "יצירת מבחנים"}
    prompt |= {"uid": uid, "shared": True, "tenant": "north", **given}
    db.document(f"prompts/{id}").set(prompt)
    for number, each in enumerate(stars):
        rating = {"promptId": id, "uid": f"r{number}", "stars": each}
        db.document(f"promptRatings/{id}_r{number}").set(rating)


def test_prompts_are_ones_own_and_those_shared_in_the_tenant(db: Client) -> None:
    add_course(db, "math4", ["ada"])
    add_prompt(db, "own", "ada", shared=False)
    add_prompt(db, "liked", "ben", stars=(5, 5, 4))
    add_prompt(db, "disliked", "ben", stars=(1, 1, 1))
    add_prompt(db, "once", "ben", stars=(5,))
    add_prompt(db, "private", "ben", shared=False)
    add_prompt(db, "south", "ben", tenant="south")
    ctx = context(db, tenant="north", locale="he")
    found = search_prompts(ctx, keywords="מבחנים")
    assert found.prompts[0].prompt_id == "liked" and found.prompts[0].stars == 4.7
    assert [each.document_id for each in ctx.citations] == [e.prompt_id for e in found.prompts]
    stars = {each.prompt_id: each.stars for each in found.prompts}
    assert stars == {"liked": 4.7, "disliked": 1.0, "own": None, "once": None}
    assert found.searched == 4
    nobody = search_prompts(context(db, "eve"), keywords="מבחנים")
    assert nobody.prompts == [] and nobody.searched == 0
    assert search_prompts(ctx, keywords="מבחנים", category="דפי עבודה").prompts == []
