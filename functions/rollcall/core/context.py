"""`ToolContext`, the first argument of every capability, and the platform behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct, field

from rollcall.core.errors import FailedPrecondition, ResourceExhausted
from rollcall.core.shapes import Citation, Display, FileRef, Role
from rollcall.core.texts import TEXTS

if TYPE_CHECKING:
    from google.cloud.firestore import Client, WriteBatch

    from rollcall.core.capability import Capability
    from rollcall.core.profile import AgentProfile, Place, TurnSetup
    from rollcall.core.user_data import UserData


class User(Struct, frozen=True):
    """The caller, read from a verified token and never from the request's data."""

    uid: str
    role: Role = Role.USER
    tenant: str | None = None
    name: str | None = None


class Call(Struct, frozen=True):
    """One call of a function by a user.

    Attributes:
        data: What the caller sent, plain JSON.
        token: The caller's ID token, to forward to other functions.
        streams: Whether the caller reads the answer in chunks, or only its end.
        claims: The verified token's claims.
        path: The part of the URL after the function's name.
    """

    user: User
    data: Any
    token: str | None = None
    streams: bool = True
    claims: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""


def to_user(uid: str, claims: Mapping[str, Any]) -> User:
    """Read a verified token's claims; a missing or unknown role counts as `user`."""
    role = claims.get("role")
    tenant = claims.get("tenant")
    name = claims.get("name")
    return User(
        uid=uid,
        role=Role(role) if isinstance(role, str) and role in set(Role) else Role.USER,
        tenant=tenant if isinstance(tenant, str) else None,
        name=name if isinstance(name, str) else None,
    )


class TextModel(Protocol):
    """A language model that fills a JSON schema."""

    def generate(
        self, *, instructions: str, text: str, schema: dict[str, Any]
    ) -> dict[str, Any]: ...


class VideoModel(Protocol):
    """A text model that also takes the address of a public video on YouTube."""

    def generate(
        self, *, instructions: str, text: str, schema: dict[str, Any], video_url: str
    ) -> dict[str, Any]: ...


class Embedder(Protocol):
    """Turns texts into vectors of one length. `id` reads `<provider>:<name>`."""

    id: str
    dimensions: int

    def embed(
        self, texts: list[str], *, task: Literal["query", "document"]
    ) -> list[list[float]]: ...


class Progress(Protocol):
    """Reports to the user how far a long piece of work is."""

    def __call__(self, text: str, *, done: int | None = None, total: int | None = None) -> None: ...


class AskAgent(Protocol):
    """Runs an agent's loop inside a capability, without its own thread."""

    def __call__(
        self, agent_id: str, message: str, *, max_steps: int | None = None
    ) -> dict[str, Any]: ...


class KeepFile(Protocol):
    """Stores a file for the caller."""

    def __call__(
        self, name: str, content_type: str, data: bytes, *, of: str | None = None
    ) -> FileRef: ...


class LiveToken(Struct, frozen=True):
    """A token with which one client talks to a voice model directly.

    Attributes:
        token: A secret: it goes to the client and is never stored.
        model: The voice model's name at its provider.
    """

    token: str
    model: str


class LiveVoice(Protocol):
    """A voice model that clients talk to directly."""

    def create_token(
        self,
        *,
        instructions: str,
        tools: Sequence[Mapping[str, Any]],
        start_before: datetime,
        expires_at: datetime,
    ) -> LiveToken:
        """Create a token for one talk, with these instructions and tools and no others.

        Args:
            tools: `{name, description, parameters}`, the last a JSON schema.
            start_before: The latest time at which the talk can begin; it ends at `expires_at`.
        """


MAX_FILES = 10
"""The most files that one call can keep."""


class Catalog(Protocol):
    """The declarations of the app's packages. `folder` is the app's functions folder."""

    folder: str

    def find_capability(self, capability_id: str) -> Capability:
        """Load one capability by its id.

        Raises:
            NotFound: No package declares it.
        """

    def capabilities(self) -> list[Capability]:
        """Return all capabilities, in the order of their ids."""

    def agents(self) -> Mapping[str, AgentProfile]:
        """Return all agent profiles by id."""

    def user_data(self) -> list[UserData]:
        """Return the declarations of the data that the packages store about users."""


