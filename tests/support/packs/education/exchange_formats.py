"""QTI packages and GIFT files judged by other programs: lxml with a schema, and gift-pegjs."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import zipfile
from fractions import Fraction
from functools import cache
from pathlib import Path
from posixpath import join, normpath
from typing import Any

from lxml import etree

from packs.education.blocks import GAP, Item
from packs.education.documents import GAP_LINE
from rollcall.render.bidi import cleaned

ROOT = Path(__file__).parents[4]
QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p2}"
CP = "{http://www.imsglobal.org/xsd/imscp_v1p1}"
_PARSE = """
const { parse } = require("gift-pegjs");
let text = "";
process.stdin.on("data", (part) => (text += part)).on("end", () => {
  const files = JSON.parse(text);
  console.log(JSON.stringify(files.map((file) => {
    try { return { questions: parse(file) }; } catch (error) { return { error: String(error) }; }
  })));
});
"""
_CODES = {"&&092;": "\\", "&&058;": ":", "&&035;": "#", "&&061;": "=", "&&123;": "{",
          "&&125;": "}", "&&126;": "~", "&&010": "\n"}  # fmt: skip


@cache
def schema() -> etree.XMLSchema:
    """The official schema where QTI_XSD names its file, otherwise that of the part we write."""
    file = os.environ.get("QTI_XSD") or str(Path(__file__).parent / "qti_subset.xsd")
    return etree.XMLSchema(etree.parse(file))


def qti_problems(package: bytes) -> list[str]:
    """What is wrong in a package: by the schema, and in its references."""
    with zipfile.ZipFile(io.BytesIO(package)) as file:
        files = {name: file.read(name) for name in file.namelist()}
    problems = []
    manifest = etree.fromstring(files["imsmanifest.xml"])
    resources = {each.get("identifier"): each for each in manifest.iter(f"{CP}resource")}
    listed = {each.get("href") for each in manifest.iter(f"{CP}file")}
    problems += [
        f"not in the manifest: {name}" for name in files.keys() - listed - {"imsmanifest.xml"}
    ]
    problems += [f"no such file: {name}" for name in listed - files.keys()]
    for each in manifest.iter(f"{CP}dependency"):
        if each.get("identifierref") not in resources:
            problems.append(f"no such resource: {each.get('identifierref')}")
    for name, data in files.items():
        if not name.endswith(".xml") or name == "imsmanifest.xml":
            continue
        root = etree.fromstring(data)
        if not schema().validate(root):
            problems += [f"{name}: {each}" for each in schema().error_log]
        for ref in root.iter(f"{QTI}assessmentItemRef"):
            item = etree.fromstring(files[ref.get("href")])
            if item.get("identifier") != ref.get("identifier"):
                problems.append(f"{name}: {ref.get('href')} is another item")
        problems += [f"{name}: {each}" for each in _broken_references(root, name, files)]
    return problems


def _broken_references(root: Any, name: str, files: dict[str, bytes]) -> list[str]:
    declared = {
        tag: [each.get("identifier") for each in root.iter(f"{QTI}{tag}Declaration")]
        for tag in ("response", "outcome")
    }
    wrong = [f"{tag} declared twice" for tag, ids in declared.items() if len(set(ids)) < len(ids)]
    asked = [
        each.get("responseIdentifier") for each in root.iter() if each.get("responseIdentifier")
    ]
    if sorted(asked) != sorted(declared["response"]):
        wrong.append(f"responses {declared['response']}, interactions {asked}")
    places = {"setOutcomeValue": "outcome", "mapResponse": "response", "correct": "response"}
    for tag, kind in places.items():
        for each in root.iter(f"{QTI}{tag}"):
            if each.get("identifier") not in declared[kind]:
                wrong.append(f"{tag} of {each.get('identifier')}")
    for each in root.iter(f"{QTI}modalFeedback"):
        if each.get("outcomeIdentifier") not in declared["outcome"]:
            wrong.append(f"feedback of {each.get('outcomeIdentifier')}")
    tags = ("simpleChoice", "simpleAssociableChoice")
    ids = [each.get("identifier") for tag in tags for each in root.iter(f"{QTI}{tag}")]
    if len(set(ids)) < len(ids):
        wrong.append("two choices have one identifier")
    for response in root.iter(f"{QTI}responseDeclaration"):
        if response.get("baseType") in ("identifier", "directedPair"):
            named = [part for each in response.iter(f"{QTI}value") for part in each.text.split()]
            wrong += [f"the key names {each}" for each in named if each not in ids]
    for image in root.iter(f"{QTI}img"):
        if normpath(join(name, "..", image.get("src"))) not in files:
            wrong.append(f"no picture {image.get('src')}")
    return wrong


def parse_gift(files: list[str]) -> list[list[dict[str, Any]]]:
    """The questions that gift-pegjs finds in each file.

    Raises:
        AssertionError: It cannot read one.
    """
    ran = subprocess.run(
        ["node", "-e", _PARSE], input=json.dumps(files), capture_output=True, text=True,
        cwd=ROOT, check=True,
    )  # fmt: skip
    found = json.loads(ran.stdout)
    for file, each in zip(files, found, strict=True):
        assert "error" not in each, (each["error"], file)
    return [each["questions"] for each in found]


def gift_differences(items: list[Item], questions: list[dict[str, Any]]) -> list[str]:
    """What is another in the parsed questions than in the items they were made of."""
    wrong = []
    by_title = {each["title"]: each for each in questions}
    expected = 0
    for number, item in enumerate(items, 1):
        if item.block.kind in ("table", "cards", "image"):
            continue
        parts = len(GAP.findall(item.block.stem)) if item.block.kind == "cloze" else 1
        expected += parts
        for part in range(parts):
            title = f"{number:03d}{chr(97 + part) if part else ''}"
            question = by_title.get(title)
            if question is None:
                wrong.append(f"{title} is missing")
            elif (now := _meaning(question)) != (then := _expected(item, part)):
                wrong.append(f"{title}: {then} became {now}")
    if len(questions) != expected:
        wrong.append(f"{len(questions)} questions for {expected}")
    return wrong


def _plain(text: Any) -> str:
    """A text without what the format may change: isolates, white space, the parser's own codes."""
    if text is None:
        return ""
    if isinstance(text, dict):
        text = text["text"]
    for code, char in _CODES.items():
        text = text.replace(code, char)
    text = cleaned(text)
    return " ".join(text.replace("->", "→").replace("[plain]", "").split())


