"""The operator's command; `python -m rollcall sync` publishes what code declares."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from rollcall.commands.app import find_app
from rollcall.commands.parser import parse
from rollcall.commands.place import Place, choose
from rollcall.core.errors import FAILED, Problem


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run one subcommand, and return the exit code."""
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError

    from rollcall.core.errors import AgentError

    options = parse(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # one that cannot hold Hebrew shows it as \u05d0
            stream.reconfigure(errors="backslashreplace")
    try:
        if options.is_local:  # it reads and writes files, and needs no project
            return int(options.run(options))
        place = choose(options.project, os.environ, find_app())
        code = int(options.run(place, options))
        sys.stdout.flush()  # here, where a reader who has left is known
        return code
    except Problem as problem:
        print(problem, file=sys.stderr)
        return problem.exit_code
    except AgentError as error:
        print(error.message, error.hint or "", sep="\n", file=sys.stderr)
        return FAILED
    except (GoogleAPIError, GoogleAuthError) as error:
        print(_refusal(place, error), file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever reads has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _refusal(place: Place, error: Exception) -> str:
    """What Google's libraries say, in one line and with what to look at."""
    words = " ".join(str(error).split())[:500]
    return f"Firestore did not do it ({place}): {words}\n`registry doctor` looks for the reason."


def _quieten() -> None:
    """Keep warnings off the screen: what they say of the registry, commands print themselves."""
    handler = logging.StreamHandler()
    handler.setLevel(logging.ERROR)
    logging.getLogger("rollcall").addHandler(handler)


if __name__ == "__main__":
    _quieten()
    sys.exit(main())
