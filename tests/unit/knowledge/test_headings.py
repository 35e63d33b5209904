"""What counts as a heading."""

from __future__ import annotations

from rollcall.knowledge.headings import Heading, markdown_heading, printed_heading
from tests.support.rules import for_every


@for_every(
    ("line", "level"),
    [
        ("Chapter 3", 1),
        ("Appendix B: Tables", 1),
        ("פרק ג' הארקה", 1),
        ("ARTICLE 250", 2),
        ("Article 250 — Grounding and Bonding", 2),
        ("Section 4 Tests", 3),
        ("3.2 Grounding", 4),
        ("250.66 Size of Alternating-Current Grounding Electrode Conductor", 4),
        ("3.2.1 הארקת יסוד", 5),
        ("GENERAL REQUIREMENTS", 3),
        ("4 SCOPE", 3),
        ("GENERAL", 3),
    ],
)
def test_what_looks_like_a_heading_is_one(line: str, level: int) -> None:
    assert printed_heading(line, is_large=False) == Heading(level, line)


@for_every(
    "line",
    [
        "",
        "3",
        "12 AWG copper conductors",
        "3.31 mm²",
        "Section 250.66 requires that the conductor",
        "Chapter 3 of this manual says that",
        "3.2 Grounding ........................ 15",
        "3.2 Grounding is required where the voltage to ground exceeds 150 V.",
        "The equipment grounding conductor",
        "AWG",
        "BEGIN",
        "1. Turn off the power.",
        "SHALL BE INSTALLED,",
    ],
)
def test_what_goes_on_like_a_sentence_is_none(line: str) -> None:
    assert printed_heading(line, is_large=False) is None


def test_a_line_in_large_letters_is_a_heading_unless_it_ends_like_a_sentence() -> None:
    assert printed_heading("Grounding at home", is_large=True) == Heading(3, "Grounding at home")
    assert printed_heading("Grounding is safe.", is_large=True) is None
    assert printed_heading("7 Grounding at home", is_large=True) == Heading(
        3, "7 Grounding at home"
    )


@for_every(
    ("line", "heading"),
    [
        ("# Manual", Heading(1, "Manual")),
        ("### Wet  locations ##", Heading(3, "Wet locations")),
        ("## C#", Heading(2, "C#")),
        ("## ##", None),
        ("# ", None),
        ("# " + "#" * 100_000 + "x", Heading(1, "#" * 120)),
        ("#hashtag", None),
        ("####### seven", None),
        ("    # code", None),
        ("plain", None),
    ],
)
def test_markdown_marks_headings(line: str, heading: Heading | None) -> None:
    assert markdown_heading(line) == heading
