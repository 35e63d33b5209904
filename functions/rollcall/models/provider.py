"""Providers as data: one descriptor `models/<provider>.json` beside each module.

It names everything about a provider that is not its wire format: the variables that hold its key
and address, its defaults, its names of errors, and what is known of its models (context window,
media, prices). Nothing elsewhere names a provider.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

import rollcall.models
from rollcall.core.errors import FailedPrecondition
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
    "unavailable",  # the provider's own trouble
]

EndKind = Literal["stop", "tool_calls", "length", "blocked", "malformed", "failed"]

OFFLINE = "offline:planner"
WINDOW_VARIABLE = "ROLLCALL_CONTEXT_WINDOW"
_NOTHING = frozenset[str]()
_SAME_AS = "prompted:"


class ModelRow(Struct, frozen=True):
    """What is known of the models whose names a pattern begins; the first row that says it counts.

    Attributes:
        name: A regular expression, matched at the beginning of the name, in any case.
        window: Tokens that a request and its reply may have together.
        media: Media types that are taken as they are.
        is_server: Of models at another server than the provider's own.
    """

    name: str
    window: int | None = None
    media: frozenset[str] | None = None
    is_server: bool = False


class Setting(Struct, frozen=True):
    """A variable that a provider's module reads beside key, address and model: what it does, what
    holds without it, and the regular expression that its value has to match, with that in words."""

    name: str
    does: str
    default: str = "none"
    form: tuple[str, str] | None = None


class Provider(Struct, frozen=True):
    """The descriptor of one provider.

    Attributes:
        id: How model ids begin: "gemini" of "gemini:gemini-3.8-flash".
        label: What people call it.
        keys: Variables that may hold its key, the first that is set counts; the last is the one
            that people are told of.
        address: Where its API is, and `address_variable` the variable that names another place.
        settings: What else its module reads.
        alone: A variable, and a value, that configure it without a key; `alone_hint` says what
            whoever calls it so needs in place of the key.
        model: The model of a deployment that names none, unless `model_variable` does.
        embedder: The same of its embedding models, if it has any.
        live_variable: The variable that names its voice model, if clients can talk to one by
            themselves. There is no default: what is talked about is in no budget.
        sdk: The package that its embedder needs; the extra has the provider's name.
        telemetry: Its name in OpenTelemetry's conventions, where that differs from its id.
        errors: Its codes, types, statuses and reasons of errors, and what kind each is.
        words: Regular expressions, by kind, for errors that have no name of their own.
        ends: Its finish reasons, and what each is; "failed" is a failure of the server.
        models: What is known of its models.
        prices: What they cost; see `rollcall.agent.prices`.
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
        """All variables that configure it."""
        others = (each.name for each in self.settings)
        return (*self.keys, self.address_variable, self.model_variable, *others)

    def key(self, env: Mapping[str, str] = os.environ) -> str:
        """The key that the environment holds, or nothing."""
        return next((key for name in self.keys if (key := env.get(name, "").strip())), "")

    def needed_key(self) -> str:
        """The same.

        Raises:
            FailedPrecondition: There is none.
        """
        if key := self.key():
            return key
        told = f"no key for {self.label} is configured"
        raise FailedPrecondition(told, hint=f"set {self.keys[-1]}")

    def base_url(self, env: Mapping[str, str] = os.environ) -> str:
        """The address of its API, without a slash at the end."""
        return (env.get(self.address_variable, "").strip() or self.address).rstrip("/")

    def is_own(self, env: Mapping[str, str] = os.environ) -> bool:
        """Whether the provider's own servers are called, and not one that imitates it."""
        own, host = _host(self.address), _host(self.base_url(env))
        domain = own.partition(".")[2]
        return host in (own, domain) or host.endswith(f".{domain}")

    def called_name(self, env: Mapping[str, str] = os.environ) -> str:
        """Who is called, for people: the provider, or another's host; not an address of a network
        of one's own, which is nobody's business."""
        if self.is_own(env):
            return self.label
        host = _host(self.base_url(env))
        return host if re.search(r"\.[a-z]", host) else "the model's server"

    def needs_no_key(self, env: Mapping[str, str] = os.environ) -> bool:
        """Whether it is set up to be called without a key."""
        if self.alone is None:
            return False
        name, value = self.alone
        return env.get(name, "").strip().lower() == value

    def has_access(self, env: Mapping[str, str]) -> bool:
        """Whether there is a key, or the setting by which it needs none."""
        return bool(self.key(env)) or self.needs_no_key(env)

    def is_configured(self, env: Mapping[str, str]) -> bool:
        """Whether its models can be called: it is accessible, or another server stands for it."""
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


