"""Words, stems, sentences, language and tokens of texts, for English and Hebrew.

Everything that compares texts (registry retrieval, the offline planner, message
search) reads them through `words` or `terms`, so that "Budgets", "budget's" and
"budget", or "בתקציב" and "התקציבים", are the same word everywhere.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache
from threading import Lock
from typing import Any, Literal

from rollcall.core.texts import TEXTS

Language = Literal["he", "en"]

HEBREW_PREFIXES = frozenset("והבלמשכ")
"""Letters that Hebrew attaches to the front of a word: and, the, in, to, from, that, as."""

_TYPOGRAPHY = str.maketrans(
    {
        "\u2019": "'",
        "\u2018": "'",
        "\u05f3": "'",
        "\u05f4": '"',
        "\u201d": '"',
        "\u05be": "-",
        "\u2011": "-",
    }
)
_SPELLED_OUT = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]_)+[A-Za-z]?(?![A-Za-z0-9])")
_CAMEL_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+")
_TOKEN = re.compile(
    r"(?P<he>[א-ת]+(?:[\"'][א-ת]+)*)"
    r"|(?P<number>\d+(?:[.,:]\d+)*(?:[A-Za-z]+)?(?![A-Za-z0-9]))"
    r"|(?P<word>[^\W_א-ת]+(?:'[^\W\d_א-ת]+)?)"
)
_FOREIGN_NEXT = re.compile(r"-?[A-Za-z0-9]")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|(?<!\s)\s*\n\s*")
_ABBREVIATION = re.compile(
    r"(?:^|\s)(?:dr|mr|mrs|ms|prof|st|vs|etc|e\.g|i\.e|approx|no|fig|sec|[A-Z])\.$", re.IGNORECASE
)
_HEBREW_LETTER = re.compile(r"[א-ת]")
_LATIN_LETTER = re.compile(r"[A-Za-z]")
# One Hebrew letter in three is enough: Hebrew chat is full of English terms.
_HEBREW_SHARE = 1 / 3
_HEBREW_FINALS = str.maketrans("ךםןףץ", "כמנפצ")
# Endings, what replaces them in the singular, and how many letters must come before.
_HEBREW_FORMS = (
    *((ending, "", 3) for ending in ("יהמ", "יהנ", "יכמ", "יכנ", "ינו", "יו", "נו")),
    *((ending, "ה", 3) for ending in ("תי", "תו", "תמ", "תנ")),
    ("ויות", "ה", 2),
    ("ות", "ה", 2),
    ("ימ", "", 2),
)
# As in "אוכלוסייה" and "זווית"; in "תנאיים" the second yod belongs to the plural's ending.
_DOUBLED_VOWEL = re.compile(r"([וי])\1(?!מ$)")
_HEBREW_RARE_PREFIXES = frozenset("משכ")
# "שהוא", "ולא", "כשאני": conjunctions also attach to function words. The other prefixes are not
# removed there: "ב" before "על" makes "owner", not "in" and "on".
_HEBREW_CONJUNCTIONS = ("וכש", "כש", "וש", "ש", "ו")
_MIN_LETTERS = 3
_STEMMING = Lock()


def words(text: str) -> list[str]:
    """Return the stems of all words, in order, stopwords included."""
    return [_stem(token) for token in tokens(text)]


def terms(text: str) -> list[str]:
    """Return the stems of the words that carry a topic, in order."""
    return [_stem(token) for token in tokens(text) if not is_stopword(token)]


def tokens(text: str) -> list[str]:
    """Return the folded, lower-case words of a text, before stemming."""
    if "_" in text:  # "u_r_g_e_n_t" is one word
        text = _SPELLED_OUT.sub(lambda match: match[0].replace("_", ""), text)
    if not text.isascii():  # niqqud, accents and typographic punctuation are removed
        text = unicodedata.normalize("NFKD", text.translate(_TYPOGRAPHY))
        text = fold("".join(char for char in text if not unicodedata.combining(char)))
    result: list[str] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if match["he"]:
            # Prefixes before a Latin word or a number ("in", "the") are no word of their own.
            is_prefix = len(token) <= 3 and set(token) <= HEBREW_PREFIXES
            if not is_prefix or not _FOREIGN_NEXT.match(text, match.end()):
                result.append(token.replace('"', "").replace("'", ""))
        elif match["number"]:
            result.append(token.replace(",", "").lower())
        elif token.islower():
            result.append(token)
        else:
            # camelCase is split; the whole word stays too if it may be a name, such as WhatsApp.
            parts = [] if token.isupper() or "'" in token else _CAMEL_PARTS.findall(token)
            result += [token.lower()] if len(parts) <= 2 else []
            result += [part.lower() for part in parts if len(part) > 1 and len(parts) > 1]
    return result


def is_stopword(word: str) -> bool:
    """Tell whether a lower-case, folded word (not a stem) carries no topic."""
    known = stopwords()
    if word in known or word.isascii():
        return word in known
    return any(
        word.startswith(prefix) and word[len(prefix) :] in known for prefix in _HEBREW_CONJUNCTIONS
    )


@cache
def stopwords() -> frozenset[str]:
    """Return the words of all languages that carry no topic, question words included."""
    return frozenset(map(fold, TEXTS.words("words.stopwords")))


def fold(word: str) -> str:
    """Return a word with Hebrew final letters replaced by their ordinary forms."""
    return word.translate(_HEBREW_FINALS)


def hebrew_stem(word: str) -> str:
    """Return the light stem of a folded Hebrew word without niqqud.

    A plural becomes its singular, then prefixes are stripped while more than three letters are
    left. So a word and its prefixed forms have the same stem, without a dictionary. The texts list
    words that only seem to begin with a prefix (`words.uncut`), and irregular plurals.
    """
    word = _DOUBLED_VOWEL.sub(r"\1", word)
    uncut, irregular = _uncut_hebrew(), _irregular_hebrew()
    singular = _hebrew_singular(word)
    # "החגים" contains "חג", but the ש of "שירים" belongs to the word.
    has_article = word.startswith("ה") and word.endswith("ימ")
    while word not in irregular:
        fewest = _MIN_LETTERS - has_article
        # The מ of "מילה" belongs to the word, but "השנה" has an article.
        fewest += singular.endswith("ה") and singular[0] in _HEBREW_RARE_PREFIXES
        may_be_cut = len(singular) > fewest and word[0] in HEBREW_PREFIXES
        if not may_be_cut or _without_yod(_without_feminine(singular)) in uncut:
            return _hebrew_root(singular)
        word, singular = word[1:], singular[1:]
    return _hebrew_root(irregular[word])


@cache
def _uncut_hebrew() -> frozenset[str]:
    listed = map(fold, TEXTS.words("words.uncut"))
    return frozenset(_without_yod(_without_feminine(_hebrew_singular(word))) for word in listed)


@cache
def _irregular_hebrew() -> dict[str, str]:
    pairs = (pair.partition("=") for pair in TEXTS.words("words.irregular"))
    return {fold(plural): fold(singular) for plural, _, singular in pairs}


def _hebrew_singular(word: str) -> str:
    """Return a word without its plural or possessive ending; a feminine word then ends in ה."""
    for ending, singular, fewest in _HEBREW_FORMS:
        if word.endswith(ending) and len(word) - len(ending) >= fewest:
            return word.removesuffix(ending) + singular
    return word


def _hebrew_root(singular: str) -> str:
    """Return a word without prefixes in a uniform spelling, without its gender's ending."""
    root = singular
    if root.endswith("אה") and len(root) > 4:
        root = root[:-2]
    elif root.endswith("א") and len(root) > 4:
        root = root[:-1]
    root = _without_feminine(root)
    # In a long word a ו after the first letter only marks a vowel: "תוכנית", "תכנית".
    if len(root) > 4 and root[1] == "ו" and not set(root[2:4]) & set("וי"):
        root = root[0] + root[2:]
    return _without_yod(root)


