"""Contents as pages to print."""

from __future__ import annotations

from random import Random

import pytest

from packs.education.blocks import choices, item
from packs.education.documents import sheet
from packs.education.exports import file_name
from rollcall.render import sheet as parts
from rollcall.render import word
from rollcall.render.pages import pdf
from tests.support.full_form import amount
from tests.support.packs.education.activities import KINDS, content, random_item, random_items

ITEMS = [random_item(Random(n), kind, 0) for n, kind in enumerate(KINDS)]
QUESTION = item(
    "choice",
    "כמה הם 120 − 30?",
    options=choices(["80", "90"]),
    key={"correct": ["b"], "check": "120 - 30", "feedback": "חיסור"},
    points=5,
    source={"title": "ספר", "page": 7},
    basis="unverified",
)


def texts(blocks: list[parts.Block]) -> list[str]:
    return [each.text for each in blocks if isinstance(each, parts.Paragraph)]


def test_the_key_is_on_a_page_of_its_own_with_check_reason_and_source() -> None:
    made = sheet(content("test", items=[QUESTION]), [QUESTION])
    at = made.blocks.index(parts.PageBreak())
    question, key = made.blocks[at - 1], made.blocks[at + 2]
    assert isinstance(question, parts.Item) and question.note == "(5 נקודות)"
    assert isinstance(key, parts.Item)
    lines = ["ב. 90", "120 − 30", "חיסור", "ספר, עמ׳ 7", "התשובה הזאת לא נבדקה."]
    assert texts(key.blocks) == lines


def test_a_key_shows_sums_with_the_signs_of_schoolbooks_and_no_check_that_is_a_word() -> None:
    cloze = item("cloze", "2/3 = {{1}}/9", key={"gaps": {"1": ["6"]}, "check": "2 * 9 / 3"})
    order = item(
        "order",
        "סדרו מהקטן לגדול.",
        options=choices(["2", "1"]),
        key={"correct": ["b", "a"], "check": "ascending"},
    )
    told = item(
        "numeric", "6 × 2 =", key={"value": "12", "check": "6 * 2", "feedback": "6 × 2 = 12"}
    )
    made = sheet(content("test"), [cloze, order, told])
    keys = [each for each in made.blocks if isinstance(each, parts.Item)][3:]
    assert [texts(each.blocks) for each in keys] == [
        ["6", "2 × 9 : 3"],
        ["1. 1", "2. 2"],
        ["12", "6 × 2 = 12"],
    ]


def test_plans_rubrics_and_letters_name_their_standards_and_feedback_does_not() -> None:
    text = item("text", "## מהלך\nפתיחה")
    named = {"lesson_plan": True, "rubric": True, "letter": True, "feedback": False}
    for kind, is_named in named.items():
        blocks = sheet(content(kind), [text], standards=["תקן בדוי"]).blocks
        assert (parts.List(["תקן בדוי"]) in blocks) is is_named


def test_a_worksheet_has_a_name_line_and_a_lesson_plan_has_none() -> None:
    plan = item("text", "## מהלך\nפתיחה\n- דיון\n- סיכום")
    assert any(isinstance(each, parts.Fields) for each in sheet(content(), ITEMS).blocks)
    blocks = sheet(content("lesson_plan"), [plan], banner="טיוטה").blocks
    assert not any(isinstance(each, parts.Fields) for each in blocks)
    assert blocks[1:] == [
        parts.Paragraph("טיוטה", "note"),
        parts.Heading("מהלך", 2),
        parts.Paragraph("פתיחה"),
        parts.List(["דיון", "סיכום"]),
    ]


def test_a_rubric_is_a_table_of_levels_and_criteria() -> None:
    rows = [["קריטריון", "מצטיין", "טוב"], ["תוכן", "מלא", "חלקי"]]
    blocks = sheet(content("rubric"), [item("table", "מחוון", rows=rows)]).blocks
    assert parts.Table(rows[0], [list(rows[1])]) in blocks


def test_cards_are_a_table_of_their_two_sides_and_a_picture_is_told_by_its_text() -> None:
    cards = item("cards", "כרטיסיות", cards=[{"front": "1/2", "back": "חצי"}])
    picture = item("image", "", image={"fileId": "f", "alt": "עיגול"})
    blocks = sheet(content("lesson"), [cards, picture]).blocks
    assert parts.Table(["צד אחד", "צד שני"], [["1/2", "חצי"]]) in blocks
    assert parts.Paragraph("עיגול", "note") in blocks


def test_numeric_questions_have_room_to_work_and_open_ones_lines() -> None:
    made = sheet(content("test", items=ITEMS), ITEMS)
    by_kind = dict(zip(KINDS, [b for b in made.blocks if isinstance(b, parts.Item)], strict=False))
    assert any(isinstance(each, parts.Space) for each in by_kind["numeric"].blocks)
    assert any(isinstance(each, parts.Lines) for each in by_kind["open"].blocks)
    assert "________" in texts(by_kind["cloze"].blocks)[0]


def test_a_match_is_printed_the_same_way_each_time_and_its_key_fits_the_letters() -> None:
    match = ITEMS[KINDS.index("match")]
    first, second = (sheet(content(items=[match]), [match]) for _ in range(2))
    assert first == second
    question, key = (each for each in first.blocks if isinstance(each, parts.Item))
    (table,) = (each for each in question.blocks if isinstance(each, parts.Table))
    right = {str(row[1])[0]: str(row[1])[3:] for row in table.rows}
    targets = {each.id: each.text for each in match.block.targets}
    for pair, option in zip(texts(key.blocks)[0].split("; "), match.block.options, strict=True):
        assert right[pair.split(" – ")[1]] == targets[match.key.pairs[option.id]]


@pytest.mark.long
def test_texts_that_formats_trip_over_are_printed() -> None:
    items = random_items(Random(1), amount(8, full=30), nasty=1)
    made = sheet(content("test", items=items), items)
    assert pdf(made)[:5] == b"%PDF-" and word.docx(made)[:2] == b"PK"


def test_a_title_becomes_a_files_name() -> None:
    assert file_name("שברים / כיתה ד: 1/2") == "שברים-כיתה-ד-1-2"
    assert file_name("../..") == "content"


@pytest.mark.parametrize("texts", [["1", "2"], ["1", "1", "2"]])
def test_an_order_is_never_printed_in_its_right_order(texts: list[str]) -> None:
    options = choices(texts)
    right = [option.id for option in options]
    for n in range(20):
        order = item("order", f"סדרו {n}", options=options, key={"correct": right}, points=1)
        printed = repr(sheet(content("test", items=[order]), [order]))
        assert 0 < printed.index("____  2") < printed.rindex("____  1")
