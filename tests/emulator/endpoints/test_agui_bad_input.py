"""Bad AG-UI input: none is answered with INTERNAL, and refused input writes nothing."""

from __future__ import annotations

import re
from typing import Any

from google.cloud.firestore import Client
from hypothesis import given
from hypothesis import strategies as st

from rollcall.core.inputs import MAX_BODY_BYTES
from tests.emulator.endpoints.test_bad_input import functions  # noqa: F401  # a fixture
from tests.support.bad_input import JUNK, MANY_EXAMPLES, count_threads, expand, read_rows
from tests.support.local_functions import Functions, frames
from tests.support.user_data import update_times

ROWS = read_rows("bad_agui_inputs.jsonl")
OURS = re.compile(r"(message|toolResults|clientTools|clientId|locale|whenBusy)\b[.\w]*:")
"""How a message begins that names a field as `run_agent` does."""


def test_every_row_of_the_corpus_gets_its_status_code_and_field(
    db: Client,
    functions: Functions,  # noqa: F811
) -> None:
    before = update_times(db)
    wrong = []
    for row in ROWS:
        response = functions.send(
            row.get("path", "agui/desk"),
            expand(row["body"]),
            headers=row.get("headers"),
            raw=expand(row.get("raw", "")).encode(),
            method=row.get("method", "POST"),
        )
        error = (response.json or {}).get("error", {})
        seen = (response.status_code, error.get("code"))
        message = error.get("message") or ""
        assert not OURS.match(message), f"{row['name']}: {message}"
        field = error.get("details", {}).get("field")
        named = row["field"] is None or field == row["field"]
        if seen != (row["status"], row["code"]) or not named or not error.get("message"):
            wrong.append((row["name"], seen, field, message))
    assert wrong == []
    assert update_times(db) == before
    assert MAX_BODY_BYTES < 8_000_000  # or the largest row would say less


MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b"]) | JUNK,
        "role": st.sampled_from(["user", "assistant", "tool", "system", "activity", "x"]) | JUNK,
        "content": st.text(max_size=50) | JUNK | st.lists(JUNK, max_size=2),
        "toolCallId": st.sampled_from(["a", "b"]) | JUNK,
        "error": st.text(max_size=9) | JUNK,
    },
)
PART = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "document", "audio"])},
    optional={
        "text": st.text(max_size=20) | JUNK,
        "source": JUNK
        | st.fixed_dictionaries(
            {
                "type": st.sampled_from(["data", "url", "file"]),
                "value": st.sampled_from(["aGk=", "http://x", "0" * 32]),
            },
            optional={
                "mimeType": st.sampled_from(["image/png", "application/pdf", "x"]),
                "provider": st.sampled_from(["rollcall", "openai"]),
            },
        ),
    },
)
SAID = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["a", "b", "c"]),
        "role": st.just("user"),
        "content": st.text(max_size=50) | st.lists(PART, max_size=2),
    }
)
INPUT = st.fixed_dictionaries(
    {
        "threadId": st.sampled_from(["t", "anns-thread", "eves-thread", "a/b"]) | JUNK,
        "runId": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", fullmatch=True) | JUNK,
        "messages": st.lists(SAID | MESSAGE, max_size=3) | JUNK,
    },
    optional={
        "tools": st.lists(
            st.fixed_dictionaries(
                {"name": st.sampled_from(["open_file", "look_up", "x"]) | JUNK},
                optional={"parameters": JUNK},
            ),
            max_size=2,
        )
        | JUNK,
        "context": st.lists(
            st.fixed_dictionaries({"description": st.text(max_size=9), "value": st.text()}),
            max_size=2,
        )
        | JUNK,
        "forwardedProps": st.dictionaries(
            st.sampled_from(["clientId", "locale", "whenBusy", "uid"]), JUNK, max_size=3
        )
        | JUNK,
        "resume": st.lists(
            st.fixed_dictionaries(
                {"interruptId": st.sampled_from(["a", "b"]) | JUNK},
                optional={"status": st.sampled_from(["resolved", "cancelled"]), "payload": JUNK},
            ),
            max_size=2,
        )
        | JUNK,
        "state": JUNK,
        "uid": JUNK,
    },
)


def test_no_input_is_answered_with_internal(
    db: Client,
    functions: Functions,  # noqa: F811
) -> None:
    @MANY_EXAMPLES
    @given(INPUT)
    def vary(body: dict[str, Any]) -> None:
        before = count_threads(db)
        response = functions.send("agui/desk", body)
        assert response.status_code < 500, (body, response.get_data(as_text=True))
        if response.status_code != 200:
            assert response.json["error"]["message"]
            assert count_threads(db) == before, "a refused input wrote something"
            return
        last = frames(response)[-1]
        assert last["type"] == "RUN_FINISHED" or last["code"] != "internal", (body, last)

    vary()
