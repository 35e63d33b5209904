"""A class of its own for the tests of activities: its people, who sign in, and what they play."""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from google.cloud.firestore import Client, FieldFilter
from playwright.sync_api import Browser

from packs.education.blocks import Item, choices, item
from rollcall.store.files import MADE, MADE_ALLOWANCE, NewFile, files
from seed.target import DemoUser, Target, create_user
from tests.support.packs.education.classroom import NOW, add_content, add_course

PASSWORD = "water-lemons"
PICTURE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="240" height="240" viewBox="-60 -60 120 120">'
    b'<circle r="52" fill="#e3eeee"/><path d="M0 0H52A52 52 0 1 1 0-52z" fill="#2a5a60"/>'
    b'<circle r="52" fill="none" stroke="#1d2426"/></svg>'
)
SECRETS = ("secret-hint", "secret-feedback", "secret-choice", "secret-sample", "check")
"""What stands in keys alone."""


@dataclass
class Classroom:
    """A course with a teacher and a pupil, and another pupil of another course."""

    db: Client
    id: str = field(default_factory=lambda: f"c{uuid.uuid4().hex[:10]}")
    states: dict[str, Any] = field(default_factory=dict)

    def build(self) -> None:
        add_course(self.db, self.id, [self.uid("teacher")], pupils=0, name="חשבון ד׳ · Maths 4")
        add_course(self.db, f"{self.id}-other", [self.uid("other-teacher")], pupils=0, name="Other")
        for course, person in ((self.id, "pupil"), (f"{self.id}-other", "other-pupil")):
            uid = self.uid(person)
            place = self.db.document(f"courses/{course}/students/{uid}")
            place.set({"uid": uid, "name": person, "schemaVersion": 1})

    def uid(self, person: str) -> str:
        return f"{self.id}-{person}"

    def publish(self, name: str, items: list[Item], **fields: Any) -> str:
        """Publish an activity of the teacher's to the course; return its id."""
        given = {"status": "published", "courseId": self.id, "maxTries": 2, **fields}
        return self.make(name, items, **given)

    def make(self, name: str, items: list[Item], **fields: Any) -> str:
        """Store a draft of the teacher's; return its id."""
        id = f"{self.id}-{name}"
        add_content(self.db, id, self.uid("teacher"), items, **{"title": name, **fields})
        return id

    def picture(self) -> str:
        """The id of a file of the teacher's that is a picture."""
        new = NewFile(
            uid=self.uid("teacher"),
            name="circle.svg",
            content_type="image/svg+xml",
            bytes=len(PICTURE),
            sha256=sha256(PICTURE).hexdigest(),
            purpose=MADE,
        )
        return files(self.db).make(new, PICTURE, MADE_ALLOWANCE, now=NOW).id

    def attempt(self, content_id: str) -> dict[str, Any]:
        """The pupil's attempt as it is stored; empty where there is none."""
        found = (
            self.db.collection("attempts")
            .where(filter=FieldFilter("uid", "==", self.uid("pupil")))
            .stream()
        )
        attempts = [data for each in found if (data := each.to_dict() or {})]
        return next((each for each in attempts if each["contentId"] == content_id), {})

    def create(self, person: str) -> str:
        """Create somebody's account, with a teacher's or a pupil's role; return its address."""
        role = "teacher" if "teacher" in person else "student"
        email = f"{self.uid(person)}@rollcall.example"
        auth = os.environ["FIREBASE_AUTH_EMULATOR_HOST"]
        user = DemoUser(self.uid(person), person, email, PASSWORD, role)
        create_user(Target(self.db.project, None, auth), user)
        return email

    def signed_in(self, browser: Browser, person: str, site: str) -> Any:
        """What a browser keeps of somebody who has signed in; each signs in once."""
        if person not in self.states:
            email = self.create(person)
            context = browser.new_context(base_url=site, locale="en-GB")
            context.set_default_timeout(60_000)
            page = context.new_page()
            page.goto("/")
            page.get_by_label("Email").fill(email)
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in", exact=True).click()
            page.get_by_role("link", name="Activities").wait_for(state="attached")
            self.states[person] = context.storage_state(indexed_db=True)
            context.close()
        return self.states[person]


def every_kind(picture: str, *, hebrew: bool) -> list[Item]:
    """One block of each kind."""
    return _hebrew(picture) if hebrew else _english(picture)


def _key(**key: Any) -> dict[str, Any]:
    return {"hint": "secret-hint", "feedback": "secret-feedback", **key}


