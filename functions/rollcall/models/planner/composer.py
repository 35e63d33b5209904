"""Words an answer from what tools returned, with citations, in the language of the question.

Every result is told by the same templates: a list with its first items, a text with its figures, or
why a call did not work. A question that the result does not answer is said not to be answered.
Untrusted text loses its links, HTML and citation marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import excerpt, language, terms, words
from rollcall.core.texts import TEXTS
from rollcall.models.base import ToolSpec
from rollcall.models.planner.history import Step, Turn
from rollcall.models.planner.mentions import cue, unit_of, wording, wordset
from rollcall.models.planner.parameters import spaced

Item = dict[str, Any]

_MAX_ITEMS, _MAX_ROWS, _MAX_DETAILS, _MAX_MARKS = 6, 20, 7, 3
_ISO = re.compile(r"\d{4}-(?P<month>0[1-9]|1[012])-(?P<day>\d\d)(?:[T ]\d\d:\d\d\S*)?")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”")
_BEGINNING = 40
_HANDLE = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])[\w-]{12,}")
_SHOWN = ("person", "place", "due", "when", "degree")


class Wish(Struct, frozen=True):
    """What the user wants of a result beyond what the call could say.

    Attributes:
        text: The question.
        topic: What the things are about, where that was searched for.
        person: Whose messages are meant.
        rest: Whether the first items of a list were told before.
    """

    text: str = ""
    topic: str = ""
    person: str = ""
    rest: bool = False


def say(key: str, locale: str, **values: object) -> str:
    """Return one of the planner's sentences."""
    return TEXTS.say(locale, f"offline.say.{key}", **values)


def so_far(turn: Turn) -> str:
    """Return what a turn has found when a bound stops it."""
    if not turn.steps:
        return say("nothing_so_far", turn.locale)
    return f"{say('so_far', turn.locale)}\n\n{answer(turn.steps, Wish(), turn.locale)}"


def answer(steps: Sequence[Step], wish: Wish, locale: str, tools: Sequence[ToolSpec] = ()) -> str:
    """Return the answer to a wish out of some steps; `tools` give their names."""
    texts = [_told(step, wish, locale) for step in steps if not step.failed]
    names = {tool.name: (*tool.names.values(),) for tool in tools}
    failed = (step for step in steps if step.failed)
    texts += [_failure(step, locale, names.get(step.call.name, ())) for step in failed]
    if any(_lacks_some(step.output) for step in steps):
        texts.append(say("not_all", locale))
    return "\n\n".join(dict.fromkeys(filter(None, texts)))


def _told(step: Step, wish: Wish, locale: str) -> str:
    output = {"results": step.output} if isinstance(step.output, list) else step.output
    if not isinstance(output, dict):
        return _defanged(str(output)) if output not in (None, "") else say("done", locale)
    if isinstance(done := output.get("done"), str) and done:
        return one_line(done) + _marks(output, step)
    empty: dict[str, list[Item]] = {key: [] for key, value in output.items() if value == []}
    # A calculation's answer is in words; its figures are for programs and for who asks for them.
    is_worded = isinstance(output.get("answer"), str) and "assumptions" in output
    lists = {} if is_worded else step.lists or (empty if len(empty) == 1 else {})
    told = [_listing(k, v, output, step, wish, locale) for k, v in lists.items()]
    facts = "" if lists == empty != {} else _facts(output, step, wish, locale)
    told.insert(0 if facts.startswith("**") else len(told), facts)
    counted = next((output[k] for k in ("total", "count") if type(output.get(k)) is int), None)
    bare = "" if counted is None else f"{label('total', locale).capitalize()}: {counted:,}"
    return "\n\n".join(filter(None, told)) or bare or say("done", locale)


