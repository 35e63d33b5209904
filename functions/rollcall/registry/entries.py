"""Registry entries: capabilities as offered to agents, and their form in the compiled registry."""

from __future__ import annotations

import json
from typing import Any, Literal

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from rollcall.core.context import User
from rollcall.core.options import codebase
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.records import convert
from rollcall.core.shapes import Role, Status
from rollcall.models.base import ToolSpec
from rollcall.registry.access import Access


class Execution(Struct, frozen=True):
    """Where a capability runs and how it is called; see `docs/dispatch.md`.

    `target` is the capability's id (internal_service, client), a function's name or URL
    (firebase_function), or a URL (api_endpoint). `requires_auth` is for an api_endpoint: whether
    calls send the secret that is configured for its host.
    """

    type: Literal["internal_service", "firebase_function", "api_endpoint", "client"]
    target: str
    method: Literal["GET", "POST"] = "POST"
    requires_auth: bool = True


class Entry(Struct, frozen=True):
    """A capability as offered to agents: its declaration with the operator's overrides.

    Attributes:
        digest: The digest of its code, from its document.
        seal: The digest of everything in the document that determines what runs. If the code is
            elsewhere, approvals are bound to it.
        tenants: The tenants whose users may use it; None for all users.
        codebase: The codebase of Rollcall that declares it; None if a document registered it.
        policy: The approval policy of the document and the operator.
        phrases: What users say for it, only for the index.
    """

    id: str
    names: dict[str, str]
    category: str
    min_role: Role
    status: Status
    tenants: frozenset[str] | None
    runs_on: str
    digest: str
    seal: str
    version: int
    codebase: str | None
    policy: ApprovalPolicy | None
    execution: Execution
    spec: ToolSpec
    phrases: tuple[str, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether its code is outside this codebase."""
        return self.codebase != codebase()

    def permits(self, user: User) -> bool:
        """Tell whether this user may use it now."""
        return Access(self.status, self.min_role, self.tenants).permits(user)

    def name(self, locale: str) -> str:
        """Return its name for people."""
        return self.names.get(locale) or self.names.get("en") or self.id

    def record(self) -> dict[str, Any]:
        """Return the entry as plain JSON for the compiled registry, without what only the index
        needs."""

        def dump(value: Any) -> Any:  # an operator may have written a timestamp for a text
            return value.dump() if isinstance(value, ApprovalPolicy) else str(value)

        record: dict[str, Any] = to_builtins(self, enc_hook=dump, order="deterministic")
        del record["phrases"], record["spec"]["names"]  # the entry has the names as well
        return record

    @classmethod
    def load(cls, record: bytes) -> Entry:
        """Return the entry from a record's JSON, which was checked at compilation. Unknown fields
        are ignored: a newer version may have compiled the registry."""

        def policy(kind: type[ApprovalPolicy], data: Any) -> ApprovalPolicy:
            return kind.model_validate(data)

        # Not msgspec's parser, which refuses an infinity that an operator may have written.
        entry = convert(json.loads(record), cls, dec_hook=policy)
        entry = replace(entry, spec=replace(entry.spec, names=entry.names))
        is_elsewhere = entry.codebase not in (None, codebase())
        if is_elsewhere and entry.execution.type == "internal_service":
            # A capability of another codebase of this project runs as its own function.
            return replace(entry, execution=Execution("firebase_function", entry.id))
        return entry
