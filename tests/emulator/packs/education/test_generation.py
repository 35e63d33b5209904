"""Generated material: private, stored whole, and free of other people's texts."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from packs.education.answers import normal_text
from packs.education.contents import open_content, read_items
from packs.education.generation.activity import generate_interactive_activity
from packs.education.generation.podcast import generate_podcast_script
from packs.education.generation.static_content import generate_static_content
from packs.education.generation.variants import generate_variants
from packs.education.key_check import check_problem
from packs.education.publishing import delete_content
from rollcall.core.capability import Capability
from rollcall.core.context import User
from rollcall.core.errors import (
    AgentError,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from rollcall.core.shapes import Role
from tests.support.knowledge import Library
from tests.support.packs.education.classroom import ITEMS, context, write
from tests.support.packs.education.material import INJECTED, RAIN, WATER, Author
from tests.support.pdfs import pdf


def make(db: Client, capability: Any, uid: str = "ada", key: str = "k", **given: Any) -> Any:
    return write(context(db, uid, writes=True, key=key, locale="he"), capability, **given)


def test_a_worksheet_is_a_private_draft_with_checked_keys(school: Client) -> None:
    made = make(school, generate_static_content, content_type="worksheet", topic="שברים", grade="ד")
    assert made["title"] == "דף עבודה: שברים, כיתה ד"
    assert (made["subject"], made["generator"], len(made["blocks"])) == ("math", "offline", 10)
    assert "correct" not in str(made["blocks"])
    assert sum(each["points"] for each in made["blocks"]) == 100
    opened = open_content(context(school, "ada"), made["contentId"])
    assert [each["name"].rpartition(".")[2] for each in made["files"]] == ["pdf", "docx"]
    assert [each.file_id for each in opened.content.files] == [
        each["fileId"] for each in made["files"]
    ]
    assert opened.content.status == "draft"
    items = list(read_items(opened).values())
    assert [check_problem(each) for each in items] == [None] * 10
    for uid in ("dov", "ben", "math4-1"):
        with pytest.raises(PermissionDenied):
            open_content(context(school, uid), made["contentId"], reader="student")
    undo = Capability.of(generate_static_content).mark.undo
    assert undo is not None and undo.tool == "delete_content"
    make(school, delete_content, key="u", content_id=undo.arguments({}, made)["contentId"])  # type: ignore[index]


def test_material_about_a_topic_in_hebrew_is_in_hebrew_whoever_asks(school: Client) -> None:
    english = context(school, writes=True, locale="en")
    made = write(english, generate_static_content, content_type="worksheet", topic="שברים")
    assert made["title"] == "דף עבודה: שברים, כיתה ד"
    assert open_content(context(school, "ada"), made["contentId"]).content.locale == "he"
    english = context(school, writes=True, key="w", locale="en")
    made = write(
        english, generate_static_content, content_type="test", topic="מחזור המים", passage=WATER
    )
    assert {each["source"]["title"] for each in made["blocks"]} == {"הקטע שצורף"}


@pytest.mark.parametrize(
    ("capability", "given"),
    [(generate_static_content, {"content_type": "test"}), (generate_podcast_script, {})],
)
def test_what_cannot_be_made_is_said_in_the_teachers_language(
    school: Client, capability: Any, given: dict[str, Any]
) -> None:
    english = context(school, writes=True, locale="en")
    with pytest.raises(FailedPrecondition) as refused:
        write(english, capability, topic="המהפכה", **given)
    assert refused.value.message.startswith("No model is configured")
    assert refused.value.say("he").startswith("אין מודל מוגדר")


def test_a_test_has_a_hundred_points_and_an_exam_no_hints(school: Client) -> None:
    test = make(school, generate_static_content, content_type="test", topic="כפל", grade="ג")
    assert sum(each["points"] for each in test["blocks"]) == 100
    exam = make(
        school, generate_interactive_activity, key="e", product_type="exam", topic="כפל", grade="ג",
        difficulty_level="all", include_bot=True,
    )  # fmt: skip
    assert sum(each["points"] for each in exam["blocks"]) == 100
    assert "לא לגלות תשובות" in exam["bot"]
    assert [each["name"].rpartition(".")[2] for each in exam["files"]] == ["zip", "txt"]


@pytest.mark.parametrize("kind", ["lesson_plan", "letter", "feedback", "rubric"])
def test_without_a_model_texts_are_structure_and_blanks(school: Client, kind: str) -> None:
    standard = {
        "documentId": "d", "code": "T-1", "statement": {"he": "תקן בדוי על פוטוסינתזה"},
        "subject": "science", "grades": ["ה"], "topic": "פוטוסינתזה", "bloomLevels": [],
        "source": {"title": "מסמך בדוי", "page": "4"}, "schemaVersion": 1,
    }  # fmt: skip
    school.document("curriculumStandards/made-up-1").set(standard)
    made = make(
        school, generate_static_content, content_type=kind, topic="פוטוסינתזה", grade="ה",
        subject="science",
    )  # fmt: skip
    assert made["banner"] == "טיוטה ללא מודל"
    assert "_____" in str(made["blocks"])
    assert made["standards"] == ["made-up-1"]


def test_what_may_be_another_subjects_is_asked_back_and_never_made_as_mathematics(
    school: Client,
) -> None:
    area = make(school, generate_static_content, content_type="worksheet", topic="שטח", grade="ה")
    assert area["subject"] == "math"
    for topic, grade in (("שעון", "ג"), ("time", "ג"), ("כתיבת חיבור", "ב")):
        with pytest.raises(FailedPrecondition) as asked:
            make(
                school, generate_static_content, content_type="worksheet", topic=topic, grade=grade
            )
        assert "אם הכוונה למתמטיקה" in asked.value.say("he")
        assert asked.value.details["field"] == "subject"
    with pytest.raises(FailedPrecondition, match="are too short to make questions of"):
        make(
            school, generate_static_content, content_type="worksheet", topic="שעון", grade="ג",
            passage="השעון מתקתק.",
        )  # fmt: skip
    with pytest.raises(FailedPrecondition, match="no passage about the topic was found"):
        make(
            school, generate_static_content, content_type="test", topic="חזרה על מלחמת העולם",
            grade="ד",
        )  # fmt: skip


def test_a_podcast_cites_each_statement_and_is_timed(school: Client) -> None:
    made = make(school, generate_podcast_script, topic="מחזור המים", passage=WATER)
    assert made["hosts"] == ["דן", "נועה"]
    stated = [turn for turn in made["turns"] if "source" in turn]
    assert len(stated) == 7 and all(turn["source"]["quote"] in WATER for turn in stated)
    ends = [turn["endS"] for turn in made["turns"]]
    assert [turn["startS"] for turn in made["turns"][1:]] == ends[:-1]
    same = make(
        school, generate_interactive_activity, key="p", product_type="podcast", topic="מחזור המים",
        grade="ה", passage=WATER,
    )  # fmt: skip
    assert same["seconds"] == made["seconds"] == ends[-1]


def test_what_was_made_has_what_the_checks_of_quality_found(school: Client) -> None:
    made = make(school, generate_static_content, content_type="worksheet", topic="שברים", grade="ד")
    qa = open_content(context(school), made["contentId"]).content.qa
    assert qa is not None and (qa.errors, qa.warnings, made["notes"]) == (0, 0, [])
    asked = "סמן את המספר הגדול." + " ועוד." * 3
    told = by_model(
        school, generate_static_content,
        {"sections": [{"heading": "משימה", "text": asked}]}, content_type="letter", topic="מספרים",
    )  # fmt: skip
    qa = open_content(context(school), told["contentId"]).content.qa
    assert qa is not None and qa.codes == {"gendered": 1}
    assert told["notes"] == ["בבדיקת האיכות נמצא ממצא אחד."]


def test_a_model_that_gives_nothing_is_said_to_have_had_no_part(school: Client) -> None:
    made = by_model(
        school, generate_static_content, {"items": []}, content_type="worksheet", topic="שברים",
        grade="ד",
    )  # fmt: skip
    assert made["generator"] == "offline" and len(made["blocks"]) == 10
    assert made["notes"][0].startswith("המודל לא ענה")


def test_variants_keep_the_answer_and_are_of_ones_own_question(school: Client) -> None:
    made = make(school, generate_variants, block_id="draft-001", count=1)
    assert [each["variantType"] for each in made["variants"]] == ["havana", "haamaka"]
    assert made["title"].endswith(", גרסאות לשאלה 1")
    opened = open_content(context(school), made["contentId"])
    assert opened.content.variant_of == "draft-001"
    easy, hard = read_items(opened).values()
    assert (easy.block.level, easy.key.correct) == ("support", ["a"])
    assert (hard.block.kind, hard.key.value) == ("numeric", "3/4")
    for uid in ("dov", "ben"):
        with pytest.raises(PermissionDenied):
            make(school, generate_variants, uid, key=uid, block_id="draft-001")
    with pytest.raises(InvalidArgument):
        make(school, generate_variants, key="t", block_id="draft-004")


ADA = User("ada", Role.TEACHER)
PAGES = [["A title page."], RAIN.splitlines()]


def test_a_document_is_what_questions_are_made_of_with_its_page(school: Client) -> None:
    library = Library(school)
    book = library.add(ADA, pdf(PAGES), "rain.pdf")
    made = make(
        school, generate_interactive_activity, product_type="lesson", topic="the water cycle",
        grade="ה", subject="science",
    )  # fmt: skip
    sources = [each["source"] for each in made["blocks"] if "source" in each]
    assert len(sources) > 4
    # One passage of two pages: which of them a sentence stands on is not known.
    assert {(each["documentId"], each["title"]) for each in sources} == {(book, "rain, עמ׳ 1–2")}
    assert not any("page" in each for each in sources)
    page = library.add(ADA, pdf([RAIN.replace("water", "winter").splitlines()]), "winter.pdf")
    made = make(
        school, generate_static_content, key="p", content_type="worksheet", topic="winter",
        document_id=page,
    )  # fmt: skip
    cited = {each["source"]["page"] for each in made["blocks"] if "source" in each}
    assert cited == {1}
    for uid in ("ben", "dov"):
        with pytest.raises(FailedPrecondition):
            make(
                school, generate_static_content, uid, key=uid, content_type="worksheet",
                topic="the water cycle",
            )  # fmt: skip
        with pytest.raises(NotFound):
            make(
                school, generate_static_content, uid, key=uid, content_type="worksheet",
                topic="the water cycle", document_id=book,
            )  # fmt: skip


def test_a_plan_and_a_podcast_of_mathematics_are_made_of_the_teachers_documents(
    school: Client,
) -> None:
    of_book = "שברים שווים הם שברים שערכם זהה בכל כפולה של המונה ושל המכנה באותו מספר."
    book = Library(school).add(ADA, f"# שברים\n{of_book}", "fractions.md")
    plan = {"content_type": "lesson_plan", "topic": "שברים"}
    made = make(school, generate_static_content, **plan)
    assert [each["source"]["documentId"] for each in made["blocks"] if "source" in each] == [book]
    script = make(school, generate_podcast_script, key="p", topic="שברים")
    assert of_book in [turn["text"] for turn in script["turns"]]
    worksheet = make(school, generate_static_content, key="w", topic="שברים", content_type="test")
    assert {each["basis"] for each in worksheet["blocks"]} == {"computed"}


def test_a_page_without_words_is_refused_and_an_injected_one_obeyed_by_nobody(
    school: Client,
) -> None:
    library = Library(school)
    scanned = library.add(ADA, pdf([[]]), "scanned.pdf")
    with pytest.raises(FailedPrecondition):
        make(
            school, generate_static_content, content_type="worksheet", topic="rain",
            document_id=scanned,
        )  # fmt: skip
    library.add(ADA, f"# Rain\n{INJECTED.text}\n{RAIN}", "injected.md")
    made = make(school, generate_static_content, content_type="worksheet", topic="rain")
    items = read_items(open_content(context(school), made["contentId"])).values()
    said = normal_text(f"{INJECTED.text} {RAIN}")
    for each in items:
        assert all(normal_text(text) in said for texts in each.key.gaps.values() for text in texts)
        assert each.key.value is None and each.block.basis == "cited"
    assert school.document("contents/draft").get().exists


@pytest.mark.parametrize(
    "given",
    [
        {"topic": "ש" * 10_000},
        {"topic": "   "},
        {"grade": "כיתה קסם"},
        {"subject": "קסמים"},
        {"contentType": "poem"},
        {"questionCount": 4_000},
        {"documentId": "not-there"},
        {"documentId": "a/b/c"},
        {"topic": "המהפכה", "passage": "?" * 12_001},
        {"topic": "המהפכה", "passage": "\x00"},
        {"topic": "המהפכה"},
    ],
)
def test_bad_input_is_refused_in_words(school: Client, given: dict[str, Any]) -> None:
    arguments = {"contentType": "worksheet", "topic": "שברים", "grade": "ד", **given}
    ctx = context(school, writes=True, locale="he")
    with pytest.raises(AgentError) as refused:
        Capability.of(generate_static_content).call(ctx, arguments)
    assert refused.value.code != "internal"
    if "grade" in given or "subject" in given:
        assert isinstance(refused.value, InvalidArgument) and "nearest" in refused.value.message


def by_model(db: Client, capability: Any, *replies: Any, key: str = "m", **given: Any) -> Any:
    ctx = context(db, writes=True, key=key, locale="he")
    author = Author(*replies)
    ctx.paid_text_model = lambda: author
    return write(ctx, capability, **given)


def test_a_models_text_is_cited_or_told_to_be_unverified(school: Client) -> None:
    quote = "אידוי הוא המעבר של מים ממצב נוזל למצב גז"
    sections = [
        {"heading": "מטרות", "text": "להבין מהו אידוי.", "passage": 1, "quote": quote},
        {"heading": "עוד", "text": "הים המלח הוא המקום הנמוך בעולם."},
    ]
    made = by_model(
        school, generate_static_content, {"sections": sections}, content_type="lesson_plan",
        topic="מחזור המים", grade="ה", passage=WATER,
    )  # fmt: skip
    assert [each["basis"] for each in made["blocks"]] == ["cited", "unverified"]
    assert made["unverified"] == 1 and "לא אומת" in made["banner"]
    levels = ["א", "ב", "ג", "ד"]
    rubric = by_model(
        school, generate_static_content,
        {"criteria": [{"criterion": name, "levels": levels} for name in ("דיוק", "סדר")]},
        key="r", content_type="rubric", topic="חיבור",
    )  # fmt: skip
    assert len(rubric["blocks"][0]["rows"]) == 3 and "banner" not in rubric


def test_a_models_podcast_says_which_turn_no_passage_says(school: Client) -> None:
    fact = "עיבוי הוא המעבר של אדי מים מגז לנוזל בעקבות קירור."
    invented = "בשנת אלף תשע מאות נמדדו שם שבעים סנטימטרים של גשם ביום אחד בלבד."
    turns = [
        {"host": 1, "text": "אז מהו עיבוי?"},
        {"host": 2, "text": fact, "passage": 1, "quote": fact},
        {"host": 2, "text": invented},
    ]
    made = by_model(
        school, generate_podcast_script, {"turns": turns}, topic="מחזור המים", passage=WATER
    )
    assert [turn["verified"] for turn in made["turns"]] == [True, True, False]
    assert made["turns"][1]["source"]["quote"] == fact
    assert made["unverified"] == 1 and made["banner"]


def test_a_models_variant_is_kept_only_with_the_originals_numbers(school: Client) -> None:
    rewrites = [
        {"stem": "כמה הם חצי ועוד 5?"},
        {"stem": "כמה הם חצי ועוד שליש?"},
        {"stem": "חצי ועוד רבע: כמה הם יחד?", "hint": "ציירו."},
    ]
    made = by_model(
        school, generate_variants, {"items": rewrites}, block_id="draft-001", variant_type="havana",
        count=2,
    )  # fmt: skip
    assert made["leftOut"] == 2 and made["generator"] == "model"
    assert made["variants"][0]["block"]["stem"] == "חצי ועוד רבע: כמה הם יחד?"
    assert made["variants"][1]["block"]["stem"] == ITEMS[0].block.stem
