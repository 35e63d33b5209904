"""Free-text arguments: by their shape, their label, their place, or what they are needed for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from rollcall.core.messages import Json
from rollcall.models._offline import topic
from rollcall.models._offline.choose import vocabulary
from rollcall.models._offline.lexicon import all_features, wordset
from rollcall.models._offline.mentions import Mention
from rollcall.models._offline.schema import Param, accepts
from rollcall.models._offline.shapes import by_shape, take
from rollcall.models.base import ToolSpec

_QUERY = wordset("query search keyword keywords text question q prompt term phrase request")
_SEARCH = wordset("query search keyword keywords q term phrase")
_TOPIC = wordset("topic theme about focus")
_TOLD = wordset("description title content note reason details summary task item")
_PLACE = wordset(
    "location city place country state region address destination origin town area venue"
)
_NAMED = wordset(
    """name title person company author artist player team brand user recipient sender
    model product cast starring actors owner actor director assignee speaker who"""
)
_LABELLED = (
    r"(?<!\w){label}s?(?:\s*(?:\bis\b|\bof\b|\bas\b|\bnamed\b|\bcalled\b|=|:|#))?\s*(?:the\s+)?"
    r"[\"'“]?(?P<value>[\w@#./+-]*[\w@#/+-])"
)
_AFTER_IN = re.compile(
    r"(?<!\w)(?:in|at|near|to|from|around|for|within)\s+(?:the\s+)?$", re.IGNORECASE
)
_AFTER_BY = re.compile(
    r"(?<!\w)(?:by|with|for|featuring|starring|feature|include|actor|actress|of|has|have)\s+$",
    re.IGNORECASE,
)
_GAUGE, _SIZE = re.compile(r"\b(?:AWG|kcmil)\b"), re.compile(r"#?(?:[1-4]/0|\d{1,4})")
_HEBREW_NUMERAL = re.compile(r"[א-י]|י[אב]")
_SPLIT = re.compile(r"(?:(?<!\s)\s+)?,\s*(?:(?:and|or)\s+)?|(?<!\s)\s+(?:(?:and|or)\s+|ו(?=[א-ת]))")
_ORIGINS = wordset("from source origin base start departure pickup")
_GOALS = wordset("to target destination end arrival dropoff")
_WHERE = re.compile(r"(?<!\s)\s+(?:to|in|on|at|from|into)\s+", re.IGNORECASE)
_PLAIN_WORDS = wordset("is of the a an for in on to and with by or that which as at from")

Finder = Callable[[Param, str, list[Mention], ToolSpec], Json | None]


def assign_texts(
    tool: ToolSpec, wanted: Sequence[Param], text: str, spare: list[Mention]
) -> dict[str, Json]:
    """Fill text parameters: by shape first, then by their words, then by what is left over."""
    values: dict[str, Json] = {}
    left = [mention for mention in spare if mention.kind != "number" or len(mention.text) == 4]
    passes: list[Finder] = [by_shape, _by_label, _by_direction, _by_place, _by_topic, _by_need]
    for finder in passes:
        for param in wanted:
            if param.name in values:
                continue
            found = finder(param, text, left, tool)
            if found is None:
                continue
            value = [found] if param.kind == "array" and not isinstance(found, list) else found
            if accepts(param, value):
                values[param.name] = value
    return values


def _is(param: Param, names: frozenset[str]) -> bool:
    return bool(set(param.label.split()) & names)


def _by_label(param: Param, text: str, left: list[Mention], tool: ToolSpec) -> Json | None:
    """What stands right after the parameter's own name: "panel LP-1", "named StarPlayer"."""
    labels = [param.label]
    if len(param.label.split()) > 1:
        head = param.label.split()[-1]
        rest = " ".join(param.label.split()[:-1])
        labels += [rest] if head in ("name", "id", "title", "number") else [head]
    for label in labels:
        quoted = _mention_after(label, param, text, left)
        if quoted is not None:
            return quoted
        match = re.search(_LABELLED.format(label=re.escape(label)), text, re.IGNORECASE)
        if match and _is_value(match["value"], param, tool):
            return _claim(match["value"], match.start("value"), left)
    return _by_concept(param, text, left, tool)


def _by_concept(param: Param, text: str, left: list[Mention], tool: ToolSpec) -> Json | None:
    """What stands after a word that means the parameter's name in the other language."""
    core = param.names - {"name", "id", "number"}
    found = list(re.finditer(r"[\w\"'/.-]+", text))
    for word, following in pairwise(found):
        said = set(all_features(word[0]))
        value = following[0].strip("'\".")
        if core and said and said <= core and _is_value(value, param, tool):
            return _claim(value, following.start(), left)
    return None


