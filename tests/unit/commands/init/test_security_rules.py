from __future__ import annotations

import pytest

from rollcall.commands.init import security_rules
from rollcall.commands.init.security_rules import find_openings, merge, read

COLLECTIONS = ("effects", "threads", "threads/{}/messages", "threads/{}/runs/{}/events")
BLOCK = "match /databases/{database}/documents {\n  match /threads/{t} {\n  }\n}"


def rules(body: str, *, version: str = "rules_version = '2';\n") -> str:
    return (
        f"{version}service cloud.firestore {{\n"
        f"  match /databases/{{database}}/documents {{\n{body}\n  }}\n}}\n"
    )


def open_collections(body: str, collections: tuple[str, ...] = COLLECTIONS) -> set[str]:
    openings = find_openings(read(rules(body)), collections)
    return {collection for opening in openings for collection in opening.collections}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("match /{document=**} { allow read; }", set(COLLECTIONS)),
        ("match /{ document = ** } { allow read, write: if isAdmin(); }", set(COLLECTIONS)),
        ("match /{collection}/{id} { allow get: if true; }", {"effects", "threads"}),
        ("match /{c}/{id}/{rest=**} { allow read; }", set(COLLECTIONS)),
        ("match /{a}/{b}/{c}/{d} { allow read; }", {"threads/{}/messages"}),
        ("match /{a} { match /{b} { allow write: if x(); } }", {"effects", "threads"}),
        ("match /{path=**}/messages/{m} { allow read; }", {"threads/{}/messages"}),
        ("match /{path=**}/events/{e} { allow read; }", {"threads/{}/runs/{}/events"}),
        ("match /{c}/welcome { allow read; }", {"effects", "threads"}),
        ("match /users/{u} { allow read; match /{rest=**} { allow read; } }", set()),
        ("match /users/{u}/messages/{m} { allow read; }", set()),
        ("match /{document=**} { allow read, write: if false; }", set()),
        ("match /{document=**} { }", set()),
        ("// match /{document=**} { allow read; }", set()),
        ("/* match /{document=**} { allow read; } */", set()),
        ("match /a/{x} { allow read: if x != 'match /{y=**} { allow read; }'; }", set()),
    ],
)
def test_wildcards_that_reach_our_collections_are_found(body: str, expected: set[str]) -> None:
    assert open_collections(body) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("c in ['users', 'posts']", set()),
        ("c in ['users', 'effects']", {"effects"}),
        ("!(c in ['effects', 'threads']) && signedIn()", set()),
        ("signedIn() && (c != 'effects')", {"threads"}),
        ("c != 'effects' && c != \"threads\"", set()),
        ("c != 'effects' || c != 'threads'", {"effects", "threads"}),
        ("!c.matches('(effects|threads)')", set()),
        ("c.matches('t.*')", {"threads"}),
        ("!(isAdmin())", {"effects", "threads"}),
        ("isAdmin() || false", {"effects", "threads"}),
        ("false && isAdmin()", set()),
        ("!true", set()),
        ("!(c == 'effects' || c == 'threads')", set()),
        ("!(c == 'effects' && isAdmin())", {"effects", "threads"}),
        ("c == 'users' == true", {"effects", "threads"}),
        ("id in ['one']", {"effects", "threads"}),
        ("resource.data.c in ['users']", {"effects", "threads"}),
    ],
)
def test_a_condition_on_the_collection_is_understood(condition: str, expected: set[str]) -> None:
    assert open_collections(f"match /{{c}}/{{id}} {{ allow read: if {condition}; }}") == expected


def test_a_condition_on_a_segment_of_a_recursive_wildcard_is_understood() -> None:
    assert open_collections("match /{d=**} { allow read: if d[0] in ['users']; }") == set()
    assert open_collections("match /{d=**} { allow read: if !(d[0] in ['threads']); }") == {
        "effects"
    }
    assert open_collections("match /{d=**} { allow read: if d[9] in ['users']; }") == set(
        COLLECTIONS
    )


def test_a_rule_for_all_databases_outside_documents_is_found() -> None:
    text = "rules_version='2';\nservice cloud.firestore {\n  match /{all=**} { allow read; }\n}\n"
    (opening,) = find_openings(read(text), COLLECTIONS)
    assert (opening.match.line, opening.collections) == (3, COLLECTIONS)