class Platform(Protocol):
    """The deployment: its Firestore, its models where a key is configured, and the app's catalog.

    `text_model` and `embedder` are None without a key: work then uses rules and words alone.
    """

    @property
    def catalog(self) -> Catalog: ...

    @property
    def db(self) -> Client:
        """The project's Firestore, with the rights of the server: check the user yourself."""

    @property
    def text_model(self) -> TextModel | None: ...

    def text_model_for(self, user: User) -> TextModel | None:
        """Return the text model, paid from the daily budgets of a user and their tenant: for a
        trigger, which has no caller. At the limit `generate` raises ResourceExhausted."""

    @property
    def embedder(self) -> Embedder | None: ...

    def embedder_for(self, user: User) -> Embedder | None:
        """Return the embedder, paid like `text_model_for`."""

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        """Queue `data` for the task function `queue`, which gets it at least once.

        Raises:
            Unavailable: The queue did not take it. The sweep finds what must not be lost.
        """

    def find_user(self, uid: str) -> User | None:
        """Return the user with their current role and tenant, for work without a token; None if the
        account is gone or disabled."""

    def notify(self, decider: Decider, *, approval_id: str) -> None:
        """Notify deciders that an approval waits, without its content. Does nothing if push is not
        set up."""


class Decider(Struct, frozen=True):
    """Who may decide an approval: one user, or everyone with a role or above in the caller's tenant
    (without a tenant, if the caller has none) except the caller."""

    uid: str | None = None
    role: Role | None = None
    tenant: str | None = None
    not_uid: str | None = None


class EarlierCall(Struct, frozen=True):
    """A call that was made in the thread before this one.

    Attributes:
        arguments: The model's arguments.
        result: Its result, plain JSON; None if it failed or was not answered.
        is_open: It belongs to the same step as this one and has no answer yet.
    """

    tool: str
    arguments: Mapping[str, Any]
    result: Any = None
    is_open: bool = False


class Dialogue(Struct, frozen=True):
    """The user's messages in the thread so far, from its log.

    Attributes:
        user_turns: The number of the user's messages, including this turn's; a retried or replaced
            message counts once.
        began_at: The time of the first one.
        texts: The user's newest messages, newest first.
    """

    thread_id: str = ""
    user_turns: int = 0
    began_at: datetime | None = None
    texts: tuple[str, ...] = ()


