"""Checks of the deployed settings: models, keys and variables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from importlib import import_module
from importlib.util import find_spec

from msgspec import Struct

from rollcall.agent.prices import Price, find_price
from rollcall.commands.doctor.findings import Finding, firebase, name_list
from rollcall.commands.environment import Settings
from rollcall.core.options import PREFIX, collection_id
from rollcall.core.profile import AgentProfile
from rollcall.core.urls import is_host
from rollcall.models.provider import (
    OFFLINE,
    Provider,
    default_embedder,
    default_model,
    plain_id,
    provider_of,
    providers,
)

_INSTANCES = r"\s*(?:[A-Za-z0-9_-]+|\*)\s*:\s*\d{1,4}\s*"
_UPLOADER = r"\s*(?:user|student|teacher|admin|claim:[^=,]+=[^,]+)\s*"
_UPLOADERS = (rf"{_UPLOADER}(,{_UPLOADER})*", "of the form teacher,claim:plan=premium")


class Variable(Struct, frozen=True):
    """One variable.

    Attributes:
        does: What its value does, as Markdown for the documentation.
        default: What holds where it is not set.
        form: A regular expression that its value has to match, and the same in words.
    """

    does: str
    default: str = "none"
    form: tuple[str, str] | None = None


def _of_provider(provider: Provider) -> dict[str, Variable]:
    *others, key = provider.keys
    more = f". {name_list(f'`{name}`' for name in others)} is read as well" if others else ""
    return {
        key: Variable(f"Key of {provider.label}{more}"),
        provider.model_variable: Variable(f"{provider.label} model", f"`{provider.model}`"),
        provider.address_variable: Variable(
            f"URL of a server that speaks the protocol of {provider.label}", "its own"
        ),
        **{each.name: Variable(each.does, each.default, each.form) for each in provider.settings},
    }


MODELS: dict[str, Variable] = {
    "ROLLCALL_MODEL": Variable(
        "Model of agents that name none: `<provider>:<model>`, or `offline:planner`",
        f"by the keys: {', then '.join(each.label for each in providers())}, then offline",
        (r"[a-z_]+:.+", "<provider>:<model>"),
    ),
    **{name: each for found in providers() for name, each in _of_provider(found).items()},
    "ROLLCALL_EMBEDDER": Variable(
        "Embedding model for search, of at most 768 dimensions",
        "by the keys; without one, search by words",
        (r"[a-z_]+:.+", "<provider>:<model>"),
    ),
    "ROLLCALL_ALLOW_UNPRICED": Variable(
        "`true` allows models without a known [price](limits.md#prices)",
        "refused",
        (r"true|false", "true or false"),
    ),
    "ROLLCALL_CONTEXT_WINDOW": Variable(
        "Tokens of the models' context window: `32768`, or `openai:qwen3*:32768,openai:phi4:16384`",
        "as the provider's descriptor says",
        (
            r"\s*([^,]+:)?\d{3,8}\s*(,\s*[^,]+:\d{3,8}\s*)*",
            "a number of tokens, or of the form openai:qwen3*:32768",
        ),
    ),
}
"""Which models answer, and with which keys."""

OTHERS: dict[str, Variable] = {
    "ROLLCALL_SECRETS": Variable("Secrets of Secret Manager, by commas, bound to every function"),
    "ENFORCE_APP_CHECK": Variable(
        "`true` refuses calls without a valid App Check token",
        "not enforced",
        (r"true|false", "true or false"),
    ),
    "ROLLCALL_API_HOSTS": Variable(
        "Hosts of HTTP APIs that may be called ([dispatch](dispatch.md#api_endpoint))"
    ),
    "ROLLCALL_API_SECRETS": Variable("JSON: by host, the variable that holds its secret"),
    "ROLLCALL_FUNCTION_HOSTS": Variable(
        "Hosts of functions under other URLs that may be called "
        "([dispatch](dispatch.md#firebase_function))",
        "this project and region",
    ),
    "ROLLCALL_STATEMENT_SECRET": Variable(
        "Signs who the user is for other codebases; at least 32 characters, in Secret Manager",
        "no statements",
    ),
    "ROLLCALL_UPLOADS": Variable(
        "Roles and claims that may [upload documents](knowledge.md#who-may-upload)",
        "`user`",
        _UPLOADERS,
    ),
    "ROLLCALL_TEAM_UPLOADS": Variable("The same, for their team", "`teacher`", _UPLOADERS),
    "ROLLCALL_FILES_BUCKET": Variable(
        "Bucket for [uploaded files](knowledge.md#where-files-are); `none` keeps them in Firestore",
        "the project's bucket, otherwise Firestore",
        (r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]", "a bucket's name, or none"),
    ),
    "ROLLCALL_ERASE_DEPARTED": Variable(
        "`always` erases even if [most accounts seem gone](your_data.md#deleted-accounts)",
        "not then",
        (r"always", "always"),
    ),
    "ROLLCALL_LEASE_S": Variable(
        "Seconds without a sign of life after which a run may be taken over",
        "60",
        (r"[1-9]\d*(\.\d+)?", "a number of seconds"),
    ),
    "THREADS": Variable("Requests that one instance serves at once", "48, in `functions/.env`"),
    "ROLLCALL_REGION": Variable(
        "Region of the functions",
        "us-central1",
        (r"[a-z]+-[a-z]+\d+", "a region, such as europe-west1"),
    ),
    "ROLLCALL_MIN_INSTANCES": Variable(
        "`run_agent:1`: instances of a function that are kept warm",
        form=(rf"{_INSTANCES}(,{_INSTANCES})*", "of the form run_agent:1"),
    ),
    "ROLLCALL_MAX_INSTANCES": Variable(
        "`run_agent:50,*:10`: most instances of a function; `*` is all others",
        "100, by firebase-tools",
        (rf"{_INSTANCES}(,{_INSTANCES})*", "of the form run_agent:50,*:10"),
    ),
    "ROLLCALL_MAX_TASKS": Variable(
        "`continuerun:300`: [tasks of a queue](#11-capacity) that run at once, at most 5,000",
        "50 of `continuerun`",
        (rf"{_INSTANCES}(,{_INSTANCES})*", "of the form continuerun:300"),
    ),
    "ROLLCALL_PREFIX": Variable(
        "Stands before the names of Rollcall's [functions and collections](#the-prefix)",
        form=(PREFIX, "a lower-case letter and up to 15 more letters or digits"),
    ),
    "ROLLCALL_CODEBASE": Variable(
        "This codebase, where several publish to one registry",
        "`default`",
        (r"[a-z0-9_-]{1,63}", "a codebase of firebase.json"),
    ),
    "ROLLCALL_LOGS": Variable(
        "`json` or `text` ([logs](operating.md#logs))",
        "JSON where deployed, text on the emulators",
        (r"json|text", "json or text"),
    ),
    "ROLLCALL_TRACES": Variable(
        "`otel`: spans by OpenTelemetry ([traces](operating.md#traces))", form=(r"otel", "otel")
    ),
}

VARIABLES = MODELS | OTHERS
"""Every variable, by its name."""


_CREDENTIALS = (
    *(name for provider in providers() for name in provider.keys),
    "ROLLCALL_STATEMENT_SECRET",
)
_HOST_LISTS = ("ROLLCALL_API_HOSTS", "ROLLCALL_FUNCTION_HOSTS")
_LEAST_SECRET = 32
PRICE_DAYS = 60
"""After so many days a price is looked up again."""
CHANGE_DAYS = 30
"""So many days ahead a change of price is told."""


def check_models(
    settings: Settings,
    profiles: Iterable[AgentProfile],
    own_prices: Sequence[Price],
    *,
    today: date,
) -> Iterator[Finding]:
    """Check the models that runs would use (providers, keys, prices), and the embedder."""
    topic = "models"
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
        yield Finding("ok", topic, "no embedder: tools and messages are searched by words alone")
        return
    yield (
        _key_problem(embedder, settings)
        or _no_embeddings(embedder, settings)
        or Finding("ok", topic, f"embeddings by {embedder}")
    )


def _no_embeddings(embedder: str, settings: Settings) -> Finding | None:
    provider = embedder.partition(":")[0]
    if hasattr(import_module(f"rollcall.models.{provider}"), "Embedder"):
        return None
    return Finding(
        "fail",
        "models",
        f"ROLLCALL_EMBEDDER is {embedder}, and {provider!r} has no embeddings",
        f"name one of {name_list(each.id for each in providers() if each.embedder)} in "
        f"{settings.file}, or none",
    )


def _model(
    model: str,
    settings: Settings,
    own_prices: Sequence[Price],
    *,
    today: date,
    is_default: bool,
    allow_unpriced: bool,
) -> Iterator[Finding]:
    topic = "models"
    if model == OFFLINE and settings.on_emulator:
        yield Finding("ok", topic, "the offline planner answers: no key is set")
        return
    if model == OFFLINE and is_default:
        yield Finding(
            "warn",
            topic,
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
        yield Finding("ok", topic, f"{model}: {told}")
        if price.as_of and (today - price.as_of).days > PRICE_DAYS:
            yield Finding(
                "warn",
                topic,
                f"the price of {model} was looked up on {price.as_of}, over {PRICE_DAYS} days ago",
                f"compare it with {price.page or 'the provider'}, and write another into "
                f"{collection_id('budgets')}/prices where it differs (docs/limits.md)",
            )
        later = find_price(model, on=today + timedelta(days=CHANGE_DAYS), own=own_prices)
        if later and later.since and later is not price:
            yield Finding(
                "warn",
                topic,
                f"the price of {model} changes on {later.since}: a million tokens cost "
                f"${later.input:g} in and ${later.output:g} out, until then ${price.input:g} and "
                f"${price.output:g}",
                "name another model, or give users and tenants other limits (docs/limits.md)",
            )
    elif allow_unpriced or settings.env.get("ROLLCALL_ALLOW_UNPRICED") == "true":
        yield Finding("warn", topic, f"{model} has no known price; runs are allowed all the same")
    else:
        yield Finding(
            "fail",
            topic,
            f"{model} has no known price, so every run of it is refused",
            f"write its price, or a bound that it surely stays under, into "
            f"{collection_id('budgets')}/prices (docs/limits.md), or set "
            f"ROLLCALL_ALLOW_UNPRICED=true in {settings.file}",
        )


def _key_problem(model: str, settings: Settings) -> Finding | None:
    """What keeps a model or an embedder from being reached; None where nothing does."""
    provider = plain_id(model).partition(":")[0]
    if not provider.isidentifier() or find_spec(f"rollcall.models.{provider}") is None:
        return Finding("fail", "models", f"{model}: there is no provider {provider!r}")
    found = provider_of(model)
    if found and not found.is_configured(settings.env):
        names, key = name_list(found.keys), found.keys[-1]
        return Finding(
            "fail",
            "models",
            f"{model} is configured, and no key for it: {names} is not given",
            f"{firebase(f'functions:secrets:set {key}')}, and ROLLCALL_SECRETS={key} in "
            f"{settings.file}",
        )
    return None


def check_variables(settings: Settings) -> list[Finding]:
    """Check the variables in the files."""
    found = [
        *_unknown(settings),
        *_form_problems(settings),
        *_hosts(settings),
        *_api_secrets(settings),
    ]
    found += [*_plain_secrets(settings), *_threads(settings)]
    return found or [Finding("ok", "settings", f"{len(settings.given)} variables, all well-formed")]


def _unknown(settings: Settings) -> Iterator[Finding]:
    names = {name for name in settings.given if name.startswith("ROLLCALL_")}
    for name in sorted(names - VARIABLES.keys()):
        yield Finding(
            "warn", "settings", f"nothing reads {name}", f"look for a slip in {settings.file}"
        )


def _form_problems(settings: Settings) -> Iterator[Finding]:
    for name, variable in VARIABLES.items():
        value = settings.given.get(name)
        if value and variable.form and not re.fullmatch(variable.form[0], value):
            yield _wrong(settings, f"{name} is {variable.form[1]}, not {value[:60]!r}")


def _hosts(settings: Settings) -> Iterator[Finding]:
    for name in _HOST_LISTS:
        entries = [each.strip().lower() for each in settings.given.get(name, "").split(",")]
        wrong = [each for each in entries if each and not _is_entry(each)]
        if wrong:
            yield _wrong(settings, f"{name} has entries that are no host: {name_list(wrong)}")


def _is_entry(text: str) -> bool:
    host, _, port = text.partition(":")
    return is_host(host.removeprefix("*.")) and bool(re.fullmatch(r"[0-9]{0,5}", port))


def _api_secrets(settings: Settings) -> Iterator[Finding]:
    name = "ROLLCALL_API_SECRETS"
    if not (text := settings.given.get(name)):
        return
    try:
        by_host = json.loads(text)
    except ValueError:
        by_host = None
    if not isinstance(by_host, dict):
        yield _wrong(settings, f"{name} is not a JSON object of host and variable")
        return
    missing = sorted({str(each) for each in by_host.values()} - settings.env.keys())
    if missing:
        yield _wrong(
            settings,
            f"{name} names variables that functions are not given: {name_list(missing)}; add them "
            "to ROLLCALL_SECRETS",
        )


def _plain_secrets(settings: Settings) -> Iterator[Finding]:
    both = sorted(set(settings.secrets) & settings.given.keys())
    if both:
        yield Finding(
            "fail",
            "settings",
            f"in ROLLCALL_SECRETS and with a value in a file too: {name_list(both)}; a deploy "
            "refuses that",
            f"take the value out of {settings.file}",
        )
    plain = [name for name in _CREDENTIALS if settings.given.get(name) and name not in both]
    if plain:
        yield Finding(
            "warn",
            "settings",
            f"given as plain text, which everybody sees who may look at the functions: "
            f"{name_list(plain)}",
            f"{firebase(f'functions:secrets:set {plain[0]}')}, and its name into ROLLCALL_SECRETS",
        )
    statement = settings.given.get("ROLLCALL_STATEMENT_SECRET", "")
    if statement and len(statement) < _LEAST_SECRET:
        yield _wrong(
            settings, f"ROLLCALL_STATEMENT_SECRET has fewer than {_LEAST_SECRET} characters"
        )


def _threads(settings: Settings) -> Iterator[Finding]:
    threads = settings.given.get("THREADS", "")
    if not threads:
        yield Finding(
            "warn",
            "settings",
            "THREADS is not set: an instance works on 4 requests for each CPU, however many it is "
            "sent, and streams wait for one another",
            "THREADS=48 in functions/.env",
        )
    elif not threads.isdecimal() or not 1 <= int(threads) <= 1000:
        yield _wrong(settings, f"THREADS is a number from 1 to 1000, not {threads[:60]!r}")


def _wrong(settings: Settings, text: str) -> Finding:
    return Finding("fail", "settings", text, f"edit {settings.file} and deploy")
