"""What the NEC copilot offers its model."""

from __future__ import annotations

from packs.electrical.agents import ELECTRICAL
from rollcall.core.context import User
from rollcall.registry.selection import ToolRequest, select
from tests.support.catalogs import catalog
from tests.support.for_every import for_every
from tests.support.registries import registry_documents, registry_of

REGISTRY = registry_of(*registry_documents(catalog.capabilities()))


@for_every(
    ("question",),
    [
        ("How high are the receptacles in the examination rooms mounted?",),
        ("How long does the generator's fuel last?",),
        ("What colour are the corridor fixtures?",),
        ("כמה דקות תפעל תאורת החירום?",),
        ("מה גובה השקעים בחדרי הבדיקה?",),
    ],
)
def test_a_question_that_only_a_document_answers_is_offered_the_search_of_documents(
    question: str,
) -> None:
    assert "search_nec" in select(REGISTRY, ToolRequest(ELECTRICAL, User("ann"), question)).ids
