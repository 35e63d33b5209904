"""An agent as code declares it."""

from __future__ import annotations

from dataclasses import dataclass

from rollcall.core.wire import Role, Status

MAX_STEPS_CAP = 10
"""No call may ask for more steps than this."""


@dataclass(frozen=True, slots=True)
class AgentProfile:
    """Instructions, which tools, which models, which limits.

    Args:
        id: The `agent` of `run_agent`.
        name: By locale, for people.
        instructions: The system prompt's own part.
        tools: Ids of the capabilities it may use.
        models: `<provider>:<name>`, best first; empty for the deployment's default.
        max_steps: Model replies with tool calls in one turn.
        max_tools: Tools offered at once.
        deadline_s: Wall time of one run.
        history_tokens: Budget of the history window.
        result_chars: What the model sees of one tool result.
    """

    id: str
    name: dict[str, str]
    instructions: str
    tools: tuple[str, ...]
    models: tuple[str, ...] = ()
    min_role: Role = Role.USER
    status: Status = Status.ACTIVE
    max_steps: int = 5
    max_tools: int = 8
    deadline_s: int = 120
    history_tokens: int = 12_000
    result_chars: int = 24_000
