"""The error for a missing package names the extra that brings it, before any work is done."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from rollcall.core import extras
from rollcall.core.errors import FailedPrecondition
from rollcall.core.extras import is_installed, require_extra
from rollcall.knowledge.pages import CannotRead
from rollcall.knowledge.reader import read
from rollcall.models import base

PYPROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have a package not be installed, wherever one asks."""

    def hide(package: str) -> None:
        def found(name: str) -> bool:
            return name != package and is_installed(name)

        monkeypatch.setattr(extras, "is_installed", found)
        monkeypatch.setattr("rollcall.knowledge.reader.is_installed", found)

    return hide


def test_a_package_is_known_without_importing_it() -> None:
    assert is_installed("xlsxwriter")
    assert not is_installed("nothing_of_this_name")
    assert not is_installed("nothing_of_this_name.below")


@pytest.mark.parametrize(("model", "sdk"), [("gemini:x", "google.genai"), ("openai:x", "openai")])
def test_an_embedder_whose_sdk_is_missing_names_the_extra(
    model: str, sdk: str, without: Callable[[str], None]
) -> None:
    without(sdk)
    extra = model.partition(":")[0]
    assert base.load_model(model).id == model, "a turn needs no SDK"
    with pytest.raises(FailedPrecondition, match=rf"{model} needs the extra \[{extra}\]") as told:
        base.load_embedder(model)
    assert f"rollcall-firebase[{extra}]" in (told.value.hint or "")


def test_a_provider_that_does_not_exist_is_no_missing_extra() -> None:
    with pytest.raises(FailedPrecondition, match="no model provider 'gemeni'"):
        base.load_model("gemeni:x")


def test_a_pdf_without_its_reader_says_so(without: Callable[[str], None], tmp_path: Path) -> None:
    without("pypdf")
    with pytest.raises(CannotRead, match="no_reader"):
        next(read("pdf", tmp_path / "a.pdf"))


def test_every_extra_that_is_named_is_one_of_the_distributions() -> None:
    declared = PYPROJECT["project"]["optional-dependencies"].keys()
    assert {
        "gemini",
        "openai",
        "documents",
        "spreadsheets",
        "render",
        "tracing",
    } <= declared
    with pytest.raises(FailedPrecondition, match=r"this needs the extra \[documents\]"):
        require_extra("nothing_of_this_name", "documents", purpose="this")
