"""What a command gets of this process: a few environment variables, and no look into its memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping

_LOCALE = (
    *("LC_ALL", "LC_ADDRESS", "LC_COLLATE", "LC_CTYPE", "LC_IDENTIFICATION", "LC_MEASUREMENT"),
    *("LC_MESSAGES", "LC_MONETARY", "LC_NAME", "LC_NUMERIC", "LC_PAPER", "LC_TELEPHONE", "LC_TIME"),
)
"""Listed by name: ssh passes on whatever begins with LC_, so people put secrets there."""
INHERITED = (
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    *_LOCALE,
)
"""Variables that are passed on unchanged."""

_GIT_CONFIG = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "safe.bareRepository": "explicit",
}
"""Programs that git would run by itself are switched off, and folders that only look like a
repository are none."""
GIT_FUNCTION = (
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
_DUMPABLE = 4  # PR_SET_DUMPABLE


def environment_for_commands(
    inherited: Mapping[str, str], allowed: Collection[str] = ()
) -> dict[str, str]:
    """Filter an environment for a command.

    Tokens, cloud credentials, the SSH agent and the session bus are among what is removed. Relative
    entries of PATH are removed too: they would run files of the workspace.

    Args:
        allowed: Names of variables that the user lets commands have too.
    """
    names = {*INHERITED, *allowed}
    passed = {name: value for name, value in inherited.items() if name in names}
    entries = passed.get("PATH", os.defpath).split(os.pathsep)
    passed["PATH"] = os.pathsep.join(entry for entry in entries if entry.startswith("/"))
    return {**passed, **{name: value for name, value in SET.items() if name not in allowed}}


def hide_process() -> None:
    """Keep other processes of the same user from reading this one's memory and environment.

    A command does not inherit the client's environment, but on Linux it could read it in /proc, and
    the sign-in in the client's memory with a debugger. After this call only root can. On other
    systems it does nothing: macOS asks for the user's password before a process may read another.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)
