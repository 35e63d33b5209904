"""A school in the app: people with a role of their own who are signed in, and their courses."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx2
from playwright.sync_api import Browser, Page

from dev.paths import ROOT
from rollcall.store.client import database
from seed.target import DEMO_USER
from tests.clients.web.app_site import hosting
from tests.clients.web.conftest import watched

AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
LANGUAGES = ("en", "he")
TEXTS: dict[str, dict[str, Any]] = {
    language: {
        key: words
        for part in ("", "school/", "lesson/", "activity/")
        for key, words in json.loads(
            (ROOT / f"clients/web/texts/{part}{language}.json").read_text()
        ).items()
    }
    for language in LANGUAGES
}
PASSWORD = "a long password"


@dataclass(frozen=True)
class Person:
    """Somebody with an account; without an email, one who has signed in without."""

    uid: str
    email: str
    password: str = PASSWORD
    tokens: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def token(self) -> str:
        """An id token as the person's own client has it."""
        if not self.tokens:
            body = {"email": self.email, "password": self.password, "returnSecureToken": True}
            self.tokens.update(_auth("accounts:signInWithPassword?key=demo", body))
        return str(self.tokens["idToken"])


def person(role: str | None, **claims: Any) -> Person:
    """Make an account."""
    uid = f"u{uuid.uuid4().hex[:12]}"
    made = Person(uid, f"{uid}@rollcall.example")
    attributes = json.dumps({**({"role": role} if role else {}), **claims})
    _auth("accounts", {"localId": uid, "email": made.email, "password": PASSWORD})
    _auth("accounts:update", {"localId": uid, "customAttributes": attributes})
    return made


def sample_user() -> Person:
    """Who looks at the sample data."""
    return Person(DEMO_USER.uid, DEMO_USER.email, DEMO_USER.password)


def anonymous() -> Person:
    """Somebody who signs in without an account."""
    tokens = _auth("accounts:signUp?key=demo", {"returnSecureToken": True})
    return Person(str(tokens["localId"]), "", tokens=tokens)


def course(teacher: Person, pupils: list[Person], name: str = "English 7", others: int = 0) -> str:
    """Store a course of the teacher with these pupils, and others without an account."""
    place = database().collection("courses").document(f"c{uuid.uuid4().hex[:12]}")
    batch = database().batch()
    batch.set(place, {"name": name, "teacherIds": [teacher.uid], "schemaVersion": 1})
    names = {each.uid: f"Dana {at}" for at, each in enumerate(pupils, 1)}
    names |= {f"{place.id}-{at}": f"Pupil {at:03}" for at in range(1, others + 1)}
    for uid, called in names.items():
        data = {"uid": uid, "name": called, "schemaVersion": 1}
        batch.set(place.collection("students").document(uid), data)
    batch.commit()
    return place.id


@contextmanager
def signed_in(
    browser: Browser, site: str, who: Person, language: str = "en", **options: Any
) -> Iterator[Page]:
    """A page of the app at a site in which somebody is signed in, in a browser of its own."""
    state = storage_state(who, site, language)
    with watched(browser, site, storage_state=state, **options) as context:
        yield context.new_page()


def storage_state(who: Person, site: str, language: str = "en") -> Any:
    """What a browser keeps of somebody who has signed in at a site."""
    entries = {f"firebase:authUser:{_api_key()}:[DEFAULT]": _user(who), "rollcall.locale": language}
    storage = [{"name": name, "value": value} for name, value in entries.items()]
    return {"cookies": [], "origins": [{"origin": site, "localStorage": storage}]}


Enter = Callable[..., AbstractContextManager[Page]]
"""`signed_in` for a browser and a site."""


def _user(who: Person) -> str:
    """What Firebase's SDK keeps of a user who has signed in."""
    access = who.token
    tokens = {
        "accessToken": access,
        "refreshToken": who.tokens["refreshToken"],
        "expirationTime": int(1_000 * time.time()) + 3_000_000,
    }
    about: dict[str, Any] = {"uid": who.uid, "email": who.email or None, "emailVerified": False}
    about["isAnonymous"] = not who.email
    return json.dumps({**about, "providerData": [], "stsTokenManager": tokens})


@cache
def _api_key() -> str:
    told = httpx2.get(f"{hosting()}/__/firebase/init.json", trust_env=False, timeout=60).json()
    return str(told["apiKey"])


def findings(page: Page) -> Any:
    """What axe finds wrong with the view that is shown."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    return page.evaluate(
        """async ([at, runOnly]) => (await axe.run(at, {runOnly, resultTypes: ["violations"]}))
          .violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])""",
        ["#main", TAGS],
    )


def post(functions: str, name: str, who: Person, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a capability of the functions at `host:port` as somebody; returns its reply whole."""
    answer = httpx2.post(
        f"http://{functions}/demo-rollcall/us-central1/{name}",
        json={"data": {"arguments": arguments, "callKey": os.urandom(8).hex()}},
        headers={"Authorization": f"Bearer {who.token}"},
        trust_env=False,
        timeout=60,  # a busy machine makes no claim false
    )
    found: dict[str, Any] = answer.json()
    return found


def refusal(functions: str, name: str, who: Person, arguments: dict[str, Any]) -> str:
    """The code with which a call is refused; empty where it is not."""
    return str(
        post(functions, name, who, arguments).get("error", {}).get("details", {}).get("code", "")
    )


def read(path: str, who: Person) -> int:
    """The status with which Firestore's REST answers somebody who reads a path."""
    host = os.environ["FIRESTORE_EMULATOR_HOST"]
    url = f"http://{host}/v1/projects/demo-rollcall/databases/(default)/documents/{path}"
    headers = {"Authorization": f"Bearer {who.token}"}
    return httpx2.get(url, headers=headers, trust_env=False, timeout=60).status_code


def _auth(method: str, body: dict[str, Any]) -> dict[str, Any]:
    host = os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
    is_user = "?key=" in method  # and no owner of the project
    project = "" if is_user else "projects/demo-rollcall/"
    url = f"http://{host}/identitytoolkit.googleapis.com/v1/{project}{method}"
    headers = {} if is_user else {"Authorization": "Bearer owner"}
    answer = httpx2.post(url, json=body, headers=headers, trust_env=False, timeout=60)
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


def until(page: Page, is_so: Callable[[], bool]) -> None:
    """Wait for what a server has."""
    deadline = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < deadline
        page.wait_for_timeout(20)
