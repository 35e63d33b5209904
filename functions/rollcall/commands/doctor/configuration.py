"""Checks of the deployed settings: models, keys and variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct, json
from msgspec.structs import replace

from rollcall.agent.prices import Price, find_price
from rollcall.commands.app import read_files
from rollcall.commands.doctor.findings import Finding, fail, firebase, name_list, ok, warn
from rollcall.core.definition import shown_path
from rollcall.core.options import collection_id
from rollcall.core.profile import AgentProfile
from rollcall.models.provider import (
    OFFLINE,
    Setting,
    default_embedder,
    default_model,
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
        yield ok("no embedder: tools and messages are searched by words alone")
        return
    if problem := _key_problem(embedder, settings):
        yield problem
    elif hasattr(import_module(f"rollcall.models.{embedder.partition(':')[0]}"), "Embedder"):
        yield ok(f"embeddings by {embedder}")
    else:
        yield fail(
            f"ROLLCALL_EMBEDDER is {embedder}, and {embedder.partition(':')[0]!r} has no "
            "embeddings",
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
    if find_price(model, on=today, own=own_prices):
        yield ok(f"{model} can be reached, and its price is known")
    elif allow_unpriced or settings.env.get("ROLLCALL_ALLOW_UNPRICED") == "true":
        yield warn(f"{model} has no known price; runs are allowed all the same")
    else:
        yield fail(
            f"{model} has no known price, so every run of it is refused",
            f"write its price, or a bound that it surely stays under, into "
            f"{collection_id('budgets')}/prices (docs/limits.md), or set "
            f"ROLLCALL_ALLOW_UNPRICED=true in {settings.file}",
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
    return list(_variable_problems(settings)) or [
        ok(f"{len(settings.given)} variables, all well-formed")
    ]


def _variable_problems(settings: Settings) -> Iterator[Finding]:
    """Report variables that nothing reads, those of a wrong form, and keys in plain text."""
    ours = {name for name in settings.given if name.startswith("ROLLCALL_")}
    for name in sorted(ours - VARIABLES.keys()):
        yield warn(f"nothing reads {name}", f"look for a slip in {settings.file}")
    for name, variable in VARIABLES.items():
        value = settings.given.get(name)
        if value and variable.form and not re.fullmatch(variable.form[0], value):
            text = f"{name} is {variable.form[1]}, not {value[:60]!r}"
            yield fail(text, f"edit {settings.file} and deploy")
    if not settings.given.get("THREADS"):
        yield warn(
            "THREADS is not set: an instance works on 4 requests for each CPU, however many it is "
            "sent, and streams wait for one another",
            "THREADS=48 in .env of the functions",
        )
    plain = [name for name in _CREDENTIALS if settings.given.get(name)]
    if plain:
        yield warn(
            f"given as plain text, which everybody sees who may look at the functions: "
            f"{name_list(plain)}",
            f"{firebase(f'functions:secrets:set {plain[0]}')}, and its name into ROLLCALL_SECRETS",
        )
