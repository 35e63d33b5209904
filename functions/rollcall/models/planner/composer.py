"""Words an answer from what tools returned, with citations, in the language of the question.

What the user asked for and the call could not say (a person, a topic) is looked up in the
result itself, and a question that the result does not answer is said not to be answered. Untrusted
text loses its links, HTML and citation marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.core.text import excerpt, language, sentences, terms, tokens, words
from rollcall.core.texts import TEXTS
from rollcall.models.base import AttachedFile, ToolSpec
from rollcall.models.planner.history import Step, Turn
from rollcall.models.planner.mentions import Mention, cue, unit_of, wording, wordset
from rollcall.models.planner.parameters import spaced

Item = dict[str, Any]

MAX_ITEMS, _MAX_ROWS, _MAX_EXTRAS, _MAX_MARKS, _WEAKEST = 6, 20, 3, 3, 0.25
_MAX_SENTENCES = 4_000
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”")
_BEGINNING = 40
_IDENTIFIER = re.compile(r"(?<!\w)[a-z]{3,}(?:[A-Z][a-z]+|_[a-z]+)+(?!\w)")
_HANDLE = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])[\w-]{12,}")
_LOOKED = {"searched", "scanned", "read", "listed", "looked", "checked"}
_SHOWN = ("person", "place", "due", "when", "degree")


class Wish(Struct, frozen=True):
    """What the user wants of a result beyond what the call could say.

    Attributes:
        people: Whose things are meant.
        topic: What the things are about.
        left: What found no use at all.
        open: The numbers, dates and the like among it.
        search: The step that found where the topic is spoken of.
        pick: The place of the one item wanted.
        skip: How many items were told of already.
    """

    text: str = ""
    people: tuple[str, ...] = ()
    topic: str = ""
    left: tuple[str, ...] = ()
    open: tuple[Mention, ...] = ()
    search: Step | None = None
    pick: int | None = None
    skip: int = 0


def say(key: str, locale: str, **values: object) -> str:
    """Return one of the planner's sentences."""
    return TEXTS.say(locale, f"offline.say.{key}", **values)


def so_far(turn: Turn) -> str:
    """Return what a turn has found when a bound stops it."""
    if not turn.steps:
        return say("nothing_so_far", turn.locale)
    return f"{say('so_far', turn.locale)}\n\n{answer([(turn.steps, Wish())], turn.locale)}"


def answer(
    parts: Sequence[tuple[Sequence[Step], Wish]], locale: str, tools: Sequence[ToolSpec] = ()
) -> str:
    """Return the answer out of each part's steps and wish; `tools` give their names."""
    every = [(step, wish) for steps, wish in parts for step in steps]
    texts = [_tell(step, wish, locale) for step, wish in every if not step.failed]
    names = {tool.name: (*tool.names.values(),) for tool in tools}
    failed = (step for step, _ in every if step.failed)
    texts += [_failure(step, locale, names.get(step.call.name, ())) for step in failed]
    outputs = [step.output for step, _ in every if isinstance(step.output, dict)]
    if any(_covers(k, v) is False for each in outputs for k, v in each.items()):
        texts.append(say("not_all", locale))
    return "\n\n".join(dict.fromkeys(filter(None, texts)))


def _tell(step: Step, wish: Wish, locale: str) -> str:
    output = {"results": step.output} if isinstance(step.output, list) else step.output
    if not isinstance(output, dict):
        return _defanged(str(output)) if output not in (None, "") else say("done", locale)
    if isinstance(done := output.get("done"), str) and done:
        return one_line(done) + _marks(output, step)
    empty = [key for key, value in output.items() if value == []]
    if not step.lists and len(empty) == 1:
        return _listing(empty[0], [], output, step, wish, locale)
    # A calculation's answer is in words; its figures are for programs and for who asks for them.
    is_worded = isinstance(output.get("answer"), str) and "assumptions" in output
    lists = {} if is_worded else step.lists
    blocks = [_listing(k, v, output, step, wish, locale) for k, v in lists.items()]
    facts = _facts(output, step, locale)
    if not lists and (kind := unanswered(wish.text, str(output))):
        facts = f"{say(f'cannot_tell.{kind}', locale)}\n\n{facts}"
    order = [facts, *blocks] if facts.startswith("**") else [*blocks, facts]
    return "\n\n".join(filter(None, order)) or say("done", locale)


