"""Claims about what finds a tool described in English for a Hebrew question, with a model that is
scripted, and an embedder on a local server."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from rollcall.models.base import load_embedder
from tests.evals.registry.hebrew import compare, in_english
from tests.evals.registry.queries import Query
from tests.evals.registry.tools import catalogue_documents
from tests.support.fake_providers import FakeProviders

TOOLS = {
    "export_data": "טבלה של הציונים",
    "get_textbook_context": "מה כתוב בספר",
    "play_student_audio": "לשמוע את עצמי מדבר",
}
"""A phrase that a model writes for each."""
QUESTIONS = {
    "export_data": "אפשר טבלה?",
    "get_textbook_context": "מה כתוב שם?",
    "play_student_audio": "אפשר לשמוע?",
}


def documents() -> dict[str, dict[str, Any]]:
    return {each["id"]: in_english(each) for each in catalogue_documents()}


def questions() -> list[Query]:
    return [
        Query(f"q-{id}", "dev", "he", "plain", text, frozenset({id}))
        for id, text in QUESTIONS.items()
    ]


@cache
def names() -> dict[str, str]:
    known = documents()
    return {id: known[id]["name"] for id in TOOLS}


def vector(text: str, size: int) -> list[float]:
    """A multilingual embedder's: a text lies along the tool that it speaks of."""
    topics = [
        float(text == QUESTIONS[id] or text.startswith(f"{name}, {id.replace('_', ' ')}"))
        for id, name in names().items()
    ]
    return [*topics, 0.1, *[0.0] * (size - len(topics) - 1)]


def test_no_hebrew_is_left_of_the_tools() -> None:
    assert json.dumps(documents()).count("\\u05") == 0


def test_by_words_alone_hebrew_finds_nothing() -> None:
    assert compare(documents(), questions(), None, None).figures["words"]["recall@5"] == 0.0


class Writer:
    """A model that is asked about one tool at a time, and writes a phrase for some."""

    id = "scripted:writer"

    def generate(self, *, instructions: str, text: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"he": [phrase for id, phrase in TOOLS.items() if f'"id": "{id}"' in text]}


def test_phrases_that_a_model_wrote_find_the_tools() -> None:
    measured = compare(documents(), questions(), Writer(), None)
    assert measured.figures["with phrases"]["recall@1"] == 1.0
    failed = {line.split(":")[0].removeprefix("phrases of ") for line in measured.unmeasured}
    assert not failed & TOOLS.keys()


def test_vectors_of_a_model_that_knows_hebrew_find_the_tools() -> None:
    with FakeProviders() as fake:
        fake.embeds = vector
        embedder = load_embedder("openai:text-embedding-3-small")
        measured = compare(documents(), questions(), None, embedder)
    assert measured.figures["words, and vectors"]["recall@1"] == 1.0
