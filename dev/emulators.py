"""Runs code beside Firebase's emulators.

    with running() as suite:
        print(suite.addresses.functions_url)

As a command, `python -m dev.emulators` starts and seeds them and stays until
Ctrl-C; `python -m dev.emulators seed` seeds those that run.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

import httpx2

from dev import commands, problem, web
from dev.paths import PYTHON, ROOT
from rollcall.emulators import suite as suites
from rollcall.emulators.addresses import NEEDED, Addresses, Configuration
from rollcall.emulators.suite import Suite

WITH_WEB_APP = (*NEEDED, "hosting")
"""The emulators that serve the web app too; it is built for them where it has changed."""
PROJECT = "demo-rollcall"  # "demo-" keeps firebase-tools off the network


def current_addresses() -> Addresses:
    """The addresses under the PORT_OFFSET of this environment."""
    return Configuration(ROOT).addresses(PROJECT)


@contextlib.contextmanager
def running(
    only: tuple[str, ...] = NEEDED, *, seed: bool = False, many_projects: bool = False
) -> Iterator[Suite]:
    """Run the emulators inside the block, and point this process and its children at them.

    Args:
        only: The emulators to start.
        seed: Whether to fill Firestore with the data sets of `seed/`.
        many_projects: Whether the block makes hundreds of projects beside the usual one. They have
            no rules, which the emulator would compile for each of them in 0.1 s.
    """
    configuration = Configuration(ROOT)
    if "hosting" in only:
        web.build()
    if many_projects:
        rules = ROOT / configuration.shifted["firestore"].pop("rules")
        # The emulator warns of every request to another project, in lines that it waits for.
        configuration.shifted["emulators"]["singleProjectMode"] = False
    with suites.running(configuration, only, project=PROJECT) as suite:
        if many_projects:
            _set_rules(suite.addresses, rules.read_text(encoding="utf-8"))
        if seed:
            seed_emulators()
        yield suite


def _set_rules(at: Addresses, rules: str) -> None:
    """Set the rules of the usual project."""
    url = f"http://{at.firestore}/emulator/v1/projects/{at.project}:securityRules"
    body = {"rules": {"files": [{"name": "firestore.rules", "content": rules}]}}
    httpx2.put(url, json=body, trust_env=False, timeout=60).raise_for_status()


def seed_emulators() -> None:
    """Load the data sets into the emulators at the current addresses."""
    at = current_addresses()
    with pause_triggers(at):
        commands.run(
            [PYTHON, "-m", "seed"],
            env={**os.environ, **at.environment()},
            failing="The data sets could not be loaded.",
        )


@contextlib.contextmanager
def pause_triggers(at: Addresses) -> Iterator[None]:
    """Start no function for writes inside the block: the data sets need none, and hundreds of them
    would keep the emulator busy while the first questions are asked."""
    with httpx2.Client(base_url=f"http://{at.hub}/functions/", trust_env=False, timeout=60) as hub:
        hub.put("disableBackgroundTriggers").raise_for_status()
        try:
            yield
        finally:
            hub.put("enableBackgroundTriggers").raise_for_status()


def _serve() -> int:
    """Run `python -m rollcall dev` for this repository's app, with the data sets."""
    from rollcall.commands.app import find_app, require_app
    from rollcall.commands.dev import serve

    web.build()
    app = require_app(find_app(ROOT))
    return serve(app, project=PROJECT, prepare=seed_emulators)


def main() -> int:
    if sys.argv[1:] == ["seed"]:
        seed_emulators()
        return 0
    return _serve()


if __name__ == "__main__":
    problem.run(main)
