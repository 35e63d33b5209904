"""Exports contents as a QTI 2.2 package: a zip with a manifest, a test, and an item for each block.

Every number, formula and Latin run of a Hebrew text is in `<bdo dir="ltr">`. People score open
questions, with the criteria in a rubric block. All other keys are part of the items, as the format
requires: a package is for teachers and their systems.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

from packs.education.blocks import GAP, Block, Item, Key, Option
from packs.education.contents import Content
from packs.education.quantities import read_number, write_decimal
from packs.education.wording import TEXTS
from rollcall.render.bidi import cleaned, runs
from rollcall.render.sheet import direction

CONTENT_TYPE = "application/zip"
NAMESPACE = "http://www.imsglobal.org/xsd/imsqti_v2p2"
PACKAGING = "http://www.imsglobal.org/xsd/imscp_v1p1"
_SCHEMA = "http://www.imsglobal.org/xsd/qti/qtiv2p2/imsqti_v2p2p1.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_DAY = (2000, 1, 1, 0, 0, 0)
"""The date of all files in the zip, so that the same content gives the same package."""
BaseType = Literal["identifier", "directedPair", "string", "float"]
Cardinality = Literal["single", "multiple", "ordered"]


def package(content: Content, items: Sequence[Item]) -> bytes:
    """Return the zip of a content; a picture is replaced by its text."""
    files: dict[str, bytes] = {}
    names = []
    for number, item in enumerate(items, 1):
        names.append(f"item-{number:03d}")
        writer = _ItemWriter(names[-1], item, content.locale)
        files[f"items/{names[-1]}.xml"] = _xml(writer.root)
    files["test.xml"] = _xml(_test(content, names))
    files = {"imsmanifest.xml": _xml(_manifest(names)), **files}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in files.items():
            package.writestr(zipfile.ZipInfo(name, _DAY), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _xml(root: Element) -> bytes:
    """Return an element as a file; characters that XML does not allow are replaced."""
    for element in root.iter():
        element.text = cleaned(element.text) if element.text else None
        element.tail = cleaned(element.tail) if element.tail else None
        for name, value in element.items():
            element.set(name, cleaned(value))
    data: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _root(tag: str, **attributes: str) -> Element:
    places = {"xmlns": NAMESPACE, "xmlns:xsi": _XSI}
    return Element(tag, {**places, "xsi:schemaLocation": f"{NAMESPACE} {_SCHEMA}"}, **attributes)


def _manifest(names: Sequence[str]) -> Element:
    root = Element("manifest", {"xmlns": PACKAGING, "identifier": "package"})
    about = SubElement(root, "metadata")
    SubElement(about, "schema").text = "QTIv2.2 Package"
    SubElement(about, "schemaversion").text = "1.0.0"
    SubElement(root, "organizations")
    resources = SubElement(root, "resources")
    kind = {"type": "imsqti_test_xmlv2p2", "href": "test.xml"}
    test = SubElement(resources, "resource", {"identifier": "test", **kind})
    SubElement(test, "file", href="test.xml")
    for name in names:
        SubElement(test, "dependency", identifierref=name)
        href = f"items/{name}.xml"
        kind = {"type": "imsqti_item_xmlv2p2", "href": href}
        resource = SubElement(resources, "resource", {"identifier": name, **kind})
        SubElement(resource, "file", href=href)
    return root


def _test(content: Content, names: Sequence[str]) -> Element:
    root = _root("assessmentTest", identifier="test", title=content.title)
    _outcome(root, "SCORE", "float")
    part = {"navigationMode": "nonlinear", "submissionMode": "individual"}
    part_element = SubElement(root, "testPart", {"identifier": "part", **part})
    about = {"title": content.topic, "visible": "true"}
    section = SubElement(part_element, "assessmentSection", {"identifier": "section", **about})
    for name in names:
        SubElement(section, "assessmentItemRef", identifier=name, href=f"items/{name}.xml")
    processing = SubElement(root, "outcomeProcessing")
    total = SubElement(SubElement(processing, "setOutcomeValue", identifier="SCORE"), "sum")
    SubElement(total, "testVariables", variableIdentifier="SCORE")
    return root


def _outcome(root: Element, name: str, base: BaseType, **more: str) -> Element:
    about = {"identifier": name, "cardinality": "single", "baseType": base}
    return SubElement(root, "outcomeDeclaration", about, **more)


def _value(parent: Element, text: str) -> None:
    SubElement(parent, "value").text = text


def _name(option_id: str) -> str:
    """Return an option's id as a QTI identifier, which must begin with a letter."""
    return f"o-{option_id}"


