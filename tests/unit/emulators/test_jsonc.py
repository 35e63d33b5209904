from __future__ import annotations

import pytest

from rollcall.emulators.jsonc import parse


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  "a": 1,\n\n  b: 2\n}', "line 4: this is no JSON: Expecting property name"),
        ('{\n  "a" 1\n}', "line 2: this is no JSON: Expecting ':' delimiter"),
        ("[1 // one\n/* and\n*/ 2]", "line 3: this is no JSON: Expecting ',' delimiter"),
        ("{}\n{}", "line 2: this is no JSON: Extra data"),
        ("", "line 1: this is no JSON: Expecting value"),
    ],
)
def test_what_is_not_json_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        parse(text)


def test_values_are_found_where_they_stand() -> None:
    text = '\ufeff{\n  // "b": 0\n  "a": [1, {"b": "//"}],\n  "a": [2]\n}'
    root = parse(text)
    assert root.value == {"a": [2]}
    assert text[root.child("a").start : root.child("a").end] == "[2]"
    first = root.children[0][2].child(1).child("b")
    assert (first.value, text[first.start : first.end]) == ("//", '"//"')
