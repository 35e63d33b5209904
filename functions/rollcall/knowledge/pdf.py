"""Reads the text of a PDF, page by page, within limits.

Only the text of pages is read: scripts, attachments, forms and links are never opened. Most limits
are pypdf's, set lower here; the time for each page is ours. Other attacks can only exhaust the
memory and time of the reading process, which are limited too (`reader`).

A PDF stores the places of letters, not their reading order. Libraries reverse runs of Hebrew
letters, which is wrong if the file already had them in reading order: the words then come out
backwards. Five letters reveal this: the final forms are at the end of a word and hardly ever at its
beginning. So do some of the most frequent words, which are not words when read backwards. A line
is backwards if more of its words indicate so than the opposite; a line without any indication
follows its page. A line that is drawn in several parts (Hebrew, a number, Hebrew) is put together
from the right, by the parts' places; words in Latin letters keep their order among themselves.
"""

from __future__ import annotations

import logging
import math
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from rollcall.core.text import language, stopwords
from rollcall.core.texts import TEXTS
from rollcall.knowledge.pages import MAX_PAGE_CHARS, MAX_PAGES, CannotRead, Page, cleaned

if TYPE_CHECKING:
    from pypdf import PdfReader

PAGE_S = 10
"""CPU time for one page, s; a page that takes longer is left out."""
MAX_LEFT_OUT = 20
"""How many pages may be left out for that; with more, the file is refused."""
_STREAM_BYTES = 30_000_000
_LARGER = 1.15
_FORGET_EVERY = 10
_HEBREW_WORD = re.compile("[\u05d0-\u05ea]{2,}")
_HEBREW = re.compile("[\u05d0-\u05ea]")
_MARKS = re.compile("[.,:;!?]+")
_MARK_FIRST = re.compile(r"(?P<mark>[.,:;!?]+)(?P<rest>\s*[\u05d0-\u05ea\"'].*)")
_FINAL_LETTERS = frozenset("\u05da\u05dd\u05df\u05e3\u05e5")
"""Final kaf, mem, nun, pe and tsadi."""
_TOKEN = (
    r"[0-9A-Za-z\u00c0-\u024f](?:[0-9A-Za-z\u00c0-\u024f%°.,:/'+\-]*[0-9A-Za-z\u00c0-\u024f%°])?"
)
_LEFT_TO_RIGHT = re.compile(rf"{_TOKEN}(?: {_TOKEN})*")
_EMBEDDINGS = dict.fromkeys(range(0x202A, 0x202F))
"""Characters that turn the direction of text: they stand inside words ("A1") of some files."""
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")

_log = logging.getLogger(__name__)


class _TooLong(BaseException):
    """A page's time is over. It is not an `Exception`, since pypdf catches those and goes on."""


class TextRun(Struct, frozen=True):
    """A text of one direction that a page draws, the size of its letters, and how far from the left
    its drawing operation begins."""

    text: str
    size: float
    left: float


def read_pdf(path: Path) -> Iterator[int | Page]:
    """Yield the number of pages, and then each page; a page that is left out has no text.

    Raises:
        CannotRead: It is encrypted, has too many pages, or cannot be parsed.
    """
    from pypdf.errors import FileNotDecryptedError, LimitReachedError

    try:
        with path.open("rb") as file:
            yield from _pages(_open(file))
    except CannotRead:
        raise
    except FileNotDecryptedError as error:
        raise CannotRead("encrypted") from error
    except (LimitReachedError, MemoryError, RecursionError, _TooLong) as error:
        raise CannotRead("too_heavy") from error
    except Exception as error:  # damaged files make a library fail in any way
        raise CannotRead("malformed") from error


