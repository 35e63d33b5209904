"""Tells a decider's devices that something waits, and not what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollcall.core.context import Decider

if TYPE_CHECKING:
    from google.cloud.firestore import Client


def notify(db: Client, decider: Decider, *, approval_id: str) -> None:
    """Push to every device that the decider registered."""
    raise NotImplementedError
