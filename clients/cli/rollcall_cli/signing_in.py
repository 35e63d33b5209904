"""Who uses the client: the one who signed in before, or the emulators' own user."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from rollcall_cli import settings
from rollcall_cli.callable import Functions
from rollcall_cli.http import CallError, Lost
from rollcall_cli.identity import User, emails, sign_in, sign_in_with_token, sign_up
from rollcall_cli.place import (
    DEFAULT_REGION,
    Place,
    emulators_of,
    named,
    prefix_named,
    wants_emulators,
)
from rollcall_cli.problem import Problem
from rollcall_cli.settings import Settings
from rollcall_cli.stored import Stored
from rollcall_cli.wording import error_text

DEMO_EMAIL, DEMO_PASSWORD = "demo@rollcall.example", "water-the-lemons"
"""The user of the sample data, on the emulators alone."""


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in user, and what can be reached as that user."""

    user: User
    functions: Functions
    stored: Stored


def start(env: Mapping[str, str], *, emulator: bool) -> Session:
    """Go on as who signed in; at the emulators, as their own user.

    Raises:
        Problem: Nobody is signed in.
        CallError: The sign-in is no longer good, or nobody answers.
    """
    if emulator or wants_emulators(env):
        place = emulators_of(env)
        return _session(place, _user_of_emulators(place, env))
    found = settings.load(settings.settings_file(env))
    if found is None:
        raise Problem("not_signed_in")
    return _session(found.place, User(found.place, refresh_token=found.refresh_token))


def login(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Sign in at a project, and keep that in the settings.

    Raises:
        Problem: Something is missing that cannot be asked for.
        CallError: The sign-in is refused, or nobody answers.
    """
    file = settings.settings_file(env)
    before = settings.load(file) if file.exists() and not options.anew else None
    project = named(
        options.project
        or env.get("ROLLCALL_PROJECT")
        or (before.project if before else None)
        or _asked("Project id")
    )
    region = named(
        options.region
        or env.get("ROLLCALL_REGION")
        or (before.region if before else None)
        or DEFAULT_REGION
    )
    api_key = (
        options.api_key
        or env.get("ROLLCALL_API_KEY")
        or (before.api_key if before else None)
        or _asked("Web API key (Firebase console, project settings)")
    )
    prefix = prefix_named(
        options.prefix or env.get("ROLLCALL_PREFIX") or (before.prefix if before else "")
    )
    place = Place.production(project=project, api_key=api_key, region=region, prefix=prefix)
    email, user = _signed_in(place, options, env)
    kept = Settings(
        project=project,
        region=region,
        api_key=api_key,
        refresh_token=user.refresh_token,
        email=email,
        prefix=prefix,
    )
    settings.save(file, kept)
    print(f"Signed in to {project} as {email or user.uid}. This is kept in {file}, for you alone.")
    return 0


def logout(env: Mapping[str, str]) -> int:
    """Forget who is signed in."""
    file = settings.settings_file(env)
    print("Signed out." if settings.forget(file) else "Nobody was signed in.")
    return 0


def _signed_in(
    place: Place, options: argparse.Namespace, env: Mapping[str, str]
) -> tuple[str | None, User]:
    if options.custom_token:
        token = env.get("ROLLCALL_CUSTOM_TOKEN") or _secret("Custom token")
        return None, sign_in_with_token(place, token)
    email = options.email or env.get("ROLLCALL_EMAIL") or _asked("E-mail address")
    password = env.get("ROLLCALL_PASSWORD") or _secret("Password")
    return email, sign_in(place, email=email, password=password)


def _user_of_emulators(place: Place, env: Mapping[str, str]) -> User:
    """The user that the environment names; otherwise that of the sample data, who is made on
    emulators of an app without them.

    Raises:
        CallError: There is no such user, with the users that there are; or nobody answers.
    """
    chosen = env.get("ROLLCALL_EMAIL")
    email, password = chosen or DEMO_EMAIL, env.get("ROLLCALL_PASSWORD") or DEMO_PASSWORD
    try:
        return sign_in(place, email=email, password=password)
    except Lost:
        raise  # which says by itself that they may not run
    except CallError as refused:
        told = refused
        if chosen and "EMAIL_NOT_FOUND" in refused.message:
            known = ", ".join(emails(place)) or "–"
            hint = error_text("no_user.hint", known=known, demo=DEMO_EMAIL, email=email)
            unknown = error_text("no_user", email=email)
            raise CallError("not-found", unknown, {"hint": hint}) from refused
        if not chosen:
            try:
                return sign_up(place, email=email, password=password)
            except CallError as failed:
                # Where there is such a user, the first answer says what is wrong.
                told = refused if "EMAIL_EXISTS" in failed.message else failed
        hint = error_text("tried_as", email=email)
        raise CallError(told.code, told.text, {"hint": hint}) from told


def _session(place: Place, user: User) -> Session:
    functions = Functions(
        place.functions_url, token=user.token, is_local=place.is_local, prefix=place.prefix
    )
    return Session(user, functions, Stored(place, user))


def _asked(what: str) -> str:
    if not sys.stdin.isatty():
        raise Problem("missing", what=what)
    try:
        return input(f"{what}: ").strip()
    except EOFError:
        print(file=sys.stderr)  # the line of the prompt
        raise Problem("missing", what=what) from None


def _secret(what: str) -> str:
    """What is typed without being shown, or the first line of a pipe."""
    try:
        said = getpass.getpass(f"{what}: ") if sys.stdin.isatty() else sys.stdin.readline()
    except EOFError:
        said = ""
    except UnicodeDecodeError:
        raise Problem("secret_not_utf_8", what=what) from None
    if not (secret := said.rstrip("\r\n")):
        raise Problem("secret_missing", what=what)
    return secret
