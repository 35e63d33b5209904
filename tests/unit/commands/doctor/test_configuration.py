from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace

from rollcall.agent.prices import Price
from rollcall.commands.app import parse_variables
from rollcall.commands.doctor.configuration import (
    VARIABLES,
    Settings,
    check_models,
    check_variables,
    read_settings,
)
from rollcall.commands.doctor.findings import Finding
from rollcall.core.profile import AgentProfile
from tests.support.for_every import for_every

ROLLCALL = Path(__file__).parents[4] / "functions/rollcall"


def settings(*secrets: str, **given: str) -> Settings:
    return Settings({"THREADS": "24", **given}, secrets, "functions/.env.shop")


def model_findings(
    settings: Settings,
    profiles: Iterable[AgentProfile],
    prices: Sequence[Price],
    *,
    today: date = date(2026, 11, 26),
) -> list[Finding]:
    return list(check_models(settings, profiles, prices, today=today))


def agent(*models: str) -> AgentProfile:
    return AgentProfile(id="a", name={"en": "A"}, instructions="", tools=(), models=models)


def test_every_variable_that_code_reads_is_known_and_no_other() -> None:
    sources = [
        path for path in ROLLCALL.rglob("*.py") if path.relative_to(ROLLCALL).parts[0] != "commands"
    ]
    read = {
        name
        for path in sources
        for name in re.findall(r"ROLLCALL_[A-Z_]+", path.read_text(encoding="utf-8"))
    }
    assert read == {name for name in VARIABLES if name.startswith("ROLLCALL_")}


