"""What another teacher, another class's pupil and others get of a teacher's: by each function of
the pack, by the rules, as files and by the agent. Counted is what has a secret of the teacher's."""

from __future__ import annotations

import os
import uuid
from typing import Any

import httpx
from google.auth.credentials import AnonymousCredentials
from google.cloud.firestore import Client

from rollcall.store.files import FileStore
from rollcall.store.made_files import keeper
from tests.evals.report import EvalResult, table
from tests.support.local_functions import token
from tests.support.packs.education.classroom import NOW
from tests.support.packs.education.secrets import (
    OTHERS,
    OWN,
    add_school,
    add_work,
    arguments,
    run_for_ben,
    secrets_in,
)
from tests.support.user_data import all_documents

WAYS = ("function", "rule", "file", "agent")


def measure(model: str) -> EvalResult:
    """Try every way in, with a scripted model."""
    make: Any = AnonymousCredentials
    db = Client(project=f"demo-eval-{uuid.uuid4().hex[:8]}", credentials=make())
    add_school(db)
    functions = add_work(db, os.environ.__setitem__)
    file = keeper(lambda: db, "ada", now=NOW)("secret.txt", "text/plain", b"secret")
    owned = [path for path in all_documents(db) if path.startswith(("contents/", "courses/math4"))]
    owned += [path for path in all_documents(db) if path.startswith(("attempts/", "files/"))]
    tried, got = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0)
    notes: list[str] = []

    def count(way: str, about: str, text: str) -> None:
        tried[way] += 1
        if secrets := secrets_in(text):
            got[way] += 1
            notes.append(f"{way}: {about}: {', '.join(secrets)}")

    for uid, role in OTHERS.items():
        claims = {"role": role.value}
        for capability in OWN:
            data = {"arguments": arguments(capability), "callKey": f"{uid}-{capability.id}"[:60]}
            answer = functions.post(capability.id, data, uid=uid, claims=claims)
            count("function", f"{capability.id} as {uid}", answer.get_data(as_text=True))
        answer = functions.post("get_file", {"fileId": file.file_id}, uid=uid, claims=claims)
        count("file", uid, answer.get_data(as_text=True))
        for path in owned:
            count("rule", f"{path} as {uid}", _read(db, path, token(uid, **claims)))
    found = run_for_ben(db)
    for call in found.calls:
        count("agent", call.tool, str(call))
    count("agent", "answer", f"{found.text}{found.citations}{found.events}")
    # The counts say something only where the owner gets it.
    own = _read(db, "contents/draft", token("ada", role="teacher"))
    mine = FileStore(db).find_own("ada", file.file_id)
    unmeasured = (
        []
        if secrets_in(own) and secrets_in(str(b"".join(FileStore(db).open(mine))))
        else ["the owner's"]
    )
    rows = [[way, tried[way], got[way]] for way in WAYS]
    figures = {"tried": tried, "got": got}
    title = "What others get of a teacher's"
    return EvalResult([table(title, ["by", "tried", "got"], rows)], figures, notes, unmeasured)


def _read(db: Client, path: str, bearer: str) -> str:
    """The answer to a client that reads a document, for which the rules hold."""
    host = os.environ["FIRESTORE_EMULATOR_HOST"]
    place = f"http://{host}/v1/projects/{db.project}/databases/(default)/documents/{path}"
    return httpx.get(place, headers={"Authorization": f"Bearer {bearer}"}).text
