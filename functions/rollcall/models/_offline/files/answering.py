"""A reply to a request about files: calls, a question, or what was done and what was not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rollcall.core.messages import ModelMessage, UserMessage
from rollcall.core.text import tokens
from rollcall.models._offline.files import shown
from rollcall.models._offline.files.again import Page
from rollcall.models._offline.files.declining import NeedsModel, NotUnderstood
from rollcall.models._offline.files.hands import Hands, argument
from rollcall.models._offline.files.locating import entries
from rollcall.models._offline.files.looking import MOST_LINES
from rollcall.models._offline.files.searching import matches
from rollcall.models._offline.files.speaking import language_of
from rollcall.models._offline.files.understanding import Before, Wanted, understood
from rollcall.models._offline.files.words import say
from rollcall.models._offline.files.work import Move, Work, output
from rollcall.models._offline.history import Step, Turn, read
from rollcall.models._offline.lexicon import wordset
from rollcall.models._offline.phrases import say as say_of_itself
from rollcall.models._offline.plan import Reply
from rollcall.models.base import ModelRequest

_DEEPEST = 4
_MOST_STEPS = 400
_CANCEL = wordset("cancel forget nevermind never בטל עזוב עזבי לבטל")
_EXAMPLES = {
    "en": ("Which files are here?", "Run the tests"),
    "he": ("אילו קבצים יש כאן?", "הרץ את הבדיקות"),
}


class Plan(Struct, frozen=True):
    """What is wanted, and the steps that were made for it."""

    wanted: Sequence[Wanted]
    steps: Sequence[Step]
    language: str


def answer_about_files(
    turn: Turn, request: ModelRequest, hands: Hands, talk: str | None
) -> Reply | None:
    """The next reply to a request about files; None where other tools may know what is meant.

    Args:
        hands: The tools for files.
        talk: What kind of small talk the message is, if it is.
    """
    alone = len(request.tools) == len(hands.tools)
    if talk:
        return _introduced(talk, turn.language) if alone else None
    plan = _plan(turn, request, hands)
    unclear = (NeedsModel, NotUnderstood, type(None))
    clear = not any(isinstance(w.want, unclear) for w in plan.wanted)
    if not plan.wanted or not (alone or clear):
        return None
    return _reply(plan, Work(hands, plan.language, plan.steps), turn)


def _introduced(talk: str, language: str) -> Reply | None:
    """What the planner says of itself where files are all it works with."""
    openings = {"hello": say("hello", language), "who": say_of_itself("who", language), "help": ""}
    if talk not in openings:
        return None
    texts = (openings[talk], say("able", language))
    more = (say("get_model", language),) if talk != "hello" else ()
    return Reply("\n\n".join(filter(None, (*texts, *more))), quick_replies=_examples(language))


def _examples(language: str) -> tuple[str, ...]:
    return _EXAMPLES["he" if language == "he" else "en"]


def _plan(turn: Turn, request: ModelRequest, hands: Hands, *, depth: int = 0) -> Plan:
    """What a turn wants: something new, or what was asked about in the turn before."""
    answered = _answered(turn, request, hands, depth) if depth < _DEEPEST else None
    if answered:
        return answered
    said = [turn.text, *(m.text for m in reversed(turn.before) if isinstance(m, UserMessage))]
    language = language_of(said, turn.language)
    before = _before(turn, hands)
    if depth < _DEEPEST and any(isinstance(m, UserMessage) for m in turn.before):
        asked = read(turn.before, request.locale)
        wanted = _plan(asked, request, hands, depth=depth + 1).wanted
        before = replace(before, wants=[each.want for each in wanted])
    return Plan(understood(turn.text, before), turn.steps, language)


def _answered(turn: Turn, request: ModelRequest, hands: Hands, depth: int) -> Plan | None:
    """The plan of the turn before, where it ended in a question that this message answers."""
    last = turn.before[-1] if turn.before else None
    if not isinstance(last, ModelMessage) or last.tool_calls or "?" not in last.text:
        return None
    asked = read(turn.before[:-1], request.locale)
    plan = _plan(asked, request, hands, depth=depth + 1)
    work = Work(hands, plan.language, plan.steps)
    moves = _moves(plan.wanted, work)
    at = next((at for at, move in enumerate(moves) if move.asking), None)
    if at is None:
        return None
    want = plan.wanted[at].want
    new = None if set(tokens(turn.text)) & _CANCEL else want and want.answered(turn.text, work)
    if new is None:
        return None
    wanted = [*plan.wanted]
    wanted[at] = replace(wanted[at], want=new)
    return Plan(wanted[at:], (*plan.steps, *turn.steps), plan.language)


def _reply(plan: Plan, work: Work, turn: Turn) -> Reply:
    moves = _moves(plan.wanted, work)
    calls = tuple({call.key: call for move in moves for call in move.calls}.values())
    if calls and len(turn.steps) < _MOST_STEPS:
        return Reply("\n\n".join(filter(None, (move.aside for move in moves))), calls)
    asking = next((move.asking for move in moves if move.asking), None)
    texts = [*(move.text for move in moves), *_limits(plan, work.language)]
    if asking:
        texts.append(asking.text)
    offers = tuple(offer for move in moves for offer in move.offers)
    if not offers and not any(w.want and not isinstance(w.want, NeedsModel) for w in plan.wanted):
        offers = _examples(work.language)
    text = "\n\n".join(dict.fromkeys(filter(None, texts)))
    return Reply(text, quick_replies=asking.answers if asking else offers)


def _moves(wanted: Sequence[Wanted], work: Work) -> list[Move]:
    """What each want comes to, up to the one that the next has to wait for."""
    moves: list[Move] = []
    unmade = False
    for each in wanted:
        want = each.want
        if want is None:
            moves.append(
                Move(text=say("not_understood", work.language, what=shown.said(each.said)))
            )
            continue
        if want.acts and not all(move.is_over for move in moves):
            break
        if want.acts and unmade:
            moves.append(Move(text=say("skipped", work.language, what=shown.said(each.said))))
            continue
        move = want.move(work)
        moves.append(move)
        if want.acts and not move.is_over:
            break
        if want.acts:
            unmade = unmade or not move.done
            work.finish()
    return moves


def _limits(plan: Plan, language: str) -> list[str]:
    """What the planner can do, where it was asked for something that it cannot."""
    wants = [each.want for each in plan.wanted]
    if any(isinstance(want, NeedsModel) for want in wants):
        return [say("able", language), say("get_model", language)]
    if any(isinstance(want, NotUnderstood) for want in wants):
        return [say("get_model", language)]
    return [say("able", language), say("get_model", language)] if None in wants else []


def _before(turn: Turn, hands: Hands) -> Before:
    """What the turns before spoke of."""
    command = None
    page: Page | None = None
    known: list[str] = []
    listed: list[str] = []
    for step in turn.earlier:
        name, given = step.call.name, step.call.arguments
        if hands.runs and name == hands.runs.name:
            command = str(argument(hands.runs, given, "command") or "") or command
        for tool in (hands.reads, hands.writes, hands.edits):
            if tool and name == tool.name and not step.failed:
                known.append(str(argument(tool, given, "path") or ""))
        if name == (hands.reads.name if hands.reads else None):
            page = _page(known[-1], output(step)) if known and not step.failed else page
        if hands.lists and name == hands.lists.name:
            files = [path for path, kind in entries(output(step)) if kind == "file"]
            listed = files or listed
        if hands.searches and name == hands.searches.name:
            listed = list(dict.fromkeys(match.path for match in matches(step))) or listed
    path = next((each for each in reversed(known) if each), None)
    return Before(path, listed, command, page, known)


def _page(path: str, found: dict[str, Any]) -> Page | None:
    """The lines that an answer showed of what was read."""
    start, end, lines = (found.get(name) for name in ("startLine", "endLine", "lines"))
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(lines, int)):
        return None
    return Page(path, start, min(end, start + MOST_LINES - 1), lines)
