"""Loads the project's own data: reference, sample, demo user, registry."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from rollcall.core.errors import AgentError
from rollcall.store import seeding
from rollcall.store.seeding import Kind, SeedResult
from seed.errors import UnusableInput
from seed.screen import Screen
from seed.target import DEMO_USER, Target, app_platform, create_user

if TYPE_CHECKING:
    from rollcall.core.context import Platform

_FOLDER = Path(__file__).resolve().parent
_PACKS = _FOLDER.parent / "functions" / "packs"


class Sample(Protocol):
    """A pack's `seed/<pack>/sample.py`, which writes the sample data that is more than documents.

    Attributes:
        COLLECTIONS: Those of its files that `load` writes.
    """

    COLLECTIONS: frozenset[str]

    def load(self, platform: Platform, screen: Screen) -> list[SeedResult]: ...


def packs() -> list[str]:
    """The packs that have a folder here; data of a pack that is not there is left alone."""
    here = sorted(each.name for each in _FOLDER.iterdir() if each.is_dir())
    return [name for name in here if (_PACKS / name / "__init__.py").is_file()]


def load_all(target: Target, kinds: Collection[Kind], screen: Screen) -> None:
    """Load data of these kinds, and show what was written and what was there already.

    Raises:
        UnusableInput: A seed file, the database or a user could not be used.
    """
    platform = app_platform()
    loaded: list[SeedResult] = []
    with screen.translate_errors():
        try:
            for pack in packs():
                loaded += load_pack(pack, platform, kinds, screen)
            files = [file for file in seeding.read_folder(_FOLDER) if file.kind in kinds]
            loaded += [seeding.load(platform.db, file) for file in files]
        except AgentError as error:
            raise UnusableInput(error.message) from error
        loaded += _sync_registry(platform)
    screen.show_results(loaded)
    if target.auth and "sample" in kinds:
        state = "new" if create_user(target, DEMO_USER) else "known"
        screen.say(f"Demo user ({state}): {DEMO_USER.email}, password {DEMO_USER.password}")


def load_pack(
    pack: str, platform: Platform, kinds: Collection[Kind], screen: Screen
) -> list[SeedResult]:
    """Load the files of `seed/<pack>`: as documents, or as its `sample.py` does."""
    folder = _FOLDER / pack
    has_code = (folder / "sample.py").is_file()
    sample = cast(Sample, import_module(f"seed.{pack}.sample")) if has_code else None
    written_there = sample.COLLECTIONS if sample else frozenset()
    loaded = [
        seeding.load(platform.db, file)
        for file in seeding.read_folder(folder)
        if file.kind in kinds and file.collection not in written_there
    ]
    if sample and "sample" in kinds:
        loaded += sample.load(platform, screen)
    return loaded


def _sync_registry(platform: Platform) -> list[SeedResult]:
    """Publish the capabilities and agents that code declares.

    Raises:
        UnusableInput: The packs' code cannot be imported or published.
    """
    try:
        from rollcall.registry.sync import sync

        declared = platform.catalog
        done = sync(
            platform.db,
            declared.capabilities(),
            declared.agents().values(),
            embedder=platform.embedder,
        )
    except (ImportError, AttributeError, TypeError, ValueError, AgentError) as error:
        raise UnusableInput(f"the registry could not be synced: {error}") from error
    return [SeedResult("registry", "reference", len(done.written), len(done.unchanged))]
