"""Agent profiles, as code declares them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct, field

from rollcall.core.definition import name_problem
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import CAPABILITY_ID, ID, Citation, Role, Status

if TYPE_CHECKING:
    from rollcall.core.context import ToolContext

MAX_STEPS_CAP = 200
"""No turn may have more steps than this. It is for an agent whose every step is a client's: a task
in its files may take a few hundred of them, and each is a run of its own, which a person can stop.
An agent has five unless it says otherwise; cost, tokens and time bound a turn as well."""

SETUP_CHARS = 24_000
"""The longest instructions of a `TurnSetup`."""


class Variant(Struct, frozen=True):
    """One of several ways of working of an agent that are compared.

    Args:
        id: For reports, such as "V1".
        tools: "all" offers everything that the user may use, "chosen" the few that fit.
        instructions: Instead of the profile's own.
    """

    id: str
    tools: Literal["all", "chosen"] = "chosen"
    instructions: str | None = None


class Place(Struct, frozen=True):
    """The place in the app where the user is.

    Attributes:
        text: What is there, for the model.
        names: Of things there, by the name of the parameter that takes them, such as `panelName`.
    """

    text: str
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Briefing(Struct, frozen=True):
    """What an agent is told about the place where the user is. It reaches the model as data.

    Args:
        read: `read(ctx, short) -> Place`, called when a turn begins or goes on; it checks the user
            like a capability, and None or an `AgentError` leaves the agent without.
        when: "first" tells it in a thread's first turn only, "always" in each, "summarised" whole
            in the first and short in the others.
    """

    read: Callable[[ToolContext, bool], Place | None]
    when: Literal["first", "always", "summarised"] = "first"


class TurnSetup(Struct, frozen=True):
    """How an agent works in one turn, where somebody beside the user has arranged it.

    Args:
        instructions: What that person asks of the agent, at most `SETUP_CHARS`. They stand after
            the profile's and before the platform's rules, marked as such, and grant nothing: what
            may be called, and what is asked first, is decided elsewhere.
        tools: Ids of the only tools of this turn, of those that the profile names and the user may
            use: it can only narrow. All of them are offered with every message, and no others can
            be searched for. None leaves the choice as it is.
    """

    instructions: str = ""
    tools: frozenset[str] | None = None


class SetUpTurn(Protocol):
    """How a pack arranges the turns of an agent."""

    def __call__(self, ctx: ToolContext, /) -> TurnSetup | None: ...


class Note(Struct, frozen=True):
    """Something already known about a message, in the pack's own words."""

    text: str
    citation: Citation


class Review(Struct, frozen=True):
    """Result of reviewing an answer: the sources it names, and a remark for the user, for example
    that a source is unknown."""

    citations: tuple[Citation, ...] = ()
    remark: str = ""


