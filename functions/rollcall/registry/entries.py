"""Registry entries: a capability as it is offered, and its form in the compiled registry."""

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

"""Names of the platform's own tools, which no capability may take."""


class Execution(Struct, frozen=True):
    """Where a capability runs and how it is called; see `docs/dispatch.md`.

    `target` is the capability's id (internal_service, client), a function's name or URL
    (firebase_function), or a URL (api_endpoint). `requires_auth` concerns an api_endpoint: whether
    it is sent the secret that is configured for its host.
    """

    type: Literal["internal_service", "firebase_function", "api_endpoint", "client"]
    target: str
    method: Literal["GET", "POST"] = "POST"
    requires_auth: bool = True


class Entry(Struct, frozen=True):
    """A capability as it is offered: what was declared, with the operator's overrides.

    Attributes:
        digest: Of the code behind it, as its document says.
        seal: Of all that the document says of what runs. Where the code is elsewhere, an approval
            holds on to this.
        tenants: Whose users may use it; None for everybody's.
        codebase: Which codebase of Rollcall declares it; None where a document registered it.
        policy: Who is asked before it writes, as the document and the operator have it.
        phrases: What users say for it, for the index alone.
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
        """Tell whether its code is outside this codebase."""
        return self.codebase != codebase()

    def permits(self, user: User) -> bool:
        """Tell whether this user may use it now."""
        return Access(self.status, self.min_role, self.tenants).permits(user)

    def name(self, locale: str) -> str:
        """Its name for people."""
        return self.names.get(locale) or self.names.get("en") or self.id

    def record(self) -> dict[str, Any]:
        """Return it as plain JSON for the compiled registry, without what only the index needs."""

        def dump(value: Any) -> Any:  # an operator may have written a time where a text belongs
            return value.dump() if isinstance(value, ApprovalPolicy) else str(value)

        record: dict[str, Any] = to_builtins(self, enc_hook=dump, order="deterministic")
        del record["phrases"], record["spec"]["names"]  # which the entry has as well
        return record

    @classmethod
    def load(cls, record: bytes) -> Entry:
        """Return the entry of a record's JSON, which was checked when it was compiled. Fields that
        this version does not know are left out: a newer one may have compiled the registry."""

        def policy(kind: type[ApprovalPolicy], data: Any) -> ApprovalPolicy:
            return kind.model_validate(data)

        # Not by msgspec's reader: an operator may have written an infinity, which is no JSON to it.
        entry = convert(json.loads(record), cls, dec_hook=policy)
        entry = replace(entry, spec=replace(entry.spec, names=entry.names))
        is_elsewhere = entry.codebase not in (None, codebase())
        if is_elsewhere and entry.execution.type == "internal_service":
            # What another codebase of this project declares is a function of its own.
            return replace(entry, execution=Execution("firebase_function", entry.id))
        return entry
