"""The deployment: its Firestore, the models configured in the environment, push and queues."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from contextvars import copy_context
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.context import Catalog, Decider, Embedder, TextModel, User, to_user
from rollcall.core.errors import FailedPrecondition, Unavailable
from rollcall.core.options import collection_id, on_emulator, queue_name, region
from rollcall.core.shapes import Role
from rollcall.core.texts import TEXTS
from rollcall.models.provider import default_embedder, default_model
from rollcall.store.batches import where
from rollcall.store.client import database

if TYPE_CHECKING:
    from google.cloud.firestore import Client


log = logging.getLogger("rollcall")

DEVICES = "devices"
MAX_DEVICES = 100
"""How many devices of one decider get a push."""
MAX_SECONDS = 10.0
_AT_ONCE = 20


class Deployment:
    """The platform that an app's functions and capabilities get."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    @property
    def db(self) -> Client:
        return database()

    @cached_property
    def text_model(self) -> TextModel | None:
        from rollcall.models.base import load_model

        name = default_model(os.environ)
        if name.startswith("offline:"):
            return None
        from rollcall.models.structured import StructuredText

        return StructuredText(load_model(name))

    def text_model_for(self, user: User) -> TextModel | None:
        if self.text_model is None:
            return None
        from rollcall.agent.paid_calls import metered

        return metered(self.text_model, self.db, user)

    @cached_property
    def embedder(self) -> Embedder | None:
        from rollcall.models.base import load_embedder

        name = default_embedder(os.environ)
        if name is None:
            return None

        return load_embedder(name)

    def embedder_for(self, user: User) -> Embedder | None:
        if self.embedder is None:
            return None
        from rollcall.agent.paid_calls import MeteredEmbedder

        return MeteredEmbedder(self.embedder, self.db, user)

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        """Queue a task for the function `queue` of this codebase, with `data` as its body."""
        from firebase_admin import functions  # type: ignore[import-untyped]

        target = f"locations/{region()}/functions/{queue_name(queue)}"
        try:
            # The Admin SDK adds no envelope, and the function reads a callable's envelope.
            functions.task_queue(target).enqueue({"data": data})
        except Exception as error:  # the SDK, its transport and credentials share no base class
            raise Unavailable(f"the queue {queue} did not accept a task: {error}") from error

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
        notify(self.db, decider, approval_id=approval_id)


def preload() -> None:
    """Import the libraries that every run needs, before the first run: a warm instance then answers
    it in half the time."""
    from google.cloud import firestore  # noqa: F401

    from rollcall.models.base import load_model

    try:
        load_model(default_model(os.environ))
    except FailedPrecondition as error:  # every call will raise it too
        log.error("%s", error.message)


class _Device(Struct, frozen=True):
    """A device's push token, its owner's language, and the documents that hold the token."""

    token: str
    locale: str
    ids: tuple[str, ...]


def notify(db: Client, decider: Decider, *, approval_id: str) -> None:
    """Push to every device that the decider registered, within `MAX_SECONDS`.

    A decision never depends on a push: failures are logged, and nothing is raised. It does nothing
    on the emulators, which send no notifications, and where no device is registered.
    """
    if "FIRESTORE_EMULATOR_HOST" in os.environ or on_emulator():
        log.debug("no push from an emulator")
        return
    # The SDK's own retries may take minutes, and the caller must not wait for them.
    work = threading.Thread(
        target=copy_context().run,
        args=(_notify, db, decider, approval_id),
        name="push",
        daemon=True,
    )
    work.start()
    work.join(MAX_SECONDS)
    if work.is_alive():
        log.warning("push for the approval %s takes too long; not waiting", approval_id)


def _notify(db: Client, decider: Decider, approval_id: str) -> None:
    from google.auth.exceptions import DefaultCredentialsError

    try:
        devices = _devices(db, decider)
        for start in range(0, len(devices), _AT_ONCE):
            _push(db, devices[start : start + _AT_ONCE], approval_id)
    except DefaultCredentialsError:
        log.debug("push is not configured: there are no credentials")
    except Exception as error:  # Firestore, the SDK and its transport share no base class
        # The error's own text may hold a token.
        log.warning("push for the approval %s failed: %s", approval_id, type(error).__name__)


def _devices(db: Client, decider: Decider) -> list[_Device]:
    """Return the decider's devices, each token once."""
    if decider.uid is not None:
        query = db.collection(collection_id(DEVICES)).where(filter=where("uid", "==", decider.uid))
    elif decider.role is not None:
        roles = [role.value for role in Role if role.at_least(decider.role)]
        query = db.collection(collection_id(DEVICES)).where(filter=where("role", "in", roles))
        # A user without a tenant asks deciders without one.
        query = query.where(filter=where("tenant", "==", decider.tenant))
    else:
        return []
    devices: dict[str, _Device] = {}
    for snapshot in query.limit(MAX_DEVICES).stream():
        data = snapshot.to_dict() or {}
        token, locale = data.get("token"), data.get("locale")
        if not isinstance(token, str) or not token or data.get("uid") == decider.not_uid:
            continue
        known = devices.get(token)
        ids = (*(known.ids if known else ()), snapshot.id)
        devices[token] = _Device(token, locale if locale in TEXTS.languages else "en", ids)
    return list(devices.values())


def _push(db: Client, devices: Sequence[_Device], approval_id: str) -> None:
    """Send the approval's id and a neutral sentence to these devices, since lock screens show it,
    and delete the devices that are gone."""
    from firebase_admin import messaging

    messages = []
    for device in devices:
        message = messaging.Message(
            notification=messaging.Notification(body=TEXTS.say(device.locale, "push.approval")),
            data={"type": "approval", "approvalId": approval_id},
        )
        # Set as an attribute: the SDK warns that the argument is deprecated, but clients' SDKs
        # still issue tokens.
        message.token = device.token
        messages.append(message)
    answers = messaging.send_each(messages)
    for device, answer in zip(devices, answers.responses, strict=True):
        if answer.success:
            continue
        if isinstance(answer.exception, messaging.UnregisteredError):
            for id_ in device.ids:
                db.collection(collection_id(DEVICES)).document(id_).delete()
        else:
            kind = type(answer.exception).__name__
            log.warning("push to the device %s failed: %s", device.ids[0], kind)