def _listing(key: str, items: list[Item], output: Item, step: Step, wish: Wish, locale: str) -> str:
    """Tell a list: what of it was asked for, how many there are, and the first few."""
    named = [output.get(k) for k in ("totalFound", "totalCount", "total", "count")]
    total = max([len(items), *(n for n in named if type(n) is int)])
    what, seen = label(key, locale), ""
    if wish.pick is not None:
        picked = items[wish.pick : wish.pick + 1 or None]
        none = say("no_such", locale, count=len(items))
        return _line(picked[0], step, locale).removeprefix("- ") if picked else none
    kept, conditions = _looked_through(items, wish, locale)
    if conditions and total > len(items):
        seen = say("of_those_seen", locale, seen=len(items), total=total)
    if not kept:
        conditions = conditions or [say("all", locale)]
        none = say("none", locale, what=what, conditions=", ".join(conditions))
        found = _tell(wish.search, Wish(wish.text), locale) if wish.search else seen
        return f"{none}\n\n{found}".strip()
    scores = [_score(each) for each in kept]
    given = step.call.arguments or {}
    query, offset = str(given.get("query") or ""), given.get("offset")
    if scores[0] and not wish.search and not _has_most(kept, query):
        none = say("none", locale, what=what, conditions=say("quoted", locale, text=query))
        if not (cue("seeks").match(wish.text) or cue("about").search(wish.text)):
            return none  # what was asked is not said there
        return f"{none}\n\n{say('nearest', locale)}\n\n{_line(kept[0], step, locale, query)}"
    if scores[0]:
        kept = [e for e, score in zip(kept, scores, strict=True) if score >= _WEAKEST * scores[0]]
    kept = sorted(kept, key=lambda each: not _is_urgent(each)) if not scores[0] else kept
    is_page = not (conditions or scores[0])  # else it is what was looked through that counts
    skipped = offset if is_page and type(offset) is int else 0
    total = total if is_page else len(kept)
    shown = kept[wish.skip : wish.skip + MAX_ITEMS]
    if not shown:
        return say("none", locale, what=what, conditions=say("all", locale))
    count = say("of_total", locale, shown=len(shown), total=total) if total > len(shown) else total
    head = " · ".join([what[:1].upper() + what[1:], *conditions])
    lines = [f"**{head}**" if scores[0] else f"**{head} ({count})**", ""]
    lines += [_line(each, step, locale, wish.text) for each in shown]
    more = total - skipped - wish.skip - len(shown)
    lines += [f"- {say('more', locale, count=more)}"] * (more > 0)
    evidence = " ".join(str(v) for each in shown for k, v in each.items() if not _is_inner(k, v))
    if kind := unanswered(wish.text, evidence, is_counted=not scores[0]):
        lines[:0] = [say(f"cannot_tell.{kind}", locale), ""]
    return "\n".join([*lines, *([seen] if seen else [])])


def _looked_through(items: list[Item], wish: Wish, locale: str) -> tuple[list[Item], list[str]]:
    """Return the items that meet a wish, and its conditions in words."""
    has_people = any(k in wording("fields.person") or k.endswith("Names") for e in items for k in e)
    conditions = [", ".join(wish.people)] if wish.people and (has_people or not items) else []
    if wish.people and has_people:
        items = [each for each in items if any(_is_by(each, name) for name in wish.people)]
    if wish.topic:
        wanted, texts = set(terms(wish.topic)), [" ".join(map(str, e.values())) for e in items]
        shares = [len(wanted.intersection(words(text))) for text in texts]
        least = max(1, max(shares, default=0) / 2)
        # What a search found in another language is about the topic in other words.
        other = [bool(wish.search) and language(t) != language(wish.topic) for t in texts]
        every = zip(items, shares, other, strict=True)
        items = [each for each, share, is_other in every if share >= least or is_other]
        items.sort(key=lambda each: _nearness(each, wanted), reverse=True)
        conditions.append(say("quoted", locale, text=wish.topic))
    return items, conditions


