"""The catalog of an app: finds what its packages declare, and binds it as Cloud Functions.

A process of a deployed function serves one target, so only the module that defines it is imported:
the one whose source has the line `def <target>(`. Discovery, which has no target, imports all
modules, and checks that each function it binds can be found by that line.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rollcall.core import tracing
from rollcall.core.capability import Capability, is_capability
from rollcall.core.errors import NotFound
from rollcall.core.logs import write_logs
from rollcall.core.options import (
    check_instances,
    function_name,
    lease_s,
    on_emulator,
    prefix,
    queue_name,
    use_region_of,
)
from rollcall.core.triggers import OnCall, OnRequest, OnTask, Trigger, trigger_of

if TYPE_CHECKING:
    from rollcall.agent.platform import Deployment
    from rollcall.core.profile import AgentProfile
    from rollcall.core.user_data import UserData

DEFAULT_PACKAGES = ("packs", "capabilities")
"""The packages of an app that names none, beside its `main.py`."""

Source = tuple[str, str]
"""A module's file and name. Plain strings, since every process looks through all modules at its
start, and `Path` is slow."""

WRONG_DEFINITIONS = "definitions are wrong:"
"""The first line of discovery's error; the problems follow."""

_ENGINE = "rollcall.endpoints"
OPTIONAL = {
    "engine": ("rollcall.endpoints",),
    "agui": ("rollcall.endpoints.agui",),
    "files": ("rollcall.endpoints.knowledge",),
    "ratings": ("rollcall.endpoints.rate_message",),
    "usage": ("rollcall.endpoints.usage",),
}
"""The groups of the engine's functions that an app can leave out, with their modules. "engine" has
all: a second codebase of a project leaves it out and declares capabilities only."""


