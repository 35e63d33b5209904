"""A thread's title, out of its first message, by rules: what is asked, without the politeness.

Greetings, "could you please", Markdown, code and addresses are left off; of the rest the first
question counts that has a topic, or else the first such sentence, cut after a whole word. English
and Hebrew alike. No model is asked.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from rollcall.core.messages import Media, UserMessage
from rollcall.core.readable import line
from rollcall.core.text import sentences, terms

TITLE_CHARS = 60
_LOOKED_AT, _SENTENCE_CHARS = 4_000, 400
"""How much of a message is looked at, and of one sentence."""

_CODE_BLOCK = re.compile(r"```[\w+-]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\]\([^)\s]{0,2000}\)")
_URL = re.compile(r"<?\bhttps?://[^\s<>()\"']{1,2000}>?", re.IGNORECASE)
_LINE_MARK = re.compile(
    r"^(?:[ \t]{0,8}(?:#{1,6}\s+|>\s?|[-*+•]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+))+", re.M
)
_RULE = re.compile(r"^[ \t]*(?:(?:[-*_=:][ \t]*){3,}|\|.*)$", re.M)
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|~~|`{1,2})(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)")

_WORD = r"[\w'’\-\u0590-\u05ff]{2,20}"
_ENDED = r"(?![\w'’\u0590-\u05ff])"
_GREETING = (
    r"(?:hi|hello|hey|hiya|howdy|greetings|dear|good (?:morning|afternoon|evening|day))"
    r"(?: (?:there|all|everyone|team|again))?"
    r"|היי|הי|הלו|אהלן|שלום(?: לך| לכם| רב)?|(?:בוקר|צהריים|ערב) (?:טובים|טוב)"
    r"|מה (?:נשמע|שלומך|קורה)"
)
_GREETED = re.compile(
    rf"(?:{_GREETING}){_ENDED}(?:\s+{_WORD}(?:\s{_WORD})?[,!]\s*|\s+[–—-]\s+|[,!.…\s]+|$)",
    re.IGNORECASE,
)
_FILLERS = (
    # said before a comma only
    r"(?:right|alright|now|well|so|also|טוב|רגע)(?=\s*[,:.…-])",
    # anywhere
    r"please|pls|kindly|ok(?:ay)?|um+|uh+|and|but|just|so(?= (?:um|uh|can|could|how|what))",
    r"thanks|thank you|excuse me|sorry(?: to (?:bother|disturb)(?: you)?)?",
    r"(?:i )?hope (?:you(?:'re|’re| are)|this finds you|all is|everything is|everyone is)"
    r"(?: (?:all|doing|very))* (?:well|good|fine|great|ok(?:ay)?)",
    r"(?:and )?(?:(?:just )?one more|another) (?:thing|question)(?=\s*[,:.…–-])",
    r"(?:a )?quick (?:one|thing)(?=\s*[,:.…–-])",
    r"(?:a |one )?(?:quick |small |short )?question(?=\s*[,:.…–-])",
    r"i(?: have|'ve got|’ve got) (?:a|another|one)(?: quick| small| short)? question"
    r"(?: (?:about|on|regarding|concerning))?",
    # asking somebody to do it
    r"(?:can|could|would|will) (?:you|u)(?: please| kindly| maybe)?(?: be able to)?"
    r"(?: (?:tell|show|give|explain to|explain) (?:me|us)(?: (?:about|that))?)?"
    r"(?: help me(?: to| with)?)?",
    r"would you mind|do you (?:know|think you (?:can|could))(?: if| whether)?",
    r"(?:please )?(?:tell|show) (?:me|us)(?: about)?|let me know|help me(?: to| with)?",
    r"is it possible to|would it be possible to|any chance (?:you (?:can|could)|to)",
    # saying that one wants it
    r"(?:i|we)(?:'d|’d| would) (?:like|love)(?: for)?(?: you)? to(?: know)?",
    r"(?:i|we) (?:want|need|wanted)(?: you)? to"
    r"(?: know| ask(?: you)?(?: about)?)?",
    r"(?:i|we)(?:'m|’m| am| are| was| were) (?:just )?(?:wondering|curious)(?: about)?",
    # the same in Hebrew
    r"בבקשה|אנא|נא|אוקיי|אוקי|אז|ובכן|תודה(?: רבה)?|סליחה(?: על ההפרעה)?",
    r"שאלה(?: קטנה| קצרה| מהירה)?(?=\s*[,:.…–-])",
    r"ו?(?:עוד|רק) (?:משהו|דבר|שאלה)(?: אחד| אחת| קטן| קטנה)?(?=\s*[,:.…–-])",
    r"יש לי (?:עוד )?שאלה(?: אחת| קטנה| קצרה| מהירה)?(?: (?:לגבי|בנוגע ל|על))?",
    r"(?:האם )?(?:אתה יכול|את יכולה|אתם יכולים|תוכל|תוכלי|תוכלו|אפשר|ניתן)(?: בבקשה)?"
    r"(?: (?:לעזור לי|להגיד לי|לומר לי|להסביר לי|להראות לי|לדעת|להבין))?",
    r"(?:אני |אנחנו )?(?:רוצה|רוצים|צריך|צריכה|צריכים|מבקש|מבקשת|מעוניין|מעוניינת|רציתי"
    r"|הייתי רוצה)"
    r"(?: (?:לדעת|לשאול|לברר|להבין))?",
    r"אשמח(?: (?:אם תוכל|אם תוכלי|לדעת|לשמוע|להבין)(?: לעזור לי(?: (?:להבין|לברר))?)?)?",
    r"(?:תגיד|תגידי|ספר|ספרי|תראה|תראי)(?: לי)?|(?:תעזור|תעזרי|עזור|עזרי) לי",
)
_FILLER = re.compile(rf"(?:{'|'.join(_FILLERS)}){_ENDED}[\s,:;.!…-]*", re.IGNORECASE)
_QUESTION = re.compile(
    r"(?:(?:what|how|who|when|where|why)(?:['’](?:s|re|d|ll))?|which|whom|whose"
    r"|is|are|was|were|does|do|did|has|have|should"
    rf"|מה|איך|מי|מתי|איפה|למה|מדוע|כמה|האם|אילו|איזה|איזו|לאן|היכן){_ENDED}",
    re.IGNORECASE,
)
_WISHED = re.compile(
    r"(?:אני |אנחנו )?(?:רוצה|רוצים|צריך|צריכה|צריכים|מבקש|מבקשת|אשמח|הייתי רוצה)"
    r" ש(?=ת[\u05d0-\u05ea]{2})"
)
"""Before a verb that it is joined to: of "I want you to sum up" the verb stays."""
_UNKNOWN = re.compile(
    r"(?:wondering|curious|know|ask(?: you)?|tell (?:me|us)"
    r"|(?:להגיד|לומר|תגידי?) לי|לדעת|לשאול|לברר|להבין|לשמוע)[\s,:…-]*\Z",
    re.IGNORECASE,
)
_WHETHER = (
    (re.compile(r"if(?= )", re.IGNORECASE), "whether"),
    (re.compile(r"אם(?= )"), "האם"),
)
_REQUEST = re.compile(
    r"\b(?:can|could|would|will|mind|possible|chance|please)\b|תוכל|תוכלי|יכול|יכולה|אפשר|ניתן",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"(?<![\w'’\-\u0590-\u05ff])(?:please|pls|thanks?(?: (?:you|a lot|so much|in advance))*|ty"
    r"|cheers|בבקשה|תודה(?: רבה| מראש)*)\Z",
    re.IGNORECASE,
)
_MARKS = " .,;:!…–—-"
_DANGLING = frozenset(
    [
        *("a", "an", "the", "of", "to", "in", "on", "at", "by", "for", "with", "and", "or", "but"),
        *("from", "as", "is", "are", "my", "your", "our", "its", "that", "this", "it", "did"),
        *("של", "את", "על", "עם", "או", "גם", "אל", "מן", "כי", "אם", "הוא", "היא", "זה"),
    ]
)
"""Words that no title ends with."""


def title_of(message: UserMessage) -> str:
    """A short title for a thread that begins with this message; its text, in doubt."""
    text = message.text[:_LOOKED_AT]
    plain = _plain(text)
    title = _bounded(_asked(plain)) or _bounded(plain)
    name = next((part.label for part in message.parts if isinstance(part, Media)), None)
    if name is None:
        return title or line(text, TITLE_CHARS)
    name = line(name, TITLE_CHARS)
    if not title:
        return name
    return title if len(terms(title)) > 1 else _fitting(title, name)


def _fitting(title: str, name: str) -> str:
    """A title that says nothing by itself, with the name of the file that it is about."""
    both = f"{title} – {name}"
    return both if len(both) <= TITLE_CHARS else name


def _plain(text: str) -> str:
    """The text without Markdown, code and addresses; the code, where there is nothing else."""
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


def _asked(text: str) -> str:
    """The question or sentence that says what it is about, without what stands before it."""
    bare = [each for each in map(_bare, sentences(text)) if each]
    with_topic = [each for each in bare if terms(each)]
    asked = [each for each in with_topic if each.endswith("?") and len(terms(each)) > 1]
    return next(iter((*asked, *with_topic, *bare)), "")


def _bare(sentence: str) -> str:
    """A sentence without greetings and polite words around it."""
    left = " ".join(sentence.split())[:_SENTENCE_CHARS].strip(" \"“”„'*")
    before, is_request = None, False
    while left != before:
        before = left
        if greeted := _GREETED.match(left):
            left = left[greeted.end() :]
        if wished := _WISHED.match(left):
            left = left[wished.end() :]
        if found := _FILLER.match(left):
            is_request = is_request or bool(_REQUEST.search(found[0]))
            left = left[found.end() :]
            left = _whether(left) if _UNKNOWN.search(found[0]) else left
    ended = _without_thanks(left)
    if ended != left and left.rstrip().endswith("?") and not is_request:
        ended += "?"
    ended = ended.rstrip(_MARKS)
    if is_request and not _QUESTION.match(ended):
        ended = ended.rstrip("?").rstrip()
    return _capital(re.sub(r"[?!]{2,}$", "?", ended))


def _whether(question: str) -> str:
    """What was to be known, so that it reads as a question and not as a condition."""
    for condition, word in _WHETHER:
        if found := condition.match(question):
            return word + question[found.end() :]
    return question


def _without_thanks(sentence: str) -> str:
    """A sentence without "please" and thanks at its end; as it was, where there are none."""
    bare = sentence.rstrip(_MARKS + "?")
    found = _ENDING.search(bare)
    return _without_thanks(bare[: found.start()]) if found else sentence


def _capital(text: str) -> str:
    first = re.match(r"[^\W\d_]+", text)
    if (
        first is None
        or not first[0].islower()
        or text[first.end() : first.end() + 1] in ("_", ".", "(")
    ):
        return text  # an "iPhone", a `file.name` and a `call()` stay as they are
    return text[0].upper() + text[1:]


def _bounded(text: str) -> str:
    """On one line, cut after a whole word that can end it."""
    whole = line(text, _LOOKED_AT)
    if len(whole) <= TITLE_CHARS:
        return whole
    kept = whole[: TITLE_CHARS - 1]
    if not whole[len(kept)].isspace() and " " in kept:
        kept = kept[: kept.rindex(" ")]
    words = kept.split(" ")
    while len(words) > 1 and words[-1].strip(",;:").lower() in _DANGLING:
        words.pop()
    return " ".join(words).rstrip(" ,;:–—-(") + "…"