def _open(file: Any) -> PdfReader:
    from pypdf import PasswordType, PdfReader, overwrite_configuration

    if b"%PDF-" not in file.read(1024):
        raise CannotRead("wrong_type")
    overwrite_configuration(
        maximum_declared_stream_length=_STREAM_BYTES,
        array_based_stream_maximum_output_length=_STREAM_BYTES,
        lzw_maximum_output_length=_STREAM_BYTES,
        run_length_maximum_output_length=_STREAM_BYTES,
        zlib_maximum_output_length=_STREAM_BYTES,
        stream_decoding_work_maximum_length=3 * _STREAM_BYTES,
        page_tree_maximum_entries=4 * MAX_PAGES,
        jbig2dec_binary=None,  # starts no other program
    )
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    with _within(PAGE_S):
        reader = PdfReader(file)
        # A file that only restricts printing opens with the empty password.
        if reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED:
            raise CannotRead("encrypted")
    return reader


def _pages(reader: PdfReader) -> Iterator[int | Page]:
    from pypdf.errors import LimitReachedError

    try:
        with _within(PAGE_S):
            count = len(reader.pages)
    except LimitReachedError as error:
        raise CannotRead("too_many_pages") from error
    if count > MAX_PAGES:
        raise CannotRead("too_many_pages")
    if not count:
        raise CannotRead("malformed")
    yield count
    left_out = 0
    for number in range(1, count + 1):
        try:
            with _within(PAGE_S):
                page = _page(reader, number)
        except (_TooLong, RecursionError) as error:
            left_out += 1
            _log.warning("page %d is left out: %s", number, type(error).__name__)
            if left_out > MAX_LEFT_OUT:
                raise CannotRead("too_heavy") from error
            page = Page(number, "")
        yield page
        if number % _FORGET_EVERY == 0:
            reader.resolved_objects.clear()  # otherwise the images of all pages stay in memory


