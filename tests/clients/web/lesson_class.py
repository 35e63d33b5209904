"""A class in the app: people with a role of their own, who sign in by their email."""

from __future__ import annotations

import json
import os
import uuid
from dataclasses import dataclass
from typing import Any

import httpx2
from playwright.sync_api import Page

from dev.paths import ROOT
from rollcall.store.client import database

AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
PASSWORD = "a long password"


@dataclass(frozen=True)
class Person:
    uid: str
    email: str


def person(role: str | None, **claims: Any) -> Person:
    """Make an account."""
    uid = f"u{uuid.uuid4().hex[:12]}"
    made = Person(uid, f"{uid}@rollcall.example")
    attributes = json.dumps({**({"role": role} if role else {}), **claims})
    _auth("accounts", {"localId": uid, "email": made.email, "password": PASSWORD})
    _auth("accounts:update", {"localId": uid, "customAttributes": attributes})
    return made


def course(teacher: Person, pupils: list[Person], name: str = "English 7", others: int = 0) -> str:
    """Store a course of the teacher with these pupils, and others without an account."""
    place = database().collection("courses").document(f"c{uuid.uuid4().hex[:12]}")
    place.set({"name": name, "teacherIds": [teacher.uid], "schemaVersion": 1})
    batch = database().batch()
    names = {each.uid: f"Dana {at}" for at, each in enumerate(pupils, 1)}
    names |= {f"{place.id}-{at}": f"Pupil {at:03}" for at in range(1, others + 1)}
    for uid, called in names.items():
        data = {"uid": uid, "name": called, "schemaVersion": 1}
        batch.set(place.collection("students").document(uid), data)
    batch.commit()
    return place.id


def sign_in(page: Page, who: Person, at: str = "/#/lesson") -> None:
    """Sign in to a page that nobody has, and go to a view."""
    page.goto("/")
    page.locator("input[type=email]").fill(who.email)
    page.locator("input[type=password]").fill(PASSWORD)
    page.locator("input[type=password]").press("Enter")
    page.locator(".shell").wait_for()
    page.goto(at)


def id_token(who: Person) -> str:
    """A token as the person's own client has it."""
    body = {"email": who.email, "password": PASSWORD, "returnSecureToken": True}
    return str(_auth("accounts:signInWithPassword?key=demo", body)["idToken"])


def findings(page: Page) -> Any:
    """What axe finds wrong with the page."""
    page.evaluate(AXE)
    return page.evaluate(
        """async () => (await axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
          resultTypes: ["violations"],
        })).violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])"""
    )


def post(functions: str, name: str, token: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Call a capability of the functions at `host:port`; returns its reply whole."""
    answer = httpx2.post(
        f"http://{functions}/demo-rollcall/us-central1/{name}",
        json={"data": {"arguments": arguments, "callKey": os.urandom(8).hex()}},
        headers={"Authorization": f"Bearer {token}"},
        trust_env=False,
    )
    found: dict[str, Any] = answer.json()
    return found


def _auth(method: str, body: dict[str, Any]) -> dict[str, Any]:
    host = os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
    project = "" if "signIn" in method else "projects/demo-rollcall/"
    url = f"http://{host}/identitytoolkit.googleapis.com/v1/{project}{method}"
    headers = {"Authorization": "Bearer owner"}
    answer = httpx2.post(url, json=body, headers=headers, trust_env=False)
    found: dict[str, Any] = answer.raise_for_status().json()
    return found
