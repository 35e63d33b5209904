"""Checks of the deployed settings: models, keys and variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from rollcall.agent.prices import Price, find_price
from rollcall.commands.app import read_files
from rollcall.commands.doctor.findings import Finding, fail, firebase, name_list, ok, warn
from rollcall.core.definition import shown_path
from rollcall.core.errors import FailedPrecondition
from rollcall.core.inputs import is_host
from rollcall.core.options import collection_id
from rollcall.core.profile import AgentProfile
from rollcall.models.base import load_embedder
from rollcall.models.provider import (
    OFFLINE,
    Setting,
    default_embedder,
    default_model,
    embedding_providers,
    plain_id,
    provider_of,
    providers,
)


def _variables() -> dict[str, Setting]:
    first, *others = json.decode(
        Path(__file__).with_name("variables.json").read_bytes(), type=list[Setting]
    )
    found = [replace(first, default=first.default.format(providers=_LABELS))]
    for each in providers():
        *rest, key = each.keys
        more = f". {name_list(f'`{name}`' for name in rest)} is read as well" if rest else ""
        server = f"URL of a server that speaks the protocol of {each.label}"
        found += [
            Setting(key, f"Key of {each.label}{more}"),
            Setting(each.model_variable, f"{each.label} model", f"`{each.model}`"),
            Setting(each.address_variable, server, "its own"),
            *each.settings,
        ]
    return {each.name: each for each in [*found, *others]}


_LABELS = ", then ".join(each.label for each in providers())
VARIABLES = _variables()
"""Every variable, by its name: those of `variables.json`, and those of each provider."""


_IN_SECRET_MANAGER = "in Secret Manager"
_SHELL_NAMES = (
    "ROLLCALL_",
    *(name for provider in providers() for name in provider.variables),
    "THREADS",
    "ENFORCE_",
)
_CREDENTIALS = (
    *(name for provider in providers() for name in provider.keys),
    "ROLLCALL_STATEMENT_SECRET",
)
_HOST_LISTS = ("ROLLCALL_API_HOSTS", "ROLLCALL_FUNCTION_HOSTS")
_MIN_SECRET = 32
PRICE_DAYS = 60
"""After so many days a price is looked up again."""
CHANGE_DAYS = 30
"""So many days ahead a change of price is told."""


class Settings(Struct, frozen=True):
    """Variables as functions get them.

    Attributes:
        given: Those with a value in a file, or, on the emulators, in this shell.
        secrets: Names of secrets that functions are bound to, without their values.
        file: The project's own file, from the folder of firebase.json.
        on_emulator: Whether they are the emulators'.
    """

    given: dict[str, str]
    secrets: tuple[str, ...]
    file: str
    on_emulator: bool = False

    @property
    def env(self) -> dict[str, str]:
        """The variables as code sees them, with a placeholder for each secret."""
        return {**self.given, **dict.fromkeys(self.secrets, _IN_SECRET_MANAGER)}


def read_settings(
    functions: Path, project: str, *, emulator: bool, shell: Mapping[str, str]
) -> Settings:
    """Read the files that firebase-tools hands on; on the emulators, this shell's variables too."""
    given = read_files(functions, project, emulator=emulator)
    if emulator:
        given |= {name: value for name, value in shell.items() if name.startswith(_SHELL_NAMES)}
    listed = (name.strip() for name in given.get("ROLLCALL_SECRETS", "").split(","))
    own = ".env.local" if emulator else f".env.{project}"
    file = shown_path(functions / own)
    return Settings(given, tuple(name for name in listed if name), file, emulator)


def check_models(
    settings: Settings,
    profiles: Iterable[AgentProfile],
    own_prices: Sequence[Price],
    *,
    today: date,
) -> Iterator[Finding]:
    """Check the models that runs would use (providers, keys, prices), and the embedder."""
    default = default_model(settings.env)
    profiles = tuple(profiles)
    named = {model for profile in profiles for model in profile.models}
    for model in sorted({default, *named}):
        users = [each for each in profiles if model in (each.models or (default,))]
        yield from _model(
            model,
            settings,
            own_prices,
            today=today,
            is_default=model == default,
            allow_unpriced=bool(users) and all(each.allow_unpriced for each in users),
        )
    embedder = default_embedder(settings.env)
    if embedder is None:
        text = "no embedder: tools and messages are searched by words alone"
        able = name_list(f"[{each.id}]" for each in embedding_providers(settings.env))
        yield ok(f"{text}; by meaning too with the extra {able}" if able else text)
        return
    if problem := _key_problem(embedder, settings):
        yield problem
        return
    try:
        load_embedder(embedder)
        yield ok(f"embeddings by {embedder}")
    except FailedPrecondition as error:
        able = name_list(each.id for each in providers() if each.embedder)
        mend = error.hint or f"name one of {able} in {settings.file}, or none"
        yield fail(f"ROLLCALL_EMBEDDER: {error.message}", mend)