def test_a_path_from_the_root_is_found() -> None:
    text = (
        "rules_version='2';\nservice cloud.firestore {\n"
        "  match /databases/{database}/documents/{all=**} { allow read; }\n}\n"
    )
    (opening,) = find_openings(read(text), COLLECTIONS)
    assert opening.collections == COLLECTIONS


def test_rules_of_another_database_reach_nothing() -> None:
    text = rules("match /{d=**} { allow read; }").replace("{database}", "archive")
    assert find_openings(read(text), COLLECTIONS) == []


def test_an_opening_is_told_with_the_lines_of_match_and_allow() -> None:
    (opening,) = find_openings(
        read(rules("match /{c}/{d} {\n  allow read:\n    if true;\n  allow write: if false\n}")),
        COLLECTIONS,
    )
    assert (opening.match.line, opening.allow.line) == (4, 5)
    assert (opening.match.written, opening.allow.methods) == ("/{c}/{d}", "read")


def test_functions_and_maps_do_not_confuse_the_reader() -> None:
    body = """
    function isMine(x) { let m = {'a': 1}; return x == request.auth.uid && m.a == 1; }
    match /users/{u} {
      allow read: if isMine(u) && {'b': 2}.size() == 1
      allow write: if get(/databases/$(database)/documents/users/$(u)).data.ok
    }
    match /{d=**} { allow read: if isMine('x') }"""
    assert open_collections(body) == set(COLLECTIONS)
    (_, users, last) = read(rules(body)).matches
    assert [each.condition for each in users.allows] == [
        "isMine(u) && {'b': 2}.size() == 1",
        "get(/databases/$(database)/documents/users/$(u)).data.ok",
    ]
    assert last.allows[0].condition == "isMine('x')"


def test_collections_are_named_with_their_lines() -> None:
    body = """match /users/{u} {
      match /messages/{m} { allow read; }
    }
    match /{p=**}/notes/{n} { allow read; }
    match /files/{f}/{rest=**} { allow read; }"""
    assert security_rules.collection_lines(read(rules(body))) == {
        "users": 4,
        "users/{}/messages": 5,
        "{}**/notes": 7,
        "files": 8,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("service firebase.storage { }", "line 1: there is no `service cloud.firestore"),
        (rules("match /a/{b} { allow read;"), "line 6: a } is missing"),
        (rules("match users { allow read; }"), "line 4: `match` needs a path"),
        (rules("") + "// rollcall: begin\n", "line 7: Rollcall's block is one"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("rules_version = '2';\n", "2"),
        ('rules_version="1";\n', "1"),
        ("// rules_version = '2'\n", None),
    ],
)
def test_the_version_of_the_rules_is_read(line: str, version: str | None) -> None:
    assert read(rules("", version=line)).version == version


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_our_block_goes_to_the_end_of_the_service_and_is_replaced_there(newline: str) -> None:
    app = rules("    match /users/{u} { allow read; } // משתמשים").replace("\n", newline)
    merged = merge(app, BLOCK)
    begin, end = security_rules.block_place(merged)
    assert merged[:begin].rstrip() + newline + merged[end:] == app
    assert merge(merged, BLOCK) == merged
    changed = merge(merged, BLOCK.replace("threads", "rc_threads"))
    assert changed == merged.replace("threads", "rc_threads")
    assert "\n" not in merged.replace(newline, "")


def test_our_own_block_is_not_taken_for_the_apps_rules() -> None:
    wide = "match /databases/{database}/documents {\n  match /{d=**} { allow read; }\n}"
    assert find_openings(read(merge(rules(""), wide)), COLLECTIONS) == []


def test_rules_on_one_line_get_our_block_too() -> None:
    text = "rules_version = '2'; service cloud.firestore { match /a/{b} { allow read; } }"
    merged = merge(text, BLOCK)
    assert merge(merged, BLOCK) == merged
    assert read(merged).matches == read(text).matches


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "match /{d=**} { allow read, write: if request.time < timestamp.date(2026,1,2); }",
            True,
        ),
        ("match /{document=**} { allow read, write: if true; }", True),
        ("match /{document=**} { allow read, write: if isAdmin(); }", False),
        ("match /a/{b} { allow read; }\nmatch /{d=**} { allow read: if true; }", False),
    ],
)
def test_what_firebase_init_writes_is_recognised(body: str, expected: bool) -> None:
    assert security_rules.is_template(read(rules(body))) is expected
