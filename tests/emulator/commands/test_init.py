"""The rules that `init` writes into an app, on the emulator: they compile, and do what init
says."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest
from google.cloud.firestore import Client

from rollcall.commands.init import security_rules
from rollcall.commands.init.files import write
from rollcall.commands.init.plan import Plan
from rollcall.commands.rules import platform
from tests.support.local_functions import token
from tests.unit.commands.init.apps import make, wheel

# Helpers under the names that the platform's rules have, and with other meanings.
APP_RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    function signedIn() { return false; }
    function isOwner() { return request.auth.uid == 'ann'; }
    match /users/{user} {
      allow read: if isOwner();
      match /notes/{note} { allow read: if request.auth.uid == user; }
    }
  }
}
"""
Read = Callable[[str, str], int]


@pytest.fixture
def load(db: Client) -> Iterator[Callable[[str], Read]]:
    """Loads rules into the test's project, and answers with what reads a document as a user: the
    status code."""
    host = f"http://{os.environ['FIRESTORE_EMULATOR_HOST']}"
    with httpx2.Client(base_url=host, trust_env=False, timeout=30) as http:

        def read(uid: str, path: str) -> int:
            documents = f"/v1/projects/{db.project}/databases/(default)/documents"
            headers = {"Authorization": f"Bearer {token(uid)}"}
            return http.get(f"{documents}/{path}", headers=headers).status_code

        def load(rules: str) -> Read:
            files = [{"name": "firestore.rules", "content": rules}]
            answer = http.put(
                f"/emulator/v1/projects/{db.project}:securityRules",
                json={"rules": {"files": files}},
            )
            assert answer.status_code == 200, answer.text
            return read

        yield load


def init(root: Path, prefix: str | None = None) -> str:
    """Add Rollcall to an app, and return its rules."""
    write(root, Plan(root, wheel(), platform, prefix).changes)
    return (root / "firestore.rules").read_text()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("prefix", [None, "rc"])
def test_the_apps_rules_and_ours_stand_side_by_side(
    tmp_path: Path, db: Client, load: Callable[[str], Read], prefix: str | None, newline: str
) -> None:
    make(tmp_path, {"firestore.rules": APP_RULES.replace("\n", newline), "firebase.json": "{}"})
    read = load(init(tmp_path, prefix))
    before = f"{prefix}_" if prefix else ""
    thread = f"{before}threads/t"
    for path in (thread, f"{thread}/{before}messages/m", f"{before}effects/e"):
        db.document(path).set({"uid": "ben"})
    for path in ("users/ann", "users/ben", "users/ben/notes/n"):
        db.document(path).set({"uid": "nobody"})
    assert [read("ben", thread), read("ann", thread)] == [200, 403]
    messages = f"{thread}/{before}messages/m"
    assert [read("ben", messages), read("ann", messages)] == [200, 403]
    assert read("ben", f"{before}effects/e") == 403
    assert [read("ann", "users/ann"), read("ben", "users/ben")] == [200, 403]
    assert [read("ann", "users/ben/notes/n"), read("ben", "users/ben/notes/n")] == [403, 200]


def test_the_rules_of_a_new_app_show_users_their_own_threads_alone(
    tmp_path: Path, db: Client, load: Callable[[str], Read]
) -> None:
    read = load(init(tmp_path))
    db.document("threads/t").set({"uid": "ben"})
    db.document("rooms/r").set({"uid": "ben"})
    assert [read("ben", "threads/t"), read("ann", "threads/t")] == [200, 403]
    assert read("ben", "rooms/r") == 403


COLLECTIONS = ("effects", "threads", "threads/{}/messages", "users", "users/{}/messages")
WILDCARDS = (
    "match /{d=**} { allow read; }",
    "match /{d=**} { allow read: if false; }",
    "match /{d=**} { allow read: if d[0] in ['users']; }",
    "match /{d=**} { allow read: if !(d[0] in ['threads']); }",
    "match /{c}/{id} { allow read: if true; }",
    "match /{c}/{id} { allow read: if c in ['users', 'effects']; }",
    "match /{c}/{id} { allow read: if !(c == 'users' || c == 'threads'); }",
    "match /{c}/{id} { allow read: if !c.matches('t.*') && c != \"users\"; }",
    "match /{c}/{id=**} { allow read: if c in ['users']; }",
    "match /{c}/{id}/{rest=**} { allow read: if !(c in ['threads', 'effects']); }",
    "match /{a}/{b}/{c}/{d} { allow read: if a != 'users'; }",
    "match /{a} { match /{b} { allow read: if a == 'threads'; } }",
    "match /{p=**}/messages/{m} { allow read; }",
    "match /{p=**}/messages/{m} { allow read: if p[0] == 'users'; }",
    "match /{c}/d { allow read: if c in ['threads'] || c in ['users']; }",
    "match /{c}/{x=**} { allow get, list: if !(!(c in ['users'])); }",
)


@pytest.mark.parametrize("body", WILDCARDS)
def test_what_init_finds_open_is_what_the_rules_open(
    db: Client, load: Callable[[str], Read], body: str
) -> None:
    rules = (
        "rules_version = '2';\nservice cloud.firestore {\n"
        f"  match /databases/{{database}}/documents {{\n{body}\n  }}\n}}\n"
    )
    read = load(rules)
    paths = {each: f"{each.replace('{}', 'd')}/d" for each in COLLECTIONS}
    for path in paths.values():
        db.document(path).set({"uid": "ben"})
    opened = {each for each, path in paths.items() if read("ann", path) == 200}
    openings = security_rules.find_openings(security_rules.read(rules), COLLECTIONS)
    assert {each for opening in openings for each in opening.collections} == opened
