from __future__ import annotations

import pytest

from rollcall_cli.markdown_stream import Block, MarkdownStream, Section, begins_with_name, sections

ANSWER = (
    "Two things are **urgent**:\n"
    "\n"
    "- Sign the contract [1]\n"
    "  before noon\n"
    "- Call Dan [2]\n"
    "\n"
    "```\n"
    "- not an item\n"
    "\n"
    "```\n"
    "That is all."
)
PIECES = [
    Block("Two things are **urgent**:", apart=True),
    Block("- Sign the contract [1]\n  before noon", apart=True),
    Block("- Call Dan [2]", apart=False),
    Block("```\n- not an item\n\n```\nThat is all.", apart=True),
]


@pytest.mark.parametrize("size", [1, 3, 7, len(ANSWER)])
def test_pieces_are_the_same_however_the_text_arrives(size: int) -> None:
    blocks = MarkdownStream()
    found = [
        block for at in range(0, len(ANSWER), size) for block in blocks.add(ANSWER[at : at + size])
    ]
    assert found + blocks.end() == PIECES


def test_rest_is_what_is_not_finished() -> None:
    blocks = MarkdownStream()
    assert blocks.add("One.\n\nTwo begi") == [Block("One.", apart=True)]
    assert blocks.rest == Block("Two begi", apart=True)


def test_no_text_is_no_piece() -> None:
    blocks = MarkdownStream()
    assert [*blocks.add("\n\n"), *blocks.end()] == []


def test_a_piece_is_cut_into_code_and_what_is_around_it() -> None:
    text = "- An item:\n  ```sh\n  ls\n    -la\n  ```\nThat is all."
    assert sections(text) == [
        Section("- An item:", is_code=False),
        Section("```sh\nls\n  -la\n```", is_code=True),
        Section("That is all.", is_code=False),
    ]
    assert sections("```\nnot ended") == [Section("```\nnot ended", is_code=True)]
    assert sections("") == []


def test_an_item_that_begins_with_a_name_is_known() -> None:
    assert begins_with_name("- `a.py` (12 bytes)")
    assert begins_with_name("- \u2068`a.py`\u2069 (12)")
    assert not begins_with_name("- Maya")
