"""Files of the education pack, judged by other programs: schemas, parsers, LibreOffice, OCR."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pypdf
from lxml import etree

from packs.education.blocks import Item
from packs.education.documents import sheet
from packs.education.gift import questions
from packs.education.mathematics.problems import make_problems
from packs.education.qti import package
from rollcall.render import pages, word
from rollcall.render import sheet as parts
from rollcall.render.bidi import cleaned, runs
from tests.evals.report import EvalResult, mean, share, table
from tests.support.packs.education.activities import content, random_items
from tests.support.packs.education.exchange_formats import (
    QTI,
    gift_differences,
    parse_gift,
    qti_problems,
)

ACTIVITIES = 300
DOCUMENTS = 60
TOPICS = ("שברים", "כפל", "אחוזים", "חיבור", "מדידות", "היקף")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_ORDER = {
    "pPr": "pStyle keepNext keepLines pageBreakBefore pBdr shd tabs bidi spacing ind jc rPr",
    "rPr": "rStyle rFonts b bCs i iCs color sz szCs u rtl cs lang",
    "tblPr": "tblStyle bidiVisual tblW jc tblLayout tblCellMar tblLook",
}
_MIRROR = str.maketrans(")]}>»≥", "([{<«≤")
_NOT_SHOWN = re.compile(r"[\s\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd_.|•☐□▢—–−-]")
_OWN_EVERY = 6
_NEEDED = ("soffice", "pdftoppm", "tesseract")


def measure_exchange() -> EvalResult:
    """QTI and GIFT of random activities, with texts that formats trip over."""
    activities = [random_items(Random(n), Random(n).randint(3, 14)) for n in range(ACTIVITIES)]
    notes: list[str] = []
    valid = same = isolated = converted = 0
    converter = find_spec("qti_convert")
    files = []
    for number, items in enumerate(activities):
        made = content(items=items, locale="en" if number % 5 == 0 else "he")
        packed = package(made, items)
        problems = qti_problems(packed)
        valid += not problems
        notes += problems[:1]
        files.append(questions(made, items))
        turned = _not_isolated(items, "ltr" if made.locale == "en" else "rtl", packed, files[-1])
        isolated += not turned
        notes += turned[:1]
        converted += bool(converter) and _is_same_in_qti_3(packed)
    for items, found in zip(activities, parse_gift(files), strict=True):
        wrong = gift_differences(items, found)
        same += not wrong
        notes += wrong[:1]
    figures = {
        "activities": ACTIVITIES,
        "qti_valid": share(valid, ACTIVITIES),
        "gift_same": share(same, ACTIVITIES),
        "isolated": share(isolated, ACTIVITIES),
        "converted_to_qti_3": share(converted, ACTIVITIES) if converter else None,
    }
    rows = [["QTI valid, references hold", valid, figures["qti_valid"]]]
    rows += [["GIFT parsed to the same items", same, figures["gift_same"]]]
    rows += [["each formula isolated in both", isolated, figures["isolated"]]]
    if converter:
        rows += [["QTI 3 of another's converter", converted, figures["converted_to_qti_3"]]]
    else:
        notes.append("QTI 3: not run, citolab-qti-convert (GPL-3.0) is not installed")
    title = f"Exchange formats: {ACTIVITIES} random activities"
    return EvalResult([table(title, ["", "of them", "share"], rows)], figures, notes[:20])


def _is_same_in_qti_3(packed: bytes) -> bool:
    """Whether Citolab's converter makes QTI 3 of a package with the same interactions and keys."""
    with zipfile.ZipFile(io.BytesIO(packed)) as file:
        files = {name: file.read(name) for name in file.namelist()}
    made = import_module("qti_convert").upgrade_package_files(files).files
    names = [name for name in files if "items/" in name]
    return all(_shape(files[name]) == _shape(made[name]) for name in names)


def _shape(item: bytes | str) -> tuple[list[str], list[str | None]]:
    """The interactions of a QTI item of either version, and the values of its keys."""
    root = etree.fromstring(item.encode() if isinstance(item, str) else item)
    tags = [etree.QName(each).localname.lower().replace("-", "") for each in root.iter("*")]
    kinds = [tag.removeprefix("qti") for tag in tags if tag.endswith("interaction")]
    keys = root.iter("{*}correctResponse", "{*}qti-correct-response")
    return kinds, [value.text for key in keys for value in key.iter("{*}value", "{*}qti-value")]


