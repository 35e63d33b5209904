"""Agents of packs that use the tools of this one."""

from __future__ import annotations

from tests.support.catalogs import catalog


def test_every_agent_finds_the_tools_that_it_names() -> None:
    known = {each.id for each in catalog.capabilities()}
    named = {tool for agent in catalog.agents().values() for tool in agent.tools}
    assert "list_documents" in named
    assert {each for each in named if each.isidentifier()} <= known
