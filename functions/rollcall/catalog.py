"""The catalog of an app: what its packages declare, bound as Cloud Functions.

A process of a deployed function serves one target, so only the module that defines it is imported:
the one whose source says `def <target>(`. Discovery, which has no target, imports all, and checks
that every function it binds will be found again in this way.
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
"""Where an app that names no packages keeps its capabilities, beside its `main.py`."""

Source = tuple[str, str]
"""A module by its file and its name: plain texts, since each process looks through all of them
before it can begin, and paths are slow."""

WRONG_DEFINITIONS = "definitions are wrong:"
"""What discovery says before it tells them."""

_ENGINE = "rollcall.endpoints"
OPTIONAL = {
    "engine": ("rollcall.endpoints",),
    "agui": ("rollcall.endpoints.agui",),
    "files": ("rollcall.endpoints.knowledge",),
    "ratings": ("rollcall.endpoints.rate_message",),
    "usage": ("rollcall.endpoints.usage",),
}
"""The engine's functions that an app can leave out, by group, and the modules that have them; all
of them in a second codebase of a project, which declares capabilities only."""


class Catalog:
    """What the packages of one app declare.

    Args:
        folder: The app's functions folder, where `main.py` is.
        packages: Names of the packages in it that declare capabilities, agents and triggers. Where
            left out, those of `DEFAULT_PACKAGES` that are there.
        without: Groups of the engine's functions that are left out; see `OPTIONAL`.
    Raises:
        LookupError: A package is not there, or a group is none of the engine's.
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
        # The app's folder first, as at discovery: functions-framework puts it last, where an
        # installed package of the same name would hide the app's.
        if sys.path[:1] != [folder]:
            sys.path.insert(0, folder)
        self.folders = self._find_folders(packages)
        self._capabilities: dict[str, Capability] = {}

    def _find_folders(self, packages: Collection[str] | None) -> dict[str, str]:
        """Where each package is."""
        found = {}
        for name in DEFAULT_PACKAGES if packages is None else packages:
            path = f"{self.folder}/{name}"
            # On every cold start, and paths are slow.
            if "/" not in name and os.path.isdir(path):  # noqa: PTH112
                found[name] = path
            elif packages is not None:
                try:
                    spec = find_spec(name)
                except ImportError:  # not even the package around it
                    spec = None
                places = list(spec.submodule_search_locations or ()) if spec else []
                if not places:
                    raise LookupError(
                        f"packs names {name!r}, and neither {self.folder} nor the installed "
                        "packages have a package of that name"
                    )
                found[name] = places[0]
        if packages is None and not found:
            raise LookupError(
                f"{self.folder} has no folder {' or '.join(DEFAULT_PACKAGES)}: make one with a "
                "file of capabilities in it, or name yours in main.py: bind(globals(), packs=[...])"
            )
        return found

    def cloud_functions(self, target: str | None) -> dict[str, Any]:
        """Bind `target`, or every function where there is none, as `main.py` exports them.

        Raises:
            NotFound: Nothing here is called `target`.
            ValueError: A definition is wrong, a function's name stands for two, or it would not be
                found again at run time.
        """
        prepare_process(target)
        if target:
            function = self._find(target)
            bound = self._bind(target, function)
            use_region_of(bound)
            trigger = trigger_of(function)
            if isinstance(trigger, OnCall | OnRequest) and trigger.at_start is not None:
                trigger.at_start()  # what the function asks for before its first call
            return {} if bound is None else {target: bound}
        if problems := self.problems():
            raise ValueError("\n\n".join([WRONG_DEFINITIONS, *problems]))
        functions = {}
        for name, declared in self.functions().items():
            bound = self._bind(name, declared)
            if bound is not None:
                functions[name] = bound
        check_instances(functions)
        lease_s()  # which a run would find wrong only when it begins
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
        """All capabilities, in the order of their ids.

        Raises:
            ValueError: Two have one id.
        """
        functions = self.functions().values()
        found = [Capability.of(function) for function in functions if is_capability(function)]
        return sorted(found, key=lambda each: each.id)

    def problems(self) -> list[str]:
        """What is wrong with the definitions of the app's packages: each with its file, its line
        and what to write instead."""
        from rollcall.core.definition_checks import modules_problems

        if hidden := list(_hidden(self.folders)):
            return hidden
        modules: dict[str, ModuleType | Exception] = {}
        for path, module_name in self._sources:
            try:
                modules[path] = import_module(module_name)
            except Exception as error:  # whatever a module of the app's raises
                modules[path] = error
        found = modules_problems(modules)
        if not found:
            try:
                self.functions()
            except ValueError as error:
                found = [str(error)]
        return found

    def undeclared_tools(self) -> list[tuple[str, str]]:
        """The ids that agents and capabilities name and that no package declares, each with a line
        about it; of an app whose definitions have no problems."""
        from rollcall.core.definition_checks import undeclared_tools

        return list(undeclared_tools({path: import_module(name) for path, name in self._sources}))

    def function_triggers(self) -> dict[str, Trigger]:
        """Every function that a deploy makes, by name, with what reaches it."""
        found: dict[str, Trigger] = {}
        for name, function in self.functions().items():
            trigger = trigger_of(function)
            if trigger or Capability.of(function).mark.runs_on == "server":
                found[name] = trigger or OnCall()
        return dict(sorted(found.items()))

    def agents(self) -> Mapping[str, AgentProfile]:
        """All agent profiles by id: module constants of the packages' `agents.py`.

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
        """What the packages keep about users: module constants of their `my_data.py`."""
        from rollcall.core.user_data import UserData

        return [value for _, value in self._constants("my_data.py") if isinstance(value, UserData)]

    def _constants(self, file: str) -> Iterator[tuple[str, Any]]:
        """Values of the modules `file`, each with its module's name, once."""
        seen: set[int] = set()
        for path, module_name in self._sources:
            if not path.endswith(f"/{file}"):
                continue
            for value in vars(import_module(module_name)).values():
                if id(value) not in seen:
                    seen.add(id(value))
                    yield module_name, value

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Every function that the app's packages and the engine declare, by name.

        Raises:
            ValueError: Two have one name, or one would not be found by its name.
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
                    raise ValueError(_without_line(path, name))
                found[name] = function
            for name, value in vars(module).items():
                if _is_marked(value) and value.__module__ != module.__name__:
                    # From a call of another module's function, or imported from there.
                    source = sys.modules.get(value.__module__)
                    if getattr(source, value.__name__, None) is not value:
                        raise ValueError(_without_line(path, name))
        return found

    def clash(self, name: str, theirs: str) -> str:
        """What is wrong if `main.py` has something of its own, at the place `theirs`, under the
        name of a function."""
        return (
            f"{theirs} has a {name!r} of its own, and {_place(self.functions()[name])} declares "
            "one for Rollcall: rename yours or, where it is one of the engine's functions, set "
            "ROLLCALL_PREFIX in .env or leave its group out: bind(globals(), without=[...])"
        )

    def _bind(self, name: str, function: Callable[..., Any]) -> Any:
        """The Cloud Function of a marked function; None for a capability that a client runs."""
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
        """The platform that this app's functions are given."""
        from rollcall.agent.platform import Deployment

        return Deployment(self)

    def _find(self, target: str) -> Callable[..., Any]:
        """The function that is deployed as `target`: its module is imported, and no other.

        Raises:
            NotFound: There is none.
        """
        if (own := _find_in(self._sources, target)) is not None:
            return own
        rest = target.removeprefix(prefix())
        for name in (rest, rest.removeprefix("_")):  # what the engine's function may be called
            found = _find_in(self._engine_sources, name)
            if found is not None and _exported_name(found) == target:
                return found
        raise NotFound(f"there is no function {target!r} in this codebase")

    @cached_property
    def _sources(self) -> tuple[Source, ...]:
        """The modules of the app's packages."""
        return _modules(self.folders)

    @cached_property
    def _engine_sources(self) -> tuple[Source, ...]:
        """The engine's modules that have functions, but those that are left out."""
        folder = f"{os.path.dirname(__file__)}/endpoints"  # noqa: PTH120  # paths are slow
        return tuple(
            (path, name)
            for path, name in _modules({_ENGINE: folder})
            if not any(f"{name}.".startswith(f"{each}.") for each in self._left_out)
        )


