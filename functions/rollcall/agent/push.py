"""Tells a decider's devices that something waits, and not what.

Clients register a device as `devices/{id}`. With a role and a tenant on it, which the security
rules compare with the claims at that time, it is also told what waits for that role; a role lost
since only means a notice about something that its owner cannot open.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.core.context import Decider
from rollcall.core.options import collection_id
from rollcall.core.shapes import Role

if TYPE_CHECKING:
    from google.cloud.firestore import Client

DEVICES = "devices"
MOST_DEVICES = 100
"""Of a decider with more, 100 are told."""
MOST_SECONDS = 10.0
_AT_ONCE = 20
_TEXTS = {"en": "Something waits for your decision.", "he": "יש משהו שממתין להחלטתך."}
log = logging.getLogger("rollcall")


class _Device(Struct, frozen=True):
    """A token, the language of its owner, and the documents that hold it."""

    token: str
    locale: str
    ids: tuple[str, ...]


def notify(db: Client, decider: Decider, *, approval_id: str) -> None:
    """Push to every device that the decider registered, within `MOST_SECONDS`.

    A decision never depends on it: what fails is logged, and nothing is raised. It is silent on
    the emulators, which send no notifications, and where no device is registered.
    """
    if "FIRESTORE_EMULATOR_HOST" in os.environ or os.environ.get("FUNCTIONS_EMULATOR") == "true":
        log.debug("no push from an emulator")
        return
    # The SDK's own retries may take minutes; whoever asked for the approval does not wait for them.
    work = threading.Thread(
        target=copy_context().run,
        args=(_notify, db, decider, approval_id),
        name="push",
        daemon=True,
    )
    work.start()
    work.join(MOST_SECONDS)
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
    except Exception as error:  # Firestore, the SDK and its transport, each in its way
        # The error's own text may hold a token.
        log.warning("push for the approval %s failed: %s", approval_id, type(error).__name__)


def _devices(db: Client, decider: Decider) -> list[_Device]:
    """The decider's devices, each token once."""
    found: dict[str, _Device] = {}
    for query in _queries(db, decider):
        for snapshot in query.limit(MOST_DEVICES).stream():
            data = snapshot.to_dict() or {}
            token, locale = data.get("token"), data.get("locale")
            if not isinstance(token, str) or not token or data.get("uid") == decider.not_uid:
                continue
            before = found.get(token)
            ids = (*(before.ids if before else ()), snapshot.id)
            found[token] = _Device(token, locale if locale in _TEXTS else "en", ids)
    return list(found.values())[:MOST_DEVICES]


def _queries(db: Client, decider: Decider) -> Iterator[Any]:
    from google.cloud.firestore import FieldFilter

    devices = db.collection(collection_id(DEVICES))
    if decider.uid is not None:
        yield devices.where(filter=FieldFilter("uid", "==", decider.uid))
    elif decider.role is not None:
        every = list(Role)
        roles = [role.value for role in every[every.index(decider.role) :]]
        of_role = devices.where(filter=FieldFilter("role", "in", roles))
        # Who is of no tenant asks those who are of none.
        yield of_role.where(filter=FieldFilter("tenant", "==", decider.tenant))


def _push(db: Client, devices: Sequence[_Device], approval_id: str) -> None:
    """Send to these devices, and forget those that are gone."""
    from firebase_admin import messaging  # type: ignore[import-untyped]

    answers = messaging.send_each([_message(device, approval_id) for device in devices])
    for device, answer in zip(devices, answers.responses, strict=True):
        if answer.success:
            continue
        if isinstance(answer.exception, messaging.UnregisteredError):
            for id_ in device.ids:
                db.collection(collection_id(DEVICES)).document(id_).delete()
        else:
            kind = type(answer.exception).__name__
            log.warning("push to the device %s failed: %s", device.ids[0], kind)


def _message(device: _Device, approval_id: str) -> Any:
    """What lock screens and push services see: an id, and a sentence that says nothing."""
    from firebase_admin import messaging

    message = messaging.Message(
        notification=messaging.Notification(body=_TEXTS[device.locale]),
        data={"type": "approval", "approvalId": approval_id},
    )
    # As an argument it is called deprecated; clients' SDKs still hand out tokens.
    message.token = device.token
    return message
