from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall_cli.partial_json import MAX_DEPTH, Change, NotJson, PartialJson, Path
from tests.support.for_every import for_every
from tests.support.full_form import amount

VALUES = [
    {},
    [],
    "",
    "x",
    0,
    -12.5e3,
    True,
    None,
    {"path": "src/קובץ.py", "content": 'a = "ש"\\\n\t\r\b\f/\u2028 😀\n', "n": [1, 2.5, {"": ""}]},
    [[], {}, [[["deep"]]], {"a": {"b": [None, False, -0, 1e-7]}}],
    {"halves": "\ud83d and \ude00 and \ud83d\ud83d", "pair": "😀"},
    {"same": 1, "again": {"same": 2}},
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def _read(pieces: list[str]) -> tuple[Any, dict[Path, str]]:
    """The whole value, and each text as its changes add up to."""
    reader = PartialJson()
    texts: dict[Path, str] = {}
    for piece in pieces:
        for change in reader.feed(piece):
            if change.text is not None:
                texts[change.path] = texts.get(change.path, "") + change.text
    return reader.end(), texts


def _texts(value: Any, path: Path = ()) -> dict[Path, str]:
    if isinstance(value, str):
        return {path: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return {
        at: text
        for key, inner in items
        if isinstance(inner, str | dict | list)
        for at, text in _texts(inner, (*path, key)).items()
    }


@for_every("value", VALUES)
@for_every("style", [{}, {"indent": 2}, {"ensure_ascii": False}])
def test_every_split_gives_what_json_loads_gives(value: Any, style: dict[str, Any]) -> None:
    text = json.dumps(value, **style)
    for size in range(1, len(text) + 1):
        read, texts = _read([text[at : at + size] for at in range(0, len(text), size)])
        assert read == json.loads(text)
        if isinstance(value, str | dict | list):
            assert texts == _texts(json.loads(text))
    for at in range(len(text)):
        assert _read([text[:at], "", text[at:]])[0] == json.loads(text)


@given(JSON, st.integers(1, 9), st.booleans())
def test_any_value_in_pieces_is_the_same(value: Any, size: int, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert _read([text[at : at + size] for at in range(0, len(text), size)])[0] == value


@given(st.text('{}[]",:\\u0ad8e+-.1tfn \n\x01ש'), st.integers(1, 5))
def test_what_json_loads_refuses_is_refused_and_nothing_else(text: str, size: int) -> None:
    try:
        expected: Any = json.loads(text)
    except ValueError:
        with pytest.raises(NotJson):
            _read([text[at : at + size] for at in range(0, len(text), size)])
    else:
        assert _read([text[at : at + size] for at in range(0, len(text), size)])[0] == expected


def test_text_comes_as_it_is_written() -> None:
    reader = PartialJson()
    assert reader.feed('{"path": "a.') == [Change(("path",), text="a.")]
    assert reader.feed('py", "content": "one\\') == [
        Change(("path",), text="py", done=True),
        Change(("content",), text="one"),
    ]
    assert reader.feed("ntwo\\ud8") == [Change(("content",), text="\ntwo")]
    assert reader.feed("3d\\ude") == []
    assert reader.feed('00"') == [Change(("content",), text="😀", done=True)]
    assert reader.feed(', "n": [1, tru') == [Change(("n", 0), value=1, done=True)]
    assert reader.feed("e]}") == [Change(("n", 1), value=True, done=True)]
    assert reader.end() == {"path": "a.py", "content": "one\ntwo😀", "n": [1, True]}


def test_a_pair_cut_in_two_unescaped_halves_is_one_character() -> None:
    reader = PartialJson()
    assert reader.feed('"\ud83d') == []
    assert reader.feed('\ude00"') == [Change((), text="😀", done=True)]


@for_every(
    ("text", "words"),
    [
        ("{'a': 1}", 'character 1: "\'" where key or } is due'),
        ('{"a" 1}', "'1' where : is due"),
        ('{"a": 1,}', "'}' where key is due"),
        ("[1,]", "']' where value is due"),
        ("[1 2]", "'2' where , or ] is due"),
        ('"a\nb"', "character 2: a control character"),
        ('"\\x"', "unknown escape \\x"),
        ('"\\u12g4"', "four hexadecimal digits"),
        ("01", "'01' is no value"),
        ("[NaN]", "'NaN' is no value"),
        ("[" + "9" * 401, "a number of more than 400 characters"),
        ("{} {}", "'{' where end is due"),
    ],
)
def test_what_is_no_json_is_refused_with_where_and_why(text: str, words: str) -> None:
    with pytest.raises(NotJson) as refused:
        _read([*text, " "])
    assert words in str(refused.value)


def test_after_an_error_nothing_more_is_taken() -> None:
    reader = PartialJson()
    with pytest.raises(NotJson):
        reader.feed("]")
    with pytest.raises(NotJson):
        reader.feed("{}")
    with pytest.raises(NotJson):
        reader.end()


@pytest.mark.parametrize("text", ["", "{", '{"a"', '"a', '"\\u12', "[1,", "-", "tru"])
def test_json_that_ends_too_early_is_refused_at_its_end(text: str) -> None:
    reader = PartialJson()
    reader.feed(text)
    with pytest.raises(NotJson):
        reader.end()


def test_depth_is_bounded() -> None:
    deep = "[" * MAX_DEPTH
    assert _read([deep + "]" * MAX_DEPTH])[0]
    with pytest.raises(NotJson, match="deeper than 64 levels"):
        _read([deep, "["])


@pytest.mark.long
def test_a_long_value_in_small_deltas_takes_as_long_at_its_end_as_at_its_beginning() -> None:
    line = 'print("שלום\\n")\n'
    content = line * (amount(300_000, full=1_000_000) // len(line.encode()))
    text = json.dumps({"path": "a.py", "content": content}, ensure_ascii=False)
    deltas = [text[at : at + 4] for at in range(0, len(text), 4)]
    quarter = len(deltas) // 4 + 1

    def growth() -> float:
        """How many times as long the last quarter takes as the first."""
        reader, seconds = PartialJson(), []
        for start in range(0, len(deltas), quarter):
            began = time.process_time()
            for delta in deltas[start : start + quarter]:
                reader.feed(delta)
            seconds.append(time.process_time() - began)
        assert reader.end()["content"] == content
        return seconds[-1] / seconds[0]

    # Seven times would be quadratic, in each attempt; a machine's pause is in one of them.
    assert any(growth() < 3 for _ in range(5))
