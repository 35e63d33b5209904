"""The environment of a command: a few harmless variables, and no secrets of the user's shell."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

_LOCALE = (
    *("LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT"),
    *("LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME"),
)
"""By name: ssh passes on whatever begins with LC_, so people keep secrets in such variables."""
PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", *_LOCALE)
"""Passed on as they are."""

_GIT_CONFIG = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "safe.bareRepository": "explicit",
}
"""Programs that git would run by itself are switched off, and folders that only look like a
repository are none."""
PLAIN_GIT = (
    'git() { case "$1" in diff|log|show) rollcall_git=$1; shift; '
    'command git "$rollcall_git" --no-ext-diff --no-textconv "$@";; *) command git "$@";; esac; }; '
)
"""Before each command, on its first line: no variable switches external diffs off."""

SET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PYTHONUNBUFFERED": "1",
    "GIT_CONFIG_COUNT": str(len(_GIT_CONFIG)),
    **{f"GIT_CONFIG_KEY_{at}": key for at, key in enumerate(_GIT_CONFIG)},
    **{f"GIT_CONFIG_VALUE_{at}": value for at, value in enumerate(_GIT_CONFIG.values())},
}


def environment_for_commands(
    inherited: Mapping[str, str], allowed: Collection[str] = ()
) -> dict[str, str]:
    """What a command gets of an environment.

    Tokens, cloud credentials, the SSH agent and the session bus are among what it does not get.
    Of PATH, entries that are not absolute are left out: they would mean the workspace's files.

    Args:
        allowed: Names of variables that the user lets commands have too.
    """
    names = {*PASSED, *allowed}
    passed = {name: value for name, value in inherited.items() if name in names}
    entries = passed.get("PATH", os.defpath).split(os.pathsep)
    passed["PATH"] = os.pathsep.join(entry for entry in entries if entry.startswith("/"))
    return {**passed, **{name: value for name, value in SET.items() if name not in allowed}}
