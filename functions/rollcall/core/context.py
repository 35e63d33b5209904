"""`ToolContext`, which a capability gets beside its arguments, and the platform behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
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
    """The caller, from a verified token and never from data."""

    uid: str
    role: Role = Role.USER
    tenant: str | None = None
    name: str | None = None


class Call(Struct, frozen=True):
    """One call of a function by a user.

    Attributes:
        data: What the caller sent, plain JSON.
        token: The caller's ID token, for passing on.
        streams: Whether the caller reads the chunks of the answer or its end alone.
        claims: Those of the verified token.
        path: What follows the function's name in the URL.
    """

    user: User
    data: Any
    token: str | None = None
    streams: bool = True
    claims: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""


def to_user(uid: str, claims: Mapping[str, Any]) -> User:
    """Read a verified token's claims; a role that is missing or not ours counts as `user`."""
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
    """Runs an agent's loop inside a capability, without a thread of its own."""

    def __call__(
        self, agent_id: str, message: str, *, max_steps: int | None = None
    ) -> dict[str, Any]: ...


class KeepFile(Protocol):
    """Stores a file for the caller."""

    def __call__(
        self, name: str, content_type: str, data: bytes, *, of: str | None = None
    ) -> FileRef: ...


class LiveToken(Struct, frozen=True):
    """A token with which one client talks to a voice model by itself.

    Attributes:
        token: A secret: it goes to the client and is kept nowhere.
        model: The voice model's name at its provider.
    """

    token: str
    model: str


class LiveVoice(Protocol):
    """A voice model that clients talk to by themselves."""

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
            start_before: Until when the talk can begin; it ends at `expires_at`.
        """


class CreateLiveToken(Protocol):
    """Creates a token for a talk with an agent by voice."""

    def __call__(
        self,
        agent_id: str,
        *,
        setup: TurnSetup,
        place: Place | None,
        start_before: datetime,
        expires_at: datetime,
    ) -> LiveToken: ...


MAX_FILES = 10
"""The most files that one call keeps."""


def _silent(text: str, *, done: int | None = None, total: int | None = None) -> None:
    """Nobody is watching."""


class Catalog(Protocol):
    """What the app's packages declare. `folder` is the app's functions folder."""

    folder: str

    def find_capability(self, capability_id: str) -> Capability:
        """Load one capability by its id.

        Raises:
            NotFound: No package declares it.
        """

    def capabilities(self) -> list[Capability]:
        """All capabilities, in the order of their ids."""

    def agents(self) -> Mapping[str, AgentProfile]:
        """All agent profiles by id."""

    def user_data(self) -> list[UserData]:
        """What the packages keep about users."""


class Platform(Protocol):
    """What the deployment offers: its Firestore, its models where a key is configured, and what
    the app declares.

    `text_model` and `embedder` are None without a key: work then goes by rules and words.
    """

    @property
    def catalog(self) -> Catalog: ...

    @property
    def db(self) -> Client:
        """The project's Firestore, with the rights of the server: check the user yourself."""

    @property
    def text_model(self) -> TextModel | None: ...

    def text_model_for(self, user: User) -> TextModel | None:
        """Return the text model, paid from the day's budget of a user and of their tenant: for a
        trigger, whose work nobody calls for. At the limit `generate` raises ResourceExhausted."""

    @property
    def embedder(self) -> Embedder | None: ...

    def embedder_for(self, user: User) -> Embedder | None:
        """Return the embedder, paid like `text_model_for`."""

    def enqueue(self, queue: str, data: dict[str, Any]) -> None:
        """Queue `data` for the task function `queue`, which gets it at least once.

        Raises:
            Unavailable: The queue did not take it. What must not be lost is also found by the
                sweeper.
        """

    def find_user(self, uid: str) -> User | None:
        """Return the user with their current role and tenant, for work without a token; None if the
        account is gone or disabled."""

    def notify(self, decider: Decider, *, approval_id: str) -> None:
        """Notify deciders that an approval waits, without its content. Does nothing if push is not
        set up."""


class Decider(Struct, frozen=True):
    """Who may decide an approval: one user, or everyone of a role or above in the tenant of the
    asker (in none, if the asker has none), but never the asker."""

    uid: str | None = None
    role: Role | None = None
    tenant: str | None = None
    not_uid: str | None = None


class EarlierCall(Struct, frozen=True):
    """A call that was made in the thread before this one.

    Attributes:
        arguments: As the model made them.
        result: What was returned, plain JSON; None where it failed or nobody answered.
        is_open: It was made beside this one and has no answer yet.
    """

    tool: str
    arguments: Mapping[str, Any]
    result: Any = None
    is_open: bool = False