def _listing(key: str, items: list[Item], output: Item, step: Step, wish: Wish, locale: str) -> str:
    """Tell a list: what of it was asked for, how many there are, and the first few."""
    what, (kept, conditions) = label(key, locale), _looked_through(items, wish, locale)
    query = str((step.call.arguments or {}).get("query") or "")
    if query and kept and not _has_most(kept, query):
        kept, conditions = [], [say("quoted", locale, text=query)]
    if not kept:
        said = ", ".join(conditions) or say("all", locale)
        return say("none", locale, what=what, conditions=said)
    counted = [output.get(k) for k in ("totalFound", "totalCount", "total", "count")]
    total = max(len(kept), *(n for n in counted if type(n) is int and not conditions), 0)
    if wish.rest and total <= _MAX_ITEMS:
        return say("no_more", locale, what=what)
    rest = kept[_MAX_ITEMS:][:_MAX_ROWS] if wish.rest else []
    first = rest or kept[:_MAX_ITEMS]
    more = total - len(first) - bool(rest) * _MAX_ITEMS
    count = say("of_total", locale, shown=len(first), total=total) if len(first) < total else total
    head = " · ".join([what[:1].upper() + what[1:], *conditions])
    lines = [f"**{head} ({count})**", "", *(_line(e, step, locale, wish.text) for e in first)]
    lines += [f"- {say('more', locale, count=more)}"] * (more > 0)
    evidence = " ".join(str(v) for each in first for k, v in each.items() if not _is_inner(k, v))
    if kind := unanswered(wish.text, evidence, is_counted=not query):
        lines[:0] = [say(f"cannot_tell.{kind}", locale), ""]
    return "\n".join(lines)


def _looked_through(items: list[Item], wish: Wish, locale: str) -> tuple[list[Item], list[str]]:
    """Return the items that meet a wish, and its conditions in words. What is in another script
    than the wish may meet it in other words."""
    conditions = [wish.person] if wish.person else []
    conditions += [say("quoted", locale, text=wish.topic)] if wish.topic else []
    for wanted, fields in ((wish.person, wording("fields.person")), (wish.topic, ())):
        kept = []
        for item in items if wanted else ():
            told = " ".join(str(v) for k, v in item.items() if k in fields or not fields)
            is_other = not told or language(told) != language(wanted)
            if is_other or {*words(wanted)} & {*words(told)}:
                kept.append(item)
        items = kept if wanted else items
    return items, conditions


def _has_most(items: list[Item], query: str) -> bool:
    """Tell whether an item has most words of a query; the first may be in another language, as it
    was then found in other words."""
    if not any({"relevance", "similarity"} & set(spaced(key).split()) for key in items[0]):
        return True  # as a search for exact words finds only these
    wanted, first = set(terms(query)), str(items[0].get("content") or query)
    shares = (len(wanted.intersection(words(" ".join(map(str, e.values()))))) for e in items)
    return language(first) != language(query) or 3 * max(shares) >= 2 * len(wanted)


def unanswered(text: str, evidence: str, *, is_counted: bool = False) -> str:
    """Return what a text asks and a result does not answer: "when", "amount", "why" or ""."""
    if cue("asks.difference").search(text):
        return "why"  # which a reason that stands there does not tell
    is_told = is_counted and cue("asks.count").search(text)
    kinds = ("when", "why") if is_told else ("when", "why", "amount")
    asked = (kind for kind in kinds if cue(f"asks.{kind}").search(text))
    return next((kind for kind in asked if not cue(f"answers.{kind}").search(evidence)), "")


def _line(item: Item, step: Step, locale: str, text: str) -> str:
    """Return an item's bullet: what it is, then who, when, how urgent and other short fields, then
    its source."""
    heads = [k for k in wording("fields.headline") if isinstance(item.get(k), str) and item[k]]
    heads += [k for k in item if k.endswith(("Name", "Title")) and isinstance(item[k], str)]
    title = one_line(item[heads[0]], None) if heads else ""
    title = apart(excerpt(title, terms(text), length=160), locale)
    told = dict.fromkeys([title])
    kinds = {k: kind for kind in _SHOWN for k in wording(f"fields.{kind}")}
    is_due = any(item.get(k) for k in wording("fields.due"))
    for key in sorted(item, key=lambda k: _SHOWN.index(kinds.get(k, _SHOWN[-1]))):
        value, kind = item[key], kinds.get(key, "")
        is_told = value not in (None, [], {}, "") and str(value).lower() not in wordset("silent")
        is_short = not isinstance(value, dict) and len(str(value)) <= 60
        is_old = kind == "when" and is_due
        if key not in heads[:1] and is_told and is_short and not (is_old or _is_inner(key, value)):
            name, said = measured(key, value, locale)
            said = apart(said, locale)
            said = say("due", locale, when=said) if kind == "due" else said
            told[said if kind or not name else f"{name}: {said}"] = None
    details = " · ".join([*filter(None, told)][bool(title) : _MAX_DETAILS])
    return f"- {' — '.join(filter(None, (title, details)))}{_marks(item, step)}"


