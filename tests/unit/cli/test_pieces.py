from __future__ import annotations

import pytest

from rollcall_cli.pieces import Piece, Pieces, Stretch, begins_with_name, stretches

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
    Piece("Two things are **urgent**:", apart=True),
    Piece("- Sign the contract [1]\n  before noon", apart=True),
    Piece("- Call Dan [2]", apart=False),
    Piece("```\n- not an item\n\n```\nThat is all.", apart=True),
]


@pytest.mark.parametrize("size", [1, 3, 7, len(ANSWER)])
def test_pieces_are_the_same_however_the_text_arrives(size: int) -> None:
    pieces = Pieces()
    found = [
        piece for at in range(0, len(ANSWER), size) for piece in pieces.add(ANSWER[at : at + size])
    ]
    assert found + pieces.end() == PIECES


def test_rest_is_what_is_not_finished() -> None:
    pieces = Pieces()
    assert pieces.add("One.\n\nTwo begi") == [Piece("One.", apart=True)]
    assert pieces.rest == Piece("Two begi", apart=True)


def test_no_text_is_no_piece() -> None:
    pieces = Pieces()
    assert [*pieces.add("\n\n"), *pieces.end()] == []


def test_a_piece_is_cut_into_code_and_what_is_around_it() -> None:
    text = "- An item:\n  ```sh\n  ls\n    -la\n  ```\nThat is all."
    assert stretches(text) == [
        Stretch("- An item:", is_code=False),
        Stretch("```sh\nls\n  -la\n```", is_code=True),
        Stretch("That is all.", is_code=False),
    ]
    assert stretches("```\nnot ended") == [Stretch("```\nnot ended", is_code=True)]
    assert stretches("") == []


def test_an_item_that_begins_with_a_name_is_known() -> None:
    assert begins_with_name("- `a.py` (12 bytes)")
    assert begins_with_name("- \u2068`a.py`\u2069 (12)")
    assert not begins_with_name("- Maya")