def _mention_after(label: str, param: Param, text: str, left: list[Mention]) -> str | None:
    pattern = re.compile(
        rf"(?<!\w){re.escape(label)}s?(?:\s*(?:is|of|as|named|called|by|=|:))?\s*(?:the\s+)?$",
        re.IGNORECASE,
    )
    for mention in left:
        if param.refers_to and mention.kind == "name":
            continue  # a name is no id: results have to say whose id it is
        if mention.kind in ("quote", "name", "code") and pattern.search(text[: mention.start]):
            left.remove(mention)
            return str(mention.value)
        after = text[mention.end : mention.end + len(label) + 2].lstrip().lower()
        if mention.kind == "name" and after.startswith(label) and len(label) > 3:
            left.remove(mention)
            return str(mention.value)
    return None


def _is_value(value: str, param: Param, tool: ToolSpec) -> bool:
    """A word after a label is a value where it looks like one: a code, a name, not grammar."""
    if value.lower() in _PLAIN_WORDS or len(value) < 1:
        return False
    if _GAUGE.search(param.description):
        return bool(_SIZE.fullmatch(value))
    if _HEBREW_NUMERAL.fullmatch(value):
        return True
    if param.refers_to:
        return any(char.isdigit() for char in value)
    return any(char.isdigit() for char in value) or value[0].isupper() or "/" in value


def _claim(value: str, start: int, left: list[Mention]) -> str:
    for mention in list(left):
        if mention.start <= start < mention.end:
            left.remove(mention)
    return value


def _by_direction(param: Param, text: str, left: list[Mention], tool: ToolSpec) -> Json | None:
    """Where from and where to: what follows "from", "to", or stands between them."""
    said = set(param.label.split())
    way = "from" if said & _ORIGINS else "to" if said & _GOALS else None
    if way is None or param.kind == "array":
        return None
    for mention in left:
        if mention.kind in ("name", "quote") and re.search(
            rf"(?<!\w){way}\s+(?:the\s+)?$", text[: mention.start], re.IGNORECASE
        ):
            left.remove(mention)
            return str(mention.value)
    return None


def _by_place(param: Param, text: str, left: list[Mention], tool: ToolSpec) -> Json | None:
    """Places follow "in", "to", "from"; names of people and things stand by themselves."""
    if _is(param, _PLACE):
        for mention in left:
            if mention.kind == "name" and _AFTER_IN.search(text[: mention.start]):
                left.remove(mention)
                return str(mention.value)
    return None


def _by_topic(param: Param, text: str, left: list[Mention], tool: ToolSpec) -> Json | None:
    """Search words and topics are the request itself, without its scaffolding."""
    if param.refers_to:
        return None
    if _is(param, _QUERY if param.required else _SEARCH):
        quote = take(left, "quote")
        return quote or topic.query(text, known=vocabulary(tool)) or None
    if _is(param, _TOPIC):
        return take(left, "quote") or topic.about(text) or _needed_topic(param, text)
    if param.required and _is(param, _TOLD):
        found = take(left, "quote") or topic.subject(text)
        return _WHERE.split(found)[0] if found else None
    return None


def _needed_topic(param: Param, text: str) -> str | None:
    return topic.subject(text) if param.required else None


def _by_need(param: Param, text: str, left: list[Mention], tool: ToolSpec) -> Json | None:
    """A required parameter takes the first quote, name or code that nothing else claimed."""
    if param.kind == "array":
        return _listed(param, text, left) if param.required or _is(param, _NAMED) else None
    if param.refers_to:
        return None
    if not param.required:
        return _introduced(text, left) if _is(param, _NAMED) else None
    if param.schema.get("format") or _is(param, frozenset({"date", "time", "email", "url"})):
        return None
    order = ("name", "quote", "code") if _is(param, _NAMED | _PLACE) else ("quote", "name", "code")
    for kind in order:
        found = take(left, kind)
        if found is not None:
            return found
    return None


def _introduced(text: str, left: list[Mention]) -> str | None:
    """Return the first unclaimed name that "by", "with" or "for" introduces."""
    for mention in left:
        if mention.kind == "name" and _AFTER_BY.search(text[: mention.start]):
            left.remove(mention)
            return str(mention.value)
    return None


def _run(found: list[Mention], text: str) -> list[Mention]:
    """Return the first mention and those that a comma or an "and" joins to it."""
    run = found[:1]
    for mention in found[1:]:
        if not _SPLIT.fullmatch(text[run[-1].end : mention.start]):
            break
        run.append(mention)
    return run


def _listed(param: Param, text: str, left: list[Mention]) -> list[str] | None:
    """Every quote or name, or the words of a list that follows the parameter's name."""
    for kind in ("quote", "name"):
        run = _run([mention for mention in left if mention.kind == kind], text)
        if run:
            left[:] = [mention for mention in left if mention not in run]
            return [str(mention.value) for mention in run]
    match = re.search(rf"{re.escape(param.label)}\s*(?:of|:|are|with)?\s+(.+)", text, re.IGNORECASE)
    if not match:
        return None
    parts = [part.strip(" .?!") for part in _SPLIT.split(match[1])]
    return [part for part in parts if part] if len(parts) > 1 else None
