"""Hostile and damaged files: each ends soon and with a reason."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rollcall.core.errors import InvalidArgument, Unavailable
from rollcall.knowledge import reader
from rollcall.knowledge.pages import MAX_PAGES, PROBLEMS, CannotRead, Page
from rollcall.knowledge.reader import MEMORY_BYTES, Kind, read, text_of
from tests.support.for_every import for_every
from tests.support.full_form import IS_FULL
from tests.support.pdfs import encrypted, file_of, one_page, pdf, stream

FUNCTIONS = Path(__file__).parents[3] / "functions"
GOOD = pdf([[("3.2 Grounding", 16), "The conductor is sized by the table."], ["Second page."]])


def pages_of(folder: Path, data: bytes, kind: Kind = "pdf", *, seconds: float = 60) -> list[Page]:
    path = folder / "file"
    path.write_bytes(data)
    found = list(read(kind, path, seconds=seconds))
    assert found[0] == len(found) - 1
    return [page for page in found if isinstance(page, Page)]


def problem_of(folder: Path, data: bytes, kind: Kind = "pdf", *, seconds: float = 60) -> str:
    with pytest.raises(CannotRead) as refused:
        pages_of(folder, data, kind, seconds=seconds)
    return refused.value.problem


def test_a_pdf_is_read_by_page_and_large_lines_are_known(tmp_path: Path) -> None:
    first, second = pages_of(tmp_path, GOOD)
    assert first == Page(1, "3.2 Grounding\nThe conductor is sized by the table.", frozenset({0}))
    assert second == Page(2, "Second page.")


def test_hebrew_is_read_whichever_way_round_the_pdf_has_it(tmp_path: Path) -> None:
    line = "ההארקה של הבניין"
    (page,) = pages_of(tmp_path, pdf([[line, line[::-1]]]))
    assert page.text == f"{line}\n{line}"


def test_a_pdf_that_only_restricts_printing_is_read(tmp_path: Path) -> None:
    assert pages_of(tmp_path, encrypted(GOOD, user_password=""))[1].text == "Second page."


def looping_form() -> bytes:
    """A drawing that draws itself four times over."""
    return file_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>",
            stream(b"/X Do"),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< /Type /XObject /Subtype /Form /Length 27 "
            b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>"
            b"\nstream\n/X Do /X Do /X Do /X Do    \nendstream",
        ]
    )


@cache
def million_operators() -> bytes:
    return one_page(b"BT /F1 10 Tf " + b"(a) Tj " * 900_000 + b"ET")


@pytest.mark.long
@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda: b"", "empty"),
        (lambda: b"hello, I am text", "wrong_type"),
        *([(lambda: b"PK\x03\x04" + bytes(500), "wrong_type")] if IS_FULL else []),
        (lambda: encrypted(GOOD, user_password="secret"), "encrypted"),
        (lambda: GOOD[: len(GOOD) // 2], "malformed"),
        (lambda: b"%PDF-1.7\n" + random.Random(7).randbytes(5_000), "malformed"),
        (lambda: pdf([["x"]] * (MAX_PAGES + 1)), "too_many_pages"),
        *([(lambda: pdf([["x"]] * (5 * MAX_PAGES)), "too_many_pages")] if IS_FULL else []),
        (lambda: one_page(b" " * 300_000_000), "too_heavy"),
        (lambda: one_page(b" " * 60_000_000, times=3), "too_heavy"),
        *([(million_operators, "too_heavy")] if IS_FULL else []),
        (
            lambda: file_of(
                [
                    b"<< /Type /Catalog /Pages 2 0 R /X " + b"[" * 50_000 + b"]" * 50_000 + b" >>",
                    b"<< /Type /Pages /Kids [] /Count 0 >>",
                ]
            ),
            "malformed",
        ),
        (
            lambda: file_of(
                [
                    b"<< /Type /Catalog /Pages 2 0 R >>",
                    b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
                ]
            ),
            "malformed",
        ),
    ],
    ids=[
        *("empty", "text", *(["zip"] if IS_FULL else []), "encrypted", "cut off", "noise"),
        *("501 pages", *(["2500 pages"] if IS_FULL else [])),
        *("bomb", "bomb in a bomb", *(["a million operators"] if IS_FULL else [])),
        *("nested arrays", "pages in a circle"),
    ],
)
def test_a_hostile_pdf_is_refused_with_its_reason(
    tmp_path: Path, made: Callable[[], bytes], problem: str
) -> None:
    assert problem_of(tmp_path, made()) == problem


@pytest.mark.parametrize("data", [looping_form(), one_page(b"[" * 100_000 + b"]" * 100_000)])
def test_a_page_that_leads_nowhere_is_an_empty_page(tmp_path: Path, data: bytes) -> None:
    (page,) = pages_of(tmp_path, data)
    assert page.text.strip() == ""


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    assert problem_of(tmp_path, million_operators(), seconds=0.5) == "too_heavy"


def test_the_reading_process_is_given_no_keys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-in-the-environment")
    environments: list[dict[str, str]] = []
    start = subprocess.Popen

    def started(*arguments: Any, env: dict[str, str], **options: Any) -> Any:
        environments.append(env)
        return start(*arguments, env=env, **options)

    monkeypatch.setattr(reader.subprocess, "Popen", started)
    assert pages_of(tmp_path, b"A line.", "text") == [Page(None, "A line.")]
    assert [each["PYTHONHASHSEED"] for each in environments] == ["0"]
    assert "sk-planted-in-the-environment" not in str(environments)


@for_every("problem", PROBLEMS)
def test_every_problem_is_said_in_both_languages(problem: str) -> None:
    told = CannotRead(problem).reason()  # type: ignore[arg-type]
    assert told["code"] == problem
    assert len(told["en"]) > 10
    assert any("א" <= letter <= "ת" for letter in told["he"])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know no such bound")
def test_the_reading_process_cannot_take_more_memory_or_write_a_file(tmp_path: Path) -> None:
    code = (
        "import signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from rollcall.knowledge.reader import _set_limits\n"
        "_set_limits()\n"
        "try:\n"
        f"    bytearray({MEMORY_BYTES})\n"
        "except MemoryError:\n"
        "    print('no memory')\n"
        "try:\n"
        f"    open({str(tmp_path / 'out')!r}, 'wb', buffering=0).write(b'x')\n"
        "except OSError:\n"
        "    print('no file')\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + code,
        ],
        cwd=FUNCTIONS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split("\n") == ["no memory", "no file", ""]


PDF = "application/pdf"


def test_a_pdf_is_read_by_page_and_empty_pages_are_left_out() -> None:
    content = pdf([["The rent is 4,200."], [], ["The deposit is two months' rent."]])
    said = "[page 1]\nThe rent is 4,200.\n\n[page 3]\nThe deposit is two months' rent."
    assert text_of(PDF, content) == said


def test_more_than_is_wanted_of_a_pdf_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "ATTACHED_CHARS", 20)
    assert "[page 3]" not in text_of(PDF, pdf([["A page of words."]] * 3))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"%PDF-1.7 and nothing more", "damaged or cut off"),
        (b"no pdf at all", "does not match the declared type"),
        (b"", "empty"),
        (pdf([[]]), "no text was found"),
    ],
)
def test_a_pdf_without_text_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(InvalidArgument, match=reason):
        text_of(PDF, content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1255"])
def test_texts_are_read_whatever_their_letters_are_written_in(encoding: str) -> None:
    assert text_of("text/csv", "פריט,מחיר\r\nמנורה,40\r\n".encode(encoding)) == (
        "פריט,מחיר\nמנורה,40\n"
    )


@pytest.mark.parametrize("letter", ["a", "ש", "\u05b0", "€", "😀"])
@pytest.mark.parametrize("before", ["", ".", "..", "..."])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_of_a_large_text_the_beginning_is_read_in_whole_characters(
    letter: str, before: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "ATTACHED_BYTES", 100)
    text = before + letter * 200
    found = text_of("text/plain", text.encode(encoding))
    assert text.startswith(found)
    assert 97 - 4 * (encoding != "utf-8") <= len(found.encode(encoding)) <= 100


def test_who_waits_too_long_for_others_is_told_to_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "READ_S", 0.01)
    with reader._one_at_a_time, pytest.raises(Unavailable, match="other documents"):
        text_of(PDF, pdf([["Words."]]))


def test_only_one_file_is_read_at_a_time() -> None:
    with reader._one_at_a_time:
        assert not reader._one_at_a_time.acquire(blocking=False)
    assert text_of(PDF, pdf([["Free again."]])) == "[page 1]\nFree again."
