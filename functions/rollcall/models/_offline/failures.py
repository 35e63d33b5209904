"""Calls that did not work, as sentences: what could not be done, why, and what may help."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rollcall.models._offline.fields import isolated, one_line
from rollcall.models._offline.history import Step
from rollcall.models._offline.lexicon import spaced, wordset
from rollcall.models._offline.listing import purpose
from rollcall.models._offline.phrases import say
from rollcall.models._offline.reasons import in_hebrew, quoted

_VERBS = wordset(
    """get list find search show fetch calculate check run create generate summarize read add
    update delete send write open make build convert compare book verify design size move set
    remove analyze estimate compute translate explain complete reopen withdraw"""
)
_PARAMETER = re.compile(r"(?<!\w)[a-z]{3,}(?:[A-Z][a-z]+)+(?!\w)")
_DECISIONS = ("rejected", "expired", "unknown")


def failures(bad: Sequence[Step], language: str) -> list[str]:
    """Return a sentence for every different reason, naming what failed for it once."""
    reasons: dict[tuple[str, str], list[str]] = {}
    decided = [_decided(step, language) for step in bad if step.error.get("code") in _DECISIONS]
    for step in bad:
        if step.error.get("code") in _DECISIONS:
            continue
        why, hint = _reason(step, language)
        named = reasons.setdefault((why, hint), [])
        what = deed(step.call.name, language)
        if what not in named:
            named.append(what)
    told = [_sentence(why, hint, what, language) for (why, hint), what in reasons.items()]
    return list(dict.fromkeys([*decided, *told]))


def _reason(step: Step, language: str) -> tuple[str, str]:
    """Why a call failed and what may help. Tools say it in English: in Hebrew it is quoted."""
    why = _plain(one_line(str(step.error.get("message") or "")).rstrip(". "))
    hint = one_line(str(step.error.get("hint") or ""))
    if language != "he":
        return why, hint
    return in_hebrew(step.error, message=why), quoted(hint)


def _plain(text: str) -> str:
    """A reason without the spelling of parameters: "circuit number", not circuitNumber."""
    return _PARAMETER.sub(lambda match: spaced(match[0]), text)


def _decided(step: Step, language: str) -> str:
    """What became of a write that nobody said yes to, or whose end nobody knows."""
    why = one_line(str(step.error.get("reason") or "")).rstrip(". ")
    reason = say("reason", language, why=isolated(why)) if why else ""
    return f"{say(str(step.error['code']), language)} {reason}".strip()


def _sentence(why: str, hint: str, what: list[str], language: str) -> str:
    named = f" {say('or', language)} ".join(filter(None, (", ".join(what[:-1]), what[-1])))
    key = "failed" if why else "failed_plain"
    # A reason is a clause here: it loses its capital, unless that belongs to the word.
    clause = why[:1].lower() + why[1:] if why[1:2].islower() else why
    text = say(key, language, what=named, why=clause)
    return f"{text} {hint[:1].upper()}{hint[1:]}".strip()


def deed(name: str, language: str) -> str:
    """Return what a tool does, from its name: "get the action items" of get_action_items."""
    if language == "he":
        return purpose(name, language)
    verb, *rest = spaced(name).split()
    things = " ".join(word for word in rest if word != "all")
    if verb in _VERBS and things:
        return f"{verb} the {things}"
    return f"use “{spaced(name)}”"
