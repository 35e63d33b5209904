"""How a task reads once it stands by itself, away from the chat it was set in."""

# ruff: noqa: E501 - patterns are easier to read unbroken.

import re
from datetime import datetime

from packs.messaging.deadlines import Deadline, find_deadline
from packs.messaging.infinitives import with_infinitives
from packs.messaging.patterns import Pattern

# What a sentence goes on to say once the task has been named.
_ASIDE = Pattern(
    r"\s*(?:,|\s-)\s+(?:otherwise|or else|because|since|as (?:i|we|you|they|he|she)|so (?:i|we|you|they|he|she|it|that)\b|i|i'(?:ll|m|ve|d)"
    r"|we(?:'(?:ll|re|ve|d))?|you(?:'(?:ll|re|ve|d))?|he(?:'s|'ll)?|she(?:'s|'ll)?|they(?:'re|'ll|'ve)?|it(?:'s|'ll)?|that(?:'s)? (?:is|was|way)|this is|their|thanks"
    r"|אחרת|כי|מפני|זה|זאת|הוא|היא|הם|אני|אנחנו|אתה|את(?= [א-ת]+[הת]\b)|חסר(?:ה|ים|ות)?|תודה)(?![\w'א-ת]).*$",
    re.I | re.S,
)
_ADDRESSEE = Pattern(r"^(Provide .+?) from (?:you|your side)(?: (?:guys|both|all))?(?![\w'])", re.I)
_SOFTENED = Pattern(r"^(?:(?:please|kindly|quickly|just|also|again|בבקשה|רק|גם|שוב)[ ,]+)+", re.I)

_EXTRA = Pattern(r" (?:too|as well|also|בבקשה)(?= את |$)", re.I)

# Verbs that say nothing alone: what is confirmed, finished or tried stands elsewhere.
_EMPTY_ALONE = Pattern(
    r"^(?:let (?:him|her|them|you|me|us|everyone|everybody) know|confirm|finish|try|check|help|answer|reply|respond|update(?: (?:you|everyone|all))?|keep (?:you|everyone) (?:posted|updated)"
    r"|back (?:you|him|her|them)|call(?:ing)? it\b.*|לסיים|לאשר|לנסות|לעזור|לענות|לעדכן(?: (?:אותי|אותנו|אותך|אתכם|אותכם|בהמשך))?)$",
    re.I,
)
_TRIVIAL = Pattern(
    r"^(?:(?:tell|ask|call|text|ping) (?:him|her|them|you)(?: (?:nicely|later|that|so|when \w+ \w+))?"
    r"|(?:update|tell|ping|message|text|call) (?:you|everyone|all) (?:when|once|as soon as|later|soon|after)\b.*"
    r"|(?:write|say|do|call|ask) only if\b.*|(?:bring|buy|get) (?:you )?(?:a )?(?:coffee|beers?|cake|snacks?)"
    r"|opening (?:a|this|the) (?:group|thread|channel|chat)\b.*"
    r"|(?:לשאול|לספר ל|להגיד ל)(?: ?(?:אותו|אותה|אותם|לו|לה|להם))(?: (?:יפה|אחר כך)\b.*)?"
    r"|לעדכן (?:כש|ברגע ש|אחרי ש|בהמשך|אותך כש|אתכם כש).*|לפתוח (?:קבוצה|צ'אט|שרשור|ערוץ)(?![א-ת]).*)$",
    re.I,
)


def without_deadline(task: str, said_at: datetime) -> tuple[str, Deadline | None]:
    """Return a task tidied, without the date it names, and that date."""
    task = re.sub(
        r"\s*(?:,?\s*(?:please|pls|thanks|ok\?|בבקשה|תודה))*\s*[.!?]*$", "", task, flags=re.I
    )
    due = find_deadline(task, said_at=said_at)
    if due:
        task = _without(task, due.phrase)
    task = task.strip(" ,;:-.!?")
    return (task[:1].upper() + task[1:], due)


def out_of_context(task: str) -> str:
    """Return a task as somebody reads it who was not there."""
    short = _ADDRESSEE.sub(lambda match: match[1], _SOFTENED.sub("", _ASIDE.sub("", task)))
    short = with_infinitives(_EXTRA.sub("", short)).strip(" ,;:-.!?")
    return short[:1].upper() + short[1:] if len(short.split()) > 1 else with_infinitives(task)


def is_trivial(task: str) -> bool:
    """Tell whether a task is mere courtesy, or says nothing without the chat around it."""
    return _EMPTY_ALONE.match(task) is not None or _TRIVIAL.match(task) is not None


def _without(task: str, phrase: str) -> str:
    """Cut a date out: at the end, or before a colon or comma, with the word that leads to it."""
    at = task.rfind(phrase)
    rest = task[at + len(phrase) :]
    if at < 0 or (rest and rest[0] not in ":,"):
        return task
    return (
        re.sub(r"[\s,]+(?:by|on|at|for|in|before|until|ב|עד|ל|לפני)?-?\s*$", "", task[:at]) + rest
    )
