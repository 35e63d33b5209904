"""docs/operating.md and the packs' pages name events and messages that the code logs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
SOURCES = "".join(
    path.read_text(encoding="utf-8")
    for part in ("rollcall", "packs")
    for path in (ROOT / "functions" / part).rglob("*.py")
)


def test_every_event_that_is_named_is_logged() -> None:
    events = set(re.findall(r'jsonPayload\.event="(\w+)"', PAGE))
    events |= set(re.findall(r"^\|`(\w+)`", PAGE.split("|`jsonPayload.event`")[1], re.MULTILINE))
    events &= set(re.findall(r"\b[a-z]+_[a-z_]+\b", PAGE)) - {"rollcall_runs"}
    assert len(events) >= 6
    assert {event for event in events if f'"{event}"' not in SOURCES} == set()


def test_every_text_that_an_alert_looks_for_is_logged() -> None:
    joined = re.sub(r'"\s*\n\s*f?"', "", SOURCES)
    assert len(texts_of_alerts(PAGE)) >= 3
    for page in ROOT.glob("docs/*.md"):
        missing = [text for text in texts_of_alerts(page.read_text("utf-8")) if text not in joined]
        assert missing == [], page.name


def texts_of_alerts(page: str) -> list[str]:
    """The log messages that a page's tables of alerts name."""
    tables = [part.split("\n\n")[0] for part in page.split("|filter|means|alert|")[1:]]
    return [text for table in tables for text in re.findall(r'`"([^"]+)"`', table)]
