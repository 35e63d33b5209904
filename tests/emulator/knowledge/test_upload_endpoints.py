"""The upload functions as clients call them: tokens, claims, and bad input."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.knowledge import Library, base64_text
from tests.support.local_functions import Functions, LocalPlatform, callables, use_emulator_tokens

TEXT = b"The grounding electrode conductor is sized by Table 250.66.\n"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = ["name", "contentType", "bytes", "sha256", "scope", "content", "fileId", "part", "uid"]


@pytest.fixture
def functions(db: Client, monkeypatch: pytest.MonkeyPatch) -> Functions:
    use_emulator_tokens(monkeypatch.setenv)
    return Functions(callables(LocalPlatform(db)))


def test_a_paid_feature_is_open_to_those_whose_token_says_they_paid(
    functions: Functions, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_UPLOADS", "claim:plan=premium")
    data = {**library.upload_request(TEXT, "a.txt"), "content": base64_text(TEXT)}
    refused = functions.post("begin_upload", data)
    assert refused.get_json()["error"]["status"] == "PERMISSION_DENIED"
    paid = functions.post("begin_upload", data, claims={"plan": "premium"}).get_json()["result"]
    assert paid["document"]["status"] == "queued"


def test_nobody_uploads_without_a_token(functions: Functions, library: Library) -> None:
    for name in ("begin_upload", "upload_part", "finish_upload"):
        response = functions.post(name, {}, headers={"Authorization": ""})
        assert response.get_json()["error"]["status"] == "UNAUTHENTICATED"


@pytest.mark.parametrize("name", ["begin_upload", "upload_part", "finish_upload"])
def test_nothing_that_is_sent_is_answered_with_internal(
    functions: Functions, library: Library, name: str
) -> None:
    good = {
        **library.upload_request(TEXT, "a.txt"),
        "fileId": "0" * 32,
        "part": 0,
        "content": base64_text(TEXT),
    }
    wanted = {
        "begin_upload": ["name", "contentType", "bytes", "sha256", "content"],
        "upload_part": ["fileId", "part", "content"],
        "finish_upload": ["fileId"],
    }[name]

    @settings(suppress_health_check=list(HealthCheck))
    @given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3))
    def vary(changes: dict[str, Any]) -> None:
        data = {field: good[field] for field in wanted} | changes
        response = functions.post(name, data)
        assert response.status_code < 500, (data, response.get_data(as_text=True))

    vary()