class Catalog:
    """The capabilities, agents, user data and functions that the packages of one app declare.

    Args:
        folder: The app's functions folder, where `main.py` is.
        packages: Names of the packages that declare capabilities, agents and triggers; by default
            those of `DEFAULT_PACKAGES` that exist.
        without: Groups of the engine's functions that are left out; see `OPTIONAL`.
    Raises:
        LookupError: A package or a group does not exist.
    """

    def __init__(
        self,
        folder: str,
        packages: Collection[str] | None = None,
        *,
        without: Collection[str] = (),
    ) -> None:
        self.folder = folder
        for option, names in (("packs", packages), ("without", without)):
            if isinstance(names, str):
                raise LookupError(f"{option}={names!r} is a text: write a list, [{names!r}]")
        if unknown := sorted(set(without) - OPTIONAL.keys()):
            raise LookupError(
                f"without={unknown}: the groups that can be left out are {', '.join(OPTIONAL)}"
            )
        self._left_out = {module for group in without for module in OPTIONAL[group]}
        # The app's folder comes first, as at discovery: functions-framework puts it last, where an
        # installed package of the same name would shadow the app's.
        if sys.path[:1] != [folder]:
            sys.path.insert(0, folder)
        self.folders = self._find_folders(packages)
        self._capabilities: dict[str, Capability] = {}

    def _find_folders(self, packages: Collection[str] | None) -> dict[str, str]:
        """Return the folder of each package."""
        folders = {}
        for name in DEFAULT_PACKAGES if packages is None else packages:
            path = f"{self.folder}/{name}"
            # Not with Path: it is slow, and this runs at every cold start.
            if "/" not in name and os.path.isdir(path):  # noqa: PTH112
                folders[name] = path
            elif packages is not None:
                try:
                    spec = find_spec(name)
                except ImportError:  # its parent package is not there
                    spec = None
                places = list(spec.submodule_search_locations or ()) if spec else []
                if not places:
                    raise LookupError(
                        f"packs names {name!r}, and neither {self.folder} nor the installed "
                        "packages have a package of that name"
                    )
                folders[name] = places[0]
        if packages is None and not folders:
            raise LookupError(
                f"{self.folder} has no folder {' or '.join(DEFAULT_PACKAGES)}: make one with a "
                "file of capabilities in it, or name yours in main.py: bind(globals(), packs=[...])"
            )
        return folders

    def cloud_functions(self, target: str | None) -> dict[str, Any]:
        """Bind `target`, or every function if there is no target; return what `main.py` exports.

        Raises:
            NotFound: There is no function `target`.
            ValueError: A definition is wrong, two functions have one name, or a function could not
                be found at run time.
        """
        prepare_process(target)
        if target:
            function = self._find(target)
            bound = self._bind(target, function)
            use_region_of(bound)
            trigger = trigger_of(function)
            if isinstance(trigger, OnCall | OnRequest) and trigger.at_start is not None:
                trigger.at_start()  # before the first call, as its trigger declares
            return {} if bound is None else {target: bound}
        if problems := self.problems():
            raise ValueError("\n\n".join([WRONG_DEFINITIONS, *problems]))
        functions = {}
        for name, declared in self.functions().items():
            bound = self._bind(name, declared)
            if bound is not None:
                functions[name] = bound
        check_instances(functions)
        lease_s()  # raises here if it is configured wrongly, not only at the first run
        return functions

    def find_capability(self, capability_id: str) -> Capability:
        """Load one capability by its id.

        Raises:
            NotFound: No package declares it.
        """
        if capability_id not in self._capabilities:
            function = _find_in(self._sources, capability_id)
            if not is_capability(function):
                raise NotFound(f"there is no capability {capability_id!r} in this codebase")
            self._capabilities[capability_id] = Capability.of(function)
        return self._capabilities[capability_id]

    def capabilities(self) -> list[Capability]:
        """Return all capabilities, sorted by id.

        Raises:
            ValueError: Two have one id.
        """
        functions = self.functions().values()
        found = [Capability.of(function) for function in functions if is_capability(function)]
        return sorted(found, key=lambda each: each.id)

    def problems(self) -> list[str]:
        """Return the problems in the definitions of the app's packages, each with its file, its
        line and what to write instead."""
        from rollcall.core.definition_checks import modules_problems

        if shadowed := list(_shadowed_packages(self.folders)):
            return shadowed
        modules: dict[str, ModuleType | Exception] = {}
        for path, module_name in self._sources:
            try:
                modules[path] = import_module(module_name)
            except Exception as error:  # importing an app's module may raise anything
                modules[path] = error
        problems = modules_problems(modules)
        if not problems:
            try:
                self.functions()
            except ValueError as error:
                problems = [str(error)]
        return problems

    def undeclared_tools(self) -> list[tuple[str, str]]:
        """Return the ids that agents and capabilities name but no package declares, each with a
        line about it. The app's definitions must have no problems."""
        from rollcall.core.definition_checks import undeclared_tools

        return list(undeclared_tools({path: import_module(name) for path, name in self._sources}))

    def function_triggers(self) -> dict[str, Trigger]:
        """Return the trigger of every deployed function, by the function's name."""
        triggers: dict[str, Trigger] = {}
        for name, function in self.functions().items():
            trigger = trigger_of(function)
            if trigger or Capability.of(function).mark.runs_on == "server":
                triggers[name] = trigger or OnCall()
        return dict(sorted(triggers.items()))

    def agents(self) -> Mapping[str, AgentProfile]:
        """Return all agent profiles by id: module constants of the packages' `agents.py`.

        Raises:
            ValueError: Two have one id.
        """
        return self._agents

    @cached_property
    def _agents(self) -> Mapping[str, AgentProfile]:
        from rollcall.core.profile import AgentProfile

        found: dict[str, tuple[AgentProfile, str]] = {}
        for module, value in self._constants("agents.py"):
            if isinstance(value, AgentProfile):
                where = found.setdefault(value.id, (value, module))[1]
                if found[value.id][0] is not value:
                    raise ValueError(f"the agent {value.id!r} is in {where} and in {module}")
        return {id: profile for id, (profile, _) in found.items()}

    def user_data(self) -> list[UserData]:
        """Return what the packages store about users: module constants of their `my_data.py`."""
        from rollcall.core.user_data import UserData

        return [value for _, value in self._constants("my_data.py") if isinstance(value, UserData)]

    def _constants(self, file: str) -> Iterator[tuple[str, Any]]:
        """Yield each value of the modules named `file` once, with its module's name."""
        seen: set[int] = set()
        for path, module_name in self._sources:
            if not path.endswith(f"/{file}"):
                continue
            for value in vars(import_module(module_name)).values():
                if id(value) not in seen:
                    seen.add(id(value))
                    yield module_name, value

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return every function that the app's packages and the engine declare, by name.

        Raises:
            ValueError: Two have one name, or one could not be found by its name at run time.
        """
        found: dict[str, Callable[..., Any]] = {}
        for _, module_name in self._engine_sources:
            for _, function in _own_functions(import_module(module_name)):
                found[_exported_name(function)] = function
        for path, module_name in self._sources:
            module = import_module(module_name)
            for name, function in _own_functions(module):
                if name in found:
                    raise ValueError(
                        f"{_place(function)} and {_place(found[name])} both declare {name!r}: "
                        "rename one, since the name is its id everywhere"
                    )
                if name != function.__name__ or not _defines(path, name):
                    raise ValueError(_no_definition(path, name))
                found[name] = function
            for name, value in vars(module).items():
                if _is_marked(value) and value.__module__ != module.__name__:
                    # It is imported from another module, or made by a call of one's function.
                    source = sys.modules.get(value.__module__)
                    if getattr(source, value.__name__, None) is not value:
                        raise ValueError(_no_definition(path, name))
        return found

    def clash(self, name: str, theirs: str) -> str:
        """Return the error message for a value of `main.py`, at the place `theirs`, that has the
        name of a function."""
        return (
            f"{theirs} has a {name!r} of its own, and {_place(self.functions()[name])} declares "
            "one for Rollcall: rename yours or, where it is one of the engine's functions, set "
            "ROLLCALL_PREFIX in .env or leave its group out: bind(globals(), without=[...])"
        )

    def _bind(self, name: str, function: Callable[..., Any]) -> Any:
        """Return the Cloud Function of a marked function; None for a client's capability."""
        trigger = trigger_of(function)
        if trigger is None:
            capability = Capability.of(function)
            if capability.mark.runs_on == "client":
                return None
            from rollcall.agent.direct_call import direct_call

            trigger, function = OnCall(), direct_call(capability)
        bind: Trigger = trigger
        return bind.bind(name, function, lambda: self.deployment)

    @cached_property
    def deployment(self) -> Deployment:
        """The platform of this app's functions."""
        from rollcall.agent.platform import Deployment

        return Deployment(self)

    def _find(self, target: str) -> Callable[..., Any]:
        """Return the function that is deployed as `target`, importing only its module.

        Raises:
            NotFound: There is none.
        """
        if (own := _find_in(self._sources, target)) is not None:
            return own
        rest = target.removeprefix(prefix())
        for name in (rest, rest.removeprefix("_")):  # possible names of the engine's function
            function = _find_in(self._engine_sources, name)
            if function is not None and _exported_name(function) == target:
                return function
        raise NotFound(f"there is no function {target!r} in this codebase")

    @cached_property
    def _sources(self) -> tuple[Source, ...]:
        """The modules of the app's packages."""
        return _modules(self.folders)

    @cached_property
    def _engine_sources(self) -> tuple[Source, ...]:
        """The engine's modules with functions, except those that are left out."""
        folder = f"{os.path.dirname(__file__)}/endpoints"  # noqa: PTH120  # Path is slow
        return tuple(
            (path, name)
            for path, name in _modules({_ENGINE: folder})
            if not any(f"{name}.".startswith(f"{each}.") for each in self._left_out)
        )


