"""What extraction finds in the sample conversations, against what a careful reader finds.

Action items and decisions are extracted as the tools do it, conversation by conversation, and
read back from Firestore. One counts as found when something was extracted from the very message
that the reader names; what is extracted elsewhere counts against precision, though some of it
says the same thing in the message before or after.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from google.cloud.firestore import FieldFilter

from packs.messaging.access import readable_conversations
from packs.messaging.documents import ACTION_ITEMS, DECISIONS, MESSAGES
from packs.messaging.extraction import extract_new
from rollcall.core.context import ToolContext, User
from rollcall.core.text import language
from seed.messaging.days import workday
from tests.evals.packs.messaging.company import Company
from tests.evals.report import EvalResult, share, table

LABELS = Path(__file__).parent / "sample_labels.json"
_PRESSING = ("urgent", "high")

Json = dict[str, Any]


def measure(company: Company) -> EvalResult:
    """Extract from every conversation, as somebody who is in it."""
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    unmeasured = [f"{id}: {problem}" for id, problem in _extract(company)]
    kinds = {
        "priorities": (_priorities(company), labels["priorities"]),
        "actionItems": (_by_message(company, ACTION_ITEMS), _labelled(labels["actionItems"])),
        "decisions": (_by_message(company, DECISIONS), _labelled(labels["decisions"])),
    }
    figures = {
        kind: {name: _found(company, found, right, name) for name in ("all", "en", "he")}
        for kind, (found, right) in kinds.items()
    }
    details = _details(company, labels, kinds)
    rows = [
        [kind, name, *(group[key] for key in _COLUMNS)]
        for kind, groups in figures.items()
        for name, group in groups.items()
    ]
    author = "rules" if company.text_model is None else company.model
    main = table(f"Extraction by {author}", ["", "messages", *_COLUMNS.values()], rows)
    more = table(
        "Of those found, right in",
        ["", "right", "of", "share"],
        [[name, *group.values()] for name, group in details.items()],
    )
    differences = {
        kind: {"missed": sorted(set(right) - set(found)), "extra": sorted(set(found) - set(right))}
        for kind, (found, right) in kinds.items()
    }
    return EvalResult(
        [main, more],
        {**figures, "details": details, "differences": differences},
        unmeasured=unmeasured,
    )


def _extract(company: Company) -> Iterable[tuple[str, str]]:
    """Extract everything; yield what could not be."""
    for talk, _ in company.talks.values():
        ctx = ToolContext(User(talk.participant_ids[0]), company)
        try:
            done = extract_new(ctx, readable_conversations(ctx, [talk.id]))
        except Exception as error:
            yield talk.id, f"{type(error).__name__}: {error}"
        else:
            if not done.is_all:
                yield talk.id, "not all of it was read"


def _priorities(company: Company) -> dict[str, list[Json]]:
    """Messages stored as urgent or high."""
    pressing = FieldFilter("priority", "in", list(_PRESSING))
    stored = company.db.collection(MESSAGES).where(filter=pressing).stream()
    return {item.id: [item.to_dict() or {}] for item in stored}


def _by_message(company: Company, collection: str) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for item in company.db.collection(collection).stream():
        data = item.to_dict() or {}
        found.setdefault(data["messageId"], []).append(data)
    return found


def _labelled(items: list[Json]) -> dict[str, Json]:
    return {item["messageId"]: item for item in items}


def _found(company: Company, found: Json, right: Json, name: str) -> Json:
    def counted(ids: Iterable[str]) -> set[str]:
        return {id for id in ids if name in ("all", language(company.messages[id].text))}

    labelled, extracted = counted(right), counted(found)
    hits = len(labelled & extracted)
    precision, recall = share(hits, len(extracted)), share(hits, len(labelled))
    both = (precision or 0) + (recall or 0)
    return {
        "labelled": len(labelled),
        "found": len(extracted),
        "right": hits,
        "precision": precision,
        "recall": recall,
        "f1": round(2 * (precision or 0) * (recall or 0) / both, 4) if both else None,
    }


_COLUMNS = {name: name for name in ("labelled", "found", "right", "precision", "recall", "f1")}


def _details(company: Company, labels: Json, kinds: Json) -> dict[str, Json]:
    people = labels["people"]
    priorities, actions, decisions = (kinds[kind] for kind in kinds)

    def right(pair: Any, test: Callable[[Json, Any], bool]) -> Json:
        found, wanted = pair
        both = [id for id in wanted if id in found]
        good = sum(any(test(item, wanted[id]) for item in found[id]) for id in both)
        return {"right": good, "of": len(both), "share": share(good, len(both))}

    return {
        "priorities: level": right(priorities, lambda item, level: item["priority"] == level),
        "actionItems: assignee": right(
            actions, lambda item, label: _is(people, item["assignee"], label["assignee"])
        ),
        "actionItems: deadline": right(
            actions, lambda item, label: _day(item["deadline"]) == _due(company, label)
        ),
        "actionItems: priority": right(
            actions, lambda item, label: item["priority"] == label["priority"]
        ),
        "decisions: decisionMaker": right(
            decisions,
            lambda item, label: _is(people, item["decisionMaker"], label["decisionMaker"]),
        ),
        "decisions: impactLevel": right(
            decisions, lambda item, label: item["impactLevel"] == label["impactLevel"]
        ),
    }


def _is(people: Json, said: str | None, uid: str) -> bool:
    person = people[uid]
    return said in (person["name"], *person["spellings"])


def _day(deadline: str | None) -> date | None:
    return date.fromisoformat(deadline[:10]) if deadline else None


def _due(company: Company, label: Json) -> date | None:
    if "deadlineWorkdaysAgo" in label:
        return workday(label["deadlineWorkdaysAgo"], today=company.today)
    if "deadlineDaysAfter" in label:
        sent = company.messages[label["messageId"]].sent_at.date()
        return sent + timedelta(days=label["deadlineDaysAfter"])
    return None
