"""How far the work of a turn is: steps made, and what each want comes to next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from msgspec import Struct

from rollcall.core.messages import Json
from rollcall.models._offline.files.hands import Hands, argument, takes
from rollcall.models._offline.history import Step
from rollcall.models._offline.plan import Call
from rollcall.models.base import ToolSpec


class Asking(Struct, frozen=True):
    """A question to the user, which ends the turn, and answers to offer."""

    text: str
    answers: tuple[str, ...] = ()


class Move(Struct, frozen=True):
    """What a want comes to: calls to make, a question, or what there is to tell at its end.

    Args:
        aside: Something to say before the calls are made.
        done: Whether all that was wanted was done, so that what builds on it may begin.
        offers: Requests to offer.
    """

    calls: tuple[Call, ...] = ()
    asking: Asking | None = None
    text: str = ""
    aside: str = ""
    done: bool = True
    offers: tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        return not self.calls and self.asking is None


class Want(Protocol):
    """One thing that is wanted of the files.

    `acts` tells whether it changes something or runs something, which is done in the order asked.
    """

    acts: ClassVar[bool]

    def move(self, work: Work) -> Move:
        """What to do next for it, by the steps that were made."""
        ...

    def answered(self, text: str, work: Work) -> Want | None:
        """The want with the answer to its question; None where the text is no answer."""
        ...


class Work(Struct):
    """The steps of a turn, as the wants read them.

    Args:
        steps: Oldest first.
        since: Steps before this place belong to what was wanted earlier.
    """

    hands: Hands
    language: str
    steps: Sequence[Step]
    since: int = 0
    _used: int = 0

    def step(self, tool: ToolSpec, **given: Json) -> Step | None:
        """The newest step of this want that called a tool with these arguments.

        One whose result is told in short by now is as good as none: it is to be made again.
        """
        for at in range(len(self.steps) - 1, self.since - 1, -1):
            step = self.steps[at]
            if step.call.name == tool.name and _is_with(tool, step, given) and not _is_short(step):
                self._used = max(self._used, at + 1)
                return step
        return None

    def finish(self) -> None:
        """What was looked at so far is older than what comes next."""
        self.since = max(self.since, self._used)


def _is_with(tool: ToolSpec, step: Step, given: dict[str, Json]) -> bool:
    made = step.call.arguments
    known = {name: value for name, value in given.items() if takes(tool, name)}
    return all(argument(tool, made, name) == value for name, value in known.items())


def output(step: Step) -> dict[str, Any]:
    """What a step came to, as an object; empty where it failed."""
    found = None if step.failed else step.output
    return found if isinstance(found, dict) else {}


def _is_short(step: Step) -> bool:
    return "leftOut" in output(step)


def content_of(step: Step) -> str | None:
    """The text of a file that was read; None where the step failed, or gave none."""
    if not step.failed and isinstance(step.output, str):
        return step.output
    found = output(step)
    texts = (found.get(name) for name in ("content", "text", "contents"))
    return next((text for text in texts if isinstance(text, str)), None)
