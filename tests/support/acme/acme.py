"""A provider that Rollcall does not know, as docs/models.md tells how to add one."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rollcall.models.base import Clock, Delta, Finish, FinishReason, ModelRequest, TextDelta, Usage
from rollcall.models.failures import translate_failures
from rollcall.models.provider import provider
from rollcall.models.transport import post

PROVIDER = provider("acme")


class Model:
    """A model that repeats what it is told."""

    def __init__(self, name: str) -> None:
        self.name, self.id = name, f"{PROVIDER.id}:{name}"

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model once; see `rollcall.models.base`."""
        clock, key = Clock(request.deadline), PROVIDER.needed_key()
        yield from translate_failures(self._stream(request, clock, key), self.id, clock)

    def _stream(self, request: ModelRequest, clock: Clock, key: str) -> Iterator[Delta]:
        body = json.dumps({"model": self.name, "say": request.messages[-1].text}).encode()  # type: ignore[union-attr]
        with post(f"{PROVIDER.base_url()}/say", body, {"x-acme-key": key}, clock) as response:
            for event in response.events():
                yield TextDelta(event["said"])
        yield Finish(FinishReason.STOP, Usage(1, 0, 1))
