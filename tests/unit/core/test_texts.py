"""Texts by language."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rollcall.core.capability import Capability
from rollcall.core.definition import DefinitionError
from rollcall.core.texts import Text, Texts, texts_of

ENGLISH = {
    "hello": "Hello {name}",
    "only": "English only",
    "found": {"zero": "nothing", "one": "one thing", "other": "{count} things"},
    "several": {"other": "{count} in all"},
    "cues": {"request": ["please", "could you"]},
}
HEBREW = {"hello": "שלום {name}", "found": {"one": "דבר אחד", "other": "{count} דברים"}}
CAPABILITY = '''
from rollcall.core.capability import capability

@capability()
def ping(ctx, *, times: int = 1) -> dict:
    """Answer as often as somebody asks for."""
    return {}

@capability()
def pong(ctx) -> dict:
    """Answer a ping."""
    return {}
'''


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    return write(tmp_path, en=ENGLISH, he=HEBREW)


def write(folder: Path, **languages: Any) -> Texts:
    (folder / "texts").mkdir()
    for language, content in languages.items():
        (folder / "texts" / f"{language}.json").write_text(json.dumps(content), encoding="utf-8")
    return Texts(str(folder / "module.py"))


def test_a_text_is_said_in_the_language_of_the_locale(texts: Texts) -> None:
    assert texts.languages == ("en", "he")
    assert texts.say("en", "hello", name="Ann") == "Hello Ann"
    assert texts.say("he-IL", "hello", name="Ann") == "שלום Ann"


def test_what_a_language_lacks_is_said_in_english(texts: Texts) -> None:
    assert texts.say("he", "only") == "English only"
    assert texts.say("fr", "hello", name="Ann") == "Hello Ann"
    assert texts.data("he", "cues.request") == ["please", "could you"]


def test_a_count_chooses_the_form(texts: Texts) -> None:
    said = [texts.say("en", "found", count=count) for count in (0, 1, 2)]
    assert said == ["nothing", "one thing", "2 things"]
    assert texts.say("he", "found", count=0) == "0 דברים"
    assert texts.say("en", "several", count=1) == "1 in all"


def test_a_text_for_later_holds_texts_as_values(texts: Texts) -> None:
    inner = texts.text("found", count=1)
    outer = texts.text("hello", name=inner)
    assert isinstance(outer, Text)
    assert (outer.say("en"), outer.say("he")) == ("Hello one thing", "שלום דבר אחד")
    assert outer == texts.text("hello", name=inner)


def test_values_are_never_read_as_templates(texts: Texts) -> None:
    assert texts.say("en", "hello", name="{count} {0}") == "Hello {count} {0}"


def test_an_unknown_key_and_a_missing_value_are_errors(texts: Texts) -> None:
    with pytest.raises(KeyError, match=r"has no text 'nothing\.here'"):
        texts.say("en", "nothing.here")
    with pytest.raises(KeyError, match="name"):
        texts.say("en", "hello")


def test_a_capability_takes_its_words_from_the_texts_of_its_pack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = tmp_path / "pack_with_texts"
    pack.mkdir()
    (pack / "__init__.py").write_text("")
    (pack / "tools.py").write_text(CAPABILITY)
    example = {"userRequest": "ping twice", "parameters": {"times": 2}}
    words = {"name": "Ping", "keywords": ["ping", "echo"], "examples": [example]}
    write(
        pack,
        en={"capabilities": {"ping": words}},
        he={"capabilities": {"ping": {"name": "פינג", "keywords": ["פינג", "echo"]}}},
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    tools = importlib.import_module("pack_with_texts.tools")
    try:
        assert texts_of("pack_with_texts.tools") is not None
        ping = Capability.of(tools.ping)
        assert ping.name == {"en": "Ping", "he": "פינג"}
        assert ping.keywords == ("ping", "echo", "פינג")
        assert ping.examples == (example,)
        with pytest.raises(DefinitionError, match="name is missing"):
            _ = Capability.of(tools.pong).name
    finally:
        for module in ("pack_with_texts.tools", "pack_with_texts"):
            del sys.modules[module]
