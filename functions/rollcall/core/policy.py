"""Who is asked before a write, and when: policies as data, on a capability and on an agent."""

from __future__ import annotations

from functools import reduce
from typing import Any, Literal

from pydantic import model_validator

from rollcall.core.wire import Role, Wire

_STRICTNESS = {"never": 0, "once_per_thread": 1, "above": 2, "always": 3}


class ApprovalPolicy(Wire):
    """Whether a write asks, and whom.

    Attributes:
        ask: "always"; "never"; "above" a threshold of one argument; "once_per_thread", where one
            yes stands for the thread's later calls of the same capability.
        argument: For "above": the wire name of a number among the arguments, as in "amountUsd".
        threshold: For "above": the greatest value that needs no yes.
        decider_role: Four eyes: someone of this role or above decides, and never the asker.
        expires_s: How long the question stands, s.
    """

    ask: Literal["always", "never", "above", "once_per_thread"] = "always"
    argument: str | None = None
    threshold: float | None = None
    decider_role: Role | None = None
    expires_s: int = 24 * 3600

    @model_validator(mode="after")
    def _is_whole(self) -> ApprovalPolicy:
        if (self.ask == "above") != (self.argument is not None and self.threshold is not None):
            raise ValueError('"above", and nothing else, takes an argument and a threshold')
        if not 60 <= self.expires_s <= 30 * 24 * 3600:
            raise ValueError("expiresS must be 60 to 2592000")
        return self

    def asks(self, arguments: dict[str, Any], *, allowed_before: bool) -> bool:
        """Whether this call needs a yes. An argument that cannot be compared does.

        Args:
            allowed_before: A person said yes to this capability in this thread, as it is now.
        """
        if self.ask == "never":
            return False
        if self.ask == "once_per_thread":
            return not allowed_before
        if self.ask == "above" and self.argument is not None and self.threshold is not None:
            value = arguments.get(self.argument)
            if isinstance(value, bool) or not isinstance(value, int | float):
                return True
            return not value <= self.threshold  # NaN is neither above nor below
        return True


def _stricter(one: ApprovalPolicy, other: ApprovalPolicy) -> ApprovalPolicy:
    """What of the two asks at least where either does; deciders and times aside."""
    lax, strict = sorted((one, other), key=lambda policy: _STRICTNESS[policy.ask])
    if lax.ask == "never" or strict.ask == "always" or lax.ask == strict.ask == "once_per_thread":
        return strict
    if lax.argument == strict.argument:
        return min(lax, strict, key=lambda policy: policy.threshold or 0.0)
    return ApprovalPolicy()


def combined(*given: ApprovalPolicy | None) -> ApprovalPolicy:
    """One policy that asks wherever one of those that are given does; without any, always ask the
    user.

    Two that ask at different occasions (above thresholds of different arguments, or above a
    threshold and once per thread) come to always.
    """
    policies = [policy for policy in given if policy is not None]
    if not policies:
        return ApprovalPolicy()
    strictest = reduce(_stricter, policies)
    roles = [policy.decider_role for policy in policies if policy.decider_role is not None]
    return strictest.model_copy(
        update={
            "decider_role": max(roles, key=list(Role).index) if roles else None,
            "expires_s": min(policy.expires_s for policy in policies),
        }
    )