def _meaning(question: dict[str, Any]) -> tuple[Any, ...]:
    kind = question["type"]
    answers: Any = None
    if kind == "TF":
        answers = question["isTrue"]
    elif kind == "Matching":
        answers = [
            (_plain(p["subquestion"]), _plain(p["subanswer"])) for p in question["matchPairs"]
        ]
    elif kind == "Numerical":
        answers = (
            Fraction(str(question["choices"]["number"])),
            Fraction(str(question["choices"]["range"])),
        )
    elif kind in ("MC", "Short"):
        answers = [
            (_plain(c["text"]), c["isCorrect"] or (c["weight"] or 0) > 0, _plain(c["feedback"]))
            for c in question["choices"]
        ]
    stem = _plain(question["stem"]).replace("Words:", "מחסן מילים:")
    return kind, stem, answers, _plain(question.get("globalFeedback"))


def _expected(item: Item, part: int) -> tuple[Any, ...]:
    block, key = item.block, item.key
    said = _plain(key.feedback)
    stem = _plain(block.stem)
    texts = {each.id: _plain(each.text) for each in (*block.options, *block.targets)}
    match block.kind:
        case "choice" | "multi_choice":
            answers = [(texts[o.id], o.id in key.correct, "") for o in block.options]
            return "MC", stem, answers, said
        case "true_false":
            return "TF", stem, key.truth, said
        case "match":
            pairs = [(texts[o.id], texts[key.pairs[o.id]]) for o in block.options]
            return "Matching", stem, pairs, said
        case "order":
            return (
                "Matching",
                stem,
                [(str(n), texts[id]) for n, id in enumerate(key.correct, 1)],
                said,
            )
        case "cloze":
            number = GAP.findall(block.stem)[part]
            before, after = block.stem.split(f"{{{{{number}}}}}", 1)
            bank = " · ".join(texts[option.id] for option in block.options)
            rest = _plain(GAP.sub(GAP_LINE, after) + (f" מחסן מילים: {bank}" if bank else ""))
            gap = " _____ " if rest else ""
            stem = _plain(GAP.sub(GAP_LINE, before) + gap + rest)
            accepted = [(_plain(each), True, "") for each in dict.fromkeys(key.gaps[number])]
            return "Short", stem, accepted, said
        case "numeric":
            value = _number(key.value)
            stem += f" _____ {_plain(block.unit)}" if block.unit else ""
            if "/" not in (key.value or ""):
                return "Numerical", stem, (value, 0), said
            decimal = f"{float(value):.10f}".rstrip("0")
            return "Short", stem, [(_plain(each), True, "") for each in (key.value, decimal)], said
        case "open":
            return "Essay", stem, None, said
    return "Description", stem, None, ""


def _number(text: str | None) -> Fraction:
    """A mixed number, a fraction or a decimal, read without the pack."""
    found = re.fullmatch(r"(-?)(?:(\d+) )?(\d+(?:\.\d+)?)(?:/(\d+))?", text or "")
    assert found
    value = Fraction(found[3]) / int(found[4] or 1) + int(found[2] or 0)
    return -value if found[1] else value
