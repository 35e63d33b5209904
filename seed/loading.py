"""Loads the project's own data: reference, sample, demo user, registry."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from rollcall.core.errors import AgentError
from rollcall.store import seeding
from rollcall.store.seeding import Kind, Loaded
from seed.projects import projects
from seed.records import Unusable
from seed.sample import COLLECTIONS, DEMO_USER, FOLDER, anchor, conversations
from seed.screen import Screen
from seed.target import Target, create_user

if TYPE_CHECKING:
    from rollcall.core.context import Platform


def load_all(target: Target, kinds: Collection[Kind], screen: Screen) -> None:
    """Load data of these kinds, and say what was written and what was there already.

    Raises:
        Unusable: A seed file, the database or a user could not be used.
    """
    from rollcall.agent.platform import deployment

    platform = deployment()
    with screen.rejections():
        try:
            files = seeding.read_folder(FOLDER)
            plain = [f for f in files if f.kind in kinds and f.collection not in COLLECTIONS]
            loaded = [seeding.load(platform.db, file) for file in plain]
        except AgentError as error:
            raise Unusable(error.message) from error
        if "sample" in kinds:
            loaded += _load_conversations(platform, screen)
            loaded.append(_load_projects(platform))
        loaded += _sync_registry(platform)
    screen.loaded(loaded)
    if target.auth and "sample" in kinds:
        state = "new" if create_user(target, DEMO_USER) else "known"
        screen.say(f"Demo user ({state}): {DEMO_USER.email}, password {DEMO_USER.password}")


def _load_conversations(platform: Platform, screen: Screen) -> list[Loaded]:
    from packs.messaging.ingest import write_conversation

    today = anchor(platform.db)
    samples = list(conversations(today=today))
    results = []
    with screen.bar("Sample conversations", total=len(samples)) as bar:
        for conversation, messages in samples:
            done = write_conversation(
                platform.db,
                conversation,
                messages,
                embedder=platform.embedder,
                text_model=platform.text_model,
            )
            results.append(done)
            bar.advance(1)
    new = sum(1 for done in results if done.added == done.total)
    written = sum(done.added + done.changed for done in results)
    return [
        Loaded("conversations", "sample", new, len(results) - new),
        Loaded("messages", "sample", written, sum(done.unchanged for done in results)),
    ]


def _load_projects(platform: Platform) -> Loaded:
    from packs.electrical.projects.documents import write_project

    done = [write_project(platform.db, sample.project, sample.members) for sample in projects()]
    new = sum(1 for each in done if each.anything)
    return Loaded("projects", "sample", new, len(done) - new)


def _sync_registry(platform: Platform) -> list[Loaded]:
    """Publish what code declares.

    Raises:
        Unusable: The packs' code cannot be imported or published.
    """
    try:
        from rollcall.catalog import agents, capabilities
        from rollcall.registry.sync import sync

        done = sync(platform.db, capabilities(), agents().values(), embedder=platform.embedder)
    except (ImportError, AttributeError, TypeError, ValueError, AgentError) as error:
        raise Unusable(f"the registry could not be synced: {error}") from error
    return [Loaded("registry", "reference", len(done.written), len(done.unchanged))]