def _facts(output: Item, step: Step, wish: Wish, locale: str) -> str:
    """Return what a result says beside its lists: its text, then its figures."""
    bodies = [k for k in wording("fields.body") if isinstance(output.get(k), str) and output[k]]
    titles = [k for k in output if k.endswith(("Name", "title", "Title")) and output[k]]
    titles = [each for each in titles if each not in wording("fields.quiet")]
    title = f"**{one_line(str(output[titles[0]]))}**" if titles else ""
    body = _defanged(output[bodies[0]].strip()) if bodies else ""
    if body:
        first = [f" [{each['n']}]" for each in step.citations if isinstance(each.get("n"), int)]
        body += _marks(output, step) or "".join(first[:_MAX_MARKS])
    between = ("\n\n" if "\n" in body else ": ") if title and body else ""
    is_worded = bodies[:1] == ["answer"] and "assumptions" in output
    lines = [f"{title}{between}{body}" if body or not step.lists else ""]
    told = ["warnings", "assumptions"] if is_worded else [*output]
    for key in told:
        if key not in {*bodies[:1], *titles[:1]} and (is_worded or key not in step.lists):
            lines += _fact(key, output.get(key), locale)
    kind = "" if step.lists else unanswered(wish.text, str(output))
    lines = [say(f"cannot_tell.{kind}", locale), "\n", *lines] if kind else lines
    return "\n".join(filter(None, lines))


def _fact(name: str, value: Json, locale: str) -> list[str]:
    if value in (None, "", [], {}) or name in wording("fields.quiet") or _is_inner(name, value):
        return []
    head, told = measured(name, value, locale)
    head = f"- {head[:1].upper()}{head[1:]}:" if head else "-"
    if isinstance(value, dict):
        inner = [f"  {line}" for k, v in value.items() for line in _fact(k, v, locale)]
        return [head, *inner] if inner else []
    if isinstance(value, list) and isinstance(value[0], dict):
        rows = (e.get("reason") or e.get("text") or shown([*e.values()], locale) for e in value)
        return [head, *(f"  - {one_line(str(each), None)}" for each in [*rows][:_MAX_ROWS])]
    return [f"{head} {told}"]


def _failure(step: Step, locale: str, names: Sequence[str]) -> str:
    """Return what became of a call that did not work, and why."""
    error = step.body.get("error")
    error = error if isinstance(error, dict) else {"message": str(error or step.output or "")}
    said = (str(error.get(each) or "") for each in ("code", "message", "reason"))
    code, why, reason = (one_line(each).rstrip(". ") for each in said)
    if code in ("rejected", "expired", "unknown"):
        told = say("reason", locale, why=apart(reason, locale)) if reason else ""
        return f"{say(code, locale)} {told}".strip()
    known = (TEXTS.find(locale, "offline.words.errors") or {}).get(code, "")
    # By its beginning: a Hebrew reason may list figures and names in Latin letters, or quote some.
    if language(_QUOTED.sub("", why)[:_BEGINNING]) != locale:
        why = f"{known} (\u2066{why}\u2069)" if known and why else known or why
    return say("failed", locale, what=label(step.call.name, locale, names), why=why or "…")


# ---- Values and labels ----


def label(name: str, locale: str, others: Iterable[str] = ()) -> str:
    """Return the name of a field, a list, a tool or a value for a person; one of its other names,
    which are whatever a registry document says, where the language has no label for it."""
    text = spaced(name) if re.fullmatch(r"[A-Za-z_]\w*", name) else name
    known = (TEXTS.find(locale, "offline.words.labels") or {}).get(text.lower())
    if known is None and language(text) != locale:
        known = next((one_line(each) for each in others if language(each) == locale), None)
    return str(known or text)


def measured(name: str, value: Json, locale: str) -> tuple[str, str]:
    """Return a field's label and value, the unit moved from the name to the value."""
    rest, _, last = spaced(name).rpartition(" ")
    unit = unit_of(last) if rest or len(last) > 1 else None
    if unit is None or type(value) not in (int, float):
        return label(name, locale), shown(value, locale)
    if unit.symbol in "$€₪":
        return label(rest, locale), f"{'-' * (value < 0)}{unit.symbol}{shown(abs(value), locale)}"
    gap = "" if unit.symbol in "%°" else " "
    return label(rest, locale), f"{shown(value, locale)}{gap}{unit.symbol}"


def shown(value: Json, locale: str) -> str:
    """Return a value for a person: short dates, "yes" and "no", lists with commas."""
    if isinstance(value, bool):
        return say("yes" if value else "no", locale).lower()
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.4f}".rstrip("0") if abs(value) >= 0.001 else f"{value:.3g}"
    if isinstance(value, int | float):
        return f"{int(value):,}"
    if isinstance(value, list):
        return ", ".join(shown(each, locale) for each in value if not isinstance(each, dict))
    text = str(value)
    if when := _ISO.fullmatch(text):
        month = TEXTS.data(locale, "offline.words.short_months")[int(when["month"]) - 1]
        return say("day", locale, day=int(when["day"]), month=month)
    labels: dict[str, str] = TEXTS.find(locale, "offline.words.labels") or {}
    return labels.get(text, one_line(text))


def _is_inner(name: str, value: Json) -> bool:
    """Tell whether a field is for programs: ids, digests, counters, flags that all is well."""
    said = set(spaced(name).split())
    is_none = type(value) in (int, bool) and not value and name.endswith("Count")
    is_handle = isinstance(value, str) and _HANDLE.fullmatch(value)
    is_flag = isinstance(value, bool) and said & {"all", "truncated", "partial"}
    return bool(said & {"id", "ids", *wording("fields.inner")} or is_flag or is_handle or is_none)


def _lacks_some(output: Json) -> bool:
    """Tell whether a flag of a result says that not everything was looked at."""
    flags = {k: v for k, v in output.items() if type(v) is bool} if isinstance(output, dict) else {}
    kinds = [(set(spaced(name).split()), value) for name, value in flags.items()]
    return any(said & ({"truncated", "partial"} if value else {"all"}) for said, value in kinds)


def _marks(item: Item, step: Step) -> str:
    """Return the marks of the citations that share most ids with an item, none with another."""
    own, shared = _ids(item), dict[int, int]()
    for cited in step.citations:
        if isinstance(cited.get("n"), int) and _ids(cited) - {str(cited.get("userId"))} <= own:
            shared[cited["n"]] = len(_ids(cited) & own)
    most = max(shared.values(), default=0)
    best = sorted(n for n, count in shared.items() if most and count == most)
    return "".join(f" [{n}]" for n in best[:_MAX_MARKS])


def _ids(item: Item) -> set[str]:
    return {str(v) for k, v in item.items() if k in ("id", "path") or k.endswith("Id")}


def one_line(text: str, most: int | None = 280) -> str:
    """Return untrusted text on one line, bounded, with nothing to click or to believe."""
    flat = _defanged(" ".join(text.split()))
    return flat if most is None or len(flat) <= most else f"{flat[: most - 1].rstrip()}…"


def apart(text: str, locale: str) -> str:
    """Return words in another direction than the answer's so that they move nothing around them."""
    has_rtl = any("\u0590" <= char <= "\u08ff" for char in text)
    is_other = has_rtl if locale == "en" else not has_rtl and any(map(str.isalpha, text))
    return f"\u2068{text}\u2069" if is_other else text


def _defanged(text: str) -> str:
    """Return untrusted text without links, images, HTML or citation marks of its own."""
    text = re.sub(r"\[(\d+)\]", r"(\1)", re.sub(r"\]\s*\(", "] (", text))
    return re.sub(r"<(?=[A-Za-z/!])", "‹", text)


def example(tool: ToolSpec, locale: str) -> str:
    """Return a request for a tool in a language, as its own examples put it."""
    texts = (one_line(str(each.get("userRequest", ""))) for each in tool.examples)
    return next((text for text in texts if text and language(text) == locale), "")


def lead(tool: ToolSpec, locale: str) -> str:
    """Return what a tool does in a few words; "" where it says so in another language only."""
    text = re.split(r"\. |[:,;(\n]", tool.description.strip(), maxsplit=1)[0].rstrip(". ")
    text = re.sub(r"\b(?:one of |all of )?the user's\b", "your", text)
    return one_line(text, 80) if language(text) == locale else ""
