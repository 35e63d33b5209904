"""The user's threads, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text

from rollcall_cli.bidi import isolated
from rollcall_cli.console import tidy
from rollcall_cli.screen import Screen
from rollcall_cli.store import Thread
from rollcall_cli.wording import text_in, texts


def show_threads(screen: Screen, threads: Sequence[Thread]) -> None:
    """Print each thread: number, title, agent, time of the last use, id."""
    language = screen.language
    if not threads:
        screen.footnote(text_in(language, "no_threads"))
    for place, thread in enumerate(threads, start=1):
        title = isolated(" ".join(tidy(thread.title).split())) or text_in(language, "no_title")
        waits = f"  {isolated(text_in(language, 'waits_for_you'))}" if thread.waiting else ""
        about = f"     {thread.agent} · {_when(thread.updated_at, language)} · {thread.id}"
        screen.indented(Text.assemble(f"{place:>3}. ", (title, "bold"), (waits, "yellow")))
        screen.indented(Text(about, "dim"))


def _when(time: str, language: str) -> str:
    """A timestamp of Firestore in local time."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime(texts(language)["thread_time"])
    except ValueError:
        return time