class ToolContext(Struct):
    """The caller and the platform, as one capability call sees them.

    `effect_key` is set for writes only, and is the same for every attempt at one effect. `effects`
    is set for writes declared `atomic`: this batch is committed with the ledger's entry, so what it
    holds happens exactly once or not at all. `is_cancelled()` tells whether the user has stopped
    the run; long work checks it now and then and returns early. `context` is where the user is,
    according to the client, such as `{"projectId": "house"}`: untrusted data, like an argument.
    """

    user: User
    platform: Platform | None = None
    locale: str = "en"
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    progress: Progress = field(default=lambda text, *, done=None, total=None: None)
    effect_key: str | None = None
    effects: WriteBatch | None = None
    is_cancelled: Callable[[], bool] = field(default=lambda: False)
    context: Mapping[str, Any] = field(default_factory=dict)
    agents: AskAgent | None = None
    earlier: Callable[[], Iterable[EarlierCall]] = tuple
    """The thread's calls before this one, newest first, as far back as its window goes."""
    read_dialogue: Callable[[], Dialogue] = Dialogue
    paid_text_model: Callable[[], TextModel | None] | None = None
    """Returns the platform's text model, charged to the user's budget."""
    live_tokens: Callable[..., LiveToken] | None = None
    """Takes the arguments of `create_live_token`."""
    file_keeper: KeepFile | None = None
    citations: list[Citation] = field(default_factory=list)
    files: list[FileRef] = field(default_factory=list)
    display: Display | None = None

    @property
    def db(self) -> Client:
        """The project's Firestore, with the rights of the server: check the user yourself."""
        if self.platform is None:
            raise FailedPrecondition("this call has no Firestore client")
        return self.platform.db

    @property
    def batch(self) -> WriteBatch:
        """The batch that is committed together with the effect ledger.

        Raises:
            FailedPrecondition: The capability is not declared `effect="write", atomic=True`.
        """
        if self.effects is None:
            raise FailedPrecondition('ctx.batch needs effect="write", atomic=True')
        return self.effects

    @property
    def new_id(self) -> str:
        """The id of a document that this write creates: the same at every attempt.

        Raises:
            FailedPrecondition: The capability is not declared `effect="write"`.
        """
        if not self.effect_key:
            raise FailedPrecondition('ctx.new_id needs effect="write"')
        return sha256(f"{self.user.uid}\0{self.effect_key}".encode()).hexdigest()[:32]

    @property
    def dialogue(self) -> Dialogue:
        """The user's messages in the thread, read from its log rather than from arguments; empty
        outside a run."""
        return self.read_dialogue()

    @property
    def text_model(self) -> TextModel | None:
        """A model that fills a JSON schema, or None if no key is configured."""
        if self.paid_text_model is not None:
            return self.paid_text_model()
        return self.platform.text_model if self.platform else None

    @property
    def video_model(self) -> VideoModel | None:
        """The text model if it can watch videos, or None."""
        model: Any = self.text_model
        return model if getattr(model, "watches_videos", False) else None

    @property
    def embedder(self) -> Embedder | None:
        """A model that turns texts into vectors, or None if no key is configured."""
        return self.platform.embedder if self.platform else None

    def ask_agent(
        self, agent_id: str, message: str, *, max_steps: int | None = None
    ) -> dict[str, Any]:
        """Send `message` to another agent and return its `RunResult` as JSON."""
        if self.agents is None:
            raise FailedPrecondition("this call cannot ask other agents")
        return self.agents(agent_id, message, max_steps=max_steps)

    def create_live_token(
        self,
        agent_id: str,
        *,
        setup: TurnSetup,
        place: Place | None = None,
        start_before: datetime,
        expires_at: datetime,
    ) -> LiveToken:
        """Create a token with which the user's client talks to an agent by voice.

        The token is locked to the prompt and the tools of a turn with this setup. The server does
        not hear the talk: the client answers a tool call by calling that capability's own function,
        which checks it like any other call. No budget covers its cost.

        Args:
            place: Data for the agent, like a briefing.
        Raises:
            FailedPrecondition: No voice model is set up; the hint says what to set.
        """
        if self.live_tokens is None:
            hint = "call this capability's own function"
            raise FailedPrecondition(TEXTS.text("errors.voice_by_client"), hint=hint)
        return self.live_tokens(
            agent_id, setup=setup, place=place, start_before=start_before, expires_at=expires_at
        )

    def cite(self, citation: Citation) -> None:
        """Add a source of the result; the answer refers to it by number."""
        self.citations.append(citation)

    def keep_file(
        self, name: str, content_type: str, data: bytes, *, of: str | None = None
    ) -> FileRef:
        """Store a file that this call made; it belongs to the caller for 30 days.

        `files` of the call's record lists it, as does the result if the capability's own function
        is called; the result must be an object. A model sees only its name and size. The same name
        and content again is the same file.

        Args:
            of: The path of the document that the file belongs to; only that document releases it.
                With another document, it is another file (`FileStore.retain`).
        Raises:
            InvalidArgument: The name or the content type is not valid.
            FailedPrecondition: It is too large.
            ResourceExhausted: This call has already kept `MAX_FILES`.
        """
        if self.file_keeper is None:
            raise FailedPrecondition("this call cannot keep files")
        if len(self.files) >= MAX_FILES:
            raise ResourceExhausted(TEXTS.text("errors.too_many_made_files", most=MAX_FILES))
        file = self.file_keeper(name, content_type, data, of=of)
        if file not in self.files:
            self.files.append(file)
        return file

    def show(self, display: Display) -> None:
        """Set how the result is shown to a person."""
        self.display = Display.model_validate(display.dump())  # what is no JSON fails here
