"""A language model as a filler of JSON schemas."""

from __future__ import annotations

import pytest

from rollcall.core.errors import Unavailable
from rollcall.models.structured import StructuredText
from rollcall.testing import ScriptedModel, says

SCHEMA = {"type": "object", "properties": {"items": {"type": "array"}}}


def test_the_reply_is_read_as_an_object() -> None:
    model = ScriptedModel([says('{"items": [1]}')])
    answer = StructuredText(model).generate(instructions="Fill.", text="one", schema=SCHEMA)
    assert answer == {"items": [1]}
    assert model.requests[0].response_schema == SCHEMA
    assert not model.requests[0].streamed, "nobody watches it come"


@pytest.mark.parametrize("reply", ["", "no json", '{"items": [', "[1]", "7"])
def test_anything_else_is_an_error_that_may_be_retried(reply: str) -> None:
    with pytest.raises(Unavailable):
        StructuredText(ScriptedModel([says(reply)])).generate(
            instructions="Fill.", text="one", schema=SCHEMA
        )
