"""Reads and checks `capabilities/{id}`, which anyone with access to the project may have written.

The operator's `overrides` take precedence over what code declares. A document of another codebase,
or of an HTTPS endpoint, is normalised to the form that providers accept, or refused with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from rollcall.core.errors import FailedPrecondition
from rollcall.core.inputs import digest as digest_of
from rollcall.core.inputs import invalid, parse_url
from rollcall.core.options import DEFAULT_CODEBASE
from rollcall.core.policy import ApprovalPolicy, combined
from rollcall.core.shapes import CAPABILITY_ID, PLATFORM_TOOLS, Role, Status
from rollcall.models.base import ToolSpec
from rollcall.registry.entries import Entry, Execution
from rollcall.registry.schemas import (
    check_arguments,
    check_schema,
    normalise,
    schema_of_parameters,
)


class _Read(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _null_says_nothing(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields
        return {name: value for name, value in fields.items() if value is not None}


_Text = Annotated[str, Field(max_length=200)]
_Words = Annotated[tuple[_Text, ...], Field(max_length=200)]
_Examples = Annotated[tuple[dict[str, Any], ...], Field(max_length=50)]
_Phrases = dict[_Text, _Words]

_TARGETS = {
    "internal_service": CAPABILITY_ID,
    "client": CAPABILITY_ID,
    "firebase_function": re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,61}|https://[!-~]{1,2000}"),
    "api_endpoint": re.compile(r"https://[!-~]{1,2000}"),
}


class _Execution(_Read):
    model_config = ConfigDict(extra="forbid", strict=True)

    type: Literal["internal_service", "firebase_function", "api_endpoint", "client"]
    target: str
    method: Literal["GET", "POST"] = "POST"
    requires_auth: bool = True

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if not _TARGETS[self.type].fullmatch(self.target):
            raise ValueError(f"{self.target[:100]!r} is no target of an execution {self.type}")
        if "://" in self.target:  # calls parse it the same way, and would refuse it
            try:
                parse_url(self.target)
            except FailedPrecondition as error:
                what = f"{self.target[:100]!r} is never called: {error.hint}"
                raise ValueError(what) from None
        if self.method == "GET" and self.type != "api_endpoint":
            raise ValueError("only an api_endpoint has the method GET")
        return self


class _Overrides(_Read):
    status: Status | None = None
    min_role: Role | None = None
    tenants: tuple[_Text, ...] | None = None
    approval: ApprovalPolicy | None = None
    keywords: _Words = ()
    examples: _Examples = ()
    phrases: _Phrases = {}


class _Enrichment(_Read):
    phrases: _Phrases = {}


class _Document(_Read):
    id: str = Field(pattern=f"^{CAPABILITY_ID.pattern}$")
    name: str = Field(max_length=200)
    names: Annotated[dict[_Text, _Text], Field(max_length=20)] = {}
    description: str = Field(default="", max_length=8_000)
    category: str = Field(default="", max_length=100)
    min_role: Role = Role.USER
    status: Status
    runs_on: Literal["server", "client"] = "server"
    effect: Literal["read", "write"] = "write"
    digest: str = ""
    version: int = 1
    approval: ApprovalPolicy | None = None
    json_schema: dict[str, Any] | None = None
    parameters: Annotated[tuple[dict[str, Any], ...], Field(max_length=100)] = ()
    keywords: _Words = ()
    aliases: Annotated[dict[_Text, _Words], Field(max_length=200)] = {}
    examples: _Examples = ()
    related_capabilities: _Words = ()
    overrides: _Overrides = _Overrides()
    enriched: _Enrichment = _Enrichment()
    source: str = ""
    codebase: _Text = DEFAULT_CODEBASE
    execution: _Execution | None = None

    @model_validator(mode="after")
    def _runs_where_it_can(self) -> Self:
        if self.execution is None and self.source != "code" and self.runs_on == "server":
            raise ValueError("execution is missing: it says where this runs, by type and target")
        execution = self.effective_execution
        if self.id in PLATFORM_TOOLS:
            raise ValueError(f"{self.id} is the name of a platform tool")
        if (execution.type == "client") != (self.runs_on == "client"):
            raise ValueError(f"runsOn {self.runs_on} contradicts an execution {execution.type}")
        if execution.type in ("internal_service", "client") and execution.target != self.id:
            raise ValueError(f"an execution {execution.type} has the capability's id as its target")
        if self.source == "code" and execution.type not in ("internal_service", "client"):
            raise ValueError(f"what code declares runs here, not as {execution.type}")
        if self.source != "code" and execution.type == "internal_service":
            raise ValueError("only what a codebase of Rollcall declares is an internal_service")
        if execution.method == "GET" and self.effect == "write":
            raise ValueError("a capability that writes cannot be called by GET")
        return self

    @property
    def effective_execution(self) -> _Execution:
        """The document's execution, or the default for a document without one."""
        if self.execution:
            return self.execution
        if self.runs_on == "client":
            return _Execution(type="client", target=self.id)
        return _Execution(type="internal_service", target=self.id)


