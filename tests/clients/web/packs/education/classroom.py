"""A class of its own for the tests of activities: its people, and what they play."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from google.cloud.firestore import Client, FieldFilter

from packs.education.blocks import Item, choices, item
from rollcall.store.files import NewFile
from rollcall.store.made_files import MADE, MADE_ALLOWANCE, MadeFiles
from tests.clients.web.school import Person, course, person
from tests.support.packs.education.classroom import NOW, add_content

PICTURE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="240" height="240" viewBox="-60 -60 120 120">'
    b'<circle r="52" fill="#e3eeee"/><path d="M0 0H52A52 52 0 1 1 0-52z" fill="#2a5a60"/>'
    b'<circle r="52" fill="none" stroke="#1d2426"/></svg>'
)
SECRETS = ("secret-hint", "secret-feedback", "secret-sample", "check")
"""What stands in keys alone."""


@dataclass
class Classroom:
    """A course with a teacher and a pupil; another teacher and pupil of another course; and an
    admin of another tenant."""

    db: Client
    id: str = field(default_factory=lambda: f"c{uuid.uuid4().hex[:10]}")

    def __post_init__(self) -> None:
        self.people: dict[str, Person] = {
            "teacher": person("teacher"),
            "pupil": person("student"),
            "other-teacher": person("teacher"),
            "other-pupil": person("student"),
            "other-admin": person("admin", tenant="elsewhere"),
        }
        self.course = course(self.people["teacher"], [self.people["pupil"]], "חשבון ד׳ · Maths 4")
        course(self.people["other-teacher"], [self.people["other-pupil"]], "Other")

    def publish(self, name: str, items: list[Item], **fields: Any) -> str:
        """Publish an activity of the teacher's to the course; return its id."""
        given = {"status": "published", "courseId": self.course, "maxTries": 2, **fields}
        return self.make(name, items, **given)

    def make(self, name: str, items: list[Item], **fields: Any) -> str:
        """Store a draft of the teacher's; return its id."""
        id = f"{self.id}-{name}"
        add_content(self.db, id, self.people["teacher"].uid, items, **{"title": name, **fields})
        return id

    def picture(self) -> str:
        """The id of a file of the teacher's that is a picture."""
        new = NewFile(
            uid=self.people["teacher"].uid,
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
            .where(filter=FieldFilter("uid", "==", self.people["pupil"].uid))
            .stream()
        )
        attempts = [data for each in found if (data := each.to_dict() or {})]
        return next((each for each in attempts if each["contentId"] == content_id), {})


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
            key=key(correct=["a"], check="1/2+1/4"),
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
            unit=say("cm", 'ס"מ'), points=2, key=key(value="50"),
        ),
        item(
            "open", say("Why is 1/3 larger than 1/4?", "מדוע שליש גדול מרבע?"), points=4,
            key=key(sample="secret-sample"),
        ),
    ]  # fmt: skip
