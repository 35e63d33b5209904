"""Finds what this codebase declares, and binds it.

A process of a deployed function serves one target, so only the module that defines it is imported:
the one whose source says `def <target>(`. Discovery, which has no target, imports all.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rollcall.core import tracing
from rollcall.core.capability import Capability, is_capability
from rollcall.core.errors import NotFound
from rollcall.core.logs import write_logs
from rollcall.core.options import check_instances
from rollcall.core.triggers import OnCall, OnRequest, Trigger, trigger_of

if TYPE_CHECKING:
    from rollcall.core.profile import AgentProfile
    from rollcall.core.user_data import UserData

_ROOT = Path(__file__).parents[1]
_PLACES = ("packs", "rollcall/endpoints")


def cloud_functions(target: str | None) -> dict[str, Any]:
    """Bind `target`, or every function where there is none, as `main.py` exports them.

    Raises:
        NotFound: Nothing here is called `target`.
    """
    _prepare_process(target)
    modules = [_module_of(target)] if target else list(_modules())
    bound = {
        name: _bind(name, function)
        for module in modules
        for name, function in _own_functions(module)
        if target in (None, name)
    }
    if target:
        _start(modules[0], target)
    functions = {name: function for name, function in bound.items() if function is not None}
    if target is None:
        check_instances(functions)
    return functions


@cache
def find_capability(capability_id: str) -> Capability:
    """Load one capability by its id.

    Raises:
        NotFound: No pack defines it.
    """
    function = getattr(_module_of(capability_id), capability_id, None)
    if not is_capability(function):
        raise NotFound(f"there is no capability {capability_id!r} in this codebase")
    return Capability.of(function)


def capabilities() -> list[Capability]:
    """All capabilities of the packs, by id.

    Raises:
        ValueError: Two packs use one id.
    """
    found: dict[str, Capability] = {}
    for module in _modules():
        for name, function in _own_functions(module):
            if is_capability(function):
                if name in found:
                    raise ValueError(f"two packs define the capability {name!r}")
                found[name] = Capability.of(function)
    return [found[name] for name in sorted(found)]


def function_triggers() -> dict[str, Trigger]:
    """Every function that a deploy makes, by name, with what reaches it."""
    found: dict[str, Trigger] = {}
    for module in _modules():
        for name, function in _own_functions(module):
            trigger = trigger_of(function)
            if trigger or Capability.of(function).mark.runs_on == "server":
                found[name] = trigger or OnCall()
    return dict(sorted(found.items()))


@cache
def agents() -> dict[str, AgentProfile]:
    """All agent profiles of the packs, by id: module constants of `packs/<pack>/agents.py`."""
    from rollcall.core.profile import AgentProfile

    profiles = [
        value
        for path in sorted(_ROOT.glob("packs/*/agents.py"))
        for value in vars(import_module(_module_name(path))).values()
        if isinstance(value, AgentProfile)
    ]
    return {profile.id: profile for profile in profiles}


def user_data() -> list[UserData]:
    """What the packs keep about users: module constants of `packs/<pack>/my_data.py`."""
    from rollcall.core.user_data import UserData

    return [
        value
        for path in sorted(_ROOT.glob("packs/*/my_data.py"))
        for value in vars(import_module(_module_name(path))).values()
        if isinstance(value, UserData)
    ]


def document_reader() -> Callable[[str, bytes], str]:
    """What makes text of a document, `read(content_type, content)`; it raises InvalidArgument for
    one that has none. The agent is given it here, since it knows nothing of where it comes from."""
    from rollcall.knowledge.attached import text_of

    return text_of


def _prepare_process(target: str | None) -> None:
    """What every process needs once: logs, an app to verify tokens with, an end with its parent."""
    write_logs()
    tracing.prepare()

    import firebase_admin  # type: ignore[import-untyped]

    if not firebase_admin._apps:
        credential = None
        if os.environ.get("FUNCTIONS_EMULATOR") == "true":
            from google.auth.credentials import AnonymousCredentials

            credential = AnonymousCredentials()  # type: ignore[no-untyped-call]
        firebase_admin.initialize_app(credential)
    if target and os.environ.get("FUNCTIONS_EMULATOR") == "true" and sys.platform == "linux":
        # The emulator ends only the shell it started; without this each worker outlives it.
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # 1 is PR_SET_PDEATHSIG


def _bind(name: str, function: Callable[..., Any]) -> Any:
    """The Cloud Function of a marked function; None for a capability that a client runs."""
    from rollcall.agent.platform import deployment

    trigger = trigger_of(function)
    if trigger is None:
        capability = Capability.of(function)
        if capability.mark.runs_on == "client":
            return None
        from rollcall.agent.direct import direct_call

        trigger, function = OnCall(), direct_call(capability)
    bind: Trigger = trigger
    return bind.bind(name, function, deployment)


def _start(module: ModuleType, target: str) -> None:
    """Do what the function asks for before its first call."""
    trigger = trigger_of(getattr(module, target))
    if isinstance(trigger, OnCall | OnRequest) and trigger.at_start is not None:
        trigger.at_start()


def _own_functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The marked functions that a module defines itself (it may import others' too)."""
    for name, value in vars(module).items():
        own = inspect.isfunction(value) and value.__module__ == module.__name__
        if own and (is_capability(value) or trigger_of(value)):
            yield name, value


def _modules() -> Iterator[ModuleType]:
    for path in _sources():
        yield import_module(_module_name(path))


def _module_of(name: str) -> ModuleType:
    """Import the module that defines the function `name`, and no other."""
    if name.isidentifier():
        said = f"\ndef {name}(".encode()
        for path in _sources():
            if said in Path(path).read_bytes():
                module = import_module(_module_name(path))
                if name in dict(_own_functions(module)):  # and not a helper of the same name
                    return module
    raise NotFound(f"there is no function {name!r} in this codebase")


@cache
def _sources() -> tuple[str, ...]:
    """As plain texts: each process looks through them before it can begin, and paths are slow."""
    found = [
        f"{folder}/{name}"
        for place in _PLACES
        for folder, _, names in os.walk(_ROOT / place)
        for name in names
        if name.endswith(".py")
    ]
    return tuple(sorted(found))


def _module_name(path: str | Path) -> str:
    parts = Path(path).relative_to(_ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