def _not_isolated(
    items: list[Item], direction: parts.Direction, packed: bytes, gift: str
) -> list[str]:
    """The formulas, and words of the other direction, that a package has outside of `bdo`, or a
    GIFT file without isolates around them. Stems with gaps are cut there, and left out."""
    with zipfile.ZipFile(io.BytesIO(packed)) as file:
        roots = [etree.fromstring(file.read(name)) for name in file.namelist() if "items/" in name]
    apart = {each.text for root in roots for each in root.iter(f"{QTI}bdo")}
    plain = re.sub(r"\\([\\~=#{}:])", r"\1", gift)
    wrong = []
    for item in items:
        if not item.block.is_question:
            continue
        # GIFT has no targets that nothing is matched with.
        targets = [each for each in item.block.targets if each.id in item.key.pairs.values()]
        texts = [option.text for option in (*item.block.options, *targets)]
        texts += [] if item.block.kind == "cloze" else [item.block.stem]
        for run in (run.text for text in texts for run in runs(text, direction) if run.isolated):
            if item.block.kind != "cloze" and run not in apart:
                wrong.append(f"QTI: {run!r} is not apart")
            escaped = re.escape(run.strip().replace("->", "→"))
            if item.block.kind != "cloze" and not re.search(
                f"[\u2066\u2067]{escaped}\u2069", plain
            ):
                wrong.append(f"GIFT: {run!r} is not apart")
    return wrong


def measure_documents() -> EvalResult:
    """PDF and Word documents of many kinds, by their structure and as they look elsewhere."""
    sheets = [made for number in range(DOCUMENTS) for made in [_sheet(number)]]
    notes: list[str] = []
    good = Counter[str]()
    documents = []
    for made in sheets:
        documents.append(word.docx(made))
        judged = {
            "PDF tagged": _untagged(pages.pdf(made)),
            "PDF has its text": _lost(pages.pdf(made), made),
            "docx by its rules": _docx_problems(documents[-1], made),
        }
        for name, problems in judged.items():
            good[name] += not problems
            notes += [f"{made.title}: {each}" for each in problems[:1]]
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    figures: dict[str, Any] = {name: share(good[name], DOCUMENTS) for name in good}
    figures |= {} if missing else _seen_elsewhere(sheets, documents)
    rows = [[name, value] for name, value in figures.items()]
    if missing:
        notes.append(f"LibreOffice and OCR: not run, {', '.join(missing)} missing")
    if shutil.which("pdftotext") is None:
        notes.append("formulas together in the PDF: not run, pdftotext missing")
    title = f"Documents: {DOCUMENTS}, Hebrew, mixed, tables and mathematics"
    return EvalResult([table(title, ["", "share"], rows)], figures, notes[:20])


def _sheet(number: int) -> parts.Sheet:
    random = Random(number)
    items: list[Item] = []
    if number % 2:
        grade, topic = random.randint(3, 6), random.choice(TOPICS)
        items += make_problems(topic, grade=grade, count=6, seed=str(number), locale="he")
    items += random_items(random, 6, nasty=0)
    kind = random.choice(("worksheet", "test", "activity"))
    made = content(kind, items=items, title=f"דף עבודה {number}: 120 − 30 = 90")
    return sheet(made, items, banner="טיוטה ללא מודל" if number % 3 == 0 else None)


def _texts(block: Any) -> Iterator[str]:
    """All texts of a block that are shown."""
    if isinstance(block, parts.Item):
        yield from (block.mark, block.note)
        for each in block.blocks:
            yield from _texts(each)
    elif isinstance(block, parts.Table):
        yield from block.header
        yield from (parts.shown(cell) for row in block.rows for cell in row)
    elif isinstance(block, parts.List):
        yield from (*parts.marks(block, "he"), *block.items)
    elif isinstance(block, parts.Fields):
        yield from block.labels
    elif isinstance(block, parts.Heading | parts.Paragraph):
        yield block.text


def _all_texts(made: parts.Sheet) -> list[str]:
    return [made.title, *(text for block in made.blocks for text in _texts(block))]


def _formulas(made: parts.Sheet) -> list[str]:
    found = (run for text in _all_texts(made) for run in runs(text, made.direction))
    return [run.text for run in found if run.isolated]


def _letters(text: str) -> Counter[str]:
    """The letters and signs of a text, without niqqud, and with brackets of either side as one."""
    plain = "".join(
        char
        for char in unicodedata.normalize("NFKD", cleaned(text))
        if not unicodedata.combining(char)
    )
    return Counter(_NOT_SHOWN.sub("", plain).translate(_MIRROR))


def _pdf_text(data: bytes) -> str:
    reader = pypdf.PdfReader(io.BytesIO(data))
    return cleaned("\n".join(page.extract_text() for page in reader.pages))


def _poppler_text(data: bytes) -> str:
    if shutil.which("pdftotext") is None:
        return ""
    command = ["pdftotext", "-layout", "-", "-"]
    read = subprocess.run(command, input=data, check=True, capture_output=True)
    return cleaned(read.stdout.decode())


def _untagged(data: bytes) -> list[str]:
    root: Any = pypdf.PdfReader(io.BytesIO(data)).trailer["/Root"]
    wrong = []
    if not root.get("/MarkInfo", {}).get("/Marked") or "/StructTreeRoot" not in root:
        wrong.append("not tagged")
    if b"pdfuaid:part" not in root["/Metadata"].get_data():
        wrong.append("does not say that it is PDF/UA")
    return wrong