def _nearness(item: Item, wanted: set[str]) -> tuple[int, int]:
    """Return how many words of a topic an item says itself: in what it is, then in all but the
    names of where it stands."""
    heads = (str(item.get(k) or "") for k in wording("fields.headline"))
    own = (str(v) for k, v in item.items() if not k.endswith(("Name", "Names", "Title")))
    said = (words(" ".join(part)) for part in (heads, own))
    in_head, in_all = (len(wanted.intersection(each)) for each in said)
    return in_head, in_all


def _has_most(items: list[Item], query: str) -> bool:
    """Tell whether an item has most words of a query; the first may be in another language, as it
    was then found in other words."""
    wanted, first = set(terms(query)), str(items[0].get("content") or query)
    shares = (len(wanted.intersection(words(" ".join(map(str, e.values()))))) for e in items)
    return language(first) != language(query) or 3 * max(shares) >= 2 * len(wanted)


def _is_by(item: Item, name: str) -> bool:
    """Tell whether somebody of this name has to do with an item."""
    fields = [v for k, v in item.items() if k in wording("fields.person") or k.endswith("Names")]
    people = [p for v in fields for p in (v if isinstance(v, list) else [v])]
    return any(not set(tokens(str(each))[:1]).isdisjoint(tokens(name)) for each in people)


def unanswered(text: str, evidence: str, *, is_counted: bool = False) -> str:
    """Return what a text asks and a result does not answer: "when", "amount", "why" or ""."""
    kinds = ["when", "why"]
    kinds += ["amount"] * (not (is_counted and cue("asks.count").search(text)))
    if cue("asks.difference").search(text):
        return "why"  # which a reason that stands there does not tell
    asked = (kind for kind in kinds if cue(f"asks.{kind}").search(text))
    return next((kind for kind in asked if not cue(f"answers.{kind}").search(evidence)), "")


def _line(item: Item, step: Step, locale: str, text: str | None = None) -> str:
    """Return an item's bullet: what it is, then who, when and how urgent, then its source."""
    heads = [k for k in wording("fields.headline") if isinstance(item.get(k), str) and item[k]]
    heads += [k for k in item if k.endswith(("Name", "Title")) and isinstance(item[k], str)]
    title = one_line(item[heads[0]], None) if heads else ""
    title = title if text is None else excerpt(title, terms(text), length=160)
    told = []
    for kind in _SHOWN:
        # A source may be a record, which its citation tells.
        says = (k for k in wording(f"fields.{kind}") if not isinstance(item.get(k), dict))
        key = next((k for k in says if _says(item.get(k))), None)
        is_said = key in heads[:1] or (kind == "degree" and _is_urgent(item))
        is_due = kind == "when" and any(item.get(k) for k in wording("fields.due"))
        if key and not (is_said or is_due):
            value = apart(shown(item[key], locale), locale)
            told.append(say("due", locale, when=value) if kind == "due" else value)
    known = {*heads, *(k for kind in _SHOWN for k in wording(f"fields.{kind}"))}
    rest = [k for k, v in item.items() if k not in known and _says(v) and not _is_inner(k, v)]
    short = [k for k in rest if not isinstance(item[k], dict) and len(str(item[k])) <= 60]
    for name, value in (measured(k, item[k], locale) for k in short[:_MAX_EXTRAS]):
        told.append(": ".join(filter(None, (name, apart(value, locale)))))
    urgent = ""
    if _is_urgent(item):
        level = shown("urgent", locale).capitalize()
        begins = rf"^{re.escape(level)}\b[\s:!,.–-]*"
        title = re.sub(begins, "", title, flags=re.IGNORECASE) or title
        urgent = f"**{level}:** "
    title = apart(title, locale)
    details = " · ".join(each for each in dict.fromkeys(told) if each and each != title)
    return f"- {urgent}{' — '.join(filter(None, (title, details)))}{_marks(item, step)}"