def add_functions(catalog: Catalog, namespace: dict[str, Any], target: str | None) -> None:
    """Add the functions of a catalogue to the globals of `main.py`.

    Raises:
        ValueError: `main.py` has something of its own under one of their names.
    """
    functions = catalog.cloud_functions(target)
    for name in sorted(functions.keys() & namespace.keys()) if target is None else ():
        if namespace[name] is catalog.functions()[name]:
            continue  # main.py imported it
        raise ValueError(catalog.clash(name, _place(namespace[name]) or "main.py"))
    namespace.update(functions)


def _modules(folders: Mapping[str, str]) -> tuple[Source, ...]:
    """Every module of some packages, in the order of their files. What is hidden is none: editors
    and notebooks leave copies there."""
    found: list[Source] = []
    for package, root in folders.items():
        links = {os.path.realpath(root)}
        # A deploy uploads what links lead to.
        for folder, below, files in os.walk(root, followlinks=True):
            below[:] = [
                each
                for each in below
                if each[0] != "." and each != "__pycache__" and _is_new(f"{folder}/{each}", links)
            ]
            parts = [package, *filter(None, folder[len(root) :].split("/"))]
            found += [
                (
                    f"{folder}/{file}",
                    ".".join(parts if file == "__init__.py" else [*parts, file[: -len(".py")]]),
                )
                for file in files
                if file.endswith(".py") and file[0] != "."
            ]
    return tuple(sorted(found))