def add_functions(catalog: Catalog, namespace: dict[str, Any], target: str | None) -> None:
    """Add the functions of a catalog to the globals of `main.py`.

    Raises:
        ValueError: `main.py` has a value of its own under the name of a function.
    """
    functions = catalog.cloud_functions(target)
    for name in sorted(functions.keys() & namespace.keys()) if target is None else ():
        if namespace[name] is catalog.functions()[name]:
            continue  # main.py imported it
        raise ValueError(catalog.clash(name, _place(namespace[name]) or "main.py"))
    namespace.update(functions)


def _modules(folders: Mapping[str, str]) -> tuple[Source, ...]:
    """Return every module of some packages, sorted by file. Hidden files and folders are left out:
    editors and notebooks keep copies there."""
    modules: list[Source] = []
    for package, root in folders.items():
        links = {os.path.realpath(root)}
        # Links are followed, since a deploy uploads their targets.
        for folder, subfolders, files in os.walk(root, followlinks=True):
            subfolders[:] = [
                each
                for each in subfolders
                if each[0] != "." and each != "__pycache__" and _is_new(f"{folder}/{each}", links)
            ]
            parts = [package, *filter(None, folder[len(root) :].split("/"))]
            modules += [
                (
                    f"{folder}/{file}",
                    ".".join(parts if file == "__init__.py" else [*parts, file[: -len(".py")]]),
                )
                for file in files
                if file.endswith(".py") and file[0] != "."
            ]
    return tuple(sorted(modules))