def _is_urgent(item: Item) -> bool:
    return any(str(item.get(k)).lower() in wordset("urgent") for k in wording("fields.degree"))


def _says(value: Json) -> bool:
    return value not in (None, [], {}, "") and str(value).lower() not in wordset("silent")


def _score(item: Item) -> float:
    """Return how well an item fits, where a search says so; 0 elsewhere."""
    named = (v for k, v in item.items() if {"relevance", "similarity"} & set(spaced(k).split()))
    return next((float(v) for v in named if isinstance(v, int | float)), 0.0)


def _facts(output: Item, step: Step, locale: str) -> str:
    """Return what a result says beside its lists: its text, then its figures."""
    bodies = [k for k in wording("fields.body") if isinstance(output.get(k), str) and output[k]]
    titles = [k for k in output if k.endswith(("Name", "title", "Title")) and output[k]]
    title = f"**{one_line(str(output[titles[0]]))}**" if titles else ""
    body = _defanged(output[bodies[0]].strip()) if bodies else ""
    quoted = "\n".join(f"{line}{_quoted(line, step)}" for line in body.split("\n"))
    if body and quoted == body:
        quoted += _marks(output, step) or _marks(None, step)
    head = f"{title}\n\n" if "\n" in quoted else f"{title}: "
    first = head + quoted if title and body else quoted
    lines = [first or ("" if step.lists else title)]
    is_worded = bodies[:1] == ["answer"] and "assumptions" in output
    rest = [k for k in output if k not in {*bodies[:1], *titles[:1], *step.lists}]
    told = [k for k in ("warnings", "assumptions") if isinstance(output.get(k), list)]
    for key in told if is_worded else rest:
        lines += _fact(key, output.get(key), locale)
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
    """Return what became of a call that did not work, and why. A hint in another language, or with
    names of parameters, is for models."""
    error = step.body.get("error")
    error = error if isinstance(error, dict) else {"message": str(error or step.output or "")}
    code, name = str(error.get("code") or ""), label(step.call.name, locale, names)
    said = (str(error.get(each) or "") for each in ("message", "reason", "hint"))
    why, reason, hint = (one_line(each).rstrip(". ") for each in said)
    if code in ("rejected", "expired", "unknown"):
        told = say("reason", locale, why=apart(reason, locale)) if reason else ""
        return f"{say(code, locale)} {told}".strip()
    if language(hint) != locale or _IDENTIFIER.search(hint):
        hint = ""
    why = _IDENTIFIER.sub(lambda match: spaced(match[0]), why)
    known = (TEXTS.find(locale, "offline.words.errors") or {}).get(code, "")
    # By its beginning: a Hebrew reason may list figures and names in Latin letters, or quote some.
    if language(_QUOTED.sub("", why)[:_BEGINNING]) != locale:
        why = f"{known} (\u2066{why}\u2069)" if known and why else known or why
    return f"{say('failed', locale, what=name, why=why or '…')} {hint}".strip()


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
    labels = TEXTS.find(locale, "offline.words.labels") or {}
    return _day(text, locale) if _ISO.fullmatch(text) else labels.get(text, one_line(text))


def _day(iso: str, locale: str) -> str:
    try:
        when = datetime.fromisoformat(iso.replace("Z", "+00:00"))
    except ValueError:
        return iso
    month = TEXTS.data(locale, "offline.words.short_months")[when.month - 1]
    return say("day", locale, day=when.day, month=month)