class AgentProfile(Struct, frozen=True):
    """An agent: its instructions, tools, models and limits.

    The tables in docs/add_a_capability.md and docs/limits.md are made of the list below.

    Args:
        id: The `agent` of `run_agent`.
        name: Name for people: "Office assistant", or by locale.
        instructions: The agent's part of the system prompt.
        tools: Capabilities that it may use: ids, `category:<category>`, or `*` for all.
        models: Models as `<provider>:<name>`; each is the fallback of the one before. By default
            the deployment's model.
        pinned: Ids of tools that are offered with every message.
        variants: Ways of working to compare. Each user always gets the same one.
        min_role: Lowest role that may use the agent.
        status: "active", "beta", "deprecated" or "disabled".
        approvals: Policies by capability id. The stricter of these and the capability's own holds.
        allow_unpriced: Whether models without a known price may be used.
        max_steps: Model replies with tool calls.
        max_calls: Tool calls.
        max_calls_per_tool: Calls of one tool.
        max_tokens: Input and output tokens.
        max_cost_usd: US dollars for models.
        max_output_tokens: Tokens of one reply. They are reserved in the user's budget beforehand.
        max_tools: Tools chosen for a message; pinned ones are added.
        deadline_s: Seconds at work. Waiting for a person does not count.
        history_tokens: Tokens of earlier turns that the model sees.
        turn_tokens: Tokens of the turn's own steps that the model sees, for long turns. Older steps
            are shortened, then left out; the newest is always whole. None for no limit.
        history_messages: Messages and answers in the history. None for no limit.
        briefing: `Briefing(read, when)`: what the agent is told about the place where the user is.
        turn_setup: `turn_setup(ctx)`: the instructions and the tools of a turn, called when it
            begins; its runs share them. None leaves the turn as the profile says, and an
            `AgentError` refuses the message.
        notes: `notes(message, locale)`: what is already known about a message, as `Note(text,
            citation)`. The agent may answer from it without a tool.
        review: `review(answer, locale)`: checks a model's whole answer; returns the sources that it
            names and a remark for the user.
        keep_running: Whether a run goes on when the client of `agui` closes its connection, which
            is that protocol's stop. Runs of `run_agent` always go on.
        result_chars: Characters of one tool result that the model sees.
    """

    id: str
    name: str | dict[str, str]
    instructions: str
    tools: tuple[str, ...]
    models: tuple[str, ...] = ()
    pinned: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    min_role: Role = Role.USER
    status: Status = Status.ACTIVE
    approvals: Mapping[str, ApprovalPolicy] = field(default_factory=dict)
    allow_unpriced: bool = False
    max_steps: int = 5
    max_calls: int = 40
    max_calls_per_tool: int = 15
    max_tokens: int = 400_000
    max_cost_usd: float = 1.0
    max_output_tokens: int = 4096
    max_tools: int = 5
    deadline_s: int = 120
    history_tokens: int = 12_000
    turn_tokens: int | None = None
    history_messages: int | None = None
    briefing: Briefing | None = None
    turn_setup: SetUpTurn | None = None
    notes: Callable[[str, str], Sequence[Note]] | None = None
    review: Callable[[str, str], Review] | None = None
    keep_running: bool = False
    result_chars: int = 24_000

    @property
    def names(self) -> dict[str, str]:
        """Its name by locale; a plain text is the English one."""
        return {"en": self.name} if isinstance(self.name, str) else self.name

    def variant_for(self, uid: str) -> Variant | None:
        """Return the variant of a user; None without variants."""
        if not self.variants:
            return None
        lot = hashlib.sha256(f"{self.id}/{uid}".encode()).digest()
        return self.variants[int.from_bytes(lot[:8]) % len(self.variants)]


def profile_mistakes(profile: AgentProfile) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a profile, and what to write."""
    if not isinstance(profile.id, str) or not ID.fullmatch(profile.id):
        cure = 'Write at most 64 ASCII letters, digits, _ and -, such as id="office"'
        yield f"the id is {profile.id!r}", cure
    if problem := name_problem(profile.name):
        yield problem, 'Write `name="Office assistant"`, or {"en": "Office assistant"}'
    if not isinstance(profile.instructions, str) or not profile.instructions.strip():
        yield "it has no instructions", 'Write `instructions="Help to plan meetings."`'
    for option in ("tools", "pinned", "models"):
        given = getattr(profile, option)
        if not isinstance(given, tuple | list) or not all(isinstance(each, str) for each in given):
            example = f"({given!r},)" if isinstance(given, str) else '("meeting_cost",)'
            yield (
                f"{option} is {given!r}, which is no tuple of texts",
                f"Write `{option}={example}`",
            )
        elif option == "pinned" and (
            groups := [id for id in given if not CAPABILITY_ID.fullmatch(id)]
        ):
            cure = 'Write ids, such as `pinned=("meeting_cost",)`; groups stand in tools'
            yield f"pinned has {groups[0]!r}, which is no capability's id", cure
    policies = profile.approvals
    cure = 'Write `approvals={"send_invoice": ApprovalPolicy(ask="always")}`'
    if not isinstance(policies, Mapping) or not all(
        isinstance(each, ApprovalPolicy) for each in policies.values()
    ):
        yield f"approvals is {policies!r}, which is no dict of policies", cure
    else:  # a policy of more than one capability would hold for none
        for id in policies:
            if not isinstance(id, str) or not CAPABILITY_ID.fullmatch(id):
                yield f"approvals has a policy of {id!r}, which is no capability's id", cure
    for option, kind in (("min_role", Role), ("status", Status)):
        given = getattr(profile, option)
        if not isinstance(given, kind):
            known = ", ".join(f"{kind.__name__}.{each.name}" for each in kind)
            yield f"{option} is {given!r}", f"Write one of {known}"
    if not isinstance(profile.max_steps, int) or not 1 <= profile.max_steps <= MAX_STEPS_CAP:
        yield f"max_steps is {profile.max_steps!r}", f"Write a number from 1 to {MAX_STEPS_CAP}"
