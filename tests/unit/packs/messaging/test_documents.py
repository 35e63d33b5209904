"""Conversations and messages as stored."""

from __future__ import annotations

import pytest

from packs.messaging.documents import Conversation

NAMES = {"n": "Noa Levi", "t": "Tom Becker"}


@pytest.mark.parametrize(
    ("name", "reader", "title"),
    [
        ("Tom Becker", "n", "Tom Becker"),
        ("Tom Becker", "t", "Noa Levi"),
        ("Flat 7", "t", "Flat 7"),
        ("", "n", "Tom Becker"),
        ("", "", "Noa Levi, Tom Becker"),
    ],
)
def test_a_conversation_has_the_title_that_its_reader_expects(
    name: str, reader: str, title: str
) -> None:
    assert Conversation("c", name, ("n", "t"), NAMES).title(reader) == title


def test_who_is_left_alone_still_sees_its_name() -> None:
    assert Conversation("c", "Tom Becker", ("t",), {"t": "Tom Becker"}).title("t") == "Tom Becker"
    assert Conversation("c", "", ("t",), {}).title("t") == ""