@lru_cache(maxsize=64)
def _host(url: str) -> str:
    """The host of an address; nothing where it is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def providers() -> tuple[Provider, ...]:
    """All that there is a descriptor of; those that a deployment's model is chosen from come in
    this order."""
    folders = (Path(folder) for folder in rollcall.models.__path__)
    names = (path.stem for folder in folders for path in folder.glob("*.json"))
    ordered = sorted(names, key=lambda name: (name != "gemini", name != "openai", name))
    return tuple(map(provider, ordered))


@cache
def find_provider(id: str) -> Provider | None:
    """The descriptor of a provider; None where there is none."""
    for folder in rollcall.models.__path__:
        path = Path(folder) / f"{id}.json"
        if id.isidentifier() and path.is_file():
            return decode(path.read_bytes(), Provider)
    return None


def provider(id: str) -> Provider:
    """The descriptor of a provider, by the first part of its models' ids.

    Raises:
        FailedPrecondition: There is none.
    """
    found = find_provider(id)
    if found is None:
        raise FailedPrecondition(f"no model provider {id!r}")
    return found


def provider_of(model_id: str) -> Provider | None:
    """The descriptor of a model's provider; None for the offline planner, and what is unknown."""
    return find_provider(plain_id(model_id).partition(":")[0])


def media_types(model_id: str, env: Mapping[str, str] = os.environ) -> frozenset[str]:
    """The media types that a model takes as they are; none for one that is not known.

    What a model does not take reaches it as text, or as a line that says what it cannot see.
    """
    found = provider_of(model_id)
    name = plain_id(model_id).partition(":")[2]
    return (found._row(name, "media", env) if found else None) or _NOTHING


def known_window(model_id: str, env: Mapping[str, str] = os.environ) -> int | None:
    """Tokens of a model's context window: as the environment says, or its descriptor; None where
    neither knows it.

    `ROLLCALL_CONTEXT_WINDOW` is one number for all models, or `<model id>:<tokens>` for some,
    separated by commas, `*` standing for any end of an id.
    """
    id = plain_id(model_id)
    for entry in env.get(WINDOW_VARIABLE, "").split(","):
        pattern, _, tokens = entry.strip().rpartition(":")
        beginning = pattern.removesuffix("*")
        is_open = beginning != pattern or not pattern
        fits = id.startswith(beginning) if is_open else id == pattern
        if tokens.isdigit() and fits:
            return int(tokens)
    found = provider_of(id)
    return found._row(id.partition(":")[2], "window", env) if found else None


def plain_id(model_id: str) -> str:
    """Return a model's id without `prompted:`, which only says how it is called."""
    while model_id.startswith(_SAME_AS):
        model_id = model_id.removeprefix(_SAME_AS)
    return model_id


def default_model(env: Mapping[str, str]) -> str:
    """The model that the environment is configured for.

    `ROLLCALL_MODEL` names one outright; otherwise the first provider decides that is configured by
    a key, or by another server's address, and without any of them the offline planner.
    """
    if named := env.get("ROLLCALL_MODEL"):
        return named
    for provider in providers():
        if provider.is_configured(env):
            return f"{provider.id}:{env.get(provider.model_variable) or provider.model}"
    return OFFLINE


def default_live_voice(env: Mapping[str, str]) -> str:
    """The voice model that the environment is configured for.

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
    """The embedding model that the environment is configured for; None without a key."""
    if named := env.get("ROLLCALL_EMBEDDER"):
        return named
    for provider in providers():
        if provider.embedder and provider.has_access(env):
            return f"{provider.id}:{provider.embedder}"
    return None
