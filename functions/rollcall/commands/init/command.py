"""`init`: shows what it changes in an app, asks, and writes it."""

from __future__ import annotations

import argparse
import difflib
import itertools
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rollcall.commands.init import app_code
from rollcall.commands.init.files import Change, write
from rollcall.commands.init.firebase_json import FILE
from rollcall.commands.init.plan import Plan
from rollcall.commands.init.web_app import shipped_files
from rollcall.commands.init.wheel import installed_wheel
from rollcall.commands.output import quantity
from rollcall.commands.rules import platform
from rollcall.core.errors import USAGE, Problem
from rollcall.core.options import PREFIX
from rollcall.models.provider import providers

_MAX_LINES = 12
_WEB_QUESTION = "Add the web app too, a page to chat that Firebase Hosting serves?"


def run(options: argparse.Namespace) -> int:
    """Make an app, or add Rollcall to one; see the parser for the options.

    Raises:
        Problem: It cannot be done; nothing is written then.
    """
    if options.prefix is not None and not re.fullmatch(PREFIX, options.prefix):
        raise Problem(
            f"--prefix {options.prefix!r}: a lower-case letter, then up to 15 lower-case letters "
            'and digits, such as "rc".',
            exit_code=USAGE,
        )
    root = choose_root(options.dir, Path.cwd())
    asks = not options.yes and sys.stdin.isatty()
    try:
        wheel = installed_wheel()
        plan = Plan(root, wheel, platform, options.prefix, options.web)
        may_add = asks and plan.web is None and not plan.is_update
        if may_add and shipped_files(wheel.content) and _answers_yes(_WEB_QUESTION):
            plan = Plan(root, wheel, platform, options.prefix, "")
    except (Problem, OSError) as error:
        raise Problem(f"{error}\n\nNothing was changed in {root}.") from error
    print(f"{'App' if (root / FILE).is_file() else 'New app'}: {root}")
    for note in plan.notes:
        print(f"Note: {note}")
    if not plan.changes:
        print("Nothing to change.")
        return 0
    shown = show(plan.changes, plan.web)
    if not options.yes:
        print(shown)
        count = len(plan.changes)
        if not sys.stdin.isatty():
            print(f"\nNothing was written. Add --yes to write these {count} files.")
            return USAGE
        if not _answers_yes(f"\nWrite these {count} files?"):
            print("Nothing was written.")
            return USAGE
    write(root, plan.changes)
    if options.yes:  # afterwards, so that a reader who leaves, as `head` does, keeps nothing back
        print(shown)
    print("Written.\n")
    if not plan.is_update:
        keys = " or ".join(provider.keys[-1] for provider in providers())
        print(
            f"Without a model the offline planner answers. {keys}\n"
            f"in {plan.codebase.folder}/.env.local, which is not committed, sets one for the "
            "emulators. GEMINI_BACKEND=vertex\nneeds no key, sends what users write to Vertex AI "
            "in your project, and costs it money.\n"
        )
    print(f"Next:\n{_next_steps(plan)}")
    return 0


def choose_root(folder: str | None, current: Path) -> Path:
    """Return the app's folder: the named one, else this one or the one above it with a
    firebase.json.

    Raises:
        Problem: The name is of a file.
    """
    if folder is not None:
        root = (current / folder).resolve()
        if root.exists() and not root.is_dir():
            raise Problem(f"{root} is a file; name the app's folder.", exit_code=USAGE)
        return root
    if any(current.iterdir()):
        for above in (current, *current.parents):
            if (above / FILE).is_file():
                return above
    return current


def show(changes: Sequence[Change], web: str | None = None) -> str:
    """The changes for a person: new files by name and length, others as a diff; those of the web
    app, in the folder `web`, by their number."""
    parts = []
    built = [each for each in changes if web is not None and each.path.startswith(f"{web}/")]
    if built:
        new = sum(change.old is None for change in built)
        gone = sum(change.new is None for change in built)
        parts.append(
            f"web app  {web}/ ({new} files new, {len(built) - new - gone} changed, {gone} deleted)"
        )
    for change in changes:
        if change in built:
            continue
        if change.new is None:
            parts.append(f"deleted  {change.path}")
        elif change.old is None:
            parts.append(f"new      {change.path} ({_length(change.new)})")
        else:
            parts.append(f"changed  {change.path}\n{_difference(change)}")
    return "\n".join(parts)


def _difference(change: Change) -> str:
    """A unified diff; of many lines in a row that are added or removed, the first and how many."""
    lines = difflib.unified_diff(
        (change.old or b"").decode(errors="replace").splitlines(),
        (change.new or b"").decode(errors="replace").splitlines(),
        lineterm="",
        n=2,
    )
    shown: list[str] = []
    for sign, run in itertools.groupby([*lines][2:], key=lambda line: line[:1]):
        block = [*run]
        hidden = len(block) - _MAX_LINES if sign in "+-" else 0
        if hidden > 1:
            block = [*block[:_MAX_LINES], f"{sign} ... and {hidden} more lines"]
        shown += block
    return "\n".join(f"    {line}" for line in shown)


def _length(content: bytes) -> str:
    if b"\0" in content:
        return f"{len(content) / 1000:.0f} kB"
    return quantity(len(content.splitlines()), "line", "lines")


def _answers_yes(question: str) -> bool:
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def _next_steps(plan: Plan) -> str:
    steps = []
    for codebase in (plan.codebase, *plan.codebase.parts):
        folder = codebase.folder
        python = shlex.quote(f"{folder}/venv/bin/python")
        install = f"{python} -m pip install -r {shlex.quote(f'{folder}/requirements.txt')}"
        if not (plan.root / folder / "venv").exists():
            install = f"{codebase.python} -m venv {shlex.quote(f'{folder}/venv')} && {install}"
        steps.append(install)
    if not plan.is_update:
        python = shlex.quote(f"{plan.codebase.folder}/venv/bin/python")
        steps.append(f"{python} -m rollcall dev")
        steps.append(f"{python} -m rollcall ask {shlex.quote(app_code.QUESTION)}")
    if plan.root != Path.cwd():
        steps.insert(0, f"cd {shlex.quote(str(plan.root))}")
    return "\n".join(f"  {step}" for step in steps)
