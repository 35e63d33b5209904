"""What the functions of this pack have in common: their work is not done here."""

from __future__ import annotations

from rollcall.core.errors import FailedPrecondition


def on_the_client(tool: str) -> FailedPrecondition:
    """What a call of the function itself ends in."""
    return FailedPrecondition(
        f"{tool} runs on the user's client, where the files are, and not on the server",
        hint="ask an agent through run_agent, with this tool among clientTools",
    )