def _english(picture: str) -> list[Item]:
    return [
        item("text", "A fraction is a part of a whole.\nIn 3/4 the 4 says into how many parts."),
        item("table", "", rows=[["Fraction", "Decimal"], ["1/2", "0.5"], ["1/4", "0.25"]]),
        item("image", "", image={"fileId": picture, "alt": "A circle in four parts"}),
        item("cards", "", cards=[{"front": "1/2", "back": "0.5"}, {"front": "1/4", "back": "25%"}]),
        item(
            "choice",
            "How much is 1/2 + 1/4?",
            options=choices(["3/4", "2/6", "1/6"]),
            points=4,
            key=_key(correct=["a"], optionFeedback={"b": "secret-choice"}, check="1/2+1/4"),
        ),
        item(
            "multi_choice",
            "Which are larger than 1/2?",
            options=choices(["3/4", "1/3", "2/3", "2/8"]),
            points=4,
            key=_key(correct=["a", "c"]),
        ),
        item("true_false", "1/3 > 1/4", points=2, key=_key(truth=True)),
        item(
            "match",
            "Which decimal is it?",
            options=choices(["1/2", "1/4", "3/4"]),
            targets=choices(["0.25", "0.5", "0.75", "1.4"]),
            points=3,
            key=_key(pairs={"a": "b", "b": "a", "c": "c"}),
        ),
        item(
            "order",
            "From the smallest to the largest",
            options=choices(["1/4", "1/2", "3/4"]),
            points=3,
            key=_key(correct=["a", "b", "c"]),
        ),
        item(
            "cloze",
            "The {{1}} of 3/4 is 3, and 1 + {{2}} = 4.",
            points=2,
            key=_key(gaps={"1": ["numerator"], "2": ["3"]}),
        ),
        item(
            "cloze",
            "A half is {{1}} than a third.",
            options=choices(["larger", "smaller"]),
            points=1,
            key=_key(gaps={"1": ["larger"]}),
        ),
        item(
            "numeric", "How many centimetres are half a metre?", unit="cm", points=2,
            key=_key(value="50", units=["cm"]),
        ),
        item(
            "open", "Explain why 1/3 is larger than 1/4.", points=4,
            key=_key(sample="secret-sample"),
        ),
    ]  # fmt: skip


def _hebrew(picture: str) -> list[Item]:
    return [
        item("text", "שבר הוא חלק של שלם.\nבשבר 3/4 המכנה הוא 4, ולכן 4 − 3 = 1 חסר לשלם."),
        item("table", "", rows=[["שבר", "עשרוני"], ["1/2", "0.5"], ["1/4", "0.25"]]),
        item("image", "", image={"fileId": picture, "alt": "עיגול בארבעה חלקים"}),
        item("cards", "", cards=[{"front": "1/2", "back": "0.5"}, {"front": "רבע", "back": "25%"}]),
        item(
            "choice",
            "כמה הם 1/2 + 1/4 = ?",
            options=choices(["3/4", "2/6", "1/6"]),
            points=4,
            key=_key(correct=["a"], optionFeedback={"b": "secret-choice"}, check="1/2+1/4"),
        ),
        item(
            "multi_choice",
            "אילו גדולים מ-1/2?",
            options=choices(["3/4", "1/3", "2/3", "2/8"]),
            points=4,
            key=_key(correct=["a", "c"]),
        ),
        item("true_false", "מתקיים 1/3 > 1/4", points=2, key=_key(truth=True)),
        item(
            "match",
            "איזה מספר עשרוני מתאים?",
            options=choices(["חצי", "רבע", "שלושה רבעים"]),
            targets=choices(["0.25", "0.5", "0.75", "1.4"]),
            points=3,
            key=_key(pairs={"a": "b", "b": "a", "c": "c"}),
        ),
        item(
            "order",
            "סדרו מהקטן לגדול",
            options=choices(["רבע", "חצי", "שלושה רבעים"]),
            points=3,
            key=_key(correct=["a", "b", "c"]),
        ),
        item(
            "cloze",
            "ה{{1}} של 3/4 הוא 3, ומתקיים 1 + {{2}} = 4.",
            points=2,
            key=_key(gaps={"1": ["מונה"], "2": ["3"]}),
        ),
        item(
            "cloze",
            "חצי {{1}} משליש.",
            options=choices(["גדול", "קטן"]),
            points=1,
            key=_key(gaps={"1": ["גדול"]}),
        ),
        item(
            "numeric", "כמה סנטימטרים הם חצי מטר?", unit='ס"מ', points=2,
            key=_key(value="50", units=["cm"]),
        ),
        item("open", "הסבירו מדוע שליש גדול מרבע.", points=4, key=_key(sample="secret-sample")),
    ]  # fmt: skip
