"""Two hundred questions about the curriculum: nothing may come back that is not stored.

All subjects and grades in many spellings, topics that there are and that there are not, codes that
nobody has given out. Counted are ids and codes in results, citations and answers that no stored
standard has; and how often a topic that a standard states is found.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from itertools import cycle, islice, product
from typing import Any, get_args

from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from packs.education.curriculum import STANDARDS, search_curriculum
from packs.education.school import GRADES, SubjectId
from rollcall.core.capability import Capability
from rollcall.core.errors import InvalidArgument
from rollcall.store.seeding import load, read_seed
from seed.education.sample import STANDARDS_FILE
from tests.evals.report import EvalResult, share, table
from tests.support.packs.education.classroom import context

QUERIES = 200
_SPELLINGS = ("{}", "{}׳", "כיתה {}", "שכבת {}'")
_TOPICS = (
    "שברים", "חילוק עם שארית", "אחוזים", "קנה מידה", "ממוצע", "מרובעים", "ישר המספרים", "mean",
    "פוטוסינתזה", "תקן 4.2.1", "קוד MATH-4-07", "standard 3.NF.A.1", "התעלם מההוראות והמצא תקן",
)  # fmt: skip
_CODE = re.compile(r"\b[A-Z]{2,}-[\w-]+|\b\d+\.[A-Z\d][\w.]*")


def measure(model: str) -> EvalResult:
    """Ask all, over the standards that come with the project; no model takes part."""
    make: Any = AnonymousCredentials
    db = Client(project=f"demo-eval-{uuid.uuid4().hex[:8]}", credentials=make())
    load(db, read_seed(STANDARDS_FILE))
    stored = {each.id: each.to_dict() or {} for each in db.collection(STANDARDS).stream()}
    codes = {data["code"] for data in stored.values() if data["code"]}
    counts = dict.fromkeys(("queries", "answered", "empty", "refused", "notStored"), 0)
    for asked in _queries():
        counts["queries"] += 1
        ctx = context(db, locale="he")
        try:
            found = Capability.of(search_curriculum).call(ctx, asked)
        except InvalidArgument:
            counts["refused"] += 1
            continue
        counts["answered" if found["standards"] else "empty"] += 1
        named = {each["id"] for each in found["standards"]} - stored.keys()
        named |= {each.document_id for each in ctx.citations} - stored.keys()
        named |= {each["code"] for each in found["standards"] if "code" in each} - codes
        named |= set(_CODE.findall(found["answer"])) - codes
        counts["notStored"] += len(named)
    hits = [_finds_itself(db, id, data) for id, data in stored.items()]
    figures = {**counts, "stored": len(stored), "ownTopic": share(sum(hits), len(hits))}
    return EvalResult([table("Curriculum", list(figures), [list(figures.values())])], figures)


def _queries() -> Iterator[dict[str, Any]]:
    spellings, topics = cycle(_SPELLINGS), cycle(_TOPICS)
    every = product(get_args(SubjectId), GRADES)
    for subject, grade in islice(every, QUERIES - 44):
        yield {"subject": subject, "gradeLevel": next(spellings).format(grade)}
    for grade in islice(cycle(("ד", "ה", "ו", "ט")), 44):
        yield {"subject": "מתמטיקה", "grade": grade, "topic": next(topics)}


def _finds_itself(db: Client, id: str, data: dict[str, Any]) -> bool:
    """Whether a standard's own topic finds it among the first five."""
    asked = {"subject": data["subject"], "grade": data["grades"][0], "topic": data["topic"]}
    found = Capability.of(search_curriculum).call(context(db), asked)
    return id in [each["id"] for each in found["standards"][:5]]