def read_document(id: str, document: dict[str, Any]) -> Entry:
    """Read the document that is stored under an id.

    Raises:
        ValueError: It has another id or cannot be used, whatever its content: one bad document must
            not make the others unreadable.
    """
    try:
        entry = read_capability(document)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    if entry.id != id:
        raise ValueError(f"its field id is {entry.id!r}")
    return entry


def read_capability(document: dict[str, Any]) -> Entry:
    """Return the entry that a stored document describes.

    Raises:
        ValueError: A required field is missing, a field has the wrong type or is too long, the
            schema cannot be used, or the execution is not possible.
    """
    try:
        stored = _Document.model_validate(document)
    except ValidationError as error:
        text = str(invalid(error, document))
        raise ValueError(text.removeprefix("data: ")) from None  # of the document as a whole
    overrides = stored.overrides
    is_code = stored.source == "code"
    schema = _schema(stored)
    # Approvals of a capability whose code is elsewhere are bound to this digest.
    seal = digest_of(
        {
            "d": stored.description,
            "s": schema,
            "v": stored.version,
            "f": stored.digest,
            "e": stored.effective_execution.model_dump(mode="json"),
            "c": [is_code, stored.codebase],
        }
    )
    min_role = overrides.min_role or stored.min_role
    if is_code and stored.min_role.at_least(min_role):
        min_role = stored.min_role  # an operator can only require a higher role than code does
    # What users say for it: for each language, an operator's phrases replace a model's.
    phrases = {**stored.enriched.phrases, **overrides.phrases}
    policies = [each for each in (stored.approval, overrides.approval) if each is not None]
    description = stored.description.strip() or stored.name.strip() or stored.id.replace("_", " ")
    names = {"en": stored.name, **stored.names}
    return Entry(
        id=stored.id,
        names=names,
        category=stored.category,
        min_role=min_role,
        status=overrides.status or stored.status,
        tenants=None if overrides.tenants is None else frozenset(overrides.tenants),
        runs_on=stored.runs_on,
        digest=stored.digest if is_code else seal,
        seal=seal,
        version=stored.version,
        codebase=stored.codebase if is_code else None,
        policy=combined(*policies) if policies else None,
        execution=Execution(**stored.effective_execution.model_dump()),
        spec=ToolSpec(
            name=stored.id,
            description=description,
            parameters=schema,
            keywords=overrides.keywords or stored.keywords,
            examples=overrides.examples or stored.examples,
            related=stored.related_capabilities,
            writes=stored.effect == "write",
            aliases=stored.aliases,
            names=names,
        ),
        phrases=tuple(phrase for locale in sorted(phrases) for phrase in phrases[locale]),
    )


def _schema(stored: _Document) -> dict[str, Any]:
    """Return the checked schema of a capability's arguments, made from its parameters if it has no
    schema.

    Raises:
        ValueError: Models cannot use the schema.
    """
    schema = stored.json_schema
    if stored.source != "code":
        return normalise(schema_of_parameters(stored.parameters) if schema is None else schema)
    if schema is None:
        raise ValueError("jsonSchema is missing")
    check_schema(schema)  # it may be another codebase's
    check_arguments(schema)
    return schema


def unknown_overrides(overrides: Mapping[str, Any]) -> list[str]:
    """Return unknown names in `overrides`, such as misspelt ones."""
    known = {field.alias for field in _Overrides.model_fields.values()} | {"note"}
    return sorted(name for name in overrides if name not in known)
