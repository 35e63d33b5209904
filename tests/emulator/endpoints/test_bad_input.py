"""Bad requests: none is answered with INTERNAL, and a refused one writes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client
from hypothesis import given
from hypothesis import strategies as st
from pydantic.alias_generators import to_camel

from rollcall.agent.direct_call import direct_call
from rollcall.core.capability import Capability
from rollcall.core.profile import AgentProfile
from rollcall.core.triggers import OnCall
from rollcall.core.wire import RunRequest
from rollcall.registry import snapshot
from rollcall.registry.sync import sync
from rollcall.testing import StaticCatalog
from tests.support import office_pack
from tests.support.bad_input import (
    JUNK,
    MANY_EXAMPLES,
    check_arguments,
    count_threads,
    read_rows,
    wrong_answers,
)
from tests.support.local_functions import Functions, LocalPlatform, callables, use_emulator_tokens
from tests.support.office_pack import client_tool
from tests.support.user_data import update_times

LOOK_UP = Capability.of(office_pack.look_up)
DESK = AgentProfile(
    id="desk",
    name={"en": "Desk"},
    instructions="Look words up.",
    tools=("look_up", "open_file"),
)


@pytest.fixture
def functions(db: Client, monkeypatch: pytest.MonkeyPatch) -> Functions:
    """The engine's functions, and an agent with a tool of the server and one of the client."""
    use_emulator_tokens(monkeypatch.setenv)
    monkeypatch.setenv("ROLLCALL_MODEL", "offline:planner")
    snapshot.forget()
    db.document("capabilities/open_file").set(client_tool("open_file"))
    sync(db, [LOOK_UP], [DESK])
    for uid in ("ann", "eve"):
        db.document(f"threads/{uid}s-thread").set(
            {"uid": uid, "agent": "desk", "lease": None, "nextMessage": 0}
        )
    catalog = StaticCatalog({LOOK_UP.id: LOOK_UP}, [DESK])
    here = LocalPlatform(db, catalog)
    look_up = OnCall().bind("look_up", direct_call(LOOK_UP), lambda: here)
    functions = callables(here)
    functions["look_up"] = look_up
    return Functions(functions)


def test_every_row_of_the_corpus_gets_its_code_and_field(db: Client, functions: Functions) -> None:
    before = update_times(db)
    assert wrong_answers(functions, read_rows("bad_requests.jsonl")) == []
    assert update_times(db) == before


VALID = {"agent": "desk", "message": "What is new?", "locale": "en"}
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
        "clientTools": st.lists(st.sampled_from(["open_file", "look_up", "x"])),
    },
)
"""Nearly valid: what passes the shape reaches the store."""
CHANGES = st.dictionaries(KEYS, JUNK, min_size=1, max_size=3) | SHAPED


def test_no_variation_of_a_valid_message_is_answered_with_internal(
    db: Client, functions: Functions
) -> None:
    @MANY_EXAMPLES
    @given(CHANGES, st.sets(st.sampled_from(sorted(VALID)), max_size=2))
    def vary(changes: dict[str, Any], missing: set[str]) -> None:
        data = {key: value for key, value in VALID.items() if key not in missing} | changes
        before = count_threads(db)
        response = functions.post("run_agent", data)
        assert response.status_code < 500, (data, response.get_data(as_text=True))
        if response.status_code != 200:
            assert response.json["error"]["message"]
            assert count_threads(db) == before, "a refused request wrote something"

    vary()


def test_no_variation_of_arguments_is_answered_with_internal(functions: Functions) -> None:
    check_arguments(functions, "look_up", ["word", "limit"])
