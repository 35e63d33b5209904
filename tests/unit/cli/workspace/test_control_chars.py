from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rollcall_cli.workspace.control_chars import (
    ControlFilter,
    invisible_char,
    strip_controls,
    visible,
)
from tests.support.for_every import for_every

SEQUENCES = [
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x1b[2J\x1b[1;1Hgone", "gone"),
    ("\x1b[?1049hother\x1b[?25l", "other"),
    ("\x1b]0;title\x07text", "text"),
    ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("\x1b]52;c;ZXZpbA==\x07paste", "paste"),
    ("\x1bPq#0\x1b\\sixel", "sixel"),
    ("\x1b(0line\x1b(B", "line"),
    ("\x9b31mred", "red"),
    ("\x1bcreset", "reset"),
    ("bell\x07 back\x08\x08 del\x7f", "bell back del"),
    ("10%\r50%\rdone\r\nnext", "10%\n50%\ndone\nnext"),
    ("a\tb\nc", "a\tb\nc"),
    ("\u202eabc\u2066", "abc"),
    ("half \ud800 pair", "half ? pair"),
    ("שלום 😀", "שלום 😀"),
    ("\x1b[", ""),
]


@for_every(("text", "shown"), SEQUENCES)
def test_escape_sequences_and_controls_are_gone(text: str, shown: str) -> None:
    assert strip_controls(text) == shown


@for_every(("text", "shown"), SEQUENCES)
def test_sequences_cut_in_two_are_gone_too(text: str, shown: str) -> None:
    for cut in range(len(text) + 1):
        pieces = ControlFilter()
        assert pieces.feed(text[:cut]) + pieces.feed(text[cut:]) + pieces.end() == shown


HOSTILE = st.text(alphabet="\x1b[]PX^_\\;0?1m\x07\x9b\x9c\r\n\x00ab\u202e\ud800ש")


@given(HOSTILE)
def test_no_text_leaves_a_control_behind(text: str) -> None:
    for shown in (strip_controls(text), visible(text)):
        assert not invisible_char(shown)
        assert "\x1b" not in shown


@given(st.lists(HOSTILE))
def test_no_way_of_cutting_leaves_a_control_behind(pieces: list[str]) -> None:
    taken = ControlFilter()
    shown = "".join([taken.feed(piece) for piece in pieces]) + taken.end()
    assert not invisible_char(shown)


def test_a_sequence_without_end_is_not_kept_forever() -> None:
    taken = ControlFilter()
    given_back = sum(len(taken.feed("x" * 1000)) for _ in range(100) if taken)
    taken.feed("\x1b]0;")
    for _ in range(100):
        given_back += len(taken.feed("y" * 1000))
    assert given_back > 190_000


@for_every(
    "space",
    "\u00a0\u1680\u2003\u202f\u2800\u3000\u1160\u034f\u180b\u200c\u200d\ufe00\ufe0f\ufff5\U0001bca0\U0001d173",
)
def test_what_looks_like_a_space_or_like_nothing_is_written_out(space: str) -> None:
    assert visible(f"rm -rf build{space}/tmp") == f"rm -rf build<U+{ord(space):04X}>/tmp"
