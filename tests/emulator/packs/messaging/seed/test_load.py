"""The sample conversations, as `python -m seed` loads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from seed.data_sets import load_pack
from seed.screen import Screen
from tests.support.local_functions import LocalPlatform


def test_the_sample_looks_fresh_and_is_counted(seeding: Any) -> None:
    load_pack("messaging", LocalPlatform(seeding.db), {"sample"}, Screen())
    chat = seeding.db.document("conversations/sample-budget").get().to_dict()
    assert timedelta() < datetime.now(UTC) - chat["lastMessageAt"] < timedelta(days=4)
    assert chat["messageCount"] == len(seeding.messages("sample-budget"))
    sealed = seeding.db.document("conversations/sample-rina-private").get().to_dict()
    assert sealed["encryptedCount"] == sealed["messageCount"] > 0
    assert seeding.count("conversations") == 18
    assert seeding.count("messages") > 300