class Dialogue(Struct, frozen=True):
    """What was said in the thread so far, from its log.

    Attributes:
        user_turns: The user's messages by now, this turn's included; one that was asked again or
            changed counts once.
        began_at: When the first of them came.
        texts: The user's newest messages, newest first.
    """

    thread_id: str = ""
    user_turns: int = 0
    began_at: datetime | None = None
    texts: tuple[str, ...] = ()


class ToolContext(Struct):
    """The caller and the platform, as one capability call sees them.

    `effect_key` is set for writes only, the same for every try of one effect. `effects` is set
    for writes declared `atomic`: what they put into this batch is committed with the ledger's own
    entry, so it happens exactly once or not at all. `is_cancelled()` says whether the user has
    stopped the run; long work asks it now and then and returns early. `context` is what the client
    says of where the user is, such as `{"projectId": "house"}`: data like an argument, which gives
    no right to anything.
    """

    user: User
    platform: Platform | None = None
    locale: str = "en"
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    progress: Progress = _silent
    effect_key: str | None = None
    effects: WriteBatch | None = None
    is_cancelled: Callable[[], bool] = field(default=lambda: False)
    context: Mapping[str, Any] = field(default_factory=dict)
    agents: AskAgent | None = None
    earlier: Callable[[], Iterable[EarlierCall]] = tuple
    """The thread's calls before this one, newest first, as far back as its window goes."""
    read_dialogue: Callable[[], Dialogue] = Dialogue
    paid_text_model: Callable[[], TextModel | None] | None = None
    """Makes the platform's, counted in the user's budget, for a call that asks for it."""
    live_tokens: CreateLiveToken | None = None
    file_keeper: KeepFile | None = None
    citations: list[Citation] = field(default_factory=list)
    files: list[FileRef] = field(default_factory=list)
    display: Display | None = None

    @property
    def db(self) -> Client:
        """The project's Firestore, with the rights of the server: check the user yourself."""
        if self.platform is None:
            raise FailedPrecondition("this call was given no Firestore client")
        return self.platform.db

    @property
    def batch(self) -> WriteBatch:
        """The batch that is committed together with the effect ledger.

        Raises:
            FailedPrecondition: The capability is not declared `effect="write", atomic=True`.
        """
        if self.effects is None:
            raise FailedPrecondition('only a capability with effect="write", atomic=True has one')
        return self.effects

    @property
    def dialogue(self) -> Dialogue:
        """What was said in the thread, from its log and nobody's account; empty outside a run."""
        return self.read_dialogue()

    @property
    def text_model(self) -> TextModel | None:
        """A model that fills a JSON schema, or None where no key is configured."""
        if self.paid_text_model is not None:
            return self.paid_text_model()
        return self.platform.text_model if self.platform else None

    @property
    def video_model(self) -> VideoModel | None:
        """The text model where it watches videos, or None."""
        model: Any = self.text_model
        return model if getattr(model, "watches_videos", False) else None

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

        What the agent would be told in a turn that is set up so, and these tools alone, are locked
        into it. The server does not hear the talk: the client answers a tool call by calling that
        capability's own function, which checks it like any other. Its cost is in no budget.

        Args:
            place: What the agent is told as data, like a briefing.
        Raises:
            FailedPrecondition: No voice model is set up; the hint says what to set.
        """
        if self.live_tokens is None:
            raise FailedPrecondition(
                TEXTS.text("errors.voice_by_client"),
                hint="call this capability's own function",
            )
        return self.live_tokens(
            agent_id, setup=setup, place=place, start_before=start_before, expires_at=expires_at
        )

    def cite(self, citation: Citation) -> None:
        """Add a source of the result; the answer refers to it by number."""
        self.citations.append(citation)

    def keep_file(
        self, name: str, content_type: str, data: bytes, *, of: str | None = None
    ) -> FileRef:
        """Store a file that this call made; it is the caller's own for 30 days.

        It stands in `files` of the call's record, and of the result where the capability's own
        function is called; the result must be an object. A model is told its name and size only.
        The same name and content again is the same file.

        Args:
            of: The path of the document that it belongs to, which alone releases it; the file
                of another document is another one (`FileStore.retain`).
        Raises:
            InvalidArgument: The name or the content type is none.
            FailedPrecondition: It is too large.
            ResourceExhausted: This call has kept as many as one may.
        """
        if self.file_keeper is None:
            raise FailedPrecondition("this call was given no place for files")
        if len(self.files) >= MAX_FILES:
            raise ResourceExhausted(TEXTS.text("errors.too_many_made_files", most=MAX_FILES))
        file = self.file_keeper(name, content_type, data, of=of)
        if file not in self.files:
            self.files.append(file)
        return file

    def show(self, display: Display) -> None:
        """Set how the result is shown to a person."""
        self.display = Display.model_validate(display.dump())  # what is no JSON fails here