def _without_feminine(word: str) -> str:
    return word[:-1] if word[-1] in "הת" and len(word) > _MIN_LETTERS else word


def _without_yod(word: str) -> str:
    """Return a word without the ending of an adjective or of a construct plural."""
    return word[:-1] if word[-1] == "י" and len(word) > _MIN_LETTERS + 1 else word


def language(text: str) -> Language:
    """Return "he" if at least a third of the letters are Hebrew, else "en"."""
    in_hebrew = len(_HEBREW_LETTER.findall(text))
    letters = in_hebrew + len(_LATIN_LETTER.findall(text))
    return "he" if in_hebrew and in_hebrew >= letters * _HEBREW_SHARE else "en"


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, trimmed; a line break also ends a sentence."""
    result: list[str] = []
    continues = False
    for part in (piece.strip() for piece in _SENTENCE_END.split(text)):
        if not part:
            continue
        if continues:
            result[-1] = f"{result[-1]} {part}"
        else:
            result.append(part)
        continues = _ABBREVIATION.search(part) is not None
    return result


def excerpt(text: str, query: Collection[str], *, length: int = 160) -> str:
    """Return about `length` characters of a text, from the place that best matches a query.

    Args:
        query: Stems, from `terms`.
        length: The most characters, ellipses included; at least 10.
    """
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    pieces = text.split(" ")
    first = _densest_window(pieces, query, room=length - 2)
    window: list[str] = []
    room = length - 2
    for piece in pieces[first:]:
        if len(piece) + bool(window) > room:
            break
        room -= len(piece) + bool(window)
        window.append(piece)
    body = " ".join(window) or pieces[first][: length - 2]
    ends = first + len(window) >= len(pieces)
    return f"{'…' if first else ''}{body}{'' if ends else '…'}"


def _densest_window(pieces: list[str], query: Collection[str], *, room: int) -> int:
    """Return the index of the first word of the best window of `room` characters."""
    wanted = set(query)
    stems = [wanted.intersection(words(piece)) for piece in pieces]
    best, best_first = 0, 0
    for first, hit in enumerate(stems):
        if not hit:
            continue
        # A few words before give the reader some context.
        start = max(0, first - 3)
        seen: set[str] = set()
        used = 0
        for piece, found in zip(pieces[start:], stems[start:], strict=True):
            used += len(piece) + 1
            if used > room + 1:
                break
            seen |= found
        if len(seen) > best:
            best, best_first = len(seen), start
    return best_first


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if "א" <= word[0] <= "ת":
        return hebrew_stem(word)
    if not word.isascii() or word[0].isdigit():
        return word
    # The stemmer holds its current word, so only one thread may use it at a time.
    with _STEMMING:
        return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    from Stemmer import Stemmer  # type: ignore[import-not-found]

    return Stemmer("english", maxCacheSize=0)  # `_stem` has a cache


# ---- Tokens ----
#
# A text's number of tokens is estimated from its script and its words, without a vocabulary. The
# weights were fitted to o200k, the vocabulary of OpenAI's models, on 200 texts of this project:
# tests/evals/token_counts.jsonl has the counts, docs/measurements.md the errors. Other providers'
# vocabularies are similar; Anthropic's newest has up to a third more tokens.

BYTES_PER_TOKEN = 4
"""An estimate for stored text whose words are not counted, similar for English and Hebrew."""
MEDIA_TOKENS = 1_600
"""Tokens of an image, or of a page of a document that is sent unconverted."""
RESERVE_FACTOR = 1.35
"""The factor on an estimate where too low an estimate would cost money."""

_LOWER, _UPPER, _DIGITS = bytes(range(97, 123)), bytes(range(65, 91)), bytes(range(48, 58))
_SIGNS = bytes(b for b in range(33, 127) if not chr(b).isalnum())
_HEBREW = b"\xd6\xd7"  # the first byte of each letter
_BYTES: dict[float, bytes] = {
    0.05: _LOWER,
    0.18: _UPPER,
    0.34: _DIGITS,
    0.11: b" ",
    0.39: _SIGNS,
    0.33: _HEBREW,
    0.5: bytes(b for b in range(0xC2, 0xE0) if b not in _HEBREW),  # other letters of Europe
    0.7: bytes(range(0xE0, 0xF0)),  # letters of Asia, dashes
    2.0: bytes(range(0xF0, 0xF5)),  # emoji
}
"""Tokens that each byte adds; other bytes add none."""
_RUNS: dict[float, bytes] = {
    0.57: _HEBREW + bytes(range(0x80, 0xC0)),
    0.36: _SIGNS,
    1.25: _DIGITS,
}
"""Tokens that each run of such bytes adds, such as a Hebrew word or a number."""
_WORD, _LONG_WORD, _MORE_LETTERS = 0.73, 12, 0.3
"""Tokens that a Latin word adds, and each of its letters beyond the twelfth: no vocabulary has long
words in one piece."""

_OTHERS = [(weight, bytes(set(range(256)) - set(counted))) for weight, counted in _BYTES.items()]


def _apart(counted: bytes) -> bytes:
    """Return a table with which `translate` keeps these bytes and makes all others blanks."""
    return bytes(byte if byte in counted else 32 for byte in range(256))


_APART = [(weight, _apart(counted)) for weight, counted in _RUNS.items()]
_WORDS_APART = _apart(_LOWER + _UPPER)


def text_tokens(text: str) -> int:
    """Estimate a text's tokens."""
    if not text:
        return 0
    data = text.encode(errors="replace")
    # Deleting all other bytes leaves one byte for each character of a kind.
    estimate = sum(weight * len(data.translate(None, others)) for weight, others in _OTHERS)
    estimate += sum(weight * len(data.translate(apart).split()) for weight, apart in _APART)
    words = data.translate(_WORDS_APART).split()
    estimate += _WORD * len(words)
    estimate += _MORE_LETTERS * sum(len(w) - _LONG_WORD for w in words if len(w) > _LONG_WORD)
    return round(estimate)


_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEBREW_BYTES = re.compile(rb"[\xe0-\xfa]{2,}")
_HIGH_BYTES = re.compile(rb"[\x80-\xff]")


def decoded_text(data: bytes) -> str:
    """Return the text of bytes of unknown encoding; an invalid byte becomes U+FFFD.

    A byte order mark determines the encoding. Without one the bytes are UTF-8 if they are valid
    UTF-8. Otherwise they come from an old Windows: Windows-1255 (Hebrew) if most bytes above 7F
    would be Hebrew letters with another such byte beside them, like letters of a word; else
    Windows-1252 (Western), whose accented letters are usually alone among plain ones.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        in_words = sum(len(run) for run in _HEBREW_BYTES.findall(data))
        is_hebrew = in_words * 2 > len(_HIGH_BYTES.findall(data))
        return data.decode("cp1255" if is_hebrew else "cp1252", "replace")
