"""What a command runs in: the app with its folders, codebase and variables, and the project."""

from __future__ import annotations

import ast
import re
import socket
from collections import Counter
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rollcall.catalog import Catalog
from rollcall.core.definition import close, decoded, read_text, shown_path
from rollcall.core.errors import USAGE, Problem
from rollcall.core.options import DEFAULT_CODEBASE, FUNCTION_REGION, codebase, prefix, project_id
from rollcall.emulators.addresses import (
    Configuration,
    default_database,
    default_project,
    read_firebase_json,
)
from rollcall.store.client import database

if TYPE_CHECKING:
    from google.cloud.firestore import Client

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
        runtime: As `firebase.json` names it; None without one.
        region: As `set_global_options` of `main.py` names it; None where it names none.
    """

    root: Path
    functions: Path
    codebase: str = DEFAULT_CODEBASE
    packs: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    runtime: str | None = None
    region: str | None = None

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

    def definition_problems(self) -> list[str]:
        """What is wrong with what the app's packages declare, by itself or beside the functions of
        `main.py`: each with its file, its line and what to write instead."""
        problems = self.catalog.problems()
        if not problems:
            file = self.functions / MAIN
            deployed = self.catalog.function_triggers()
            for node in Main(file.read_bytes(), file).functions():
                if node.name in deployed:
                    place = f"{shown_path(file)}:{node.lineno}"
                    problems.append(self.catalog.clash(node.name, place))
        return problems

    def check_definitions(self) -> None:
        """See that there are no `definition_problems`.

        Raises:
            Problem: There are.
        """
        if problems := self.definition_problems():
            raise Problem("\n\n".join(problems))

    @cached_property
    def config(self) -> dict[str, Any]:
        """The content of `firebase.json`; empty without one."""
        file = self.root / CONFIG
        return read_firebase_json(file) if file.is_file() else {}

    @property
    def firestore_files(self) -> tuple[Path, Path]:
        """The files of the rules and of the indexes of the database (default)."""
        config = default_database(self.config)
        rules = config.get("rules") or "firestore.rules"
        return self.root / rules, self.root / (config.get("indexes") or "firestore.indexes.json")

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
        and, on the emulators, `.env.local`. What the shell has set stays.

        Raises:
            Problem: A file is not in UTF-8, or ROLLCALL_PREFIX cannot be a prefix.
        """
        given = read_files(self.functions, project, emulator=emulator)
        if self.region is not None:
            given.setdefault(FUNCTION_REGION, self.region)
        for name, value in given.items():
            env.setdefault(name, value)
        try:
            prefix(env)
        except ValueError as error:
            raise Problem(f"{error} (see {self.functions / '.env'})") from error


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
        if (app := _bound_app(folder, folder, codebase())) is not None:
            return app
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


def _apps(root: Path) -> Iterator[App]:
    """The codebases of a `firebase.json` that have Rollcall.

    Raises:
        Problem: The file, or a `main.py`, cannot be read.
    """
    config = read_firebase_json(root / CONFIG).get("functions") or {}
    for each in config if isinstance(config, list) else [config]:
        functions = (root / (each.get("source") or "functions")).resolve()
        name = each.get("codebase") or DEFAULT_CODEBASE
        if (app := _bound_app(root, functions, name, each.get("runtime"))) is not None:
            yield app


def _bound_app(
    root: Path, functions: Path, codebase: str, runtime: str | None = None
) -> App | None:
    """The app whose functions are in a folder; None where its `main.py` does not bind Rollcall.

    Raises:
        Problem: The file is not Python, or an argument is not written out.
    """
    file = functions / MAIN
    if not file.is_file():
        return None
    source = file.read_bytes()
    try:
        main = Main(source, file)
    except SyntaxError as error:
        if "'utf-8' codec" in str(error):  # a file may declare another encoding
            decoded(source, file)  # which names the line and the byte
        raise Problem(f"{file} cannot be read: {error}") from error
    if (bound := main.bind_arguments()) is None:
        return None
    return App(root, functions, codebase, runtime=runtime, region=main.region(), **bound)


