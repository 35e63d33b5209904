"""Approval policies: when a write needs approval and whose, as data of a capability or an agent."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from rollcall.core.patterns import (
    check_command_pattern,
    check_path_pattern,
    matches_command,
    matches_path,
    patterns_of_command,
    patterns_of_path,
)
from rollcall.core.shapes import Role, Wire

_STRICTNESS = {"never": 0, "once_per_thread": 1, "outside": 2, "above": 3, "always": 4}
_MATCHES = {"path": matches_path, "command": matches_command}
_CHECK = {"path": check_path_pattern, "command": check_command_pattern}
_OFFER = {"path": patterns_of_path, "command": patterns_of_command}


class ApprovalPolicy(Wire):
    """When a write needs approval, and whose.

    Attributes:
        ask: "always"; "never"; "above" a threshold of one argument; "outside" of patterns that one
            argument is compared with; "once_per_thread", where one yes stands for the thread's
            later calls of the same capability.
        argument: For "above" the wire name of a number among the arguments, as in "amountUsd"; for
            "outside" of a text, as in "path".
        threshold: For "above": the greatest value that needs no yes.
        matches: For "outside": what the argument is, "path" or "command".
        patterns: For "outside": what needs no yes, as in `docs/**` or `pytest *`. A yes may add
            to them for its thread.
        decider_role: Four eyes: someone of this role or above decides, and never the asker.
        expires_s: How long the question stands, s.
    """

    ask: Literal["always", "never", "above", "outside", "once_per_thread"] = "always"
    argument: str | None = None
    threshold: float | None = None
    matches: Literal["path", "command"] | None = None
    patterns: Annotated[tuple[str, ...], Field(max_length=100)] = ()
    decider_role: Role | None = None
    expires_s: int = 24 * 3600

    @model_validator(mode="after")
    def _is_whole(self) -> ApprovalPolicy:
        if (self.ask == "above") != (self.threshold is not None):
            raise ValueError('"above", and nothing else, takes an argument and a threshold')
        if (self.ask == "outside") != (self.matches is not None):
            raise ValueError('"outside", and nothing else, takes an argument, matches and patterns')
        if (self.ask in ("above", "outside")) != (self.argument is not None):
            raise ValueError('"above" and "outside", and nothing else, take an argument')
        if self.matches is None and self.patterns:
            raise ValueError('patterns are for "outside"')
        for pattern in self.patterns:
            _CHECK[self.matches or "path"](pattern)
        if not 60 <= self.expires_s <= 30 * 24 * 3600:
            raise ValueError("expiresS must be 60 to 2592000")
        return self

    def asks(
        self,
        arguments: dict[str, Any],
        *,
        allowed_before: bool,
        remembered: Sequence[str] = (),
    ) -> bool:
        """Tell whether a call needs approval. An argument that cannot be compared needs it.

        Args:
            allowed_before: A person said yes to this capability in this thread, as it is now.
            remembered: Patterns that the user's own yes in this thread stands for.
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
        if self.ask == "outside" and self.argument is not None and self.matches is not None:
            value, matches = arguments.get(self.argument), _MATCHES[self.matches]
            own = remembered if self.decider_role is None else ()
            return not any(matches(pattern, value) for pattern in (*self.patterns, *own))
        return True

    def offers(self, arguments: dict[str, Any]) -> tuple[str, ...]:
        """Return the patterns that an approval of this call may stand for in its thread, narrowest
        first. None if somebody other than the asker decides."""
        if self.matches is None or self.argument is None or self.decider_role is not None:
            return ()
        return _OFFER[self.matches](arguments.get(self.argument))


def _stricter(one: ApprovalPolicy, other: ApprovalPolicy) -> ApprovalPolicy:
    """What of the two asks at least where either does; deciders and times aside."""
    lax, strict = sorted((one, other), key=lambda policy: _STRICTNESS[policy.ask])
    if lax.ask == "never" or strict.ask == "always" or lax.ask == strict.ask == "once_per_thread":
        return strict
    if (lax.ask, lax.argument, lax.matches) != (strict.ask, strict.argument, strict.matches):
        return ApprovalPolicy()
    if strict.ask == "above":
        return min(lax, strict, key=lambda policy: policy.threshold or 0.0)
    shared = set(lax.patterns) & set(strict.patterns)
    return lax.model_copy(update={"patterns": tuple(sorted(shared))})


def combined(*given: ApprovalPolicy | None) -> ApprovalPolicy:
    """Return one policy that needs approval wherever one of these does; without any, always the
    user's.

    Two that ask at different occasions (above thresholds of different arguments, or above a
    threshold and once per thread) come to always. Of patterns, those count that both have.
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
