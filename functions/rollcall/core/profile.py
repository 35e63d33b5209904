"""Agent profiles: the declarations of agents in code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

from rollcall.core.context import ToolContext
from rollcall.core.definition import name_problem
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import CAPABILITY_ID, ID, Citation, Role, Status

MAX_STEPS_CAP = 200
"""The most steps that a profile may allow in a turn. It suits an agent whose tools all run on the
client: a task in the user's files may take a few hundred steps, each a run that a person can stop.
The default is five; cost, tokens and time bound a turn as well."""

SETUP_CHARS = 24_000
"""The longest instructions of a `TurnSetup`."""


class Variant(Struct, frozen=True):
    """One of several configurations of an agent that are compared.

    Args:
        id: Its name in reports, such as "V1".
        tools: "all" offers every tool that the user may use, "chosen" the few that fit.
        instructions: They replace the profile's.
    """

    id: str
    tools: Literal["all", "chosen"] = "chosen"
    instructions: str | None = None


class Place(Struct, frozen=True):
    """The place in the app where the user is.

    Attributes:
        text: Its description for the model.
        names: The names of things there, by the parameter that takes them, such as `panelName`.
    """

    text: str
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Briefing(Struct, frozen=True):
    """Information for an agent about the place where the user is. It reaches the model as data.

    Args:
        read: `read(ctx, short) -> Place`, called when a turn begins or continues. It checks the
            user's access like a capability; on None or an `AgentError` there is no briefing.
        when: "first" gives it in a thread's first turn only, "always" in each turn, "summarised"
            whole in the first turn and short in the others.
    """

    read: Callable[[ToolContext, bool], Place | None]
    when: Literal["first", "always", "summarised"] = "first"


class TurnSetup(Struct, frozen=True, rename="camel"):
    """Instructions and tools of an agent for one turn, set by somebody other than the user.

    Args:
        instructions: That person's instructions, at most `SETUP_CHARS`. They follow the profile's
            and precede the platform's rules, marked as such, and grant nothing: access and
            approvals are decided elsewhere.
        tools: Ids of the only tools of this turn, out of those that the profile names and the user
            may use: they can only narrow. All of them are offered with every message, and no others
            can be searched for. None leaves the choice unchanged.
        offline_notice: What the offline planner says before its answer; other models never see it.
    """

    instructions: str = ""
    tools: frozenset[str] | None = None
    offline_notice: str = ""


class Note(Struct, frozen=True):
    """Something that the pack already knows about a message, in its own words."""

    text: str
    citation: Citation


class Review(Struct, frozen=True):
    """Result of reviewing an answer: the sources it names, and a remark for the user, for example
    that a source is unknown."""

    citations: tuple[Citation, ...] = ()
    remark: str = ""


class AgentProfile(Struct, frozen=True):
    """An agent: its instructions, tools, models and limits.

    The tables in docs/add_a_capability.md and docs/limits.md are generated from the list below.

    Args:
        id: The `agent` of `run_agent`.
        name: Name for people: "Office assistant", or by locale.
        instructions: The agent's part of the system prompt.
        tools: Capabilities that it may use: ids, `category:<category>`, or `*` for all.
        models: Models as `<provider>:<name>`; each is the fallback of the one before. By default
            the deployment's model.
        pinned: Ids of tools that are offered with every message.
        variants: Configurations to compare. Each user always gets the same one.
        min_role: Lowest role that may use the agent, a `Role` of `rollcall.core.shapes`.
        status: A `Status` of `rollcall.core.shapes`; no user is offered a disabled agent.
        approvals: Policies by capability id. The stricter of these and the capability's own holds.
        allow_unpriced: Whether models without a known price may be used.
        max_steps: Model replies with tool calls.
        max_calls: Tool calls.
        max_calls_per_tool: Calls of one tool.
        max_tokens: Input and output tokens.
        max_cost_usd: US dollars for models.
        max_output_tokens: Tokens of one reply. They are reserved in the user's budget beforehand.
        max_tools: Tools chosen for a message; pinned ones are added.
        deadline_s: Seconds of work. Waiting for a person does not count.
        history_tokens: Tokens of earlier turns that the model sees.
        turn_tokens: Tokens of the turn's own steps that the model sees, for long turns. Older steps
            are shortened, then left out; the newest is always whole. None for no limit.
        history_messages: Messages and answers in the history. None for no limit.
        briefing: `Briefing(read, when)`: describes the place where the user is.
        turn_setup: `turn_setup(ctx)`: returns a turn's instructions and tools, called when it
            begins; its runs share them. None leaves the turn to the profile, and an `AgentError`
            refuses the message.
        notes: `notes(message, locale)`: returns what is already known about a message, as
            `Note(text, citation)`. The agent may answer from it without a tool.
        review: `review(answer, locale)`: checks a model's whole answer; returns the sources that it
            names and a remark for the user.
        keep_running: Whether a run goes on when a client of `agui` disconnects, that protocol's
            way to stop. Runs of `run_agent` always go on.
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
    turn_setup: Callable[[ToolContext], TurnSetup | None] | None = None
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
            cure = f"Write `{option}={example}`"
            yield f"{option} is {given!r}, which is no tuple of texts", cure
        elif option == "pinned" and (
            groups := [id for id in given if not CAPABILITY_ID.fullmatch(id)]
        ):
            cure = 'Write ids, such as `pinned=("meeting_cost",)`; groups belong in tools'
            yield f"pinned has {groups[0]!r}, which is no capability's id", cure
        elif option == "models" and (names := [each for each in given if ":" not in each]):
            cure = 'Write `<provider>:<name>`, such as `models=("offline:planner",)`'
            yield f"models has {names[0]!r}, which names no provider", cure
    policies = profile.approvals
    cure = 'Write `approvals={"send_invoice": ApprovalPolicy(ask="always")}`'
    if not isinstance(policies, Mapping) or not all(
        isinstance(each, ApprovalPolicy) for each in policies.values()
    ):
        yield f"approvals is {policies!r}, which is no dict of policies", cure
    else:  # a policy for a category or "*" would apply to no capability
        for id in policies:
            if not isinstance(id, str) or not CAPABILITY_ID.fullmatch(id):
                yield f"approvals has a policy of {id!r}, which is no capability's id", cure
    for option, kind in (("min_role", Role), ("status", Status)):
        given = getattr(profile, option)
        if not isinstance(given, kind):
            known = ", ".join(f"{kind.__name__}.{each.name}" for each in kind)
            yield f"{option} is {given!r}", f"Write one of {known}, of {kind.__module__}"
    if not isinstance(profile.max_steps, int) or not 1 <= profile.max_steps <= MAX_STEPS_CAP:
        yield f"max_steps is {profile.max_steps!r}", f"Write a number from 1 to {MAX_STEPS_CAP}"
