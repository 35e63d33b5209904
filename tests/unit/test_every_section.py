"""The sections of user data that the platform and every pack declare are sound."""

from __future__ import annotations

import re

from rollcall.core.user_data import Section
from rollcall.endpoints.my_data import all_sections
from tests.support.catalogs import catalog
from tests.support.for_every import for_every

SECTIONS = all_sections(catalog)

every_section = for_every("section", SECTIONS, ids=lambda section: section.kind)


def test_threads_uploads_and_what_packs_keep_are_among_them() -> None:
    kinds = {section.kind for section in SECTIONS}
    assert {"documents", "files", "approvals"} <= kinds
    assert {section.kind for pack in catalog.user_data() for section in pack.sections} <= kinds


def test_no_two_sections_share_a_name() -> None:
    kinds = [section.kind for section in SECTIONS]
    assert len(kinds) == len(set(kinds))
    # A thread's own are counted and exported under these.
    assert {"threads", "messages", "runs", "events", "views"}.isdisjoint(kinds)


@every_section
def test_a_section_is_shown_or_erased_and_fits_into_a_commit(section: Section) -> None:
    assert section.show or section.erase
    assert re.fullmatch(r"[a-z][A-Za-z]*", section.kind)
    assert 1 <= section.page <= 400


@every_section
def test_what_is_shown_can_also_be_erased(section: Section) -> None:
    assert section.erase is not None
