"""Contents as QTI and GIFT, read back by other programs."""

from __future__ import annotations

import io
import zipfile
from random import Random

from lxml import etree

from packs.education.blocks import choices, item
from packs.education.gift import escaped, questions
from packs.education.qti import package
from tests.support.packs.education.activities import content, random_items
from tests.support.packs.education.exchange_formats import (
    gift_differences,
    parse_gift,
    qti_problems,
)

ACTIVITIES = [random_items(Random(n), 8) for n in range(12)]
FORMULA = item(
    "choice", "חשבו: 120 − 30", options=choices(["90", "9 cm"]), key={"correct": ["a"]}, points=3
)


def test_packages_are_valid_and_every_reference_in_them_holds() -> None:
    for items in ACTIVITIES:
        assert qti_problems(package(content(items=items), items)) == []


def test_what_is_wrong_in_a_package_is_seen() -> None:
    made = package(content(items=[FORMULA]), [FORMULA])
    for old, new in (
        (b"<value>o-a</value>", b"<value>o-z</value>"),
        (b'responseIdentifier="RESPONSE"', b'responseIdentifier="ELSE"'),
        (b"<prompt>", b"<p/><prompt>"),
        (b'href="items/item-001.xml"', b'href="items/item-002.xml"'),
        (b'maxChoices="1"', b""),
    ):
        changed = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(made)) as file, zipfile.ZipFile(changed, "w") as out:
            for name in file.namelist():
                data = file.read(name)
                out.writestr(name, data.replace(old, new) if name != "test.xml" else data)
        assert qti_problems(changed.getvalue())


def test_formulas_of_a_hebrew_item_stand_in_bdo() -> None:
    with zipfile.ZipFile(io.BytesIO(package(content(items=[FORMULA]), [FORMULA]))) as file:
        root = etree.fromstring(file.read("items/item-001.xml"))
    found = [(each.text, each.get("dir")) for each in root.iter("{*}bdo")]
    assert found == [("120 − 30", "ltr"), ("90", "ltr"), ("9 cm", "ltr")]
    assert root.find("{*}itemBody").get("dir") == "rtl"


def test_a_picture_is_told_by_its_text() -> None:
    picture = item("image", "", image={"fileId": "f", "alt": "עיגול"})
    made = package(content(), [picture])
    assert qti_problems(made) == []
    found = zipfile.ZipFile(io.BytesIO(made)).read("items/item-001.xml")
    assert "עיגול" in found.decode()


def test_gift_is_parsed_to_the_same_questions() -> None:
    files = [questions(content(items=items), items) for items in ACTIVITIES]
    for items, found in zip(ACTIVITIES, parse_gift(files), strict=True):
        assert gift_differences(items, found) == []


def test_gift_shows_formulas_in_their_order_and_takes_answers_without_marks() -> None:
    typed = item("cloze", "7 − {{1}} = 4 השלימו", key={"gaps": {"1": ["3 cm"]}})
    chosen = item("choice", "חשבו: 5 − 2 =", options=choices(["3 cm", "7"]), key={"correct": ["a"]})
    made = questions(content(), [typed, chosen])
    assert "[plain]\u20667 − {=3 cm} \\= 4\u2069 השלימו" in made
    assert "חשבו\\: \u20665 − 2 \\=\u2069{=\u20663 cm\u2069 ~\u20667\u2069}" in made
    assert "\u2066" not in questions(content(locale="en"), [chosen])


def test_gift_shows_a_numbers_unit_and_the_words_for_gaps() -> None:
    length = item("numeric", "מה האורך?", key={"value": "5"}, unit="cm")
    words = item(
        "cloze", "עיר: {{1}}", key={"gaps": {"1": ["חיפה"]}}, options=choices(["חיפה", "נהר"])
    )
    made = questions(content(), [length, words])
    assert "מה האורך?{#5:0} \u2066cm\u2069" in made
    assert made.rstrip().endswith(r"\nמחסן מילים\: חיפה · נהר")


def test_gifts_own_marks_are_escaped() -> None:
    assert escaped("a=b {x} ~#:\\\nc -> d") == r"a\=b \{x\} \~\#\:\\\nc → d"
    assert escaped("[html]50%") == "[plain][html]50%" and escaped("%5%x") == "[plain]%5%x"


def test_a_format_is_named_only_where_a_question_begins() -> None:
    gaps = {"correct": [], "gaps": {"1": ["תל אביב"]}}
    for stem in ("העיר {{1}} גדולה", "{{1}} היא עיר"):
        made = questions(content(), [item("cloze", stem, key=gaps, points=1)])
        (line,) = [each for each in made.split("\n") if each.startswith("::")]
        assert line.count("[plain]") == 1 and line.startswith("::001::[plain]")


def test_control_characters_leave_a_package_well_formed() -> None:
    odd = "a\x0bb\x00"
    gaps = {"correct": [], "gaps": {"1": [odd]}}
    items = [item("cloze", f"{{{{1}}}} {odd}", key=gaps, points=1)]
    assert qti_problems(package(content(items=items, title=odd, topic=odd), items)) == []
