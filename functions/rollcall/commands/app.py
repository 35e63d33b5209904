"""The app that a command runs in: its folders, its codebase and what its packages declare."""

from __future__ import annotations

import ast
from collections.abc import Iterator, MutableMapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.catalog import Catalog
from rollcall.commands.environment import read_files
from rollcall.core import jsonc
from rollcall.core.errors import USAGE, Problem
from rollcall.core.options import DEFAULT_CODEBASE, codebase

if TYPE_CHECKING:
    from rollcall.agent.platform import Deployment
CONFIG = "firebase.json"
MAIN = "main.py"


class App(Struct, frozen=True, dict=True):
    """A Firebase app with Rollcall in its Python functions.

    Attributes:
        root: The folder of `firebase.json`; the functions folder itself where there is none.
        functions: The folder of the `main.py` that calls `bind`.
        codebase: As `firebase.json` names it.
        packs: As the call of `bind` names them; None where it names none.
        without: The groups of the engine's functions that it leaves out.
    """

    root: Path
    functions: Path
    codebase: str = DEFAULT_CODEBASE
    packs: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()

    @cached_property
    def catalog(self) -> Catalog:
        """What the app's packages declare.

        Raises:
            Problem: A package that `main.py` names is not there, or there is none at all.
        """
        try:
            return Catalog(str(self.functions), self.packs, without=self.without)
        except LookupError as error:
            raise Problem(f"{self.functions / MAIN}: {error}") from error

    @property
    def deployment(self) -> Deployment:
        """The platform that the app's functions are given."""
        return self.catalog.deployment

    def check_definitions(self) -> None:
        """See that what the app's packages declare can work.

        Raises:
            Problem: It cannot, for the reasons that it gives: each with its file, its line and
                what to write instead.
        """
        if problems := self.catalog.problems():
            raise Problem("\n\n".join(problems))

    @cached_property
    def config(self) -> dict[str, Any]:
        """The content of `firebase.json`; empty without one."""
        return read_config(self.root / CONFIG)

    def check_codebase(self) -> None:
        """Check that `ROLLCALL_CODEBASE` is the name in `firebase.json`, which marks what is
        published.

        Raises:
            Problem: They do not.
        """
        if codebase() != self.codebase:
            raise Problem(
                f"{self.root / CONFIG} calls this codebase {self.codebase!r}, and its functions "
                f"call it {codebase()!r}.\nWrite ROLLCALL_CODEBASE={self.codebase} into "
                f"{self.functions / '.env'}."
            )

    def load_environment(
        self, project: str, *, emulator: bool, env: MutableMapping[str, str]
    ) -> None:
        """Set the variables that the functions are given: those of `.env`, the project's own file
        and, on the emulators, `.env.local`. What the shell has set stays."""
        given = read_files(self.functions, project, emulator=emulator)
        for name, value in given.items():
            env.setdefault(name, value)


def find_app(start: Path | None = None) -> App | None:
    """Return the app that a folder is in, from any folder of it; None if there is none.

    Raises:
        Problem: A file cannot be read, or several codebases of the app have Rollcall.
    """
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            found = list(_apps(folder))
            inside = [app for app in found if start.is_relative_to(app.functions)]
            if len(inside or found) > 1:
                folders = " and ".join(str(app.functions) for app in found)
                raise Problem(
                    f"{folder / CONFIG} has Rollcall in {folders}: run this in one of them.",
                    exit_code=USAGE,
                )
            if inside or found:
                return (inside or found)[0]
    for folder in (start, *start.parents):
        if (call := _bind_call(folder / MAIN)) is not None:
            return App(folder, folder, codebase(), **_arguments(call, folder / MAIN))
    return None


def require_app(app: App | None) -> App:
    """Return the app, or raise a problem if there is none.

    Raises:
        Problem: There is none.
    """
    if app is None:
        raise Problem(
            f"{Path.cwd()} is in no app with Rollcall: no {CONFIG} here or above names a folder of "
            f"functions whose {MAIN} calls `bind(globals())`.\n"
            "Go to the app's folder, or make one with `python -m rollcall init`.",
            exit_code=USAGE,
        )
    return app


def read_config(path: Path) -> dict[str, Any]:
    """A `firebase.json` or an index file; as firebase-tools does, this takes comments.

    Raises:
        Problem: It is no JSON object, or cannot be read.
    """
    if not path.is_file():
        return {}
    config = jsonc.read(path)
    if not isinstance(config, dict):
        raise Problem(f"{path} holds no JSON object.")
    return config


def _apps(root: Path) -> Iterator[App]:
    """The codebases of a `firebase.json` that have Rollcall.

    Raises:
        Problem: It does not say where functions are, or a `main.py` cannot be read.
    """
    config = read_config(root / CONFIG).get("functions") or {}
    for each in config if isinstance(config, list) else [config]:
        if not isinstance(each, dict):
            raise Problem(f"{root / CONFIG}: functions is an object, or a list of them.")
        functions = (root / (each.get("source") or "functions")).resolve()
        if (call := _bind_call(functions / MAIN)) is not None:
            name = each.get("codebase") or DEFAULT_CODEBASE
            yield App(root, functions, name, **_arguments(call, functions / MAIN))


def bind_call(source: str | bytes) -> ast.Call | None:
    """The call of Rollcall's `bind` in the source of a `main.py`.

    Raises:
        SyntaxError: The source is not Python; ValueError for one with null bytes.
    """
    tree = ast.parse(source)
    names = {
        f"{alias.asname or alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "rollcall"
        for alias in node.names
        if alias.name == "bind"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {*names, "rollcall.bind"}:
            return node
    return None


def _bind_call(main: Path) -> ast.Call | None:
    """The same of a file, None where there is none.

    Raises:
        Problem: The file is not Python.
    """
    if not main.is_file():
        return None
    try:
        return bind_call(main.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise Problem(f"{main} cannot be read: {error}") from error


def _arguments(call: ast.Call, main: Path) -> dict[str, tuple[str, ...]]:
    """`packs` and `without` of a call of `bind`.

    Raises:
        Problem: One is not written out.
    """
    found = {}
    for keyword in call.keywords:
        try:
            value = ast.literal_eval(keyword.value)
        except ValueError:
            value = None
        if keyword.arg is None or not isinstance(value, list | tuple):
            raise Problem(
                f"{main}:{call.lineno}: {keyword.arg or '**'} of bind() must be a list of names "
                'written out here, such as packs=["capabilities"], since commands read it from '
                "the source."
            )
        found[keyword.arg] = tuple(value)
    return found
