"""Shapes that every process needs."""

from __future__ import annotations

import runpy

import pytest
from pydantic import ValidationError

from rollcall.core import shapes
from rollcall.core.shapes import Role, Wire
from rollcall.core.texts import TEXTS


@pytest.mark.parametrize("role", [Role.TEACHER, Role.ADMIN])
def test_a_role_is_at_least_itself_and_lower_ones(role: Role) -> None:
    assert role.at_least(Role.TEACHER)
    assert role.at_least(Role.USER)


@pytest.mark.parametrize("role", [Role.USER, Role.STUDENT])
def test_a_role_is_not_at_least_a_higher_one(role: Role) -> None:
    assert not role.at_least(Role.TEACHER)


def test_roles_rank_from_user_to_admin() -> None:
    order = (Role.USER, Role.STUDENT, Role.TEACHER, Role.ADMIN)
    assert [role.rank for role in order] == [0, 1, 2, 3]


def test_a_shape_is_read_from_a_document_or_another_shape_by_name() -> None:
    class Line(Wire):
        line_id: str
        text: str
        page_number: int = 0

    read = Line.read({"lineId": "a", "text": "Hi", "uid": "ann"}, page_number=2)
    assert read == Line(line_id="a", text="Hi", page_number=2)
    assert Line.read(dict(read), text="Ho").dump() == {"lineId": "a", "text": "Ho", "pageNumber": 2}
    with pytest.raises(ValidationError, match="pages"):
        Line.read({"lineId": "a", "text": "Hi"}, pages=2)
    with pytest.raises(ValidationError, match="text"):
        Line.read({"lineId": "a"})


def test_a_language_whose_texts_are_there_may_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationError, match=r"'en'.* or '"):
        shapes.CapabilityCall(locale="xx")
    monkeypatch.setattr(TEXTS, "languages", (*TEXTS.languages, "xx"))
    with_its_texts = runpy.run_path(shapes.__file__)
    assert with_its_texts["CapabilityCall"](locale="xx").locale == "xx"