def _page(reader: PdfReader, number: int) -> Page:
    pieces: list[TextRun] = []

    def note(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        if text:
            left = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
            pieces.append(TextRun(text, round(size * _scale(tm) * _scale(cm), 1), round(left, 1)))

    reader.pages[number - 1].extract_text(visitor_text=note)
    ordered = "\n".join(cleaned(line) for line in lines_in_order(pieces)).translate(_EMBEDDINGS)
    return Page(number, ordered[:MAX_PAGE_CHARS], frozenset(_large_lines(pieces)))


def _scale(matrix: Any) -> float:
    """Return the factor by which a matrix scales the height of letters."""
    return math.hypot(matrix[2], matrix[3])


def _large_lines(pieces: list[TextRun]) -> list[int]:
    """Return the lines whose letters are larger than most letters of the page."""
    sizes = Counter[float]()
    largest: dict[int, float] = {}
    line = 0
    for piece in pieces:
        sizes[piece.size] += len(piece.text)
        for part in re.split("(\n)", piece.text):
            if part == "\n":
                line += 1
            elif part.strip():
                largest[line] = min(piece.size, largest.get(line, piece.size))
    usual = sizes.most_common(1)[0][0] if sizes else 0.0
    return [line for line, size in largest.items() if size > usual * _LARGER]


@contextmanager
def _within(seconds: int) -> Iterator[None]:
    """Interrupt the block if it takes more CPU time than this.

    Raises:
        _TooLong: It took more.
    """

    if sys.platform == "win32":  # it has no such timer
        yield
        return

    def stop(signal_number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def lines_in_order(pieces: list[TextRun]) -> list[str]:
    """Return the lines of a page, with Hebrew ones in reading order."""
    lines: list[list[TextRun]] = [[]]
    for piece in pieces:
        first, *others = piece.text.split("\n")
        lines[-1].append(replace(piece, text=first))
        lines += [[replace(piece, text=each)] for each in others]
    page = _backwardness("".join(piece.text for piece in pieces))
    return [_line_in_order([each for each in line if each.text], page) for line in lines]


def _line_in_order(pieces: list[TextRun], page: int) -> str:
    """Return a line of pieces, put together from the right if it is Hebrew.

    In a file with letters in visual order, the library has already corrected each Hebrew piece, and
    the pieces of an operation are in order from left to right. In a file with letters in reading
    order, the pieces are backwards, but in reading order among themselves.
    """
    line = " ".join("".join(piece.text for piece in cell) for cell in _cells(pieces))
    is_backwards = (_backwardness(line) or page) > 0
    if len([each for each in pieces if each.text.strip()]) < 2 or language(line) != "he":
        return _reversed_line(line) if is_backwards else _with_mark_at_end(line)
    places = sorted(
        enumerate(pieces),
        key=lambda each: (-each[1].left, each[0] if is_backwards else -each[0]),
    )
    parts: list[str] = []
    for cell in _cells([piece for _, piece in places]):
        for is_hebrew, group in groupby(cell, key=lambda each: bool(_HEBREW.search(each.text))):
            texts = [piece.text for piece in group]
            if is_hebrew:
                parts += [_reversed_line(text) if is_backwards else text for text in texts]
            else:
                parts += _words_from_right(texts, phrases=not is_backwards)
        parts.append(" ")
    return _with_mark_at_end(re.sub(r" +", " ", "".join(parts)).strip())


def _cells(pieces: list[TextRun]) -> list[list[TextRun]]:
    """Split pieces where one is far to the left of the one before: the cells of a table's row."""
    cells = [pieces[:1]]
    for right, left in pairwise(pieces):
        if right.left - left.left > (len(left.text) + 1) * left.size:
            cells.append([])
        cells[-1].append(left)
    return cells


def _words_from_right(texts: list[str], *, phrases: bool) -> Iterator[str]:
    """Yield the words of texts without Hebrew that stand beside one another, in order from the
    right. Those without a space between are one word, from the left: a number may be drawn digit by
    digit. A mark at the left end ends the text before it.

    Args:
        phrases: Whether Latin words read from the left.
    """
    words: list[str] = []
    border = " "
    *others, last = texts
    mark = last.strip() if others and _MARKS.fullmatch(last.strip()) else ""
    for text in others if mark else texts:
        if border.isspace() or text[-1].isspace():
            words.append(text)
        else:
            words[-1] = text + words[-1]
        border = text[0]
    if phrases and _LATIN.search("".join(words)):
        words = [f" {''.join(reversed(words))} "]
    if mark:
        words[-1] = f"{words[-1].rstrip()}{mark} "
    for word in words:
        yield f" {word.strip()} " if word != word.strip() else word


def _with_mark_at_end(line: str) -> str:
    """Return a Hebrew line with a mark at its beginning, such as a full stop, moved to its end."""
    found = _MARK_FIRST.match(line)
    return f"{found['rest'].strip()}{found['mark']}" if found else line


def _backwardness(text: str) -> int:
    """Return a number above 0 if words are backwards, below 0 if they are not, 0 if unknown."""
    frequent, backwards = _frequent_hebrew()
    return sum(
        (word in backwards) - (word in frequent)
        or (word[0] in _FINAL_LETTERS) - (word[-1] in _FINAL_LETTERS)
        for word in _HEBREW_WORD.findall(text)
    )


@cache
def _frequent_hebrew() -> tuple[frozenset[str], frozenset[str]]:
    """Return some frequent words, and their reversed forms that are not words themselves."""
    frequent = TEXTS.words("words.frequent")
    return frequent, frozenset(word[::-1] for word in frequent) - stopwords()


def _reversed_line(line: str) -> str:
    """Return a line reversed, except for numbers and Latin words, which read from the left."""
    if not _HEBREW_WORD.search(line):
        return line

    def from_left(match: re.Match[str]) -> str:
        # Latin words keep their order, with adjacent numbers; numbers alone have the Hebrew order.
        run = match[0]
        return run[::-1] if _LATIN.search(run) else " ".join(n[::-1] for n in run.split(" "))

    return _LEFT_TO_RIGHT.sub(from_left, line[::-1].translate(_MIRRORED))
