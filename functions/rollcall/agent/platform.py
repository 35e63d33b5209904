"""What this deployment offers: its Firestore and the models whose keys are in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rollcall.core.context import Embedder, TextModel
from rollcall.store.client import database

if TYPE_CHECKING:
    from google.cloud.firestore import Client

OFFLINE = "offline:planner"


def default_model(env: Mapping[str, str]) -> str:
    """The model that the environment is configured for.

    `ROLLCALL_MODEL` names one outright; otherwise a Gemini key, an OpenAI key or an
    OpenAI-compatible server's address decides, and without any of them the offline planner.
    """
    if named := env.get("ROLLCALL_MODEL"):
        return named
    if env.get("GEMINI_API_KEY") or env.get("GOOGLE_API_KEY"):
        return f"gemini:{env.get('GEMINI_MODEL') or 'gemini-3.8-flash'}"
    if env.get("OPENAI_API_KEY") or env.get("OPENAI_BASE_URL"):
        return f"openai:{env.get('OPENAI_MODEL') or 'gpt-5.5'}"
    return OFFLINE


def default_embedder(env: Mapping[str, str]) -> str | None:
    """The embedding model that the environment is configured for; None without a key."""
    if named := env.get("ROLLCALL_EMBEDDER"):
        return named
    if env.get("GEMINI_API_KEY") or env.get("GOOGLE_API_KEY"):
        return "gemini:gemini-embedding-2"
    if env.get("OPENAI_API_KEY"):
        return "openai:text-embedding-3-small"
    return None


class Deployment:
    """The platform that functions and capabilities are given."""

    @property
    def db(self) -> Client:
        return database()

    @cached_property
    def text_model(self) -> TextModel | None:
        name = default_model(os.environ)
        if name.startswith("offline:"):
            return None
        from rollcall.models.base import load_model
        from rollcall.models.structured import StructuredText

        return StructuredText(load_model(name))

    @cached_property
    def embedder(self) -> Embedder | None:
        name = default_embedder(os.environ)
        if name is None:
            return None
        from rollcall.models.base import load_embedder

        return load_embedder(name)


@cache
def deployment() -> Deployment:
    """This process's platform."""
    return Deployment()
