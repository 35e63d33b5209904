"""The pack's tables are in the reader's language."""

from packs.messaging.wording import table

ITEM = {"priority": "urgent", "content": "Call me", "timestamp": None, "id": "m1"}


def test_headings_and_levels_are_in_the_readers_language() -> None:
    fields = ["priority", "content"]
    assert table("en", fields, [ITEM]) == {
        "columns": ["Priority", "Message"],
        "rows": [{"Priority": "urgent", "Message": "Call me"}],
    }
    assert table("he", fields, [ITEM]) == {
        "columns": ["עדיפות", "הודעה"],
        "rows": [{"עדיפות": "דחופה", "הודעה": "Call me"}],
    }


def test_what_is_not_known_stays_empty() -> None:
    (row,) = table("en", ["impactLevel", "timestamp", "deadline"], [{**ITEM, "impactLevel": None}])[
        "rows"
    ]
    assert row == {"Impact": None, "Sent": None, "Due": None}