def _model(
    model: str,
    settings: Settings,
    own_prices: Sequence[Price],
    *,
    today: date,
    is_default: bool,
    allow_unpriced: bool,
) -> Iterator[Finding]:
    if model == OFFLINE and settings.on_emulator:
        yield ok("the offline planner answers: no key is set")
        return
    if model == OFFLINE and is_default:
        yield warn(
            "no model is configured, so the offline planner answers; it is no language model",
            f"{firebase('functions:secrets:set GEMINI_API_KEY')}, and "
            f"ROLLCALL_SECRETS=GEMINI_API_KEY in {settings.file}; or without any key "
            f"GEMINI_BACKEND=vertex there, which sends what users write to Vertex AI in this "
            "project, and costs it money",
        )
        return
    if problem := _key_problem(model, settings):
        yield problem
        return
    if price := find_price(model, on=today, own=own_prices):
        found = provider_of(model)
        keyless = found is not None and found.needs_no_key(settings.env)
        told = (
            "it needs no key, and its price is known"
            if keyless
            else "its key and its price are known"
        )
        yield ok(f"{model}: {told}")
        yield from _price_changes(model, price, own_prices, today=today)
    elif allow_unpriced or settings.env.get("ROLLCALL_ALLOW_UNPRICED") == "true":
        yield warn(f"{model} has no known price; runs are allowed all the same")
    else:
        yield fail(
            f"{model} has no known price, so every run of it is refused",
            f"write its price, or a bound that it surely stays under, into "
            f"{collection_id('budgets')}/prices (docs/limits.md), or set "
            f"ROLLCALL_ALLOW_UNPRICED=true in {settings.file}",
        )


def _price_changes(
    model: str, price: Price, own_prices: Sequence[Price], *, today: date
) -> Iterator[Finding]:
    """Report a price that was looked up long ago, or that changes soon."""
    if price.as_of and (today - price.as_of).days > PRICE_DAYS:
        yield warn(
            f"the price of {model} was looked up on {price.as_of}, over {PRICE_DAYS} days ago",
            f"compare it with {price.page or 'the provider'}, and write another into "
            f"{collection_id('budgets')}/prices where it differs (docs/limits.md)",
        )
    later = find_price(model, on=today + timedelta(days=CHANGE_DAYS), own=own_prices)
    if later and later.since and later is not price:
        yield warn(
            f"the price of {model} changes on {later.since}: a million tokens cost "
            f"${later.input:g} in and ${later.output:g} out, until then ${price.input:g} and "
            f"${price.output:g}",
            "name another model, or give users and tenants other limits (docs/limits.md)",
        )


def _key_problem(model: str, settings: Settings) -> Finding | None:
    """What keeps a model or an embedder from being reached; None where nothing does."""
    provider = plain_id(model).partition(":")[0]
    if not provider.isidentifier() or find_spec(f"rollcall.models.{provider}") is None:
        return fail(f"{model}: there is no provider {provider!r}")
    found = provider_of(model)
    if found and not found.is_configured(settings.env):
        names, key = name_list(found.keys), found.keys[-1]
        return fail(
            f"{model} is configured, and no key for it: {names} is not given",
            f"{firebase(f'functions:secrets:set {key}')}, and ROLLCALL_SECRETS={key} in "
            f"{settings.file}",
        )
    return None


def check_variables(settings: Settings) -> list[Finding]:
    """Check the variables in the files."""
    found = [*_form_problems(settings), *_secret_problems(settings)]
    return found or [ok(f"{len(settings.given)} variables, all well-formed")]


def _form_problems(settings: Settings) -> Iterator[Finding]:
    """Report variables that nothing reads, or whose value is not of the form that it has to be."""
    ours = {name for name in settings.given if name.startswith("ROLLCALL_")}
    for name in sorted(ours - VARIABLES.keys()):
        yield warn(f"nothing reads {name}", f"look for a slip in {settings.file}")
    for name, variable in VARIABLES.items():
        value = settings.given.get(name)
        if value and variable.form and not re.fullmatch(variable.form[0], value):
            yield _wrong(settings, f"{name} is {variable.form[1]}, not {value[:60]!r}")
    for name in _HOST_LISTS:
        wrong = []
        for entry in settings.given.get(name, "").lower().split(","):
            host, _, port = entry.strip().partition(":")
            is_entry = is_host(host.removeprefix("*.")) and re.fullmatch(r"[0-9]{0,5}", port)
            if entry.strip() and not is_entry:
                wrong.append(entry.strip())
        if wrong:
            yield _wrong(settings, f"{name} has entries that are no host: {name_list(wrong)}")
    if not settings.given.get("THREADS"):
        yield warn(
            "THREADS is not set: an instance works on 4 requests for each CPU, however many it is "
            "sent, and streams wait for one another",
            "THREADS=48 in .env of the functions",
        )


def _secret_problems(settings: Settings) -> Iterator[Finding]:
    """Report secrets that functions are not given, or are given as plain text."""
    name = "ROLLCALL_API_SECRETS"
    if text := settings.given.get(name):
        try:
            by_host = json.decode(text)
        except ValueError:  # no JSON, or no text: a shell's bytes may be none
            by_host = None
        if not isinstance(by_host, dict):
            yield _wrong(settings, f"{name} is not a JSON object of host and variable")
        elif missing := sorted({str(each) for each in by_host.values()} - settings.env.keys()):
            yield _wrong(
                settings,
                f"{name} names variables that functions are not given: {name_list(missing)}; add "
                "them to ROLLCALL_SECRETS",
            )
    both = sorted(set(settings.secrets) & settings.given.keys())
    if both:
        yield fail(
            f"in ROLLCALL_SECRETS and with a value in a file too: {name_list(both)}; a deploy "
            "refuses that",
            f"take the value out of {settings.file}",
        )
    plain = [name for name in _CREDENTIALS if settings.given.get(name) and name not in both]
    if plain:
        yield warn(
            f"given as plain text, which everybody sees who may look at the functions: "
            f"{name_list(plain)}",
            f"{firebase(f'functions:secrets:set {plain[0]}')}, and its name into ROLLCALL_SECRETS",
        )
    statement = settings.given.get("ROLLCALL_STATEMENT_SECRET", "")
    if statement and len(statement) < _MIN_SECRET:
        yield _wrong(settings, f"ROLLCALL_STATEMENT_SECRET has fewer than {_MIN_SECRET} characters")


def _wrong(settings: Settings, text: str) -> Finding:
    return fail(text, f"edit {settings.file} and deploy")
