"""Texts of files that init writes."""

from __future__ import annotations

import json
import re

EXAMPLE = "estimate_meeting_cost"
QUESTION = "What does a meeting of 6 people for 2 hours cost?"

CAPABILITIES = {
    "__init__.py": '"""What this app\'s agents can do: functions under `@capability`."""\n',
    "meetings.py": '''\
"""An example: what meetings cost. Change it, or delete it and write your own."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rollcall.core.capability import capability
from rollcall.core.context import ToolContext


@capability(
    name="Meeting cost",
    category="office",
    keywords=["meeting cost", "price of a meeting"],
    examples=[
        {
            "userRequest": "What does a meeting of 6 people for 2 hours cost?",
            "parameters": {"people": 6, "hours": 2},
        },
    ],
)
def estimate_meeting_cost(
    ctx: ToolContext,
    *,
    people: Annotated[int, Field(ge=1)],
    hours: Annotated[float, Field(gt=0)],
) -> dict[str, float]:
    """Estimate what a meeting costs in salaries.

    Args:
        people: How many take part.
        hours: How long it lasts, h.
    """
    return {"usd": 60 * people * hours}
''',
    "agents.py": '''\
"""The agents of this app: what each may use, and how it answers."""

from __future__ import annotations

from rollcall.core.profile import AgentProfile

ASSISTANT = AgentProfile(
    id="assistant",
    name="Assistant",
    instructions="Help with the user's questions. Say only what the tools answer.",
    tools=("estimate_meeting_cost",),
)
''',
}
"""Files of the package of capabilities, with one capability and one agent."""

THREADS = ("THREADS", "48", "Requests that one instance serves at once: a stream keeps a thread.")
NO_PLUGINS = (
    "PYDANTIC_DISABLE_PLUGINS",
    "true",
    "pydantic looks for plugins in every installed package; without this, at each cold start.",
)

_IGNORED = [
    "{folder}/venv/",
    "__pycache__/",
    "*.local",
    "*-debug.log",
    ".rollcall/",
    "firebase.offset-*.json",
]


def firebaserc(folder_name: str) -> str:
    """A `.firebaserc` whose project is the emulators' alone: its id begins with `demo-`."""
    name = re.sub(r"[^a-z0-9]+", "-", folder_name.lower()).strip("-")[:20] or "app"
    return json.dumps({"projects": {"default": f"demo-{name}"}}, indent=2) + "\n"


def gitignore_lines(folder: str) -> list[str]:
    """What git should not keep of an app with its functions in `folder`."""
    lines = [line.format(folder=folder) for line in _IGNORED]
    return [line.removeprefix("./") for line in lines]