def _is_inner(name: str, value: Json) -> bool:
    """Tell whether a field is for programs: ids, digests, counters, flags that all is well."""
    said = set(spaced(name).split())
    if said & {"id", "ids", *wording("fields.inner")} or _covers(name, value) is not None:
        return True
    is_handle = isinstance(value, str) and _HANDLE.fullmatch(value)
    return bool(is_handle) or (type(value) in (int, bool) and not value and name.endswith("Count"))


def _covers(name: str, value: Json) -> bool | None:
    """Return whether a flag says that everything was looked at; None where it is no such flag."""
    said = set(spaced(name).split())
    if isinstance(value, bool) and _LOOKED & said and "all" in said:
        return value
    return not value if isinstance(value, bool) and {"truncated", "partial"} & said else None


def _marks(item: Item | None, step: Step) -> str:
    """Return the marks of the citations that share most ids with an item; of the
    first ones where there is no item."""
    cited = [each for each in step.citations if isinstance(each.get("n"), int)]
    if item is None:
        return "".join(f" [{each['n']}]" for each in cited[:_MAX_MARKS])
    own = {str(v) for k, v in item.items() if k in ("id", "path", "n") or k.endswith("Id")}
    ids = [{str(v) for k, v in e.items() if k in ("id", "path") or k.endswith("Id")} for e in cited]
    shared = [
        len(own & each) * (each <= own | {str(c.get("userId"))})
        for each, c in zip(ids, cited, strict=True)
    ]
    most = max(shared, default=0)
    best = [c["n"] for c, count in zip(cited, shared, strict=True) if most and count == most]
    return "".join(f" [{n}]" for n in sorted(set(best))[:_MAX_MARKS])


def _quoted(line: str, step: Step) -> str:
    """Return the mark of the citation that a line quotes."""
    quotes = ((str(c.get("quote") or "")[:24].strip(), c.get("n")) for c in step.citations)
    return next((f" [{n}]" for quote, n in quotes if quote and _defanged(quote) in line), "")


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


# ---- Tools and files in words ----


def example(tool: ToolSpec, locale: str) -> str:
    """Return a request for a tool in a language, as its own examples put it."""
    texts = (one_line(str(each.get("userRequest", ""))) for each in tool.examples)
    return next((text for text in texts if text and language(text) == locale), "")


def lead(tool: ToolSpec, locale: str) -> str:
    """Return what a tool does in a few words; "" where it says so in another language only."""
    text = re.split(r"\. |[:,;(\n]", tool.description.strip(), maxsplit=1)[0].rstrip(". ")
    text = re.sub(r"\b(?:one of |all of )?the user's\b", "your", text)
    text = re.sub(r"\bthe user (\w+?)s\b", r"you \1", text)
    return one_line(text, 80) if language(text) == locale else ""


def from_files(turn: Turn, files: Sequence[AttachedFile]) -> str:
    """Return what files that came with the message, or that it names, say of it; "" without any."""
    stems = {*terms(turn.text)}
    named = [each for each in files if stems & {*wordset("attached"), *terms(each.name)}]
    wanted = [each for each in files if each.is_new] or named
    told, topic = [], stems - wordset("of_files") - wordset("scaffold")
    for file in wanted if not turn.steps else ():
        name, page, found = f"“{one_line(file.name, 80)}”", "", [(0, "")]
        for line in sentences(file.text or "")[:_MAX_SENTENCES]:
            marked = re.match(r"\[page (\d+)\]\s*", line)
            page = f" ({say('page', turn.locale, page=marked[1])})" if marked else page
            line = line[marked.end() :] if marked else line
            shown = excerpt(one_line(line, None), topic, length=300)
            if line:
                found.append((len(topic.intersection(terms(line))), f"> {shown}{page}"))
        most = max(share for share, _ in found)
        best = [line for share, line in found[1:] if share == most][:_MAX_MARKS]
        key = "found_in_file" if most else "not_in_file" if topic else "file_begins"
        key = "file_unseen" if file.text is None else key
        told += [say(key, turn.locale, name=name), *(best if most or not topic else [])]
    return "\n".join(told)