def _is_new(folder: str, links: set[str]) -> bool:
    """Whether no link has led to this folder before, since links may form a circle. Adds the
    target of a link to `links`."""
    if not os.path.islink(folder):  # noqa: PTH114  # Path is slow, and this runs at cold starts
        return True
    target = os.path.realpath(folder)
    if target in links:
        return False
    links.add(target)
    return True


def _find_in(sources: Sequence[Source], name: str) -> Callable[..., Any] | None:
    """Return the marked function of this name; None if no module defines one."""
    if name.isidentifier():
        for path, module_name in sources:
            if _defines(path, name):
                functions = dict(_own_functions(import_module(module_name)))
                if name in functions:  # otherwise the module has an unmarked function of that name
                    return functions[name]
    return None


def _exported_name(function: Callable[..., Any]) -> str:
    """Return the name under which one of the engine's functions is deployed."""
    is_task = isinstance(trigger_of(function), OnTask)
    return queue_name(function.__name__) if is_task else function_name(function.__name__)


def _shadowed_packages(folders: Mapping[str, str]) -> Iterator[str]:
    """Yield an error for each package that another of the same name shadows: Python prefers a
    folder with `__init__.py`, anywhere on its path, to one without."""
    from pathlib import Path

    for name, folder in folders.items():
        spec = find_spec(name)
        places = (spec and spec.submodule_search_locations) or ()
        if not any(Path(place).samefile(folder) for place in places):
            yield (
                f"{folder}: Python imports {(spec and spec.origin) or 'another one'} as {name!r}. "
                "Put an empty __init__.py into the folder, or give it another name."
            )


def _defines(path: str, name: str) -> bool:
    """Whether a file has a function of this name at its top level."""
    with open(path, "rb") as file:  # noqa: PTH123  # Path is slow, and this runs at cold starts
        source = b"\n" + file.read()
    return f"\ndef {name}(".encode() in source or f"\nasync def {name}(".encode() in source


def _no_definition(path: str, name: str) -> str:
    """Return the error message for a marked function without a line `def <name>(` of its own."""
    import re

    from rollcall.core.definition import shown_path

    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123  # a string
        lines = file.read().splitlines()
    names = re.compile(rf"\s*(?:(?:async )?def )?{name}\b")
    line = next((f":{at}" for at, text in enumerate(lines, 1) if names.match(text)), "")
    return (
        f"{shown_path(path)}{line}: {name!r} has no `def {name}(` of its own at the start of a "
        "line, and a deployed process finds a function by that line (this is another name of one, "
        "or stands in a block, or a call or a decorator without functools.wraps made it); write "
        f"`def {name}(...)` under its decorator"
    )


def _place(value: object) -> str:
    """Return a function's file and line; an empty string for any other value."""
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    if code is None:
        return ""
    from rollcall.core.definition import shown_path

    return f"{shown_path(code.co_filename)}:{code.co_firstlineno}"


def prepare_process(target: str | None) -> None:
    """Set up logs, tracing and the Firebase app that verifies tokens; on the emulator, end this
    process with its parent."""
    write_logs()
    tracing.prepare()

    import firebase_admin  # type: ignore[import-untyped]

    if not firebase_admin._apps:
        credential = None
        if on_emulator():
            from google.auth.credentials import AnonymousCredentials

            credential = AnonymousCredentials()  # type: ignore[no-untyped-call]
        firebase_admin.initialize_app(credential)
    if target and on_emulator() and sys.platform == "linux":
        # The emulator ends only the shell that it started; without this each worker lives on.
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # 1 is PR_SET_PDEATHSIG


def _own_functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the marked functions that a module defines itself, by name, without imported ones."""
    for name, value in vars(module).items():
        if _is_marked(value) and value.__module__ == module.__name__:
            yield name, value


def _is_marked(value: Any) -> bool:
    """Whether a value is a capability or a function with a trigger."""
    return inspect.isfunction(value) and bool(is_capability(value) or trigger_of(value))