class _ItemWriter:
    """Writes one assessmentItem in the schema's order: declarations, body, processing, feedback."""

    def __init__(self, name: str, item: Item, locale: str) -> None:
        about = {"title": name, "adaptive": "false", "timeDependent": "false", "xml:lang": locale}
        self.root = _root("assessmentItem", identifier=name, **about)
        self._locale = locale
        self._direction = direction(locale)
        self._block, self._key = item.block, item.key
        self._body = Element("itemBody", dir=self._direction)
        self._processing = Element("responseProcessing")
        writers: dict[str, Callable[[Block, Key], None]] = {
            "choice": self._choice,
            "multi_choice": self._choice,
            "true_false": self._true_false,
            "match": self._match,
            "order": self._order,
            "cloze": self._cloze,
            "numeric": self._numeric,
            "open": self._open,
        }
        if item.block.is_question:
            writers[item.block.kind](item.block, item.key)
            more = {"externalScored": "human"} if item.block.kind == "open" else {}
            more["normalMaximum"] = str(item.block.points)
            score = _outcome(self.root, "SCORE", "float", **more)
            _value(SubElement(score, "defaultValue"), "0")
        else:
            self._reading_body(item.block)
        feedback = self._feedback()
        self.root.append(self._body)
        if len(self._processing):
            self.root.append(self._processing)
        self.root.extend(feedback)

    def _words(self, parent: Element, text: str) -> None:
        """Add a text: parts of the other direction as bdo, line breaks as br."""
        last: Element | None = None
        for part in runs(text, self._direction):
            if part.isolated:
                last = SubElement(parent, "bdo", dir="ltr" if self._direction == "rtl" else "rtl")
                last.text = part.text
                continue
            for number, line in enumerate(part.text.split("\n")):
                if number:
                    last = SubElement(parent, "br")
                if last is None:
                    parent.text = (parent.text or "") + line
                else:
                    last.tail = (last.tail or "") + line

    def _paragraph(self, text: str, parent: Element | None = None) -> None:
        self._words(SubElement(self._body if parent is None else parent, "p"), text)

    def _response(
        self, base: BaseType, cardinality: Cardinality, right: Sequence[str], name: str = "RESPONSE"
    ) -> Element:
        about = {"identifier": name, "cardinality": cardinality, "baseType": base}
        declared = SubElement(self.root, "responseDeclaration", about)
        if right:
            correct = SubElement(declared, "correctResponse")
            for each in right:
                _value(correct, each)
        return declared

    def _interaction(self, tag: str, **attributes: str) -> Element:
        """Add an interaction to the body, with the stem as its prompt."""
        element = SubElement(self._body, tag, {"responseIdentifier": "RESPONSE", **attributes})
        self._words(SubElement(element, "prompt"), self._block.stem)
        return element

    def _choices(self, parent: Element, tag: str, options: Sequence[Option], **more: str) -> None:
        for option in options:
            choice = SubElement(parent, tag, {"identifier": _name(option.id), **more})
            self._words(choice, option.text)

    def _choice(self, block: Block, key: Key) -> None:
        is_single = block.kind == "choice"
        cardinality: Cardinality = "single" if is_single else "multiple"
        self._response("identifier", cardinality, [_name(id) for id in key.correct])
        most = "1" if is_single else "0"
        element = self._interaction("choiceInteraction", shuffle="false", maxChoices=most)
        self._choices(element, "simpleChoice", block.options)
        self._score_if("match")

    def _true_false(self, block: Block, key: Key) -> None:
        self._response("identifier", "single", [_name("true" if key.truth else "false")])
        element = self._interaction("choiceInteraction", shuffle="false", maxChoices="1")
        said = {id: TEXTS.say(self._locale, f"print.{id}") for id in ("true", "false")}
        options = [Option(id=id, text=text) for id, text in said.items()]
        self._choices(element, "simpleChoice", options)
        self._score_if("match")

    def _match(self, block: Block, key: Key) -> None:
        targets = [Option(id=f"t-{each.id}", text=each.text) for each in block.targets]
        right = [f"{_name(left)} {_name(f't-{at}')}" for left, at in key.pairs.items()]
        self._response("directedPair", "multiple", right)
        most = str(len(block.options))
        element = self._interaction("matchInteraction", shuffle="false", maxAssociations=most)
        sides = ((block.options, "1"), (targets, "0"))
        for options, matches in sides:
            side = SubElement(element, "simpleMatchSet")
            self._choices(side, "simpleAssociableChoice", options, matchMax=matches)
        self._score_if("match")

    def _order(self, block: Block, key: Key) -> None:
        self._response("identifier", "ordered", [_name(id) for id in key.correct])
        element = self._interaction("orderInteraction", shuffle="true")
        self._choices(element, "simpleChoice", block.options)
        self._score_if("match")

    def _cloze(self, block: Block, key: Key) -> None:
        """Add a field for each gap, each with an equal share of the points."""
        if block.options:
            bank = " · ".join(option.text for option in block.options)
            self._paragraph(f"{TEXTS.say(self._locale, 'print.bank')} {bank}")
        place = SubElement(self._body, "p")
        shares = str(round(block.points / len(key.gaps), 4))
        pieces = GAP.split(block.stem)  # text, number, text, number … text
        names = []
        for number in pieces[1::2]:
            name = f"RESPONSE_{number}"
            names.append(name)
            self._mapped_response(name, key.gaps[number], shares)
        for at, piece in enumerate(pieces):
            if at % 2:
                SubElement(place, "textEntryInteraction", responseIdentifier=names[at // 2])
            elif piece:
                self._words(SubElement(place, "span"), piece)
        total = SubElement(
            SubElement(self._processing, "setOutcomeValue", identifier="SCORE"), "sum"
        )
        for name in names:
            SubElement(total, "mapResponse", identifier=name)

    def _mapped_response(self, name: str, accepted: Sequence[str], points: str) -> None:
        """Declare a text response that maps its accepted texts to points."""
        declared = self._response("string", "single", accepted[:1], name)
        mapping = SubElement(declared, "mapping", defaultValue="0")
        known: set[str] = set()
        for text in accepted:
            if text.casefold() not in known:
                known.add(text.casefold())
                entry = {"mapKey": text, "mappedValue": points, "caseSensitive": "false"}
                SubElement(mapping, "mapEntry", entry)

    def _numeric(self, block: Block, key: Key) -> None:
        """Add a number; a fraction is matched as a text, since `float` does not accept it."""
        self._paragraph(block.stem)
        place = SubElement(self._body, "p")
        value = read_number(key.value or "")
        if value.denominator == 1:
            self._response("float", "single", [write_decimal(value)])
            self._score_if("equal", toleranceMode="absolute", tolerance="0 0")
        else:
            written, decimal = [key.value or ""], write_decimal(value)
            if decimal not in written and read_number(decimal) == value:
                written.append(decimal)
            self._mapped_response("RESPONSE", written, str(block.points))
            score = SubElement(self._processing, "setOutcomeValue", identifier="SCORE")
            SubElement(score, "mapResponse", identifier="RESPONSE")
        SubElement(place, "textEntryInteraction", responseIdentifier="RESPONSE")
        if block.unit:
            self._words(SubElement(place, "span"), f" {block.unit}")

    def _open(self, block: Block, key: Key) -> None:
        self._response("string", "single", [])
        if key.sample or key.criteria:
            rubric = SubElement(self._body, "rubricBlock", view="scorer")
            for line in filter(None, [key.sample, *key.criteria]):
                self._paragraph(line, rubric)
        self._interaction("extendedTextInteraction")

    def _reading_body(self, block: Block) -> None:
        for line in filter(str.strip, block.stem.split("\n")):
            self._paragraph(line.removeprefix("## "))
        rows = block.rows if block.kind == "table" else [[c.front, c.back] for c in block.cards]
        if rows:
            table = SubElement(self._body, "table")
            if block.kind == "table":
                self._row(SubElement(table, "thead"), "th", rows[0])
                rows = rows[1:] or [[""] * len(rows[0])]
            body = SubElement(table, "tbody")
            for row in rows:
                self._row(body, "td", row)
        if block.image:
            self._paragraph(block.image.alt)

    def _row(self, parent: Element, tag: str, cells: Sequence[str]) -> None:
        row = SubElement(parent, "tr")
        for cell in cells:
            self._words(SubElement(row, tag), cell)

    def _score_if(self, comparison: str, **attributes: str) -> None:
        """Give all points if the response compares with the correct one."""
        condition = SubElement(self._processing, "responseCondition")
        test = SubElement(condition, "responseIf")
        compared = SubElement(test, comparison, attributes)
        SubElement(compared, "variable", identifier="RESPONSE")
        SubElement(compared, "correct", identifier="RESPONSE")
        score = SubElement(test, "setOutcomeValue", identifier="SCORE")
        SubElement(score, "baseValue", baseType="float").text = str(self._block.points)

    def _feedback(self) -> list[Element]:
        """Return the feedback on every answer, if the key has one."""
        if not (self._key.feedback and self._block.is_question):
            return []
        _outcome(self.root, "FEEDBACK", "identifier")
        value = SubElement(self._processing, "setOutcomeValue", identifier="FEEDBACK")
        SubElement(value, "baseValue", baseType="identifier").text = "all"
        about = {"outcomeIdentifier": "FEEDBACK", "identifier": "all", "showHide": "show"}
        element = Element("modalFeedback", about)
        self._words(SubElement(element, "p"), self._key.feedback)
        return [element]
