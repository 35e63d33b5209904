"""What a request is about, once the words that only say what to do are taken away."""

from __future__ import annotations

import re
from collections.abc import Collection

from rollcall.core.text import stopwords, tokens
from rollcall.models._offline.lexicon import all_features, features

_ABOUT = re.compile(
    r"(?<!\w)(?:about|abuot|aobut|abotu|baout|regarding|concerning|related to|on the (?:topic|"
    r"subject) of|mentioning|"
    r"in connection with|לגבי|בנוגע ל|בנושא(?: של)?|בעניין|אודות|על)\s*",
    re.IGNORECASE,
)
_ON = re.compile(r"(?<!\w)(?:on|for|of)\s+", re.IGNORECASE)
_SUBJECT_END = re.compile(
    r"[?!.;\n]|,\s|(?<!\w)(?:and then|then|from|since|before|after|in the last|this|last|for grade|"
    r"when|while|during|כאשר|בזמן|במהלך|"
    r"לכיתה|לרמה|מאז|עם|בעברית|with|by|please|pls|plz|בבקשה)(?!\w)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|any|some|my|our|של|את)\s+", re.IGNORECASE)
_SCAFFOLD = re.compile(
    r"^(?:(?:sorry|okay|ok|well|um|so|please|pls|plz|can you|could you|would you|will you|"
    r"i want to|i need to|i'd like to|i would like to|"
    r"i need|i want|help me|let's|hey|hi|hello|אפשר|תוכל|תוכלי|אני רוצה|אני צריך|"
    r"אני צריכה|בבקשה|נא)\s*,?\s+)+",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(?:(?:did|has|have|does) (?:anyone|anybody|someone|somebody|we|they|people|the \w+) "
    r"(?:ever )?(?:mention|say|talk|speak|discuss|write)(?:ed|en|s)?(?: anything)?(?: about| of)?|"
    r"(?:is|are|was|were) there (?:any|some)(?:thing)?(?: messages?)?(?: about| on)?|"
    r"how (?:much|many|long|often)|search(?:ing)?(?: for)?|find(?: me)?|look(?:ing)? (?:up|for)|"
    r"show me|give me|tell me|get(?: me)?|fetch|list|what (?:is|are|was|were)|who (?:is|are|was)|"
    r"ו?(?:למה|מתי|איפה|מי|כמה|האם)|ומה|תחפש[י]?|תמצא[י]?|"
    r"חפש[יו]?|מצא[יו]?|הצג[יו]?|הראה|הראי|תן|תני|ספר|מה זה|מהו|מהי|מה)\s+(?:לי\s+)?(?:את\s+)?",
    re.IGNORECASE,
)
_MOST_WORDS = 14
_SAID = (
    re.compile(
        r"\b(?:did|does|has|have|had)\s+(?P<who>(?:\S+\s+){1,4}?)(?:said|say|says|think|thinks|thought|"
        r"tell|told|write|written|wrote|mention|mentioned|suggest|suggested|propose|proposed|argue|"
        r"complain|know|feel|ask|asked|want|decide|decided|answer|reply|replied)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<!\w)מה\s+(?P<who>(?:\S+\s+){1,2}?)(?:אמר|אמרה|אמרו|חשב|חשבה|חושב|חושבת|כתב|כתבה|כתבו|הציע|"
        r"הציעה|סיפר|סיפרה|ענה|ענתה|ביקש|ביקשה|רצה|רצתה)(?!\w)"
    ),
    re.compile(
        r"(?<!\w)(?:אמר|אמרה|חשב|חשבה|חושב|חושבת|כתב|כתבה|הציע|הציעה|סיפר|סיפרה|ענה|ענתה|ביקש|ביקשה)\s+"
        r"(?P<who>\S+(?:\s+\S+)?)\s+(?:על|לגבי|בנוגע|בנושא|אודות)(?!\w)"
    ),
)
_NOBODY = re.compile(
    r"group|team|people|everyone|everybody|anyone|anybody|someone|they|we|קבוצה|צוות|אנשים|כולם",
    re.IGNORECASE,
)


def subject(text: str) -> str | None:
    """Return what follows "about", "regarding", "על", "לגבי"; None where nothing does."""
    for pattern in (_ABOUT, _ON):
        for match in pattern.finditer(text):
            rest = text[match.end() :]
            stop = _SUBJECT_END.search(rest)
            found = _clean(rest[: stop.start()] if stop else rest)
            if found and any(token not in stopwords() for token in tokens(found)):
                return found
    return None


def about(text: str) -> str | None:
    """Return what follows an explicit "about" or "regarding" only."""
    match = _ABOUT.search(text)
    return subject(text[match.start() :]) if match else None


def query(text: str, *, known: Collection[str] = ()) -> str:
    """Return a search text for a request: its subject, or what is left without scaffolding.

    Args:
        text: The request, or a part of it.
        known: Features of the tool itself ("message", "search"), which are not searched for.
    """
    explicit = about(text)
    if explicit and len(explicit.split()) <= _MOST_WORDS:
        return f"{_speaker(text)} {explicit}".strip()
    rest = _VERB.sub("", plain(text))
    kept = rest.split()
    while kept and _is_noise(kept[0], known):
        kept.pop(0)
    while kept and _is_noise(kept[-1], ()):
        kept.pop()
    return _clean(" ".join(kept)) or _clean(rest)


def plain(text: str) -> str:
    """Return a request without "please" and "can you" in front."""
    return _SCAFFOLD.sub("", text.strip().rstrip("!. "))


def _speaker(text: str) -> str:
    """Return who is asked about in "what did X say about Y"; what X is called may matter most."""
    for pattern in _SAID:
        match = pattern.search(text)
        if match:
            words = [word for word in match["who"].split() if not _is_noise(word, ())]
            return " ".join(word for word in words if not _NOBODY.fullmatch(word))
    return ""


def _is_noise(word: str, known: Collection[str]) -> bool:
    found = tokens(word)
    return all(token in stopwords() for token in found) or (
        bool(known) and all(feature in known for feature in all_features(word))
    )


def _clean(text: str) -> str:
    return _ARTICLE.sub("", text.strip().strip("?!.,:;\"' ")).strip()


def concerns(value: str, topic: str) -> bool:
    """Tell whether a text says any topic word of `topic`, in either language."""
    return bool(set(features(topic)) & set(all_features(value)))
