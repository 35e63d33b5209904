"""Questions over two uploaded PDFs, one of them Hebrew, that do not say "document": the right page
is among the first three sources, and questions about the code stay the code's."""

from __future__ import annotations

import re

import pytest
from google.cloud.firestore import Client

from packs.electrical.nec_search import search_nec
from packs.knowledge.documents import search_documents
from rollcall.core.capability import Capability
from tests.support.knowledge import ANN, Library
from tests.support.pdfs import Line, pdf

SPECIFICATION = [
    ["Riverside Clinic", "Electrical specification", "Division 26"],
    [
        ("Section 26 05 19 Low-voltage conductors", 14),
        "Feeders are XHHW-2 copper; branch circuits are THHN in EMT.",
        "Insulation resistance of each feeder is at least 100 megohms at 1000 V for one minute.",
    ],
    [
        ("Section 26 05 26 Grounding", 14),
        "The resistance of the grounding system does not exceed 5 ohms.",
        "Ground rods are 3/4 in. by 10 ft copper-clad steel.",
    ],
    [
        ("Section 26 24 16 Panelboards", 14),
        "Lugs of feeder breakers are tightened to 250 lb-in and marked with red paint.",
        "Panelboards have 25 percent spare spaces and hinged trims.",
    ],
    [
        ("Section 26 32 13 Generator", 14),
        "The standby generator is 350 kW, diesel, with a base tank for 24 hours.",
        "Transfer switches transfer within 10 seconds.",
    ],
]
HEBREW = [
    ["בית ספר אלון", "מפרט מיוחד לעבודות חשמל"],
    [
        "פרק 08.01 הארקה",
        "התנגדות ההארקה של הבניין לא תעלה על 5 אוהם.",
        "אלקטרודת יסוד תותקן לפני היציקה.",
    ],
    [
        "פרק 08.02 כבלים",
        'כבלים ראשיים יהיו מסוג XLPE בחתך 95 ממ"ר.',
        "התנגדות הבידוד תהיה 10 מגה אוהם לפחות.",
    ],
    ["פרק 08.03 תאורה", "עוצמת ההארה בכיתות תהיה 500 לוקס.", "תאורת החירום תפעל 90 דקות."],
    ["פרק 08.04 גנרטור", 'גנרטור החירום יהיה בהספק 250 קו"א עם מיכל דלק ל-12 שעות.'],
]

QUESTIONS = [
    ("What insulation resistance must the feeders have?", "clinic", 2),
    ("How tight are the lugs of feeder breakers?", "clinic", 4),
    ("Which ground rods do we use here?", "clinic", 3),
    ("How long does the generator run on its base tank?", "clinic", 5),
    ("How many spare spaces do panelboards have?", "clinic", 4),
    ("מה התנגדות ההארקה המרבית בבניין?", "school", 2),
    ("מה חתך הכבלים הראשיים?", "school", 3),
    ("כמה לוקס נדרשים בכיתות?", "school", 4),
    ("כמה דקות תפעל תאורת החירום?", "school", 4),
    ("מה הספק הגנרטור?", "school", 5),
]
OF_THE_CODE = [
    ("GFCI for dishwashers", ["422.5", "210.8"]),
    ("What is article 250 about?", ["250"]),
    ("working space in front of a panel", ["110.26"]),
    ("size of the equipment grounding conductor", ["250.122"]),
]


def visual_line(line: str) -> Line:
    """A Hebrew line as browsers and word processors draw it: each run by itself, from the left,
    its Hebrew letters in the order in which they are seen."""
    runs = re.findall(r"[A-Za-z0-9][A-Za-z0-9.\-/]*|[^A-Za-z0-9]+", line)
    left, parts = 60, []
    for run in reversed(runs):
        is_hebrew = re.search("[א-ת]", run) is not None
        parts.append((left, run[::-1] if is_hebrew or not run[0].isalnum() else run))
        left += 6 * len(run)
    return parts


@pytest.fixture(scope="module")
def library(module_db: Client) -> Library:
    """One for all tests, which only read."""
    library = Library(module_db)
    library.add(ANN, pdf(SPECIFICATION), "clinic.pdf")
    library.add(ANN, pdf([[visual_line(line) for line in page] for page in HEBREW]), "school.pdf")
    return library


def test_the_right_page_is_among_the_first_three_sources(library: Library) -> None:
    for question, document, page in QUESTIONS:
        ctx = library.ctx(ANN)
        search_nec(ctx, query=question)
        first = [(each.title, each.page) for each in ctx.citations[:3]]
        assert (document, page) in first, question


def test_a_question_about_the_code_is_not_drowned_by_documents(library: Library) -> None:
    for question, numbers in OF_THE_CODE:
        ctx = library.ctx(ANN)
        found = search_nec(ctx, query=question)
        assert [each.number for each in found.articles[: len(numbers)]] == numbers, question
        assert [each.article for each in ctx.citations[: len(numbers)]] == numbers, question


def test_numbers_of_a_hebrew_pdf_stand_where_they_are_read(library: Library) -> None:
    texts = [each.text for each in search_nec(library.ctx(ANN), query="התנגדות הארקה").passages]
    assert any("לא תעלה על 5 אוהם." in text for text in texts)


def test_a_direct_call_has_its_table_and_its_sources(library: Library) -> None:
    found = Capability.of(search_nec).call(library.ctx(ANN), {"query": QUESTIONS[0][0]})
    assert found["display"]["type"] == "table" and found["display"]["rows"]
    assert (found["sources"][0]["title"], found["sources"][0]["page"]) == ("clinic", 2)
    of_documents = Capability.of(search_documents).call(library.ctx(ANN), {"query": "ground rods"})
    assert of_documents["display"]["rows"] and of_documents["citations"][0]["page"] == 3