class Main:
    """A codebase's `main.py`, read without running it.

    Args:
        source: Bytes, since text would have to be without a byte order mark.
        path: As messages name it.

    Raises:
        SyntaxError: It is not Python.
    """

    def __init__(self, source: bytes, path: str | Path) -> None:
        self._path = path
        if b"\0" in source:  # `ast` says so without a line, and until Python 3.12 otherwise
            line = source[: source.index(b"\0")].count(b"\n") + 1
            raise SyntaxError("there is a null byte", (Path(path).name, line, None, None))
        self._tree = ast.parse(source)

    def bind_arguments(self) -> dict[str, tuple[str, ...]] | None:
        """`packs` and `without` of the call of Rollcall's `bind`; None where there is no call.

        Raises:
            Problem: One is not written out, or `bind` takes none of that name.
        """
        names = {"rollcall.bind", *self._imported("rollcall", "bind")}
        calls = (node for node in ast.walk(self._tree) if isinstance(node, ast.Call))
        call = next((each for each in calls if ast.unparse(each.func) in names), None)
        if call is None:
            return None
        place = f"{self._path}:{call.lineno}"
        found = {}
        for keyword in call.keywords:
            if keyword.arg not in (None, "packs", "without"):
                unknown = f"{keyword.arg}{close(str(keyword.arg), ('packs', 'without'))}"
                raise Problem(f"{place}: bind() takes packs and without, no {unknown}.")
            try:
                value = ast.literal_eval(keyword.value)
            except ValueError:
                value = None
            is_list = isinstance(value, list | tuple) and all(isinstance(x, str) for x in value)
            if keyword.arg is None or not is_list:
                raise Problem(
                    f"{place}: {keyword.arg or '**'} of bind() must be a list of names written out "
                    'here, such as packs=["capabilities"], since commands read it from the source.'
                )
            found[keyword.arg] = tuple(value or ())
        return found

    def region(self) -> str | None:
        """The region that `set_global_options` is given, as a text, a constant of this file or a
        `SupportedRegion`, of a list the first; None without one, or where only running the code
        would tell."""
        name = "set_global_options"
        names = {name, *self._imported("firebase_functions.options", name)}
        written = (each for each in ast.walk(self._tree) if isinstance(each, ast.Name))
        times_set = Counter(each.id for each in written if isinstance(each.ctx, ast.Store))
        constants = {  # set once, and so not under a condition alone
            target.id: node.value
            for node in self._tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and times_set[target.id] == 1
        }
        region = None
        for node in self._tree.body:
            if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
                continue
            called = ast.unparse(node.value.func)
            if called not in names and not called.endswith(f".{name}"):
                continue
            # Each call takes the place of all that an earlier one set.
            value = next((each.value for each in node.value.keywords if each.arg == "region"), None)
            value = constants.get(ast.unparse(value), value) if value else None
            if isinstance(value, ast.List) and value.elts:
                value = constants.get(ast.unparse(value.elts[0]), value.elts[0])
            named = re.search(r"\bSupportedRegion\.(\w+)$", ast.unparse(value)) if value else None
            region = named[1].lower().replace("_", "-") if named else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                region = value.value
        return region

    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """The functions that it defines."""
        found = _statements(self._tree.body)
        return [each for each in found if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]

    def names(self) -> dict[str, int]:
        """The names that it defines or imports, and the line of each."""
        found: dict[str, int] = {}
        for node in _statements(self._tree.body):
            for name in _targets(node):
                found.setdefault(name, node.lineno)
        return found

    def _imported(self, module: str, name: str) -> set[str]:
        """What the source calls a name that it imports from a module."""
        return {
            alias.asname or alias.name
            for node in ast.walk(self._tree)
            if isinstance(node, ast.ImportFrom) and node.module == module
            for alias in node.names
            if alias.name == name
        }


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run at import, those in `if`, `try` and `except` too."""
    for node in body:
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, part, ()))
            for handler in getattr(node, "handlers", ()):
                yield from _statements(handler.body)


def _targets(node: ast.stmt) -> list[str]:
    """The names that a statement gives something to."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        found = (name for target in targets for name in ast.walk(target))
        return [each.id for each in found if isinstance(each, ast.Name)]
    return []


