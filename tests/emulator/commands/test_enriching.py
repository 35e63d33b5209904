"""`registry enrich` on the emulator, with a model that always answers the same."""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.firestore import Client

from rollcall.agent.platform import Deployment
from rollcall.registry.snapshot import forget, snapshot

from .conftest import Run


class Writer:
    """A text model that fills every list of phrases."""

    def generate(self, *, instructions: str, text: str, schema: dict[str, Any]) -> dict[str, Any]:
        return filled(schema)


def filled(schema: dict[str, Any]) -> Any:
    if schema.get("type") == "object":
        return {name: filled(item) for name, item in schema["properties"].items()}
    if schema.get("type") == "array":
        return [filled(schema["items"])]
    return schema.get("enum", ["somewhere quiet to talk"])[0]


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Deployment, "text_model", Writer())


def test_enrich_writes_phrases_by_which_the_tool_is_found(
    run: Run, registry: Client, writer: None
) -> None:
    before = registry.document("registry/manifest").get().get("digest")
    done = run("registry", "enrich")
    assert done.code == 0
    assert "written  find_room" in done.out
    forget()
    assert snapshot(registry).content.digest != before
    found = run("registry", "search", "is there a quiet corner?", "--json").json
    assert found["matches"][0]["id"] == "find_room"
    assert "quiet" in found["matches"][0]["words"]["examples"]
    assert "somewhere quiet to talk" in run("registry", "show", "find_room").out


def test_a_dry_run_asks_nobody(run: Run, registry: Client) -> None:
    done = run("registry", "enrich", "--dry-run")
    assert (done.code, "would be asked  find_room" in done.out) == (0, True)
    assert "enriched" not in (registry.document("capabilities/find_room").get().to_dict() or {})


def test_without_a_model_it_says_what_to_set(
    run: Run, registry: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Deployment, "text_model", None)
    done = run("registry", "enrich")
    assert (done.code, "GEMINI_API_KEY" in done.err) == (1, True)
