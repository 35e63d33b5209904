"""Prices: data with a date and a source; an unknown model has none."""

from __future__ import annotations

import json
import logging
import os
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rollcall.agent.prices import Price, find_price, is_free, read_prices, shipped
from rollcall.core.context import User
from rollcall.models.base import Usage
from rollcall.models.provider import default_model
from rollcall.store.budgets import Limits
from tests.support.for_every import for_every

TODAY = date(2026, 11, 26)
MILLION = 1_000_000


def price(model: str, *, on: date = TODAY, own: tuple[Price, ...] = ()) -> Price:
    found = find_price(model, on=on, own=own)
    assert found is not None
    return found


def entry(**changes: Any) -> dict[str, Any]:
    return {"models": ["openai:local"], "input": 1, "output": 2, **changes}


@for_every("found", shipped(), ids=lambda found: ",".join(found.models))
def test_every_shipped_price_has_a_date_a_source_and_the_providers_page(found: Price) -> None:
    assert found.as_of and found.as_of <= TODAY
    assert found.source and found.source.startswith("https://")
    assert found.page and found.page.startswith("https://")


@pytest.mark.parametrize("variable", ["GEMINI_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"])
def test_the_default_models_have_a_price(variable: str) -> None:
    assert "ROLLCALL_MODEL" not in os.environ
    assert find_price(default_model({variable: "x"}), on=TODAY) is not None


def test_a_call_costs_its_input_its_cached_input_and_its_output() -> None:
    usage = Usage(input_tokens=MILLION, cached_input_tokens=400_000, output_tokens=100_000)
    # 0.6 x $0.75 + 0.4 x $0.075 + 0.1 x $3.75
    assert price("gemini:gemini-3.8-flash").micro_usd(usage) == 855_000


def test_what_is_written_into_a_cache_has_rates_of_its_own() -> None:
    usage = Usage(100_000, 20_000, 10_000, 50_000, 10_000)
    # 30k x $2 + 20k x $0.10 + 40k x $2.50 + 10k x $4 + 10k x $10
    assert price("anthropic:claude-sonnet-5-5").micro_usd(usage) == 302_000
    plain = Price.model_validate(entry(models=["x:y"]))
    assert plain.micro_usd(usage) == 120_000, "without rates it is input like any other"


def test_a_long_prompt_has_its_band() -> None:
    haiku = price("anthropic:claude-haiku-5-5")
    assert haiku.micro_usd(Usage(100_000, 0, 1_000)) == 10_500
    assert haiku.micro_usd(Usage(100_001, 0, 1_000)) == 52_501
    assert price("openai:gpt-6.1-terra").micro_usd(Usage(300_000, 0, 1_000)) == 607_500


def test_gemini_4_argon_doubles_in_december() -> None:
    usage = Usage(MILLION, 0, 100_000)
    for model in ("gemini:gemini-4-argon", "gemini:gemini-4-carbon"):
        assert price(model, on=date(2026, 11, 30)).micro_usd(usage) == 3_000_000
        assert price(model, on=date(2026, 12, 1)).micro_usd(usage) == 6_000_000


@pytest.mark.parametrize(
    "model",
    [
        "gemini:gemini-flash-latest",  # what it stands for changes, and its price with it
        "gemini:gemini-pro-latest",
        "openai:gpt-5.6-sol",  # sources of November differ
    ],
)
def test_what_cannot_be_priced_has_no_price(model: str) -> None:
    assert find_price(model, on=TODAY) is None


def test_a_secondary_source_says_so() -> None:
    own = ("anthropic.com", "claude.com", "openai.com", "google.dev")
    for found in shipped():
        host = (found.source or "").split("/")[2]
        assert found.is_secondary != host.endswith(own), found.models


def test_a_price_changes_on_the_day_it_is_announced_for() -> None:
    usage = Usage(input_tokens=MILLION)
    model = "gemini:gemini-3.8-flash"
    assert price(model, on=date(2026, 12, 31)).micro_usd(usage) == 750_000
    assert price(model, on=date(2027, 1, 1)).micro_usd(usage) == 1_500_000