_LINE = re.compile(
    r"\s*(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*="
    r"\s*(?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<bare>[^#\n]*?))\s*(?:#.*)?"
)


def read_files(functions: Path, project: str, *, emulator: bool) -> dict[str, str]:
    """Read `.env`, the project's own file and, on the emulators, `.env.local`; later ones win."""
    given: dict[str, str] = {}
    for name in (".env", f".env.{project}", *([".env.local"] if emulator else [])):
        path = functions / name
        if path.is_file():
            given |= parse_variables(read_text(path))
    return given


def parse_variables(text: str) -> dict[str, str]:
    """Return the variables of a dotenv file; a value over several lines is cut at the first."""
    found = {}
    for line in text.removeprefix("\ufeff").splitlines():
        if match := _LINE.fullmatch(line):
            values = (match["single"], match["double"], match["bare"])
            found[match["name"]] = next(value for value in values if value is not None)
    return found


_FIRESTORE = "FIRESTORE_EMULATOR_HOST"
_AUTH = "FIREBASE_AUTH_EMULATOR_HOST"
_PROJECT = "GCLOUD_PROJECT"
_DEMO = "demo-"
"""Projects of this name are the emulators' alone."""


class Place(Struct, frozen=True):
    """A project at the emulator (`host:port`), or in production, and the app that the command was
    run in, where it was run in one."""

    project: str
    emulator: str | None
    app: App | None = None

    def __str__(self) -> str:
        where = f"the emulator at {self.emulator}" if self.emulator else "production"
        return f"project {self.project} · {where}"


def choose(project: str | None, env: MutableMapping[str, str], app: App | None = None) -> Place:
    """Choose the project, and set the environment for clients with the variables of the app's
    functions.

    The emulator that `FIRESTORE_EMULATOR_HOST` names comes first, then the real project that is
    named, then the app's emulators where they are running.

    Raises:
        Problem: None of these is to be had.
    """
    named = project or project_id(env)
    is_real = bool(named) and not str(named).startswith(_DEMO)
    if _FIRESTORE not in env and not is_real and not find_emulators(app, env):
        nowhere = f"\n({Path.cwd()} is in no app with Rollcall, whose emulators would be found.)"
        raise Problem(
            "Which project? Name it with --project my-project or in GCLOUD_PROJECT. For the "
            "emulators,\nstart them (`python -m rollcall dev`), or set FIRESTORE_EMULATOR_HOST."
            f"{'' if app else nowhere}",
            exit_code=USAGE,
        )
    chosen = named or default_project(app.root if app else Path.cwd())
    env[_PROJECT] = chosen
    emulator = env.get(_FIRESTORE)
    if app is not None:
        app.load_environment(chosen, emulator=emulator is not None, env=env)
    return Place(chosen, emulator, app)


def connect(place: Place) -> Client:
    """Return the Firestore client.

    Raises:
        Problem: Nothing answers where the emulator should be, or there are no credentials for a
            real project.
    """
    from google.auth.exceptions import DefaultCredentialsError

    if place.emulator is not None and not _listens(place.emulator):
        raise Problem(
            f"No emulator answers at {place.emulator!r}, which {_FIRESTORE} names as host:port.\n"
            f"Start it (`python -m rollcall dev`), or unset {_FIRESTORE} and name a project."
        )
    try:
        return database()
    except DefaultCredentialsError:
        raise Problem(
            f"There are no credentials for the project {place.project}, so nothing was read or "
            "written.\nSign in with `gcloud auth application-default login` and repeat this. For "
            "the emulator, set\nFIRESTORE_EMULATOR_HOST. (After a deploy the scheduled function "
            "sync_registry publishes the\nregistry too, once a day.)"
        ) from None


def find_emulators(app: App | None, env: MutableMapping[str, str]) -> bool:
    """Use the app's own emulators where they are running; say whether they are."""
    if app is None or not app.config:
        return False
    found = Configuration(app.root).addresses().environment()
    if not _listens(found[_FIRESTORE]):
        return False
    for name in (_FIRESTORE, _AUTH):
        if _listens(found[name]):
            env[name] = found[name]
    return True


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return True
    except (OSError, ValueError, OverflowError):  # the last two: it has no port, or none there is
        return False
