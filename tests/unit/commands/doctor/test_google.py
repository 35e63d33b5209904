from __future__ import annotations

from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from msgspec.structs import replace

from rollcall.commands.doctor import findings as reading
from rollcall.commands.doctor.findings import Google, GoogleRefusal, sign_in
from tests.support.fake_google import FakeGoogle


class ServiceAccount(AnonymousCredentials):
    service_account_email = "robot@shop.iam.gserviceaccount.com"


def signed_in(monkeypatch: pytest.MonkeyPatch, credentials: Any) -> tuple[Google, dict[str, Any]]:
    asked: dict[str, Any] = {}

    def default(**options: Any) -> tuple[Any, str]:
        asked.update(options)
        return credentials, "shop"

    monkeypatch.setattr("google.auth.default", default)
    return sign_in("shop"), asked


def test_the_project_pays_for_what_its_doctor_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    _, asked = signed_in(monkeypatch, AnonymousCredentials())  # type: ignore[no-untyped-call]
    assert asked["quota_project_id"] == "shop"


def test_it_is_said_whose_credentials_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = signed_in(monkeypatch, ServiceAccount())  # type: ignore[no-untyped-call]
    assert found.who == "robot@shop.iam.gserviceaccount.com"
    found, _ = signed_in(monkeypatch, AnonymousCredentials())  # type: ignore[no-untyped-call]
    assert found.who == "a person"


def test_googles_own_session_reads_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = signed_in(monkeypatch, ServiceAccount())  # type: ignore[no-untyped-call]
    with FakeGoogle() as google:
        google.answer("firestore", "v1/x", {"fields": [{"n": 1}], "nextPageToken": "two"})
        google.answer("firestore", "v1/x", {"fields": [{"n": 2}]}, token="two")
        found = replace(found, root=google.client.root)
        assert list(found.every("firestore", "v1/x", "fields")) == [{"n": 1}, {"n": 2}]


def test_pages_that_never_end_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_MAX_PAGES", 3)
    with FakeGoogle() as google:
        for token in ("", "again"):
            google.answer("firestore", "v1/x", {"a": [1], "nextPageToken": "again"}, token=token)
        assert len(list(google.client.every("firestore", "v1/x", "a"))) == 3


def test_a_refusal_has_googles_words_and_the_role_that_is_missing() -> None:
    with FakeGoogle() as google:
        google.refuse("firebaserules", "v1/x", 403, "The caller does not have permission")
        with pytest.raises(GoogleRefusal, match="The caller does not have permission") as refused:
            google.client.get("firebaserules", "v1/x")
    assert (refused.value.status, "roles/firebaserules.viewer" in refused.value.role) == (403, True)


def test_a_refusal_that_is_no_json_is_told_all_the_same() -> None:
    with FakeGoogle() as google:
        google._server.answer = lambda handler: handler.reply(
            502, b"<html>Bad Gateway</html>", connection="close"
        )
        with pytest.raises(GoogleRefusal, match="Bad Gateway"):
            google.client.get("firestore", "v1/x")
