"""Properties of lessons, checked with a few generated cases in unit tests and many in evals."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import fsrs

from packs.tutoring.catalogue import TOOLS
from packs.tutoring.configuration import read_configuration, with_defaults
from packs.tutoring.lesson_prompt import Lesson, Task, optimise, preview
from packs.tutoring.tools import reviewed_card
from rollcall.core.errors import InvalidArgument
from tests.support.catalogs import catalog
from tests.support.packs.tutoring.configurations import (
    ACCEPTED,
    CODE,
    NESTED,
    TABLE,
    TYPES,
    random_configuration,
    setting,
)

BLOCKS = (CODE, TABLE, NESTED, "~~~\n#\n\n\n  x  =  1  \n~~~", "    indented  code\n    # more")
_TEXTS = ("Talk  about food.   ", "דברו על אוכל. ", "## ", "#", "", "", "## Real", "1. one", "> q")


def pairs() -> tuple[int, int, list[str]]:
    """Configure each tool with each trigger; return how many were accepted, how many refused with
    field and accepted values, and what went otherwise."""
    accepted, refused, wrong = 0, 0, []
    for tool in TOOLS:
        for type in TYPES:
            try:
                read_configuration({"tools": [setting(tool, type)]})
            except InvalidArgument as error:
                told = (error.field, error.hint)
                at = "toolConfiguration.tools.0.triggerCondition.type"
                refused += told == (at, f"accepted: {', '.join(TOOLS[tool].triggers)}")
                wrong += [f"{tool} on {type} is refused"] if type in ACCEPTED[tool] else []
            else:
                accepted += 1
                wrong += [] if type in ACCEPTED[tool] else [f"{tool} on {type} is accepted"]
    return accepted, refused, wrong


def prompt_problems(random: Random) -> list[str]:
    """Return what is wrong with the prompt of one random lesson."""
    own, problems = random_configuration(random), list[str]()
    text = "\n".join(random.choices([*BLOCKS, *_TEXTS], k=random.randint(1, 14)))
    lesson = Lesson(
        conversation_prompt=text,
        tool_configuration=own,
        tasks=tuple(Task(id=f"t{n}", text=f"Task {n}") for n in range(random.randint(0, 4))),
        duration_minutes=random.choice([None, 5, 90]),
        level=random.choice([None, "A1", "C2"]),
        locale=random.choice(["en", "he"]),
    )
    aggressive = random.random() < 0.3
    shown, again = (preview(lesson, catalog=catalog, aggressive=aggressive) for _ in range(2))
    prompt = shown.system_prompt
    if optimise(prompt, aggressive=aggressive) != prompt:
        problems.append("optimised twice, it changes")
    for block in BLOCKS:
        # A block that stands in an open fence is part of that one.
        if prompt.count(block) < text.count(f"\n{block}\n") and "```" not in block:
            problems.append(f"a block is changed: {block!r}")
    if "{{" in prompt:
        problems.append("a place is open")
    named = {tool for tool in TOOLS if tool in prompt}
    declared = {each["name"] for each in shown.function_declarations}
    if not named == declared == own.enabled.keys():
        problems.append(f"it names {named}, declares {declared}, has {set(own.enabled)}")
    if json.dumps(shown.dump()) != json.dumps(again.dump()):
        problems.append("made twice, it differs")
    return problems


def default_problems(random: Random) -> list[str]:
    """Return what is wrong with the defaults of one random lesson."""
    own, problems = random_configuration(random), list[str]()
    before = own.dump()
    lesson = {"has_tasks": random.random() < 0.5, "is_review": random.random() < 0.5}
    found = with_defaults(own, **lesson)
    if own.dump() != before:
        problems.append("the input changed")
    if with_defaults(found, **lesson) != found:
        problems.append("done twice, it changes")
    kept = {each.tool_id: each for each in found.tools}
    if any(kept[each.tool_id] != each for each in own.tools if each.set_by == "teacher"):
        problems.append("a teacher's choice changed")
    wanted = {"show_session_summary"}
    wanted |= {"mark_task_complete"} if lesson["has_tasks"] else set()
    wanted |= {"mark_item_mastered", "play_student_audio"} if lesson["is_review"] else set()
    off = {each.tool_id for each in own.tools if each.set_by == "teacher" and not each.enabled}
    if own.tools and not wanted - off <= found.enabled.keys():
        problems.append(f"not switched on: {wanted - off - found.enabled.keys()}")
    if not own.tools and found.tools:
        problems.append("a lesson without tools has some")
    return problems


def due_date_problems(random: Random) -> list[str]:
    """Return where a sequence of reviews, stored after each, differs from py-fsrs by itself."""
    at = datetime(2026, 1, 1, 8, tzinfo=UTC) + timedelta(minutes=random.randint(0, 500_000))
    scheduler = fsrs.Scheduler(enable_fuzzing=False)
    card, stored = fsrs.Card(card_id=1, due=at), None
    for _ in range(random.randint(1, 12)):
        rating: Any = random.choice(["again", "hard", "good", "easy"])
        card, _ = scheduler.review_card(card, fsrs.Rating[rating.capitalize()], at)
        stored = json.loads(json.dumps(reviewed_card(stored, rating, at)))  # as Firestore holds it
        if stored["due"] != card.due.isoformat() or stored["stability"] != card.stability:
            return [f"due {stored['due']}, and by py-fsrs {card.due.isoformat()}"]
        at = card.due + timedelta(minutes=random.randint(-3_000, 30_000))
    return []
