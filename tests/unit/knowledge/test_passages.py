"""Pages cut into passages: no text lost, pages right, headings found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollcall.knowledge.pages import Page
from rollcall.knowledge.passages import (
    MAX_CHARS,
    Heading,
    Piece,
    markdown_heading,
    printed_heading,
    split,
)
from tests.support.for_every import for_every

LINES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=120),
    st.sampled_from(
        [
            "",
            "3.2 Grounding",
            "ARTICLE 250 Grounding",
            "# Top",
            "## Below",
            "```",
            "פרק 3",
            "word. ",
        ]
    ),
    st.integers(1, 4_000).map(lambda count: "long " * (count // 5) + "x" * (count % 7)),
    st.integers(1_400, 4_000).map(lambda count: "x" * count),
)
PAGES = st.lists(st.lists(LINES, max_size=40).map("\n".join), max_size=6)


def pages(texts: list[str], *, large: frozenset[int] = frozenset()) -> list[Page]:
    return [Page(number, text, large) for number, text in enumerate(texts, start=1)]


def without_spaces(text: str) -> str:
    return "".join(text.split())


@given(PAGES, st.booleans())
def test_no_letter_is_lost_or_moved(texts: list[str], markdown: bool) -> None:
    pieces = list(split(pages(texts), markdown=markdown))
    assert without_spaces("".join(each.text for each in pieces)) == without_spaces("".join(texts))


@given(PAGES, st.booleans())
def test_no_passage_is_too_long_or_empty(texts: list[str], markdown: bool) -> None:
    for piece in split(pages(texts), markdown=markdown):
        assert piece.text.strip()
        assert len(piece.text) <= MAX_CHARS


@given(st.lists(st.lists(st.integers(0, 30), max_size=30), max_size=8))
def test_a_passages_pages_are_those_its_words_stand_on(counts: list[list[int]]) -> None:
    """Every word says which page it is on."""
    texts = [
        "\n".join(f"page{number} " * words for words in lines)
        for number, lines in enumerate(counts, start=1)
    ]
    for piece in split(pages(texts)):
        told = {int(word.removeprefix("page")) for word in piece.text.split()}
        assert (piece.page_from, piece.page_to) == (min(told), max(told))


def test_files_without_pages_give_passages_without() -> None:
    (piece,) = split([Page(None, "One line.")])
    assert (piece.page_from, piece.page_to) == (None, None)


def test_markdown_headings_make_a_path() -> None:
    text = "# Manual\nIntro.\n## Safety\nFirst.\n### Gloves\nWear them.\n## Tools\nA hammer."
    found = [
        (each.headings, each.text.split("\n")[-1]) for each in split(pages([text]), markdown=True)
    ]
    assert found == [
        (("Manual",), "Intro."),
        (("Manual", "Safety"), "First."),
        (("Manual", "Safety", "Gloves"), "Wear them."),
        (("Manual", "Tools"), "A hammer."),
    ]


def test_a_mark_inside_a_code_block_is_no_heading() -> None:
    text = "# Use\n```\n# a comment\n```\nDone."
    (piece,) = split(pages([text]), markdown=True)
    assert piece.headings == ("Use",)


def test_headings_right_behind_one_another_belong_to_what_follows() -> None:
    text = (
        "Chapter 2\nARTICLE 250 Grounding and Bonding\n250.66 Size of the Conductor\nIt is sized."
    )
    (piece,) = split(pages([text]))
    assert piece.headings == (
        "Chapter 2",
        "ARTICLE 250 Grounding and Bonding",
        "250.66 Size of the Conductor",
    )


def body(sentence: str, *, chars: int) -> str:
    return "\n".join([sentence] * (chars // len(sentence)))


def test_a_passage_ends_where_a_heading_begins() -> None:
    text = (
        body("The first part says this.", chars=400)
        + "\n3.2 Grounding\n"
        + body("More.", chars=300)
    )
    first, second = split(pages([text]))
    assert first.headings == ()
    assert second.headings == ("3.2 Grounding",)
    assert second.text.startswith("3.2 Grounding\n")


def test_a_long_section_is_cut_between_sentences_and_keeps_its_heading() -> None:
    text = "3.2 Grounding\n" + body("Each of these sentences ends with a full stop.", chars=5_000)
    found = list(split(pages([text])))
    assert {each.headings for each in found} == {("3.2 Grounding",)}
    assert all(each.text.endswith(".") for each in found)
    assert all(1_000 <= len(each.text) <= MAX_CHARS for each in found[:-1])


def test_a_passage_may_run_over_a_page_end() -> None:
    found = list(split(pages(["A sentence that goes on", "upon the next page."])))
    assert found == [Piece((), 1, 2, "A sentence that goes on\nupon the next page.")]


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
