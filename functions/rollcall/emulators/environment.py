"""The virtual environment of Python functions, as firebase-tools looks for it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rollcall.core.problem import Problem


def check(functions: Path, runtime: str | None) -> None:
    """See that firebase-tools will run the functions in `functions` with their own packages: it
    runs `python3.12`, for the runtime "python312" of firebase.json, in `venv/` beside main.py.

    Raises:
        Problem: There is no such environment, or packages are missing in it.
    """
    venv = functions / "venv"
    install = f"{venv}/bin/pip install -r {functions}/requirements.txt"
    if not (venv / "bin" / "python").exists():
        own = Path(sys.prefix)
        other = sys.prefix != sys.base_prefix and f"\nOr link this one: ln -s {own} {venv}"
        raise Problem(
            f"firebase-tools runs Python functions with {venv}, which is not there. Make it:\n"
            f"python3 -m venv {venv} && {install}{other or ''}"
        )
    for package in ("firebase_functions", "rollcall"):
        installed = any(venv.glob(f"lib/python*/site-packages/{package}"))
        if not (installed or (functions / package).is_dir()):
            raise Problem(f"{venv} has no {package}. Install what the functions need:\n{install}")
    name_as_runtime(venv, runtime)


def name_as_runtime(venv: Path, runtime: str | None) -> None:
    """Let firebase-tools find the interpreter of `venv` under its runtime's name: it looks for
    "python3.11" when firebase.json says "python311", and runs whatever that is.

    Raises:
        Problem: firebase.json names no runtime of Python's.
    """
    named = re.fullmatch(r"python(\d)(\d+)", runtime or "")
    if named is None:
        here = "python{}{}".format(*sys.version_info[:2])
        raise Problem(
            f"firebase.json gives the functions in {venv.parent} the runtime {runtime!r}.\n"
            f'Name the one that they are deployed to: "runtime": "{here}"'
        )
    alias = venv / "bin" / f"python{named[1]}.{named[2]}"
    if not alias.exists():
        alias.symlink_to("python")