def _is_new(folder: str, links: set[str]) -> bool:
    """Whether a folder is none that a link led to before: links may go round in circles."""
    if not os.path.islink(folder):  # noqa: PTH114  # on every cold start, and paths are slow
        return True
    target = os.path.realpath(folder)
    if target in links:
        return False
    links.add(target)
    return True


def _find_in(sources: Sequence[Source], name: str) -> Callable[..., Any] | None:
    """The marked function of this name; None where no module defines one."""
    if name.isidentifier():
        for path, module_name in sources:
            if _defines(path, name):
                found = dict(_own_functions(import_module(module_name)))
                if name in found:  # and not a helper of the same name
                    return found[name]
    return None


def _exported_name(function: Callable[..., Any]) -> str:
    """What one of the engine's functions is deployed as."""
    is_task = isinstance(trigger_of(function), OnTask)
    return queue_name(function.__name__) if is_task else function_name(function.__name__)


def _hidden(folders: Mapping[str, str]) -> Iterator[str]:
    """Packages whose name means another one to Python: a folder without `__init__.py` comes after
    any that has one, wherever it is."""
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
    with open(path, "rb") as file:  # noqa: PTH123  # on every cold start, and paths are slow
        source = b"\n" + file.read()
    return f"\ndef {name}(".encode() in source or f"\nasync def {name}(".encode() in source


def _without_line(path: str, name: str) -> str:
    import re

    from rollcall.core.definition import shown_path

    with open(path, encoding="utf-8") as file:  # noqa: PTH123  # a path would have to be made
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
    """File and line of a function; nothing for what is none."""
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    if code is None:
        return ""
    from rollcall.core.definition import shown_path

    return f"{shown_path(code.co_filename)}:{code.co_firstlineno}"


def prepare_process(target: str | None) -> None:
    """Set up logs, the Firebase app that verifies tokens, and an end with the parent process."""
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
        # The emulator ends only the shell it started; without this each worker outlives it.
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # 1 is PR_SET_PDEATHSIG


def _own_functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The marked functions that a module defines itself (it may import others' too)."""
    for name, value in vars(module).items():
        if _is_marked(value) and value.__module__ == module.__name__:
            yield name, value


def _is_marked(value: Any) -> bool:
    return inspect.isfunction(value) and bool(is_capability(value) or trigger_of(value))
