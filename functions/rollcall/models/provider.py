"""Descriptors of providers: a file `models/<provider>.json` beside each provider's module.

It holds everything about a provider but its wire format: the variables for its key and address, its
defaults, its error codes, and facts about its models (context window, media, prices). No other code
names a provider.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

import rollcall.models
from rollcall.core.errors import FailedPrecondition
from rollcall.core.extras import is_installed
from rollcall.core.records import decode
from rollcall.core.texts import TEXTS

ErrorKind = Literal[
    "blocked",  # the content was refused
    "malformed",  # the model wrote a call that the server could not read
    "window",  # the request is longer than the model's window
    "no tools",  # this server or model cannot call tools
    "key",  # the key is wrong, or may not do this
    "model",  # no such model
    "quota",  # what was bought is used up: waiting does not help
    "rate",  # too many requests: waiting helps
    "setup",  # the account or project is not set up for this
    "request",  # the request itself is refused
    "unavailable",  # the provider has a problem
]

EndKind = Literal["stop", "tool_calls", "length", "blocked", "malformed", "failed"]

OFFLINE = "offline:planner"
WINDOW_VARIABLE = "ROLLCALL_CONTEXT_WINDOW"
_NOTHING = frozenset[str]()
_SAME_AS = "prompted:"


class ModelRow(Struct, frozen=True):
    """Facts about models whose names match a pattern. For each fact the first row that has it
    counts.

    Attributes:
        name: A regular expression, matched at the beginning of the name, ignoring case.
        window: Tokens that a request and its reply may have together.
        media: Media types that the models accept.
        is_server: Whether the row is about models at other servers than the provider's own.
    """

    name: str
    window: int | None = None
    media: frozenset[str] | None = None
    is_server: bool = False


class Setting(Struct, frozen=True):
    """A further variable that a provider's module reads.

    Attributes:
        does: What the variable does.
        default: What applies without it.
        form: A regular expression that its value has to match, and the same in words.
    """

    name: str
    does: str
    default: str = "none"
    form: tuple[str, str] | None = None


class Provider(Struct, frozen=True):
    """The descriptor of one provider.

    Attributes:
        id: The prefix of model ids: "gemini" in "gemini:gemini-3.8-flash".
        label: The provider's name for people.
        keys: Variables that may hold its key; the first that is set counts. Messages name the last.
        address: The URL of its API.
        address_variable: The variable that names another URL.
        model: The default model.
        model_variable: The variable that names another model.
        settings: Further variables that its module reads.
        alone: A variable and its value that configure the provider without a key.
        alone_hint: What callers need in place of the key in that case.
        embedder: The default embedding model, if it has any.
        live_variable: The variable that names its voice model, if clients can connect to one
            directly. There is no default, because no budget covers these conversations.
        sdk: The package that its embedder needs; the extra has the provider's name.
        telemetry: Its name in OpenTelemetry's conventions, if that differs from its id.
        errors: The kind of each of its error codes, types, statuses and reasons.
        words: Regular expressions by kind, for errors without a code of their own.
        ends: The meaning of each of its finish reasons; "failed" is a failure of the server.
        models: Facts about its models.
        prices: Prices of its models; see `rollcall.agent.prices`.
    """

    id: str
    label: str
    keys: tuple[str, ...]
    address: str
    address_variable: str
    model: str
    model_variable: str
    settings: tuple[Setting, ...] = ()
    alone: tuple[str, str] | None = None
    alone_hint: str = ""
    embedder: str | None = None
    live_variable: str | None = None
    sdk: str | None = None
    telemetry: str | None = None
    errors: dict[str, ErrorKind] = {}
    words: dict[ErrorKind, str] = {}
    ends: dict[str, EndKind] = {}
    models: tuple[ModelRow, ...] = ()
    prices: tuple[dict[str, Any], ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables that configure the provider."""
        others = (each.name for each in self.settings)
        return (*self.keys, self.address_variable, self.model_variable, *others)

    def key(self, env: Mapping[str, str] = os.environ) -> str:
        """Return the key from the environment; "" if there is none."""
        return next((key for name in self.keys if (key := env.get(name, "").strip())), "")

    def needed_key(self) -> str:
        """Return the key from the environment.

        Raises:
            FailedPrecondition: There is none.
        """
        if key := self.key():
            return key
        message = f"no key for {self.label} is configured"
        raise FailedPrecondition(message, hint=f"set {self.keys[-1]}")

    def base_url(self, env: Mapping[str, str] = os.environ) -> str:
        """Return the URL of its API, without a trailing slash."""
        return (env.get(self.address_variable, "").strip() or self.address).rstrip("/")

    def is_own(self, env: Mapping[str, str] = os.environ) -> bool:
        """Whether the URL belongs to the provider's own servers, not to a compatible one."""
        own, host = _host(self.address), _host(self.base_url(env))
        domain = own.partition(".")[2]
        return host in (own, domain) or host.endswith(f".{domain}")

    def called_name(self, env: Mapping[str, str] = os.environ) -> str:
        """Return the name of the called server for people: the provider's label, or the host of
        another server. Hosts of private networks are not disclosed."""
        if self.is_own(env):
            return self.label
        host = _host(self.base_url(env))
        return host if re.search(r"\.[a-z]", host) else "the model's server"

    def needs_no_key(self, env: Mapping[str, str] = os.environ) -> bool:
        """Whether the provider is configured to be called without a key."""
        if self.alone is None:
            return False
        name, value = self.alone
        return env.get(name, "").strip().lower() == value

    def has_access(self, env: Mapping[str, str]) -> bool:
        """Whether a key is set, or none is needed."""
        return bool(self.key(env)) or self.needs_no_key(env)

    def is_configured(self, env: Mapping[str, str]) -> bool:
        """Whether its models can be called: with access, or at another server."""
        other_address = bool(env.get(self.address_variable, "").strip())
        return self.has_access(env) or (other_address and not self.is_own(env))

    def _row(self, name: str, attribute: str, env: Mapping[str, str]) -> Any:
        is_own = self.is_own(env)
        for row in self.models:
            value = getattr(row, attribute)
            fits = row.is_server != is_own and re.match(row.name, name, re.IGNORECASE)
            if value is not None and fits:
                return value
        return None


def _host(url: str) -> str:
    """Return the host of a URL; "" if the URL is invalid."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


@cache
def providers() -> tuple[Provider, ...]:
    """Return all providers with a descriptor, in the order in which a deployment's default model is
    chosen."""
    folders = (Path(folder) for folder in rollcall.models.__path__)
    names = (path.stem for folder in folders for path in folder.glob("*.json"))
    ordered = sorted(names, key=lambda name: (name != "gemini", name != "openai", name))
    return tuple(map(provider, ordered))


@cache
def find_provider(id: str) -> Provider | None:
    """Return the descriptor of a provider; None if there is none."""
    for folder in rollcall.models.__path__:
        path = Path(folder) / f"{id}.json"
        if id.isidentifier() and path.is_file():
            return decode(path.read_bytes(), Provider)
    return None


def provider(id: str) -> Provider:
    """Return the descriptor of a provider, by the first part of its models' ids.

    Raises:
        FailedPrecondition: There is none.
    """
    descriptor = find_provider(id)
    if descriptor is None:
        raise FailedPrecondition(f"no model provider {id!r}")
    return descriptor


def provider_of(model_id: str) -> Provider | None:
    """Return the descriptor of a model's provider; None for the offline planner and unknown ids."""
    return find_provider(plain_id(model_id).partition(":")[0])


def media_types(model_id: str, env: Mapping[str, str] = os.environ) -> frozenset[str]:
    """Return the media types that a model accepts; none for an unknown model.

    Other media reach the model as text, or as a line that says what it cannot see.
    """
    descriptor = provider_of(model_id)
    name = plain_id(model_id).partition(":")[2]
    return (descriptor._row(name, "media", env) if descriptor else None) or _NOTHING


def known_window(model_id: str, env: Mapping[str, str] = os.environ) -> int | None:
    """Return the tokens of a model's context window, from the environment or its descriptor; None
    if neither has it.

    `ROLLCALL_CONTEXT_WINDOW` is one number for all models, or a comma-separated list of
    `<model id>:<tokens>`, in which `*` stands for any end of an id.
    """
    id = plain_id(model_id)
    for entry in env.get(WINDOW_VARIABLE, "").split(","):
        pattern, _, tokens = entry.strip().rpartition(":")
        prefix = pattern.removesuffix("*")
        is_open = prefix != pattern or not pattern
        fits = id.startswith(prefix) if is_open else id == pattern
        if tokens.isdigit() and fits:
            return int(tokens)
    descriptor = provider_of(id)
    return descriptor._row(id.partition(":")[2], "window", env) if descriptor else None


def plain_id(model_id: str) -> str:
    """Return a model's id without the prefix `prompted:`, which only says how it is called."""
    while model_id.startswith(_SAME_AS):
        model_id = model_id.removeprefix(_SAME_AS)
    return model_id


def default_model(env: Mapping[str, str]) -> str:
    """Return the model that the environment configures.

    That is `ROLLCALL_MODEL`; or the model of the first provider that is configured by a key or by
    another server's URL; or the offline planner.
    """
    if named := env.get("ROLLCALL_MODEL"):
        return named
    for provider in providers():
        if provider.is_configured(env):
            return f"{provider.id}:{env.get(provider.model_variable) or provider.model}"
    return OFFLINE


def default_live_voice(env: Mapping[str, str]) -> str:
    """Return the voice model that the environment configures.

    Raises:
        FailedPrecondition: There is none; the hint says what to set.
    """
    able = [each for each in providers() if each.live_variable]
    for provider in able:
        name = env.get(provider.live_variable or "", "").strip()
        if name and provider.key(env):
            return f"{provider.id}:{name}"
    wanted = [f"{each.keys[-1]} and {each.live_variable}" for each in able]
    raise FailedPrecondition(TEXTS.text("errors.no_live_voice"), hint=f"set {' or '.join(wanted)}")


def default_embedder(env: Mapping[str, str]) -> str | None:
    """Return the embedding model that the environment configures; None without a key, or without
    the extra that its provider's embeddings need."""
    if named := env.get("ROLLCALL_EMBEDDER"):
        return named
    for each in embedding_providers(env):
        if each.sdk is None or is_installed(each.sdk):
            return f"{each.id}:{each.embedder}"
    return None


def embedding_providers(env: Mapping[str, str]) -> list[Provider]:
    """Return the providers that have embeddings and may be called."""
    return [each for each in providers() if each.embedder and each.has_access(env)]
