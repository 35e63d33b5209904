"""Titles of threads, made from the first message by rules, without a model.

Greetings, "could you please", Markdown, code and addresses are removed. The title is the first
question with a topic, or else the first sentence with one, cut after a whole word, in English and
Hebrew alike.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import urlsplit

from rollcall.core.messages import Media, UserMessage
from rollcall.core.readable import line
from rollcall.core.text import sentences, terms
from rollcall.core.texts import TEXTS

TITLE_CHARS = 60
_READ_CHARS, _SENTENCE_CHARS = 4_000, 400
"""How much of a message, and of one sentence, is read."""

_CODE_BLOCK = re.compile(r"```[\w+-]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,2000}\)")
_URL = re.compile(r"<?\bhttps?://[^\s<>()\"']{1,2000}>?", re.IGNORECASE)
_LINE_MARK = re.compile(
    r"^(?:[ \t]{0,8}(?:#{1,6}\s+|>\s?|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+))+", re.M
)
_RULE = re.compile(r"^[ \t]*(?:(?:[-*_=:][ \t]*){3,}|\|.*)$", re.M)
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|~~|`{1,2})(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)")

_WORD = r"[\w'’\-\u0590-\u05ff]{2,20}"
_WORD_END = r"(?![\w'’\u0590-\u05ff])"
_MARKS = " .,;:!…–—-"
_FRAMES = {
    "greetings": r"(?:{words}){end}(?:\s+{word}(?:\s{word})?[,!]\s*|\s+[–—-]\s+|[,!.…\s]+|$)",
    "fillers": r"(?:{words}){end}[\s,:;.!…-]*",
    "questions": r"(?:{words}){end}",
    "wishes": r"{words}",
    "unknown": r"(?:{words})[\s,:…-]*\Z",
    "requests": r"{words}",
    "endings": r"(?<![\w'’\-\u0590-\u05ff])(?:{words})\Z",
}
"""Templates of regular expressions; `words` are the expressions of a list in the texts."""


def title_of(message: UserMessage) -> str:
    """Return a short title for a thread that begins with this message; in doubt its text."""
    text = message.text[:_READ_CHARS]
    plain = _plain(text)
    # The best question or sentence, without greetings and polite words.
    bare = [each for each in map(_bare, sentences(plain)) if each]
    with_topic = [each for each in bare if terms(each)]
    questions = [each for each in with_topic if each.endswith("?") and len(terms(each)) > 1]
    title = _bounded(next(iter((*questions, *with_topic, *bare)), "")) or _bounded(plain)
    name = next((part.label for part in message.parts if isinstance(part, Media)), None)
    if name is None:
        return title or line(text, TITLE_CHARS)
    name = line(name, TITLE_CHARS)
    if not title or len(terms(title)) > 1:
        return title or name
    both = f"{title} – {name}"  # a title of one word says little
    return both if len(both) <= TITLE_CHARS else name


@cache
def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern for a kind of words, in any language, that carry no topic at a sentence's
    beginning or end."""
    words = "|".join(TEXTS.phrases(f"title.cues.{name}"))
    return re.compile(_FRAMES[name].format(words=words, end=_WORD_END, word=_WORD), re.IGNORECASE)


def _plain(text: str) -> str:
    """Return the text without Markdown, code and addresses; the code if there is nothing else."""
    without = _CODE_BLOCK.sub("\n", text)
    if not terms(without):
        without = _CODE_BLOCK.sub(r"\1", text)
    without = _LINK.sub(r"\1", without)
    without = _URL.sub(_host, without)
    without = _RULE.sub("", without)
    without = _LINE_MARK.sub("", without)
    return _EMPHASIS.sub(r"\2", without).replace("|", " ").strip()


def _host(found: re.Match[str]) -> str:
    try:
        host = urlsplit(found[0].strip("<>")).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def _bare(sentence: str) -> str:
    """Return a sentence without greetings and polite words around it."""
    left = " ".join(sentence.split())[:_SENTENCE_CHARS].strip(" \"“”„'*")
    before, is_request = None, False
    while left != before:
        before = left
        if greeting := _pattern("greetings").match(left):
            left = left[greeting.end() :]
        if wish := _pattern("wishes").match(left):
            left = left[wish.end() :]
        if filler := _pattern("fillers").match(left):
            is_request = is_request or bool(_pattern("requests").search(filler[0]))
            left = left[filler.end() :]
            left = _whether(left) if _pattern("unknown").search(filler[0]) else left
    body = left  # loses "please" and thanks at its end
    while ending := _pattern("endings").search(bare := body.rstrip(_MARKS + "?")):
        body = bare[: ending.start()]
    if body != left and left.rstrip().endswith("?") and not is_request:
        body += "?"
    body = body.rstrip(_MARKS)
    if is_request and not _pattern("questions").match(body):
        body = body.rstrip("?").rstrip()
    body = re.sub(r"[?!]{2,}$", "?", body)
    first = re.match(r"[^\W\d_]+", body)
    # The case of "iPhone", `file.name` and `call()` does not change.
    is_word = first and first[0].islower() and body[first.end() :][:1] not in ("_", ".", "(")
    return body[0].upper() + body[1:] if is_word else body


def _whether(question: str) -> str:
    """Return an indirect question ("if …") worded as a question ("whether …"), not a condition."""
    for language in TEXTS.languages:
        condition, word = TEXTS.data(language, "title.cues.whether")
        if question.lower().startswith(f"{condition} "):
            return f"{word}{question[len(condition) :]}"
    return question


def _bounded(text: str) -> str:
    """Return a text on one line, cut after a whole word that can end it."""
    whole = line(text, _READ_CHARS)
    if len(whole) <= TITLE_CHARS:
        return whole
    start = whole[: TITLE_CHARS - 1]
    if not whole[len(start)].isspace() and " " in start:
        start = start[: start.rindex(" ")]
    words, dangling = start.split(" "), TEXTS.phrases("title.cues.dangling")
    while len(words) > 1 and words[-1].strip(",;:").lower() in dangling:
        words.pop()
    return " ".join(words).rstrip(" ,;:–—-(") + "…"
