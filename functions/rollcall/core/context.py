"""What a capability is given beside its arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rollcall.core.errors import FailedPrecondition
from rollcall.core.wire import Citation, Display, Role

if TYPE_CHECKING:
    from google.cloud.firestore import Client


@dataclass(frozen=True, slots=True)
class User:
    """Who is asking, from a verified token and never from data."""

    uid: str
    role: Role = Role.USER
    tenant: str | None = None
    name: str | None = None


class TextModel(Protocol):
    """A language model that fills a JSON schema."""

    def generate(
        self, *, instructions: str, text: str, schema: dict[str, Any]
    ) -> dict[str, Any]: ...


class Embedder(Protocol):
    """Turns texts into vectors of one length. `id` reads `<provider>:<name>`."""

    id: str
    dimensions: int

    def embed(
        self, texts: list[str], *, task: Literal["query", "document"]
    ) -> list[list[float]]: ...


class Progress(Protocol):
    """Tells the user how far a long piece of work is."""

    def __call__(self, text: str, *, done: int | None = None, total: int | None = None) -> None: ...


class AskAgent(Protocol):
    """Runs an agent's loop inside a capability, without a thread of its own."""

    def __call__(
        self, agent_id: str, message: str, *, max_steps: int | None = None
    ) -> dict[str, Any]: ...


def _silent(text: str, *, done: int | None = None, total: int | None = None) -> None:
    """Nobody is watching."""


def _now() -> datetime:
    return datetime.now(UTC)


class Platform(Protocol):
    """What the deployment offers: its Firestore, and its models where a key is configured.

    `text_model` and `embedder` are None without one: work then goes by rules and words.
    """

    @property
    def db(self) -> Client:
        """The project's Firestore, with the rights of the server: check the user yourself."""

    @property
    def text_model(self) -> TextModel | None: ...

    @property
    def embedder(self) -> Embedder | None: ...


@dataclass(slots=True)
class ToolContext:
    """The caller and the platform, as one capability call sees them.

    `effect_key` is set for writes only, the same for every try of one effect.
    """

    user: User
    platform: Platform | None = None
    locale: str = "en"
    now: datetime = field(default_factory=_now)
    progress: Progress = _silent
    effect_key: str | None = None
    agents: AskAgent | None = None
    citations: list[Citation] = field(default_factory=list)
    display: Display | None = None

    @property
    def db(self) -> Client:
        """The project's Firestore, with the rights of the server: check the user yourself."""
        if self.platform is None:
            raise FailedPrecondition("this call was given no Firestore client")
        return self.platform.db

    @property
    def text_model(self) -> TextModel | None:
        """A model that fills a JSON schema, or None where no key is configured."""
        return self.platform.text_model if self.platform else None

    @property
    def embedder(self) -> Embedder | None:
        """Turns texts into vectors, or None where no key is configured."""
        return self.platform.embedder if self.platform else None

    def ask_agent(
        self, agent_id: str, message: str, *, max_steps: int | None = None
    ) -> dict[str, Any]:
        """Put `message` to another agent and return its `RunResult` as JSON."""
        if self.agents is None:
            raise FailedPrecondition("this call was given no agents to ask")
        return self.agents(agent_id, message, max_steps=max_steps)

    def cite(self, citation: Citation) -> None:
        """Name a source of the result; the answer refers to it by number."""
        self.citations.append(citation)

    def show(self, display: Display) -> None:
        """Say how the result is best shown to a person."""
        self.display = Display.model_validate(display.dump())  # what is no JSON fails here