def _lost(data: bytes, made: parts.Sheet) -> list[str]:
    """Letters that are not in the PDF's text, and formulas that are not together in it."""
    text = _pdf_text(data)
    lost = _letters("".join(_all_texts(made))) - _letters(text)
    wrong = [f"lost {dict(lost)}"] if lost else []
    # A bracket shares its glyph with the mirrored one, and a glyph has one character in a PDF.
    # Readers guess at the order of a line in two directions, each in its way: one of two finds it.
    other = _poppler_text(data)
    joined = ["".join(each.split()).translate(_MIRROR) for each in (text, other)]
    for formula in _formulas(made) if other else ():
        if not any("".join(formula.split()).translate(_MIRROR) in each for each in joined):
            wrong.append(f"{formula!r} is not together")
    return wrong


def _docx_problems(data: bytes, made: parts.Sheet) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        root = etree.fromstring(file.read("word/document.xml"))
    wrong = []
    hebrew = re.compile("[א-ת]")
    for paragraph in root.iter(f"{_W}p"):
        text = "".join(paragraph.itertext())
        if hebrew.search(text) and paragraph.find(f"{_W}pPr/{_W}bidi") is None:
            wrong.append(f"no bidi: {text[:40]}")
    alone = set()
    for run in root.iter(f"{_W}r"):
        text = "".join(run.itertext())
        is_rtl = run.find(f"{_W}rPr/{_W}rtl") is not None
        if hebrew.search(text) and not is_rtl:
            wrong.append(f"no rtl: {text[:40]}")
        if not is_rtl:
            alone.add(text.strip("\u200e"))
    for each in root.iter(f"{_W}tbl"):
        if each.find(f"{_W}tblPr/{_W}bidiVisual") is None:
            wrong.append("a table from left to right")
    for tag, order in _ORDER.items():
        for each in root.iter(f"{_W}{tag}"):
            places = [order.split().index(etree.QName(child).localname) for child in each]
            if places != sorted(places):
                wrong.append(f"{tag} out of order")
    wrong += [f"{each!r} is no run of its own" for each in _formulas(made) if each not in alone]
    letters = _letters("".join(root.itertext()))
    if lost := _letters("".join(_all_texts(made))) - letters:
        wrong.append(f"lost {dict(lost)}")
    return wrong


def _plain(made: parts.Sheet) -> parts.Sheet:
    """The texts of a sheet, one paragraph below the other: nothing of its layout is left."""
    texts = [parts.Paragraph(each) for each in _all_texts(made) if each.strip()]
    return parts.Sheet("", texts, direction=made.direction, language=made.language)


def _seen_elsewhere(sheets: list[parts.Sheet], documents: list[bytes]) -> dict[str, float | None]:
    """How many documents LibreOffice converts, and how alike the letters of each are to what OCR
    reads of its pages.

    OCR misreads letters that no layout is to blame for. So of every sixth document it also reads
    the same texts set plainly by the same programs, which is the most that it can do with them, and
    the PDF that we made.
    """
    found, own, plain, beside = [], [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, data in enumerate(documents):
            (folder / f"{number}.docx").write_bytes(data)
            if number % _OWN_EVERY == 0:
                (folder / f"plain{number}.docx").write_bytes(word.docx(_plain(sheets[number])))
        profile = f"-env:UserInstallation=file://{folder}/profile"
        convert = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", name]
        files = sorted(map(str, folder.glob("*.docx")))
        subprocess.run([*convert, *files], check=True, capture_output=True, timeout=300)
        for number, made in enumerate(sheets):
            pdf = folder / f"{number}.pdf"
            if not pdf.exists():
                continue
            found.append(_similarity(pdf, made))
            if number % _OWN_EVERY == 0:
                pdf = folder / f"own{number}.pdf"
                pdf.write_bytes(pages.pdf(made))
                own.append(_similarity(pdf, made))
                plain.append(_similarity(folder / f"plain{number}.pdf", _plain(made)))
                beside.append(found[-1])
    return {
        "converted": share(len(found), DOCUMENTS),
        "ocr_similarity": mean(found),
        "ocr_worst": min(found, default=None),
        "ocr_similarity_of_own_pdf": mean(own),
        "ocr_similarity_of_plain_texts": mean(plain),
        "ocr_beside_plain_texts": round(sum(beside) / sum(plain), 3) if plain else None,
    }


def _similarity(pdf: Path, made: parts.Sheet) -> float:
    """Twice the letters that a document has in common with what OCR reads of a PDF, of all letters
    of both."""
    command = ["pdftoppm", "-r", "200", "-png", str(pdf), str(pdf.with_suffix(""))]
    subprocess.run(command, check=True, capture_output=True)
    images = sorted(pdf.parent.glob(f"{pdf.stem}-*.png"))
    ours = _letters("".join(_all_texts(made)) + made.footer * len(images))
    theirs = _letters("".join(map(_ocr, images)))
    return round(2 * sum((ours & theirs).values()) / (ours.total() + theirs.total()), 4)


def _ocr(page: Path) -> str:
    command = ["tesseract", str(page), "-", "-l", "heb+eng", "--psm", "4"]
    env = {**os.environ, "OMP_THREAD_LIMIT": "1"}  # more threads take longer on a page
    return subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout
