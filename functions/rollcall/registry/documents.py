"""Registry documents: how a capability or an agent rests in Firestore, and how it is read back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from rollcall.core import schema
from rollcall.core.capability import Capability
from rollcall.core.capability import digest as digest_of
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.core.profile import AgentProfile
from rollcall.core.wire import SCHEMA_VERSION, Role, Status
from rollcall.models.base import ToolSpec
from rollcall.registry.foreign_schema import check_schema

CAPABILITIES = "capabilities"
AGENTS = "agents"
_ROLE_ORDER = tuple(Role)


def capability_document(capability: Capability) -> dict[str, Any]:
    """The fields that code declares. `overrides` is the operator's and is not among them."""
    mark = capability.mark
    return {
        "schemaVersion": SCHEMA_VERSION,
        "id": capability.id,
        "name": mark.name.get("en", capability.id),
        "names": mark.name,
        "description": capability.description,
        "category": mark.category,
        "execution": {
            "type": "client" if mark.runs_on == "client" else "internal_service",
            "target": capability.id,
            "method": "POST",
            "requiresAuth": True,
        },
        "parameters": schema.parameters(capability.json_schema),
        "jsonSchema": capability.json_schema,
        "examples": list(mark.examples),
        "keywords": list(mark.keywords),
        "relatedCapabilities": list(mark.related),
        "minRole": mark.min_role.value,
        "declaredStatus": mark.status.value,
        "version": mark.version,
        "digest": capability.digest,
        "effect": mark.effect,
        "approval": mark.approval.dump() if mark.approval else None,
        "runsOn": mark.runs_on,
        "source": "code",
    }


def agent_document(profile: AgentProfile) -> dict[str, Any]:
    """An agent's profile as published to operators."""
    return {
        "schemaVersion": SCHEMA_VERSION,
        "id": profile.id,
        "name": profile.name.get("en", profile.id),
        "names": profile.name,
        "instructions": profile.instructions,
        "tools": list(profile.tools),
        "models": list(profile.models),
        "minRole": profile.min_role.value,
        "declaredStatus": profile.status.value,
        "approvals": {id: policy.dump() for id, policy in profile.approvals.items()},
        "allowUnpriced": profile.allow_unpriced,
        "maxSteps": profile.max_steps,
        "maxCalls": profile.max_calls,
        "maxCallsPerTool": profile.max_calls_per_tool,
        "maxTokens": profile.max_tokens,
        "maxCostUsd": profile.max_cost_usd,
        "maxTools": profile.max_tools,
        "deadlineS": profile.deadline_s,
        "source": "code",
    }


class _Read(BaseModel):
    """What is read of a document that anyone with the project's keys may have written."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")


_Words = Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=200)]
_Examples = Annotated[tuple[dict[str, Any], ...], Field(max_length=50)]


_TARGETS = {
    "internal_service": re.compile(r"[a-z][a-z0-9_]{0,61}"),
    "client": re.compile(r"[a-z][a-z0-9_]{0,61}"),
    "firebase_function": re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,61}|https://[!-~]{1,2000}"),
    "api_endpoint": re.compile(r"https://[!-~]{1,2000}"),
}


class Execution(BaseModel):
    """Where a capability runs, and how it is reached there; see `docs/dispatch.md`.

    `target` is the capability's id (internal_service, client), a function's name or URL
    (firebase_function), or a URL (api_endpoint). `requires_auth` concerns an api_endpoint: whether
    it is sent the secret that is configured for its host.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True
    )

    type: Literal["internal_service", "firebase_function", "api_endpoint", "client"]
    target: str
    method: Literal["GET", "POST"] = "POST"
    requires_auth: bool = True

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not _TARGETS[self.type].fullmatch(self.target):
            raise ValueError(f"{self.target[:100]!r} is no target of an execution {self.type}")
        if self.method == "GET" and self.type != "api_endpoint":
            raise ValueError("only an api_endpoint has the method GET")
        return self


class _Overrides(_Read):
    status: Status | None = None
    approval: ApprovalPolicy | None = None
    keywords: _Words = ()
    examples: _Examples = ()


