"""An agent as code declares it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from rollcall.core.policy import ApprovalPolicy
from rollcall.core.shapes import Citation, Role, Status

if TYPE_CHECKING:
    from rollcall.core.context import ToolContext

MAX_STEPS_CAP = 200
"""No turn may have more steps than this. It is for an agent whose every step is a client's: a task
in its files may take a few hundred of them, and each is a run of its own, which a person can stop.
An agent has five unless it says otherwise; cost, tokens and time bound a turn as well."""


class Variant(Struct, frozen=True):
    """One of the ways an agent works while they are compared.

    Args:
        id: For reports, such as "V1".
        tools: "all" offers everything that the user may use, "chosen" the few that fit.
        instructions: Instead of the profile's own.
    """

    id: str
    tools: Literal["all", "chosen"] = "chosen"
    instructions: str | None = None


class Place(Struct, frozen=True):
    """Where the user is.

    Attributes:
        text: What is there, for the model.
        names: Of things there, by the name of the parameter that takes them, such as `panelName`.
    """

    text: str
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Briefing(Struct, frozen=True):
    """What an agent is told of the place where the user is; it reaches the model as data.

    Args:
        read: `read(ctx, short) -> Place`, called when a turn begins or goes on; it checks the user
            like a capability, and None or an `AgentError` leaves the agent without.
        when: "first" tells it in a thread's first turn only, "always" in each, "summarised" whole
            in the first and short in the others.
    """

    read: Callable[[ToolContext, bool], Place | None]
    when: Literal["first", "always", "summarised"] = "first"


class Note(Struct, frozen=True):
    """Something known beforehand of what a message asks, in the pack's own words."""

    text: str
    citation: Citation


class Review(Struct, frozen=True):
    """What is found in an answer: the sources that it names, and what the user should be told of
    it, such as a source that is not known."""

    citations: tuple[Citation, ...] = ()
    remark: str = ""


class AgentProfile(Struct, frozen=True):
    """Instructions, which tools, which models, which limits.

    Args:
        id: The `agent` of `run_agent`.
        name: For people: "Office assistant", or by locale.
        instructions: The system prompt's own part.
        tools: The capabilities it may use: ids, `category:<category>` for all of one, `*` for all.
        pinned: Ids that are always offered, whatever the message is.
        models: `<provider>:<name>`, best first; empty for the deployment's default.
        approvals: Policies by capability id; the stricter of these and the capability's holds.
        allow_unpriced: Whether a model whose price is not known may be used.
        max_steps: Model replies with tool calls in one turn.
        max_calls: Tool calls in one turn.
        max_calls_per_tool: Calls of one tool in one turn.
        max_tokens: Input and output tokens of one turn.
        max_cost_usd: What the models of one turn may cost.
        max_output_tokens: Of one reply. All of it is set aside in the user's budget beforehand.
        max_tools: Tools chosen for a message; the pinned ones come on top.
        variants: Ways of working that are compared; each user always gets the same one.
        deadline_s: Time at work of one turn; waiting for a person does not count.
        history_tokens: Budget of the history window.
        turn_tokens: Budget of the turn's own steps as the model sees them, for an agent whose turns
            are long: older contents are told shortly then, and the oldest steps left out. The
            newest step comes whole on top. None for no such bound.
        history_messages: Messages of the user and answers in that window; None for no such bound.
        briefing: What it is told of where the user is.
        notes: `notes(message, locale)`: what is known of what a message asks. The agent may answer
            from it without a tool, and cites it.
        review: `review(answer, locale)`: looks an answer of a model through when it is whole.
        result_chars: What the model sees of one tool result.
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
    notes: Callable[[str, str], Sequence[Note]] | None = None
    review: Callable[[str, str], Review] | None = None
    result_chars: int = 24_000

    @property
    def names(self) -> dict[str, str]:
        """Its name by locale; a plain text is the English one."""
        return {"en": self.name} if isinstance(self.name, str) else self.name

    def variant_for(self, uid: str) -> Variant | None:
        """The variant that this user gets; None where nothing is compared."""
        if not self.variants:
            return None
        lot = hashlib.sha256(f"{self.id}/{uid}".encode()).digest()
        return self.variants[int.from_bytes(lot[:8]) % len(self.variants)]
