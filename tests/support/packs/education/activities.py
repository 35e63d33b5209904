"""Contents with random blocks of every kind, and with texts that formats trip over."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from packs.education.blocks import Item, Option, choices, item
from packs.education.contents import Content

HEBREW = (
    "חשבו: 120 − 30 = ? והסבירו", "האם 3 < 4?", "לוח באורך 25 mm", "מהו השם Google Classroom?",
    "מה גדול יותר, 3/4 או 1/2?", "סדרו: 1 1/2, 0.5, 75%", "מי כתב את \"התקווה\"?",
    "שָׁלוֹם לְכוּלָּם", "מהו √16 + 2²?", "ה-DNA וה-RNA בתא", "הטמפרטורה −5°C", "f(x) = x² + 1",
)  # fmt: skip
NASTY = (
    "a & b < c > d", "{=1 ~2 #x}", "::title:: //comment", "\\{\\} \\n", "=%50%1 #fb", "]]> &amp;",
    "$x$ *b* #let y = 1", "קו\nשני", "'\"`", "~ = # { } : \\", "[html]<b>x</b>", "=1+1", "# כותרת",
)  # fmt: skip
WORDS = (
    "מונה",
    "מכנה",
    "שבר",
    "אחוז",
    "3/4",
    "12",
    "25 mm",
    "water",
    "H₂O",
    "א",
    "0.5",
    "120 − 30",
)
KINDS = ("choice", "multi_choice", "true_false", "match", "order", "cloze", "numeric", "open")
READ = ("text", "table", "cards")


def content(
    kind: str = "activity", *, locale: str = "he", items: Sequence[Item] = (), **more: Any
) -> Content:
    """A content about these items."""
    fields: dict[str, Any] = {
        "uid": "teacher",
        "kind": kind,
        "title": "שברים – כיתה ד",
        "topic": "שברים",
        "subject": "math",
        "grade": "ד",
        "locale": locale,
        "generator": "offline",
        "block_count": len(items),
        "points": sum(each.block.points for each in items),
        **more,
    }
    return Content(**fields)


def random_items(
    random: Random, count: int, *, nasty: float = 0.3, read: bool = True
) -> list[Item]:
    """Items of random kinds."""
    kinds = KINDS + READ if read else KINDS
    return [random_item(random, random.choice(kinds), nasty) for _ in range(count)]


def random_item(random: Random, kind: str, nasty: float = 0.3) -> Item:
    """An item of a kind with a key that fits it."""

    def text() -> str:
        return random.choice(NASTY if random.random() < nasty else HEBREW)

    def texts(count: int) -> list[str]:
        pool = [*WORDS, *HEBREW, *(NASTY if nasty else ())]
        return random.sample(pool, count)

    more: dict[str, Any] = {"points": random.randint(0, 20), "bloom": "apply"}
    say: dict[str, Any] = {"feedback": text()} if random.random() < 0.5 else {}
    count = random.randint(2, 6)
    options = choices(texts(count))
    ids = [each.id for each in options]
    match kind:
        case "choice":
            key = {"correct": [random.choice(ids)], **say}
            return item("choice", text(), options=options, key=key, **more)
        case "multi_choice":
            key = {"correct": random.sample(ids, random.randint(1, count)), **say}
            return item("multi_choice", text(), options=options, key=key, **more)
        case "true_false":
            return item("true_false", text(), key={"truth": random.random() < 0.5, **say}, **more)
        case "match":
            extra = random.randint(0, 2)
            targets = [Option(id=f"t{n}", text=each) for n, each in enumerate(texts(count + extra))]
            partners = random.sample([each.id for each in targets], count)
            key = {"pairs": dict(zip(ids, partners, strict=True)), **say}
            return item("match", text(), options=options, targets=targets, key=key, **more)
        case "order":
            key = {"correct": random.sample(ids, count), **say}
            return item("order", text(), options=options, key=key, **more)
        case "cloze":
            gaps = random.randint(1, 3)
            stem = text() + "".join(
                f" {{{{{n}}}}} {random.choice(WORDS)}" for n in range(1, gaps + 1)
            )
            accepted = {str(n): texts(random.randint(1, 2)) for n in range(1, gaps + 1)}
            bank = choices([each[0] for each in accepted.values()]) if random.random() < 0.5 else []
            return item("cloze", stem, options=bank, key={"gaps": accepted, **say}, **more)
        case "numeric":
            value = random.choice(("12", "-0.5", "3/4", "1 1/2", "1000"))
            unit = random.choice((None, "cm"))
            return item("numeric", text(), unit=unit, key={"value": value, **say}, **more)
        case "open":
            return item("open", text(), key={"sample": text(), "criteria": texts(2), **say}, **more)
        case "table":
            rows = [texts(3) for _ in range(3)]
            return item("table", "", rows=rows)
        case "cards":
            cards = [{"front": each, "back": text()} for each in texts(3)]
            return item("cards", "כרטיסיות", cards=cards)
    return item("text", f"## {text()}\n{text()}\n- {text()}\n- {text()}\n\n{text()}")