class _Stored(_Read):
    id: str = Field(pattern=r"^[a-z][a-z0-9_]{0,61}$")
    name: str = Field(max_length=200)
    names: dict[str, str] = {}
    description: str = Field(max_length=8_000)
    category: str = Field(max_length=100)
    min_role: Role
    status: Status
    runs_on: Literal["server", "client"] = "server"
    effect: Literal["read", "write"] = "write"
    digest: str = ""
    version: int = 1
    approval: ApprovalPolicy | None = None
    json_schema: dict[str, Any]
    keywords: _Words = ()
    examples: _Examples = ()
    related_capabilities: _Words = ()
    overrides: _Overrides = _Overrides()
    source: str = ""
    execution: Execution | None = None

    @model_validator(mode="after")
    def _runs_where_it_can(self) -> Self:
        execution = self.reached
        if (execution.type == "client") != (self.runs_on == "client"):
            raise ValueError(f"runsOn {self.runs_on} contradicts an execution {execution.type}")
        if execution.type in ("internal_service", "client") and execution.target != self.id:
            raise ValueError(f"an execution {execution.type} has the capability's id as its target")
        if self.source == "code" and execution.type not in ("internal_service", "client"):
            raise ValueError(f"what code declares runs here, not as {execution.type}")
        if self.source != "code" and execution.type == "internal_service":
            raise ValueError("only what this codebase declares is an internal_service")
        if execution.method == "GET" and self.effect == "write":
            raise ValueError("a capability that writes is not reached by GET")
        return self

    @model_validator(mode="after")
    def _checks_arguments_safely(self) -> Self:
        if self.source != "code":
            check_schema(self.json_schema)
        return self

    @property
    def reached(self) -> Execution:
        """As stated, or as code's own documents have it."""
        if self.execution:
            return self.execution
        if self.runs_on == "client":
            return Execution(type="client", target=self.id)
        return Execution(type="internal_service", target=self.id)


@dataclass(frozen=True, slots=True)
class Entry:
    """A capability as it is offered: what code declared, under the operator's overrides.

    Attributes:
        is_foreign: It was registered by a document, and this codebase does not have it.
        policy: Who is asked before it writes, as the document and the operator have it.
    """

    id: str
    names: dict[str, str]
    category: str
    min_role: Role
    status: Status
    runs_on: str
    digest: str
    version: int
    is_foreign: bool
    policy: ApprovalPolicy | None
    execution: Execution
    spec: ToolSpec

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Entry:
        """Read a stored document.

        Raises:
            ValueError: A field that every entry has is missing, of the wrong kind or too long, or
                says that it runs where it cannot.
        """
        stored = _Stored.model_validate(document)
        overrides = stored.overrides
        return cls(
            id=stored.id,
            names=stored.names or {"en": stored.name},
            category=stored.category,
            min_role=stored.min_role,
            status=overrides.status or stored.status,
            runs_on=stored.runs_on,
            digest=stored.digest if stored.source == "code" else _foreign_digest(stored),
            version=stored.version,
            is_foreign=stored.source != "code",
            policy=_policy(stored),
            execution=stored.reached,
            spec=ToolSpec(
                name=stored.id,
                description=stored.description,
                parameters=stored.json_schema,
                keywords=overrides.keywords or stored.keywords,
                examples=overrides.examples or stored.examples,
                related=stored.related_capabilities,
                writes=stored.effect == "write",
            ),
        )

    def permits(self, role: Role) -> bool:
        """Whether a user of this role may use it now."""
        return self.status is not Status.DISABLED and at_least(role, self.min_role)


def _policy(stored: _Stored) -> ApprovalPolicy | None:
    given = [each for each in (stored.approval, stored.overrides.approval) if each is not None]
    return combined(*given) if given else None


def _foreign_digest(stored: _Stored) -> str:
    """What an approval holds on to, of a capability whose code is elsewhere."""
    return digest_of(
        {
            "d": stored.description,
            "s": stored.json_schema,
            "v": stored.version,
            "f": stored.digest,
            "e": stored.reached.model_dump(mode="json"),
        }
    )


def at_least(role: Role, least: Role) -> bool:
    """Whether `role` stands at or above `least` in `wire.Role`'s order."""
    return _ROLE_ORDER.index(role) >= _ROLE_ORDER.index(least)
