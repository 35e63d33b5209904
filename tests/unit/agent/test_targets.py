"""The targets of tool calls, without a database or a network."""

from __future__ import annotations

from typing import Any

from rollcall.agent.targets import local_target
from rollcall.core.capability import Capability, capability
from rollcall.core.context import ToolContext, User
from rollcall.core.shapes import Citation, Display


@capability(name={"en": "Book"}, category="office", effect="write", atomic=True)
def book_page(ctx: ToolContext, *, page: int) -> int:
    """Book a page; cite it, and show it the first time."""
    if not ctx.effects:
        ctx.show(Display(type="text", text=f"Page {page}"))
    ctx.cite(Citation(type="document", title=f"Page {page}"))
    return page


def test_of_an_atomic_write_that_runs_again_only_the_last_run_is_shown() -> None:
    ctx = ToolContext(User("ann"))
    write = local_target(Capability.of(book_page), None, is_write=True).ledger_write(
        ctx, {"page": 7}
    )
    batches: list[Any] = [[], ["an earlier write"]]
    assert [write.work(batch) for batch in batches] == [7, 7]
    assert [each.title for each in ctx.citations] == ["Page 7"]
    assert ctx.display is None
    assert ctx.effects is batches[1]
