"""No request that a caller can make is answered with INTERNAL, and a refused one writes nothing.

The corpus is in `tests/corpus/bad_requests.jsonl`: each row has a request, the code it gets and the
field that the refusal names. `{"$repeat": [text, n]}` and `{"$nest": n}` stand for long values.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from google.cloud.firestore import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic.alias_generators import to_camel

from rollcall.core.wire import RunRequest
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from tests.support.calling import Functions, Here, callables, emulate, token
from tests.support.catalogs import catalog

CORPUS = Path(__file__).parents[2] / "corpus" / "bad_requests.jsonl"
ROWS = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
STATUS = {
    "invalid-argument": 400,
    "failed-precondition": 400,
    "unauthenticated": 401,
    "permission-denied": 403,
    "not-found": 404,
    "resource-exhausted": 429,
}


@pytest.fixture
def functions(db: Client, monkeypatch: pytest.MonkeyPatch) -> Functions:
    emulate(monkeypatch.setenv)
    monkeypatch.setenv("ROLLCALL_MODEL", "offline:planner")
    snapshot.forget()
    sync(db, catalog.capabilities(), catalog.agents().values())
    for uid in ("ann", "eve"):
        db.document(f"threads/{uid}s-thread").set(
            {"uid": uid, "agent": "messaging", "lease": None, "nextMessage": 0}
        )
    for id, uid in (("mine", "ann"), ("eves", "eve")):
        db.document(f"conversations/{id}").set(
            {
                "name": id,
                "type": "group",
                "participantIds": [uid],
                "participantNames": {uid: uid},
                "lastMessageAt": datetime(2026, 3, 1, tzinfo=UTC),
                "messageCount": 0,
                "encryptedCount": 0,
            }
        )
    return Functions(callables(Here(db)))


def written(db: Client) -> dict[str, Any]:
    """Every document's path and time of change."""
    found: dict[str, Any] = {}
    waiting = list(db.collections())
    while waiting:
        for reference in waiting.pop().list_documents():
            found[reference.path] = reference.get().update_time
            waiting.extend(reference.collections())
    return found


def grown(value: Any) -> Any:
    """Write out what a row abbreviates."""
    if isinstance(value, dict):
        if "$repeat" in value:
            text, times = value["$repeat"]
            return text * times
        if "$nest" in value:
            inner: Any = {}
            for _ in range(value["$nest"]):
                inner = {"a": inner}
            return inner
        return {key: grown(item) for key, item in value.items()}
    if isinstance(value, list):
        return [grown(item) for item in value]
    return value


def test_every_row_of_the_corpus_gets_its_code_and_field(db: Client, functions: Functions) -> None:
    before = written(db)
    wrong = []
    for row in ROWS:
        headers = dict(row.get("headers", {}))
        if "token" in row:
            headers["Authorization"] = f"Bearer {token(**row['token'])}"
        response = functions.post(
            row["function"],
            grown(row["data"]),
            headers=headers,
            raw=grown(row.get("raw", "")).encode(),
            method=row.get("method", "POST"),
        )
        error = (response.json or {}).get("error", {})
        details = error.get("details", {})
        seen = (response.status_code, details.get("code"), details.get("field"))
        field = row["field"] if row["field"] is not None else details.get("field")
        if seen != (STATUS[row["code"]], row["code"], field) or not error.get("message"):
            wrong.append((row["name"], seen, error.get("message")))
    assert wrong == []
    assert written(db) == before


VALID = {"agent": "messaging", "message": "What is new?", "locale": "en"}
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=40)
    | st.sampled_from(["", " ", "..", "a/b", "\ud800", "\0", "__x__", "x" * 40_000, "עברית"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(["uid", "", "__proto__", "$where", "thread_id"]) | st.sampled_from(
    [to_camel(name) for name in RunRequest.model_fields]
)
PART = st.fixed_dictionaries({"type": st.just("text"), "text": st.text(max_size=50)})
DECISION = st.fixed_dictionaries(
    {"approved": st.booleans()}, optional={"reason": st.text(max_size=9), "editedArguments": JUNK}
)
ANSWER = st.fixed_dictionaries(
    {"interruptId": st.sampled_from(["a", "b"]), "status": st.just("resolved")},
    optional={"payload": DECISION},
)
RESULT = st.fixed_dictionaries(
    {"toolCallId": st.sampled_from(["a", "b"])},
    optional={"content": JUNK, "error": st.text(max_size=9)},
)
SHAPED = st.fixed_dictionaries(
    {},
    optional={
        "context": st.dictionaries(st.text(max_size=10), JUNK, max_size=3),
        "message": st.text(max_size=200) | st.lists(PART, max_size=3),
        "runId": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", fullmatch=True),
        "clientId": st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True),
        "whenBusy": st.sampled_from(["reject", "supersede", "wait"]),
        "threadId": st.sampled_from(["anns-thread", "eves-thread", "nowhere"]),
        "resume": st.lists(ANSWER, max_size=2),
        "toolResults": st.lists(RESULT, max_size=2),
        "clientTools": st.lists(st.sampled_from(["read_file", "get_priority_messages", "x"])),
    },
)
"""Nearly valid: what passes the shape reaches the store."""
CHANGES = st.dictionaries(KEYS, JUNK, min_size=1, max_size=3) | SHAPED
ARGUMENTS = st.dictionaries(
    st.sampled_from(["limit", "query", "priorityLevel", "conversationIds", "conversationId"])
    | st.sampled_from(["maxLength", "focusArea", "maxIterations", "uid", ""]),
    JUNK,
    max_size=3,
)
FEW = settings(suppress_health_check=list(HealthCheck), phases=[Phase.generate])
MANY = settings(FEW, max_examples=6 * FEW.max_examples)


def test_no_variation_of_a_valid_message_is_answered_with_internal(
    db: Client, functions: Functions
) -> None:
    @MANY
    @given(CHANGES, st.sets(st.sampled_from(sorted(VALID)), max_size=2))
    def vary(changes: dict[str, Any], missing: set[str]) -> None:
        data = {key: value for key, value in VALID.items() if key not in missing} | changes
        before = threads(db)
        response = functions.post("run_agent", data)
        assert response.status_code < 500, (data, response.get_data(as_text=True))
        if response.status_code != 200:
            assert response.json["error"]["message"]
            assert threads(db) == before, "a refused request wrote something"

    vary()


@pytest.mark.parametrize(
    "name",
    [
        "get_user_conversations",
        "get_priority_messages",
        "get_conversation_action_items",
        "get_conversation_decisions",
        "summarize_conversation",
        "search_all_conversations",
    ],
)
def test_no_variation_of_arguments_is_answered_with_internal(
    functions: Functions, name: str
) -> None:
    @FEW
    @given(ARGUMENTS)
    def vary(arguments: dict[str, Any]) -> None:
        response = functions.post(name, {"arguments": arguments})
        assert response.status_code < 500, (arguments, response.get_data(as_text=True))

    vary()


def threads(db: Client) -> int:
    count: int = db.collection("threads").count().get()[0][0].value
    return count
