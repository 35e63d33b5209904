"""A model that somebody pays for, call by call: for work outside a turn's loop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from rollcall.agent import spans
from rollcall.agent.replies import estimate
from rollcall.agent.spending import FirestorePurse
from rollcall.core.context import TextModel, User
from rollcall.models.base import ArgumentsDelta, Delta, Finish, Model, ModelRequest, Usage
from rollcall.models.base import TextDelta as Text

if TYPE_CHECKING:
    from google.cloud.firestore import Client

_BYTES_PER_TOKEN = 3


def paid_by(
    text_model: TextModel | None, db: Client, user: User, *, allow_unpriced: bool = False
) -> TextModel | None:
    """The platform's text model, paid out of a user's budget."""
    from rollcall.models.structured import StructuredText

    if not isinstance(text_model, StructuredText):
        return text_model
    return text_model.over(lambda model: Metered(model, db, user, allow_unpriced=allow_unpriced))


class Metered:
    """The same model, paid out of a user's and the tenant's budget of the day. Any thread may use
    it: every call has a purse of its own, of one read and two writes."""

    def __init__(
        self, model: Model, db: Client, user: User, *, allow_unpriced: bool = False
    ) -> None:
        self.id = model.id
        self._model, self._db, self._user = model, db, user
        self._allow_unpriced = allow_unpriced

    def stream(self, request: ModelRequest) -> Iterator[Delta]:
        """Call the model, and count what it used.

        Raises:
            BudgetExhausted: The budget does not allow it.
            FailedPrecondition: The model has no price, and no policy allows that.
            AgentError: Whatever the model raises.
        """
        tokens = estimate(request)
        purse = FirestorePurse(self._db, self._user, allow_unpriced=self._allow_unpriced)
        with closing(purse), spans.of_reply(self.id, streamed=request.streamed) as span:
            reservation = purse.reserve(
                self.id, input_tokens=tokens, output_tokens=request.max_output_tokens
            )
            said, arrived = Usage(), 0
            try:
                for delta in self._model.stream(request):
                    arrived += _size(delta)
                    if isinstance(delta, Finish):
                        said = delta.usage
                    yield delta
            finally:  # also when the reader went away
                used = said if said != Usage() else _arrived(tokens, arrived)
                purse.settle(reservation, used)
                spans.told_usage(span, used or Usage())


def _size(delta: Delta) -> int:
    return len(delta.text.encode(errors="replace")) if isinstance(delta, _TEXTS) else 0


_TEXTS = (Text, ArgumentsDelta)


def _arrived(input_tokens: int, size: int) -> Usage | None:
    """What a call used of which the provider did not say it; None if it never began to answer."""
    if size == 0:
        return None
    return Usage(input_tokens=input_tokens, output_tokens=-(-size // _BYTES_PER_TOKEN))
