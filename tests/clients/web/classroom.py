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
from rollcall.store.files import NewFile
from rollcall.store.made_files import MADE, MADE_ALLOWANCE, MadeFiles
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
        return MadeFiles(self.db).make(new, PICTURE, MADE_ALLOWANCE, now=NOW).id

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
    """One block of each kind, and a second cloze with words to choose from."""

    def say(english: str, in_hebrew: str) -> str:
        return in_hebrew if hebrew else english

    def key(**key: Any) -> dict[str, Any]:
        return {"hint": "secret-hint", "feedback": "secret-feedback", **key}

    half, quarter, most = (
        [say(*pair) for pair in (("1/2", "חצי"), ("1/4", "רבע"), ("3/4", "שלושה רבעים"))]
    )  # fmt: skip
    text = say(
        "A fraction is a part of a whole.\nIn 3/4 the 4 says into how many parts.",
        "שבר הוא חלק של שלם.\nבשבר 3/4 המכנה הוא 4, ולכן 4 − 3 = 1 חסר לשלם.",
    )
    header = [say("Fraction", "שבר"), say("Decimal", "עשרוני")]
    alt = say("A circle in four parts", "עיגול בארבעה חלקים")
    gaps = say(
        "The {{1}} of 3/4 is 3, and 1 + {{2}} = 4.", "ה{{1}} של 3/4 הוא 3, ומתקיים 1 + {{2}} = 4."
    )
    larger, smaller = say("larger", "גדול"), say("smaller", "קטן")
    return [
        item("text", text),
        item("table", "", rows=[header, ["1/2", "0.5"], ["1/4", "0.25"]]),
        item("image", "", image={"fileId": picture, "alt": alt}),
        item("cards", "", cards=[{"front": "1/2", "back": "0.5"}, {"front": half, "back": "50%"}]),
        item(
            "choice", say("How much is 1/2 + 1/4?", "כמה הם 1/2 + 1/4 = ?"), points=4,
            options=choices(["3/4", "2/6", "1/6"]),
            key=key(correct=["a"], optionFeedback={"b": "secret-choice"}, check="1/2+1/4"),
        ),
        item(
            "multi_choice", say("Which are larger than 1/2?", "אילו גדולים מ-1/2?"), points=4,
            options=choices(["3/4", "1/3", "2/3", "2/8"]), key=key(correct=["a", "c"]),
        ),
        item("true_false", say("1/3 > 1/4", "מתקיים 1/3 > 1/4"), points=2, key=key(truth=True)),
        item(
            "match", say("Which decimal is it?", "איזה מספר עשרוני מתאים?"), points=3,
            options=choices([half, quarter, most]),
            targets=choices(["0.25", "0.5", "0.75", "1.4"]),
            key=key(pairs={"a": "b", "b": "a", "c": "c"}),
        ),
        item(
            "order", say("From the smallest to the largest", "סדרו מהקטן לגדול"), points=3,
            options=choices([quarter, half, most]), key=key(correct=["a", "b", "c"]),
        ),
        item("cloze", gaps, points=2, key=key(gaps={"1": [say("numerator", "מונה")], "2": ["3"]})),
        item(
            "cloze", say("A half is {{1}} than a third.", "חצי {{1}} משליש."), points=1,
            options=choices([larger, smaller]), key=key(gaps={"1": [larger]}),
        ),
        item(
            "numeric",
            say("How many centimetres are half a metre?", "כמה סנטימטרים הם חצי מטר?"),
            unit=say("cm", 'ס"מ'), points=2, key=key(value="50", units=["cm"]),
        ),
        item(
            "open", say("Why is 1/3 larger than 1/4?", "מדוע שליש גדול מרבע?"), points=4,
            key=key(sample="secret-sample"),
        ),
    ]  # fmt: skip