def test_a_long_input_makes_the_whole_call_dearer() -> None:
    model = price("openai:gpt-5.5")
    assert model.micro_usd(Usage(input_tokens=272_000)) == 1_360_000
    assert model.micro_usd(Usage(input_tokens=272_001, output_tokens=1_000)) == 2_720_010 + 45_000


def test_a_cost_is_rounded_up_to_a_millionth_of_a_dollar() -> None:
    assert price("gemini:gemini-3.8-flash").micro_usd(Usage(input_tokens=1)) == 1
    assert price("gemini:gemini-3.8-flash").micro_usd(Usage()) == 0


def test_dated_snapshots_cost_what_their_model_does_and_other_models_do_not() -> None:
    assert price("openai:gpt-5.5-2026-04-23") is price("openai:gpt-5.5")
    assert find_price("openai:gpt-5.5-pro", on=TODAY) is None
    assert find_price("openai:gpt-5.50", on=TODAY) is None


def test_an_unknown_model_has_no_price() -> None:
    assert find_price("openai:llama3.3", on=TODAY) is None
    assert find_price("gemini:gemini-9", on=TODAY) is None


def test_offline_models_are_free_however_they_are_asked() -> None:
    assert is_free("offline:planner") and is_free("prompted:offline:planner")
    assert not is_free("openai:offline:planner")
    assert price("offline:anything").micro_usd(Usage(MILLION, 0, MILLION)) == 0


def test_a_prompted_model_costs_what_the_model_does() -> None:
    assert price("prompted:openai:gpt-5.5") is price("openai:gpt-5.5")


def test_the_longest_name_wins_and_of_one_name_the_newest() -> None:
    own = read_prices(
        {
            "prices": [
                entry(models=["openai:*"], input=1),
                entry(models=["openai:qwen*"], input=2),
                entry(models=["openai:qwen3"], input=3),
                entry(models=["openai:qwen3"], input=4, since="2026-11-01"),
                entry(models=["openai:qwen3"], input=5, since="2027-01-01"),
            ]
        }
    )
    found = [price(f"openai:{name}", own=own).input for name in ("x", "qwen2", "qwen3")]
    assert found == [1, 2, 4]


def test_an_operators_price_comes_before_a_shipped_one() -> None:
    own = read_prices({"prices": [entry(models=["openai:gpt-5*"], input=0.5)]})
    assert price("openai:gpt-5.5", own=own).input == 0.5
    assert price("gemini:gemini-3.8-flash", own=own).input == 0.75


@pytest.mark.parametrize(
    "bad",
    [
        entry(input=-1),
        entry(input="1"),
        entry(input=float("nan")),
        entry(output=None),
        entry(models=[]),
        entry(models=["no provider"]),
        entry(since="soon"),
        entry(cachedInptu=1),
        "a text",
        None,
    ],
)
def test_an_entry_that_cannot_be_read_is_logged_and_left_out(
    bad: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="rollcall"):
        found = read_prices({"prices": [bad, entry()]})
    assert [item.models for item in found] == [["openai:local"]]
    assert "entry 0 is left out" in caplog.text


def test_prices_that_are_no_list_are_logged_and_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert read_prices({"prices": {"openai:local": 1}}) == ()
    assert "must be a list" in caplog.text
    assert read_prices(None) == ()


def test_the_examples_of_the_documentation_can_be_read(caplog: pytest.LogCaptureFixture) -> None:
    page = (Path(__file__).parents[3] / "docs" / "limits.md").read_text(encoding="utf-8")
    first, second = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    limits, prices = ([json.loads(line) for line in text.splitlines()] for text in (first, second))
    document = {key: value for field in limits for key, value in field.items()}
    document["users"] = {"ann": document["users"]["<uid>"]}
    assert Limits(document).of_user(User("ann")).usd_per_day is None
    assert len(read_prices({"prices": prices})) == 2
    assert caplog.text == ""
