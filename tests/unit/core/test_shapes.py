"""Shapes that every process needs."""

from __future__ import annotations

import pytest

from rollcall.core.shapes import Role


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
