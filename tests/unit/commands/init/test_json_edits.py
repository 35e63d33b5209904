from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rollcall.commands.init import json_edits
from rollcall.emulators.jsonc import without_comments

COMMENTED = """{
    // what is deployed
    "functions": {"source": "backend"}, /* one codebase */
    "hosting": {
        "public": "web" // built by vite
    }
    // the end
}
"""


def test_a_member_goes_behind_the_last_one_and_leaves_its_comment_where_it_was() -> None:
    edited = json_edits.put_member(COMMENTED, ("hosting",), "rewrites", [])
    assert '"public": "web", // built by vite\n        "rewrites": []\n    }' in edited
    assert edited.replace('"web",', '"web"').replace('\n        "rewrites": []', "") == COMMENTED


def test_of_two_members_of_one_name_the_last_is_edited_which_is_the_one_that_counts() -> None:
    edited = json_edits.put_member('{"a": {"b": 1}, "a": {"c": 2}}', ("a",), "c", 3)
    assert edited == '{"a": {"b": 1}, "a": {"c": 3}}'


def test_an_object_on_one_line_stays_on_one_line() -> None:
    edited = json_edits.put_member(COMMENTED, ("functions",), "codebase", "api")
    assert '"functions": {"source": "backend", "codebase": "api"}, /* one codebase */' in edited


@pytest.mark.parametrize("length", [10, 200])
def test_a_text_is_written_as_one(length: int) -> None:
    edited = json_edits.put_member("{}", (), "policy", [{"value": "x" * length}])
    assert json.loads(edited) == {"policy": [{"value": "x" * length}]}


def test_a_value_becomes_the_one_item_of_a_list_with_its_comments() -> None:
    text = '{\n  "functions": {\n    "source": "f", // here\n\n    "runtime": "nodejs22"\n  }\n}\n'
    edited = json_edits.make_list(text, ("functions",))
    assert edited == (
        '{\n  "functions": [\n    {\n      "source": "f", // here\n\n'
        '      "runtime": "nodejs22"\n    }\n  ]\n}\n'
    )


def test_an_empty_list_with_a_comment_keeps_the_comment() -> None:
    text = '{\n  "indexes": [\n    // none yet\n  ]\n}\n'
    edited = json_edits.append_items(text, ("indexes",), [1])
    assert edited == '{\n  "indexes": [\n    // none yet\n    1\n  ]\n}\n'


def test_items_go_with_the_lines_they_stand_on() -> None:
    text = '{\n  "a": [\n    1,\n    2, // two\n    3\n  ]\n}\n'
    assert json_edits.remove_items(text, ("a",), [0, 2]) == '{\n  "a": [\n    2 // two\n  ]\n}\n'
    assert json_edits.remove_items("[1, 2, 3]", (), [1, 2]) == "[1]"
    assert json_edits.remove_items("[1]", (), [0]) == "[]"


def test_line_ends_and_tabs_are_as_in_the_rest_of_the_file() -> None:
    text = '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n'
    edited = json_edits.put_member(text, (), "c", ["נגן"])
    assert edited == (
        '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t},\r\n\t"c": [\r\n\t\t"נגן"\r\n\t]\r\n}\r\n'
    )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)


@given(OBJECTS, st.sampled_from([None, 2, "\t"]), VALUES)
def test_adding_a_member_adds_it_and_nothing_else(
    content: dict[str, object], indent: int | str | None, value: object
) -> None:
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    content.pop("new", None)
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    edited = json_edits.put_member(text, (), "new", value)
    assert json.loads(without_comments(edited)) == {**content, "new": value}


@given(st.lists(VALUES, min_size=1, max_size=5), st.sampled_from([None, 2]), st.data())
def test_removing_items_leaves_the_others(
    items: list[object], indent: int | None, data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.integers(0, len(items) - 1)))
    text = json.dumps({"a": items}, indent=indent)
    edited = json_edits.remove_items(text, ("a",), gone)
    kept = [item for place, item in enumerate(items) if place not in gone]
    assert json.loads(without_comments(edited)) == {"a": kept}
