"""Errors in the language of their reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from rollcall.core.errors import FailedPrecondition, NotFound
from rollcall.core.texts import Texts, isolated
from tests.unit.core.test_texts import write

ENGLISH = {
    "errors": {
        "no_panel": "no panel {name!r}; there is {known}",
        "panel": "panel {name}",
        "left_out": "left out: {reasons}",
    },
    "hints": {"import": "import one"},
}
HEBREW = {
    "errors": {"no_panel": "אין לוח \u2068{name!r}\u2069; יש {known}", "panel": "לוח {name}"},
    "hints": {"import": "אפשר לייבא"},
}


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    return write(tmp_path, en=ENGLISH, he=HEBREW)


def no_panel(texts: Texts) -> NotFound:
    known = texts.text("errors.panel", name=isolated("LP-1"))
    said = texts.text("errors.no_panel", name="X", known=known)
    return NotFound(said, field="panelName", hint=texts.text("hints.import"))


def test_an_error_is_english_until_somebody_is_told_of_it(texts: Texts) -> None:
    error = no_panel(texts)
    assert error.message == str(error) == "no panel 'X'; there is panel LP-1"
    assert error.details == {"code": "not-found", "field": "panelName", "hint": "import one"}


def test_a_translated_error_says_message_and_hint_and_keeps_what_programs_read(
    texts: Texts,
) -> None:
    error = no_panel(texts).translate("he")
    assert error.message == "אין לוח \u2068'X'\u2069; יש לוח \u2068LP-1\u2069"
    assert error.details == {"code": "not-found", "field": "panelName", "hint": "אפשר לייבא"}
    assert str(error) == "no panel 'X'; there is panel LP-1"  # as logs and traces have it


def test_who_translates_first_knows_the_language(texts: Texts) -> None:
    assert "אין לוח" in no_panel(texts).translate("he").translate("en").message
    assert "no panel" in no_panel(texts).translate("en-US").translate("he").message


def test_an_error_that_is_raised_again_for_another_field_keeps_its_languages(
    texts: Texts,
) -> None:
    first = no_panel(texts)
    again = FailedPrecondition(first.text, field="from", hint=first.hint_text)
    assert "אין לוח" in again.say("he") and "no panel" in again.say("en")
    assert again.translate("he").hint == "אפשר לייבא"


def test_a_list_of_reasons_is_said_in_one_language(texts: Texts) -> None:
    panels = [texts.text("errors.panel", name=name) for name in ("A", "B")]
    text = texts.text("errors.left_out", reasons=panels)
    assert FailedPrecondition(text).message == "left out: panel A; panel B"


def test_plain_words_are_the_same_in_every_language() -> None:
    assert NotFound("no such queue", hint="set one").translate("he").message == "no such queue"
