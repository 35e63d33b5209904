"""Hebrew that comes out of a PDF backwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rollcall.knowledge.pages import Page
from rollcall.knowledge.pdf import TextRun, lines_in_order, read_pdf
from tests.support.pdfs import Line, file_of, pdf, stream


def in_reading_order(text: str) -> str:
    return "\n".join(lines_in_order([TextRun(text, 10.0, 0.0)]))


@pytest.mark.parametrize(
    ("backwards", "readable_line"),
    [
        ("ןיינבה לש הקראהה", "ההארקה של הבניין"),
        ("AWG 12 ךילומ", "מוליך AWG 12"),
        ("(310.16 הלבט) םיליבכה", "הכבילים (טבלה 310.16)"),
        ("14 12 םיכילומ", "מוליכים 12 14"),
        (".120V אוה חתמה", "המתח הוא 120V."),
    ],
)
def test_a_line_is_turned_and_what_is_read_from_the_left_is_not(
    backwards: str, readable_line: str
) -> None:
    assert in_reading_order(backwards) == readable_line


@pytest.mark.parametrize(
    "text",
    [
        "ההארקה של הבניין",
        "המוליכים של הלוח, AWG 12 (טבלה 310.16).",
        "The earthing conductor, 12 AWG",
        "",
    ],
)
def test_what_is_in_order_stays_as_it_is(text: str) -> None:
    assert in_reading_order(text) == text


def test_a_line_in_which_nothing_tells_goes_by_its_page() -> None:
    assert in_reading_order("ןיינבה לש הקראה\nחול") == "הארקה של הבניין\nלוח"
    assert in_reading_order("הארקה של הבניין\nלוח") == "הארקה של הבניין\nלוח"


def test_a_page_may_have_lines_of_both_kinds() -> None:
    line = "ההארקה של הבניין"
    assert in_reading_order(f"{line}\n{line[::-1]}") == f"{line}\n{line}"


@given(st.text(st.characters(codec="utf-8")))
@example(". א")  # the mark moves to the end, without its space
def test_no_letter_is_lost(text: str) -> None:
    def letters(text: str) -> list[str]:
        mirrored = text.translate(str.maketrans(")]}>»", "([{<«"))
        return sorted(each for each in mirrored if not each.isspace())

    assert letters(in_reading_order(text)) == letters(text)


def test_text_inside_a_form_is_read_once_and_keeps_its_size(tmp_path: Path) -> None:
    """A form is a drawing with a stream of its own, such as a letterhead."""
    form = stream(b"BT /F1 20 Tf 1 0 0 1 40 700 Tm (Letterhead) Tj ET")
    resources = b"<< /Font << /F1 5 0 R >> /XObject << /X1 6 0 R >> >>"
    content = (
        b"BT /F1 10 Tf 1 0 0 1 40 760 Tm (The usual text before) Tj ET /X1 Do "
        b"BT /F1 10 Tf 1 0 0 1 40 600 Tm (and the usual text after) Tj ET"
    )
    path = tmp_path / "a.pdf"
    path.write_bytes(
        file_of(
            [
                b"<< /Type /Catalog /Pages 2 0 R >>",
                b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
                b"/Resources " + resources + b" >>",
                stream(content),
                b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
                form.replace(
                    b"<< ",
                    b"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources "
                    b"<< /Font << /F1 5 0 R >> >> ",
                    1,
                ),
            ]
        )
    )
    (page,) = [each for each in read_pdf(path) if isinstance(each, Page)]
    lines = [line for line in page.text.split("\n") if line.strip()]
    assert lines == ["The usual text before", "Letterhead", "and the usual text after"]
    assert [page.text.split("\n")[number] for number in page.large] == ["Letterhead"]


@pytest.mark.parametrize(
    ("drawn", "readable_line"),
    [
        ([(100, ".םהוא "), (150, "5"), (160, " תודגנתה")], "התנגדות 5 אוהם."),
        ([(300, "התנגדות "), (250, "12"), (100, " אוהם.")], "התנגדות 12 אוהם."),
        (".םהוא 12 תודגנתה", "התנגדות 12 אוהם."),
        ("התנגדות 12 אוהם.", "התנגדות 12 אוהם."),
        ('.ר"ממ 2.5 ךתחב XLPE לבכ', 'כבל XLPE בחתך 2.5 ממ"ר.'),
        ([(100, "XLPE "), (140, "גוסמ לבכ")], "כבל מסוג XLPE"),
        ([(100, " לחנ"), (130, "AWG "), (160, "12 "), (200, "ךילומ")], "מוליך AWG 12 נחל"),
        ([(100, "Section "), (150, "5")], "Section 5"),
        (
            [(100, "םהוא "), (150, "1"), (155, "1"), (160, "0"), (170, " תודגנתה")],
            "התנגדות 110 אוהם",
        ),
        ([(100, 'ר"ממ '), (150, "2"), (155, "."), (160, "5"), (170, " ךתח")], 'חתך 2.5 ממ"ר'),
        (
            [(100, "קספמו "), (147, "."), (150, "400 A"), (190, " אוה חתמה")],
            "המתח הוא 400 A. ומפסק",
        ),
        ([(100, "חולה "), (150, "17"), (200, "24"), (250, " לש")], "של 24 17 הלוח"),
        ([(500, "גוס"), (340, "קפסה"), (180, "תומכ")], "סוג הספק כמות"),
        ([(500, "A"), (505, "1"), (340, "24 W"), (180, "17")], "A1 24 W 17"),
        ([(500, "גוף חירום"), (340, "8 W"), (180, "12")], "גוף חירום 8 W 12"),
    ],
)
def test_the_parts_of_a_line_are_in_the_order_in_which_they_are_read(
    tmp_path: Path, drawn: Line, readable_line: str
) -> None:
    """Letters in a file stand as they are seen (drawn from the left) or as they are read."""
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([[drawn]]))
    (page,) = [each for each in read_pdf(path) if isinstance(each, Page)]
    assert page.text.strip() == readable_line
