"""What the owner of a content may decide."""

from __future__ import annotations

import pytest
from google.cloud.firestore import Client

from packs.education.contents import open_block, open_content, read_items
from packs.education.publishing import delete_content, publish_content
from rollcall.core.capability import Capability
from rollcall.core.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from tests.support.packs.education.classroom import (
    ITEMS,
    add_content,
    add_course,
    context,
    preview,
    write,
)


def test_a_draft_is_published_to_the_course_at_hand(school: Client) -> None:
    shown = preview(context(school), publish_content, contentId="draft", maxTries=3)
    assert shown.arguments == {"contentId": "draft", "courseId": "math4", "maxTries": 3}
    assert "6 pupils" in shown.display.text
    result = write(context(school, writes=True), publish_content, content_id="draft", max_tries=3)
    assert (result["version"], result["students"], result["courseId"]) == (1, 6, "math4")
    stored = school.document("contents/draft").get().to_dict() or {}
    assert (stored["status"], stored["courseId"], stored["maxTries"]) == ("published", "math4", 3)
    opened = open_content(context(school, "dov"), "draft", reader="teacher")
    assert list(read_items(opened).values()) == ITEMS


def test_only_the_owner_publishes_and_deletes(school: Client) -> None:
    for uid in ("dov", "ben", "math4-1"):
        for capability in (publish_content, delete_content):
            for call in (capability, Capability.of(capability).mark.preview):
                given = {"course_id": None, "max_tries": 1} if capability is publish_content else {}
                assert call is not None
                with pytest.raises(PermissionDenied, match="you have no content"):
                    call(context(school, uid, writes=True), content_id="fractions", **given)


def test_nothing_is_published_to_anothers_course_nor_without_blocks(school: Client) -> None:
    with pytest.raises(PermissionDenied, match="no course"):
        publish_content(context(school, writes=True), content_id="draft", course_id="other")
    add_content(school, "empty", "ada", [])
    with pytest.raises(FailedPrecondition, match="no blocks"):
        publish_content(context(school, writes=True), content_id="empty")
    add_course(school, "math5", ["ada"], pupils=0)
    with pytest.raises(InvalidArgument, match="which course"):
        publish_content(context(school, writes=True), content_id="draft")


def test_deleting_leaves_neither_blocks_nor_keys(school: Client) -> None:
    write(context(school, writes=True), delete_content, content_id="fractions")
    assert not school.document("contents/fractions").get().exists
    for name in ("blocks", "keys"):
        assert list(school.collection(f"contents/fractions/{name}").stream()) == []
    assert school.document("contents/draft").get().exists


def test_a_block_is_opened_with_its_key_by_its_id_alone(school: Client) -> None:
    opened, item = open_block(context(school), "draft-001")
    assert (opened.id, item) == ("draft", ITEMS[0])
    for uid, id in (("dov", "draft-001"), ("ben", "fractions-001"), ("ada", "draft-009")):
        with pytest.raises(PermissionDenied, match="you have no block"):
            open_block(context(school, uid), id, reader="teacher")
