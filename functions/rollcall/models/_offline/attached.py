"""Answers out of what the user attached: the passages that fit the question, in its own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rollcall.core.messages import UserMessage
from rollcall.core.text import excerpt, language, sentences, terms
from rollcall.models._offline.fields import one_line
from rollcall.models.base import AttachedFile, ModelRequest

_MOST_QUOTES = 3
_MOST_PASSAGES = 4_000
_QUOTE_CHARS = 300
_PAGE = re.compile(r"\[page (\d+)\]")
_OF_FILES = frozenset(
    terms(
        "attach attached attachment file document pdf page image picture photo text summarize "
        "summary explain tell say says write written read look find show table list content "
        "contain mention "
        "קובץ קבצים מסמך מצורף צירפתי תמונה עמוד טקסט סכם סכמי תסכם תסכמי תקציר הסבר ספר אומר כתוב "
        "רשום תראה תוכן מכיל מוזכר טבלה רשימה"
    )
)
"""Words that are about the file and not about what is in it."""
_ATTACHED = frozenset(terms("attached attachment מצורף צירפתי המצורף"))

_SAID = {
    "found": ("In {name}:", "בקובץ {name}:"),
    "page": ("page {page}", "עמוד {page}"),
    "not_found": (
        "I found nothing about that in {name}. I search by words and do not understand texts.",
        "לא מצאתי על זה דבר בקובץ {name}. החיפוש כאן הוא לפי מילים, בלי הבנה של הטקסט.",
    ),
    "begins": ("{name} begins:", "כך מתחיל הקובץ {name}:"),
    "unseen": (
        "I cannot see or read {name}: I work by rules, without a language model.",
        "אין לי אפשרות לראות או לקרוא את {name}: מה שעונה כאן פועל לפי כללים, בלי מודל שפה.",
    ),
}


def from_files(request: ModelRequest) -> str | None:
    """The answer to a message that came with files, or that names one from before; None for any
    other."""
    last = request.messages[-1]
    if not isinstance(last, UserMessage) or request.tool_choice == "none":
        return None
    new = [each for each in request.files if each.is_new]
    wanted = new or [each for each in request.files if _names(last.text, each)]
    return quoted(last.text, wanted, request.locale) if wanted else None


def _names(text: str, file: AttachedFile) -> bool:
    stem = file.name.rpartition(".")[0] or file.name
    return bool(_ATTACHED & {*terms(text)}) or stem.lower() in text.lower()


def quoted(text: str, files: Sequence[AttachedFile], locale: str) -> str:
    """What the files say to a message; of one that cannot be read, that it cannot."""
    in_language = language(text) if text.strip() else locale
    topic = [term for term in terms(text) if term not in _OF_FILES]
    parts = [_found(file, topic, in_language) for file in files if file.text is not None]
    told = [part for part in parts if part]
    if not told:
        opening = "not_found" if topic else "begins"
        told = [_opening(file, opening, in_language) for file in files if file.text is not None]
    told += [_say("unseen", in_language, file) for file in files if file.text is None]
    return "\n\n".join(told)


def _found(file: AttachedFile, topic: Sequence[str], in_language: str) -> str | None:
    """The best passages, in the order of the file."""
    passages = list(_passages(file.text or ""))[:_MOST_PASSAGES]
    stems = [frozenset(terms(text)) for _, text in passages]
    spread = Counter(stem for each in stems for stem in each)
    wanted = set(topic)
    scores = [sum(1 / spread[stem] ** 0.5 for stem in wanted & each) for each in stems]
    best = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:_MOST_QUOTES]
    kept = sorted(at for at in best if scores[at] > 0 and scores[at] * 2 >= scores[best[0]])
    if not kept:
        return None
    lines = [_say("found", in_language, file)]
    for at in kept:
        page, text = passages[at]
        where = f" ({_said('page', in_language).format(page=page)})" if page else ""
        shown = excerpt(one_line(text, most=4 * _QUOTE_CHARS), topic, length=_QUOTE_CHARS)
        lines.append(f"> {shown}{where}")
    return "\n".join(lines)


def _opening(file: AttachedFile, opening: str, in_language: str) -> str:
    told = _say(opening, in_language, file)
    if opening != "begins":
        return told
    first = " ".join(text for _, text in list(_passages(file.text or ""))[:_MOST_QUOTES])
    return f"{told}\n> {one_line(first, most=2 * _QUOTE_CHARS)}"


def _passages(text: str) -> Iterator[tuple[str, str]]:
    """The sentences and lines of a text, each with its page where there are pages."""
    page = ""
    for each in sentences(text):
        if found := _PAGE.match(each):
            page, each = found[1], each[found.end() :].strip()
        if each:
            yield page, each


def _say(what: str, in_language: str, file: AttachedFile) -> str:
    return _said(what, in_language).format(name=f"“{one_line(file.name, most=80)}”")


def _said(what: str, in_language: str) -> str:
    english, hebrew = _SAID[what]
    return hebrew if in_language == "he" else english
