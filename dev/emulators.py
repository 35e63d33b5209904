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


def current() -> Addresses:
    """The addresses under the PORT_OFFSET of this environment."""
    return Configuration(ROOT).addresses(PROJECT)


@contextlib.contextmanager
def running(
    only: tuple[str, ...] = NEEDED, *, seed: bool = False, many_projects: bool = False
) -> Iterator[Suite]:
    """Start the emulators, point this process and its children at them, stop them.

    Args:
        only: The emulators to start.
        seed: Whether to fill Firestore with the data sets of `seed/`.
        many_projects: Whether projects beside the usual one will be made by the hundred. They have
            no rules, which the emulator would compile for each of them, in 0.1 s.
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
            seed_running()
        yield suite


def _set_rules(at: Addresses, rules: str) -> None:
    """Give the usual project these rules."""
    url = f"http://{at.firestore}/emulator/v1/projects/{at.project}:securityRules"
    body = {"rules": {"files": [{"name": "firestore.rules", "content": rules}]}}
    httpx2.put(url, json=body, trust_env=False, timeout=60).raise_for_status()


def seed_running() -> None:
    """Fill the emulators of this environment's addresses with the data sets."""
    at = current()
    with triggers_off(at):
        commands.run(
            [PYTHON, "-m", "seed"],
            env={**os.environ, **at.environment()},
            failing="The data sets could not be loaded.",
        )


@contextlib.contextmanager
def triggers_off(at: Addresses) -> Iterator[None]:
    """Start no function for what is written meanwhile: the data sets need none, and the emulator
    would be busy with hundreds of them while the first questions are asked."""
    with httpx2.Client(base_url=f"http://{at.hub}/functions/", trust_env=False, timeout=60) as hub:
        hub.put("disableBackgroundTriggers").raise_for_status()
        try:
            yield
        finally:
            hub.put("enableBackgroundTriggers").raise_for_status()


def _serve() -> int:
    """What `python -m rollcall dev` does for any app, with the data sets."""
    from rollcall.commands.app import find_app, require_app
    from rollcall.commands.dev import serve

    web.build()
    app = require_app(find_app(ROOT))
    return serve(app, project=PROJECT, prepare=seed_running)


def main() -> int:
    if sys.argv[1:] == ["seed"]:
        seed_running()
        return 0
    return _serve()


if __name__ == "__main__":
    problem.run(main)
