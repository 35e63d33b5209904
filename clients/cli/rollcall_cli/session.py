"""The signed-in user: signing in and out, and starting a session."""

from __future__ import annotations

import argparse
import getpass
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from rollcall_cli import settings
from rollcall_cli.approvals import prompt
from rollcall_cli.console import tidy
from rollcall_cli.deployment import (
    DEFAULT_REGION,
    Deployment,
    check_name,
    check_prefix,
    emulators_from_env,
    wants_emulators,
)
from rollcall_cli.functions import Functions
from rollcall_cli.http import CallError, ConnectionLost
from rollcall_cli.identity import User, emails, sign_in, sign_in_with_token, sign_up
from rollcall_cli.problem import Problem
from rollcall_cli.screen import Screen
from rollcall_cli.settings import Settings
from rollcall_cli.store import Store
from rollcall_cli.wording import Message, error_text, language_in, text_in

DEMO_EMAIL, DEMO_PASSWORD = "demo@rollcall.example", "water-the-lemons"
"""The user of the sample data, on the emulators alone."""


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in user, with the functions and documents that this user can access."""

    user: User
    functions: Functions
    store: Store


def start_session(env: Mapping[str, str], *, emulator: bool) -> Session:
    """Start a session for the signed-in user, or on emulators for their sample user.

    Raises:
        Problem: Nobody is signed in.
        CallError: The sign-in is no longer good, or nobody answers.
    """
    if emulator or wants_emulators(env):
        deployment = emulators_from_env(env)
        return _session(deployment, _user_of_emulators(deployment, env))
    found = settings.load(settings.settings_file(env))
    if found is None:
        raise Problem("not_signed_in")
    return _session(found.deployment, User(found.deployment, refresh_token=found.refresh_token))


def login(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Sign in to a project, and save that in the settings.

    Raises:
        Problem: Something is missing that cannot be asked for.
        CallError: The sign-in is refused, or nobody answers.
    """
    file = settings.settings_file(env)
    before = settings.load(file) if file.exists() and not options.anew else None
    project = check_name(
        options.project
        or env.get("ROLLCALL_PROJECT")
        or (before.project if before else None)
        or _ask("project", env)
    )
    region = check_name(
        options.region
        or env.get("ROLLCALL_REGION")
        or (before.region if before else None)
        or DEFAULT_REGION
    )
    api_key = (
        options.api_key
        or env.get("ROLLCALL_API_KEY")
        or (before.api_key if before else None)
        or _ask("api_key", env)
    )
    prefix = check_prefix(
        options.prefix or env.get("ROLLCALL_PREFIX") or (before.prefix if before else "")
    )
    deployment = Deployment.production(
        project=project, api_key=api_key, region=region, prefix=prefix
    )
    email, user = _sign_in_as(deployment, options, env)
    kept = Settings(
        project=project,
        region=region,
        api_key=api_key,
        refresh_token=user.refresh_token,
        email=email,
        prefix=prefix,
    )
    settings.save(file, kept)
    language, name = language_in(env), email or user.uid
    print(tidy(text_in(language, "signed_in", project=project, user=name, file=file)))
    return 0


def logout(env: Mapping[str, str]) -> int:
    """Forget who is signed in."""
    file = settings.settings_file(env)
    key = "signed_out" if settings.forget(file) else "nobody_signed_in"
    print(text_in(language_in(env), key))
    return 0


def _sign_in_as(
    deployment: Deployment, options: argparse.Namespace, env: Mapping[str, str]
) -> tuple[str | None, User]:
    if options.custom_token:
        token = env.get("ROLLCALL_CUSTOM_TOKEN") or _secret("token", env)
        return None, sign_in_with_token(deployment, token)
    email = options.email or env.get("ROLLCALL_EMAIL") or _ask("email", env)
    password = env.get("ROLLCALL_PASSWORD") or _secret("password", env)
    return email, sign_in(deployment, email=email, password=password)


def _user_of_emulators(deployment: Deployment, env: Mapping[str, str]) -> User:
    """Sign in the user that the environment names, otherwise that of the sample data, which is
    created on emulators that lack it.

    Raises:
        CallError: There is no such user, with the users that there are; or nobody answers.
    """
    chosen = env.get("ROLLCALL_EMAIL")
    email, password = chosen or DEMO_EMAIL, env.get("ROLLCALL_PASSWORD") or DEMO_PASSWORD
    try:
        return sign_in(deployment, email=email, password=password)
    except ConnectionLost:
        raise  # which says by itself that they may not run
    except CallError as refused:
        told = refused
        if chosen and "EMAIL_NOT_FOUND" in refused.message:
            known = ", ".join(emails(deployment)) or "–"
            hint = error_text("no_user.hint", known=known, demo=DEMO_EMAIL, email=email)
            unknown = error_text("no_user", email=email)
            raise CallError("not-found", unknown, {"hint": hint}) from refused
        if not chosen:
            try:
                return sign_up(deployment, email=email, password=password)
            except CallError as failed:
                # Where there is such a user, the first answer says what is wrong.
                told = refused if "EMAIL_EXISTS" in failed.message else failed
        hint = error_text("tried_as", email=email)
        raise CallError(told.code, told.text, {"hint": hint}) from told


def _session(deployment: Deployment, user: User) -> Session:
    functions = Functions(
        deployment.functions_url,
        token=user.token,
        is_local=deployment.is_local,
        prefix=deployment.prefix,
    )
    return Session(user, functions, Store(deployment, user))


def _ask(name: str, env: Mapping[str, str]) -> str:
    what = Message(f"sign_in.{name}", {})
    if not sys.stdin.isatty():
        raise Problem("missing", what=what)
    try:
        return input(_prompt(what, env)).strip()
    except EOFError:
        print(file=sys.stderr)  # the line of the prompt
        raise Problem("missing", what=what) from None


def _secret(name: str, env: Mapping[str, str]) -> str:
    """A secret from the keyboard, without echo, or the first line of a pipe."""
    what = Message(f"sign_in.{name}", {})
    try:
        is_typed = sys.stdin.isatty()
        said = getpass.getpass(_prompt(what, env)) if is_typed else sys.stdin.readline()
    except EOFError:
        said = ""
    except UnicodeDecodeError:
        raise Problem("secret_not_utf_8", what=what) from None
    if not (secret := said.rstrip("\r\n")):
        raise Problem("secret_missing", what=what)
    return secret


def _prompt(what: Message, env: Mapping[str, str]) -> str:
    return prompt(Screen(env=env), what.say(language_in(env)))