def test_files_are_read_as_firebase_tools_does(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# note\nTHREADS=24\nROLLCALL_MODEL=a:b # aside\n")
    (tmp_path / ".env.shop").write_text(
        "ROLLCALL_MODEL='gemini:x'\nexport ROLLCALL_SECRETS=\"ONE, TWO\"\n\nnot a line\n"
    )
    found = read_settings(tmp_path, "shop", emulator=False, shell={"ROLLCALL_MODEL": "no"})
    assert found.given == {
        "THREADS": "24",
        "ROLLCALL_MODEL": "gemini:x",
        "ROLLCALL_SECRETS": "ONE, TWO",
    }
    assert found.secrets == ("ONE", "TWO")
    assert found.env.keys() >= {"ONE", "TWO"}


def test_the_emulators_get_this_shells_variables_too(tmp_path: Path) -> None:
    (tmp_path / "firebase.json").write_text("{}")
    shell = {"ROLLCALL_MODEL": "offline:planner", "HOME": "/root"}
    found = read_settings(tmp_path / "backend", "demo-x", emulator=True, shell=shell)
    assert (found.given, found.file) == (
        {"ROLLCALL_MODEL": "offline:planner"},
        "backend/.env.local",
    )
    (model, _) = model_findings(found, [], ())
    assert (model.level, "offline planner" in model.text) == ("ok", True)


@pytest.mark.parametrize(
    ("line", "value"),
    [("A=1", "1"), ("A = b c ", "b c"), ("A='x # y'", "x # y"), ("A=", ""), ('A="" # z', "")],
)
def test_a_line_of_a_file(line: str, value: str) -> None:
    assert parse_variables(line) == {"A": value}


def test_good_settings_are_well() -> None:
    (found,) = check_variables(
        settings(
            "EXAMPLE_KEY",
            ROLLCALL_REGION="europe-west1",
            ROLLCALL_API_HOSTS="api.example.com, *.example.org:8443",
            ROLLCALL_API_SECRETS='{"api.example.com": "EXAMPLE_KEY"}',
            ROLLCALL_LEASE_S="30",
            ROLLCALL_MAX_INSTANCES="run_agent:50, *:10",
        )
    )
    assert found.level == "ok"


@for_every(
    ("given", "words"),
    [
        ({"ROLLCALL_REGOIN": "x"}, "nothing reads ROLLCALL_REGOIN"),
        ({"ROLLCALL_REGION": "Frankfurt"}, "ROLLCALL_REGION is a region"),
        ({"ROLLCALL_LEASE_S": "0"}, "ROLLCALL_LEASE_S is a number"),
        ({"ROLLCALL_ALLOW_UNPRICED": "yes"}, "true or false"),
        ({"ENFORCE_APP_CHECK": "1"}, "ENFORCE_APP_CHECK is true or false"),
        ({"ROLLCALL_MODEL": "gpt-5.5"}, "<provider>:<model>"),
        ({"ROLLCALL_API_HOSTS": "https://api.example.com"}, "entries that are no host"),
        ({"ROLLCALL_FUNCTION_HOSTS": "10.0.0.1"}, "entries that are no host: 10.0.0.1"),
        ({"ROLLCALL_API_SECRETS": "EXAMPLE_KEY"}, "not a JSON object"),
        ({"ROLLCALL_API_SECRETS": "\udc80{}"}, "not a JSON object"),
        ({"ROLLCALL_API_SECRETS": '{"api.example.com": "KEY"}'}, "not given: KEY"),
        ({"ROLLCALL_STATEMENT_SECRET": "short"}, "fewer than 32"),
        ({"GEMINI_API_KEY": "AIza"}, "plain text"),
        ({"ROLLCALL_MIN_INSTANCES": "1"}, "of the form run_agent:1"),
        ({"THREADS": ""}, "THREADS is not set"),
        ({"THREADS": "many"}, "THREADS is a number"),
    ],
)
def test_what_is_wrong_with_a_variable_is_told(given: dict[str, str], words: str) -> None:
    found = check_variables(settings(**given))
    assert any(words in each.text and each.level in ("warn", "fail") for each in found)
    assert all(each.mend for each in found)


def test_no_finding_shows_a_keys_value() -> None:
    given = {"GEMINI_API_KEY": "AIza-planted", "ROLLCALL_STATEMENT_SECRET": "planted"}
    told = " ".join(each.text + each.mend for each in check_variables(settings(**given)))
    assert "planted" not in told


def test_a_secret_with_a_value_in_a_file_fails() -> None:
    found = check_variables(settings("KEY", KEY="x"))
    assert [each.level for each in found] == ["fail"]


def test_without_a_key_the_offline_planner_is_told() -> None:
    first, embedder = model_findings(settings(), [agent()], ())
    assert (first.level, "offline planner" in first.text) == ("warn", True)
    assert (embedder.level, "words alone" in embedder.text) == ("ok", True)


def test_without_the_extra_for_embeddings_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rollcall.models.provider", "rollcall.core.extras"):
        monkeypatch.setattr(f"{module}.is_installed", lambda package: False)
    *_, found = model_findings(settings(OPENAI_API_KEY="k"), [agent()], ())
    assert (found.level, "with the extra [openai]" in found.text) == ("ok", True)
    chosen = settings(OPENAI_API_KEY="k", ROLLCALL_EMBEDDER="openai:x")
    *_, found = model_findings(chosen, [agent()], ())
    assert (found.level, "needs the extra [openai]" in found.text) == ("fail", True)
    assert "rollcall-firebase[openai]" in found.mend


@pytest.mark.parametrize("embedder", ["offline:planner", "prompted:offline:x", "nobody:x"])
def test_an_embedder_that_has_no_embeddings_fails(embedder: str) -> None:
    *_, found = model_findings(settings(ROLLCALL_EMBEDDER=embedder), [agent()], ())
    assert (found.level, embedder in found.text) == ("fail", True)


def test_a_configured_model_with_its_key_and_its_price_is_well() -> None:
    found = model_findings(settings("GEMINI_API_KEY"), [agent()], ())
    assert [each.level for each in found] == ["ok", "ok"]


@pytest.mark.parametrize("model", ["gemini:gemini-4-argon", "prompted:gemini:gemini-4-argon"])
def test_a_price_that_changes_soon_is_told_until_it_has(model: str) -> None:
    def told(today: date) -> list[str]:
        found = model_findings(settings("GEMINI_API_KEY"), [agent(model)], (), today=today)
        return [each.text for each in found if "changes" in each.text and model in each.text]

    (before,) = told(date(2026, 11, 30))
    assert "on 2026-12-01: a million tokens cost $4 in and $20 out" in before
    assert "until then $2 and $10" in before
    assert told(date(2026, 12, 1)) == told(date(2026, 9, 1)) == []


def test_a_price_is_looked_up_again_after_sixty_days() -> None:
    def levels(today: date) -> list[str]:
        found = model_findings(settings("ANTHROPIC_API_KEY"), [], (), today=today)
        return [each.level for each in found]

    assert levels(date(2027, 1, 21)) == ["ok", "ok"]
    assert levels(date(2027, 1, 22)) == ["ok", "warn", "ok"]


def test_a_price_that_was_looked_up_long_ago_is_worth_a_look() -> None:
    ours = Price.model_validate(
        {"models": ["openai:x"], "input": 1, "output": 2, "asOf": "2026-01-02"}
    )
    env = settings("OPENAI_API_KEY", ROLLCALL_MODEL="openai:x")
    found = model_findings(env, [], [ours])
    assert [each.level for each in found[:2]] == ["ok", "warn"]
    assert "looked up on 2026-01-02" in found[1].text


def test_without_a_key_vertex_is_offered_with_what_it_means_and_never_chosen() -> None:
    found, *_ = model_findings(settings(), [], [])
    assert found.level == "warn"
    assert "GEMINI_BACKEND=vertex" in found.mend and "costs it money" in found.mend


def test_vertex_needs_no_key() -> None:
    found, *_ = model_findings(settings(GEMINI_BACKEND="vertex"), [], [])
    assert (found.level, "gemini:gemini-3.8-flash" in found.text) == ("ok", True)
    assert "it needs no key" in found.text


def test_a_model_without_a_price_fails_unless_that_is_allowed() -> None:
    given = {"ROLLCALL_MODEL": "openai:home-made", "OPENAI_BASE_URL": "http://x"}
    (found, _) = model_findings(settings(**given), [], ())
    assert (found.level, "budgets/prices" in found.mend) == ("fail", True)
    (found, _) = model_findings(settings(**given, ROLLCALL_ALLOW_UNPRICED="true"), [], ())
    assert found.level == "warn"
    allowing = replace(agent("openai:home-made"), allow_unpriced=True)
    (found, _) = model_findings(settings(**given), [allowing], ())
    assert found.level == "warn"
    (found, _) = model_findings(settings(**given), [allowing, agent()], ())
    assert found.level == "fail", "another agent uses it, and does not allow it"
    own = Price(models=["openai:home-made"], input=1, output=1)
    (found, _) = model_findings(settings(**given), [], [own])
    assert found.level == "ok"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("openai:gpt-5.5", "no key for it"),
        ("prompted:openai:gpt-5.5", "no key for it"),
        ("acme:best", "no provider 'acme'"),
    ],
)
def test_an_agents_own_model_must_be_reachable(model: str, words: str) -> None:
    found = model_findings(settings("GEMINI_API_KEY"), [agent(model)], ())
    assert any(each.level == "fail" and words in each.text for each in found)
