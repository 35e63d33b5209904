"""What this deployment offers: its Firestore and the models whose keys are in the environment."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from threading import Thread
from typing import TYPE_CHECKING, Any

from rollcall.core.context import Catalog, Decider, Embedder, TextModel, User, to_user
from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.options import queue_name, region
from rollcall.store.client import database

if TYPE_CHECKING:
    from google.cloud.firestore import Client

OFFLINE = "offline:planner"
log = logging.getLogger("rollcall")


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
    """The platform that the functions and capabilities of an app are given."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

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

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        """Hand `data` to the task function `queue` of this codebase."""
        from firebase_admin import functions  # type: ignore[import-untyped]

        target = f"locations/{region()}/functions/{queue_name(queue)}"
        try:
            # The Admin SDK sends the body as it is; the function reads a callable's envelope.
            functions.task_queue(target).enqueue({"data": data})
        except Exception as error:  # the SDK, its transport and its credentials, each in its way
            raise Unavailable(f"the queue {queue} took no task: {error}") from error

    def find_user(self, uid: str) -> User | None:
        """Look the account up: its claims may have changed since its token was issued."""
        from firebase_admin import auth

        try:
            record = auth.get_user(uid)
        except auth.UserNotFoundError:
            return None
        if record.disabled:
            return None
        claims = {"name": record.display_name, **(record.custom_claims or {})}
        return to_user(uid, claims)

    def notify(self, decider: Decider, *, approval_id: str) -> None:
        """Push to the decider's registered devices, where push is configured."""
        from rollcall.agent.push import notify

        notify(self.db, decider, approval_id=approval_id)


def import_sdks() -> None:
    """Import what every run needs of others: an instance that waits for its first run, as one that
    is kept warm does, answers it sooner by half."""
    from google.cloud import firestore  # noqa: F401

    from rollcall.models.base import import_sdk

    try:
        import_sdk(default_model(os.environ))
    except FailedPrecondition as error:  # as every call will be told
        log.error("%s", error.message)


@cache
def connect_soon() -> None:
    """Make the model's client beside whatever else a process's first run does: that waits for
    Firestore most of the time."""
    from rollcall.models.base import connecting

    try:
        connect = connecting(default_model(os.environ))
    except FailedPrecondition:  # as every call will be told
        return
    if connect is not None:
        Thread(target=_connect, args=(connect,), name="model client", daemon=True).start()


def _connect(connect: Callable[[], None]) -> None:
    try:
        connect()
    except Exception as error:  # the SDK's, its transport's: every call is told in our words
        log.info("the model's client is not there yet: %r", error)
