"""Checks all definitions of an app's capabilities and agents at once.

A deploy's discovery, `python -m rollcall dev`, `doctor` and `check` use it. A process that serves a
function does not: `Capability.of` checks what it binds.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError

from rollcall.core import schema
from rollcall.core.capability import Capability, is_capability
from rollcall.core.capability import capability as decorator
from rollcall.core.definition import (
    DefinitionError,
    annotation_texts,
    close,
    closest,
    decoded,
    one_line,
    shown_path,
    wrong,
)
from rollcall.core.errors import InvalidArgument, Problem
from rollcall.core.inputs import validate
from rollcall.core.profile import AgentProfile, profile_mistakes
from rollcall.core.texts import FOLDER

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
EXAMPLE_KEYS = ("userRequest", "parameters", "response")
_EXAMPLE = 'Write `{"userRequest": "What a user would say", "parameters": {...}}`'
_ARGS = "Write a section `Args:` with a line `    {name}: What it is.` for each argument"
_OTHER_STYLES = (
    ("reST", re.compile(r"^\s*:(?:param|parameter|arg|argument|key|keyword)\b.*:", re.MULTILINE)),
    ("Epydoc", re.compile(r"^\s*@(?:param|arg|keyword)\b.*:", re.MULTILINE)),
    ("NumPy", re.compile(r"^\s*(?:Other )?Parameters\s*\n\s*-{3,}\s*$", re.MULTILINE)),
)


def capability_problems(function: Callable[..., Any]) -> list[str]:
    """Return what is wrong with a function under `@capability`, with file, line and cure."""
    try:
        capability = Capability.of(function)
    except DefinitionError as error:
        return [str(error)]
    checks = (
        *(_field_errors, _return_errors, _docstring_errors),
        *(_function_errors, _example_errors),
    )
    return [str(error) for check in checks for error in check(capability)]


def import_problem(error: BaseException, file: str) -> str:
    """Return why a module could not be imported, with the line that failed."""
    if isinstance(error, DefinitionError):
        return str(error)
    message = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    if isinstance(error, SyntaxError):
        return f"{shown_path(error.filename or file)}:{error.lineno or 1}: {message}"
    own = Path(file).absolute()
    frames = traceback.extract_tb(error.__traceback__)
    lines = [each.lineno for each in frames if Path(each.filename).absolute() == own]
    line = (lines and lines[-1]) or 1
    name = ""  # of the function or class around the line, decorators included
    for node in _tree(file).body:
        if isinstance(node, ast.ClassDef | _FUNCTIONS):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            name = node.name if first <= line <= (node.end_lineno or first) else name
    where = f"{shown_path(file)}:{line}{f', {name}' if name else ''}"
    return f"{where}: {message}{_import_cure(error)}"


def modules_problems(modules: dict[str, ModuleType | Exception]) -> list[str]:
    """Return what is wrong with everything that modules declare, by file.

    Args:
        modules: By file; a module that could not be imported is the exception it raised.
    """
    problems = list(_text_errors(modules))
    if problems:  # definitions read these texts, so they cannot be checked
        return problems
    capabilities: dict[str, Callable[..., Any]] = {}
    agents: dict[str, str] = {}
    for file, module in sorted(modules.items()):
        if isinstance(module, Exception):
            problems.append(import_problem(module, file))
            continue
        seen: set[int] = set()
        for name, value in vars(module).items():
            if id(value) in seen:  # a second name is no second definition
                continue
            seen.add(id(value))
            if is_capability(value) and value.__module__ == module.__name__:
                problems += capability_problems(value)
                other = capabilities.setdefault(value.__name__, value)
                if other is not value:
                    code = other.__code__
                    at = f"{shown_path(code.co_filename)}:{code.co_firstlineno}"
                    twice = f"{at} declares a capability `{value.__name__}` as well"
                    cure = "Rename one: all packs share their ids"
                    problems.append(str(wrong(value, twice, cure)))
            elif isinstance(value, AgentProfile) and Path(file).name == "agents.py":
                where = f"{shown_path(file)}:{_constant_line(file, name)}, {name}"
                problems += (str(DefinitionError(where, *each)) for each in profile_mistakes(value))
                if (other_at := agents.setdefault(value.id, where)) != where:
                    twice = f"{other_at} declares an agent {value.id!r} as well"
                    problems.append(str(DefinitionError(where, twice, "Rename one")))
        problems += _lost_capabilities(file, module)
    return problems


def _lost_capabilities(file: str, module: ModuleType) -> Iterator[str]:
    """Yield the capabilities that are not found: in a class, or under a decorator, such as
    `functools.cache`, that puts something else in place of the function."""
    capabilities = {name: each for name, each in vars(module).items() if is_capability(each)}
    found = capabilities.keys() | {each.__name__ for each in capabilities.values()}
    own = {each for each in capabilities.values() if each.__module__ == module.__name__}
    marks = re.findall(rb"@[\w.]*capability\b", Path(file).read_bytes())
    if len(marks) <= len(own):  # to parse every file would be slow
        return
    for owner in ast.walk(_tree(file)):
        for node in ast.iter_child_nodes(owner):
            if not isinstance(node, _FUNCTIONS) or node.name in found:
                continue
            names = [ast.unparse(each).partition("(")[0] for each in node.decorator_list]
            is_lost = isinstance(owner, ast.ClassDef) or node.name in vars(module)
            if is_lost and "capability" in (each.rpartition(".")[2] for each in names):
                problem = "no capability is found here: it is in a class, or a decorator hides it"
                cure = "Write `@capability` on top of a function of the module"
                where = f"{shown_path(file)}:{node.decorator_list[0].lineno}, {node.name}"
                yield str(DefinitionError(where, problem, cure))


def undeclared_tools(modules: Mapping[str, ModuleType]) -> Iterator[tuple[str, str]]:
    """Yield the ids that agents and capabilities name but no capability of these modules has, each
    with a message that says where it is and what may be meant.

    Such a definition is not wrong: another codebase, or a document in the registry, may have the
    capability.
    """
    cure = "Correct it, unless another codebase has it"
    marked = {  # once each, also if another module imports it
        each.__name__: Capability.of(each)
        for module in modules.values()
        for each in vars(module).values()
        if is_capability(each)
    }
    known = {"*", *(f"category:{each.mark.category}" for each in marked.values()), *marked}
    for each in marked.values():
        undoing = [each.mark.undo.tool] if each.mark.undo else []
        for option, ids in (("related", each.mark.related), ("undo", undoing)):
            for id in (id for id in ids if id not in known):
                problem = f"`{id}` in {option} names no capability here{close(id, known)}"
                yield id, str(wrong(each.function, problem, cure, option=option))
    for file, module in sorted(modules.items()):
        seen = set[str]()
        for name, profile in vars(module).items():
            if not isinstance(profile, AgentProfile) or Path(file).name != "agents.py":
                continue
            if profile.id in seen:  # a second name is no second agent
                continue
            seen.add(profile.id)
            lines = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
            for option in ("tools", "pinned", "approvals"):
                for id in (each for each in getattr(profile, option) if each not in known):
                    quoted = re.compile(rf"([\"']){re.escape(id)}\1")
                    lines_with = (n for n, text in enumerate(lines, 1) if quoted.search(text))
                    line = next(lines_with, 0) or _constant_line(file, name)
                    where = f"{shown_path(file)}:{line}, {name}"
                    mention = f"`{id}` in {option} of the agent {profile.id!r}"
                    problem = f"{mention} names no capability here{close(id, known)}"
                    yield id, str(DefinitionError(where, problem, cure))


def _text_errors(files: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with unreadable files of texts beside modules."""
    folders = sorted({Path(file).parent / FOLDER for file in files})
    for file in (file for folder in folders for file in sorted(folder.glob("*.json"))):
        where = shown_path(file)
        try:
            content = json.loads(decoded(file.read_bytes(), where))
        except json.JSONDecodeError as error:
            yield f"{where}:{error.lineno}: this is no JSON: {error.msg}"
        except Problem as problem:
            yield str(problem)
        else:
            if not isinstance(content, dict):
                yield f"{where}:1: texts are an object, such as {{}}. Put them into one."


def _field_errors(capability: Capability) -> Iterator[DefinitionError]:
    """Yield types without a JSON schema, and defaults that do not fit their type."""
    function, names = capability.function, dict[str, str]()
    texts = annotation_texts(function)
    fields: dict[str, Any] = {}
    for name, info in capability.arguments.model_fields.items():
        other = names.setdefault(info.alias or name, name)
        if other == name:
            fields[name] = (info.annotation, info)
        else:
            problem = f"`{other}` and `{name}` are both `{info.alias}` for callers"
            yield wrong(function, problem, "Rename one of them", parameter=name)
    try:
        _ = capability.json_schema
    except DefinitionError as error:
        if "list inside a list" in str(error):
            yield error
        for name in list(fields):  # finds the ones at fault
            try:
                field = {name: fields[name]}
                schema.json_schema(create_model("one", __base__=schema.Arguments, **field))
            except (PydanticUserError, TypeError, ValueError) as wrong_type:
                del fields[name]
                yield wrong(
                    function,
                    f"the type of `{name}`, `{texts[name]}`, has no JSON schema: "
                    f"{one_line(wrong_type)}",
                    "Write str, int, float, bool, date, Literal[...], an enum, a pydantic model, "
                    "or a list or dict of these",
                    parameter=name,
                )
    optional = {name: field for name, field in fields.items() if not field[1].is_required()}
    checked = ConfigDict(validate_default=True, arbitrary_types_allowed=True)
    for name, field in optional.items():
        try:
            create_model("default", __config__=checked, **{name: field})()
        except (PydanticUserError, TypeError, ValueError) as error:
            why = one_line(error)
            if isinstance(error, ValidationError):
                why = error.errors(include_url=False)[0]["msg"]
            hint, default = texts[name], field[1].default
            cure = f"`{name}: {hint} | None = None`" if default is None else "another default"
            problem = f"the default of `{name}`, {default!r}, is no `{hint}`: {why}"
            yield wrong(function, problem, f"Write {cure}", parameter=name)


def _return_errors(capability: Capability) -> Iterator[DefinitionError]:
    """Yield an error if a client's result cannot be checked against the return type."""
    if capability.mark.runs_on != "client":
        return
    try:
        TypeAdapter(capability.returns)
    except PydanticUserError as error:
        hint = annotation_texts(capability.function)["return"]
        why = f"no result of a client can be checked against: {one_line(error)}"
        problem = f"what it returns is `{hint}`, which {why}"
        cure = "Write str, int, float, bool, date, an enum, a dataclass, a TypedDict, a pydantic "
        cure += "model, or a list or dict of these"
        yield wrong(capability.function, problem, cure, parameter="return")


def _docstring_errors(capability: Capability) -> Iterator[DefinitionError]:
    function, fields = capability.function, capability.arguments.model_fields
    text = inspect.getdoc(function) or ""
    first = next(iter(fields), "name")
    for style, pattern in _OTHER_STYLES:
        if other := pattern.search(text):
            problem = f"the docstring is in {style} style, whose arguments are not read"
            line = other[0].strip().splitlines()[0]
            yield wrong(function, problem, _ARGS.format(name=first), text=line)
            return
    if re.match(r"\w+:\s*(\n|$)", text):
        problem = "the docstring begins with a section, and does not say what it does"
        yield wrong(function, problem, "Begin it with a sentence, by which a model chooses it")
        return
    try:
        parsed = schema.docstring(function)
        _ = capability.description
    except DefinitionError as error:
        yield error
        return
    context = next(iter(inspect.signature(function).parameters))
    named = [each.arg_name for each in parsed.params if each.args[0] == "param"]
    for name in named:
        if name not in fields and name != context:
            meant = closest(name, fields.keys() - named)
            cure = f"Write `{meant}`" if meant else "Take it out, or add the parameter"
            problem = f"the docstring names `{name}`, which is no parameter"
            yield wrong(function, problem, cure, text=f"{name}")
    for name in fields.keys() - named:
        entry = rf"^\s*[-*]?\s*`*{re.escape(name)}`*\s*(\([^)]*\))?\s*(:|--?|–)\s"
        if stray := re.search(entry, schema.description(parsed), re.MULTILINE):
            problem = f"the docstring describes `{name}` outside of `Args:`, where it is not read"
            yield wrong(function, problem, _ARGS.format(name=name), text=stray[0].strip())


def _function_errors(capability: Capability) -> Iterator[DefinitionError]:
    """Yield functions among the options that cannot be called with the arguments they get."""
    names = tuple(capability.arguments.model_fields)
    for option, positional, keywords, returned in (
        ("summary", ("arguments",), (), "str"),
        ("preview", ("ctx",), names, "Preview"),
        ("find_effect", ("ctx", "key"), (), "Any"),
        ("compaction", ("arguments", "output"), (), "Compaction"),
    ):
        function = getattr(capability.mark, option)
        if function is None:
            continue
        name = getattr(function, "__name__", "")
        parameters = ", ".join((*positional, *(("*", *keywords) if keywords else ())))
        cure = f"Write `def {name if name.isidentifier() else option}({parameters}) -> {returned}`"
        problem = ""
        if inspect.iscoroutinefunction(function):
            problem = f"{option} is an `async def`"
            cure = "Write a plain `def`: the capability's own function alone may be async"
        elif not callable(function):
            problem = f"{option} is {function!r}, which is no function"
        else:
            try:
                inspect.signature(function).bind(*positional, **dict.fromkeys(keywords))
            except TypeError as error:
                problem = f"{option} does not take its arguments: {one_line(error)}"
            except ValueError:  # Python does not know the signature of a function in C
                continue
        if problem:
            yield wrong(capability.function, problem, cure, option=option)


def _example_errors(capability: Capability) -> Iterator[DefinitionError]:
    fields = capability.arguments.model_fields
    for number, example in enumerate(capability.examples, start=1):
        problem, cure = "", _EXAMPLE
        request = example.get("userRequest") if isinstance(example, dict) else None
        if not isinstance(example, dict):
            problem = f"is {example!r}, which is no dict"
        elif unknown := [key for key in example if key not in EXAMPLE_KEYS]:
            problem = f"has the unknown key `{unknown[0]}`{close(unknown[0], EXAMPLE_KEYS)}"
        elif not isinstance(request, str) or not request.strip():
            problem = "has no `userRequest`"
        else:
            try:
                json.dumps(example)
                validate(capability.arguments, example.get("parameters", {}), field="parameters")
            except InvalidArgument as error:
                known = ", ".join(each.alias or name for name, each in fields.items())
                cure = (
                    f"Write arguments that {capability.id} takes: {known}" if known else "Write {}"
                )
                problem = f"({request!r}) is no call of it: {error.message}"
            except (TypeError, ValueError) as error:
                problem = f"({request!r}) is not plain JSON: {one_line(error)}"
        if problem:
            yield wrong(capability.function, f"example {number} {problem}", cure, option="examples")


def _constant_line(file: str, name: str) -> int:
    """Return the line where a module assigns a constant."""
    for node in _tree(file).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(each, ast.Name) and each.id == name for each in targets):
            return node.lineno
    return 1


def _tree(file: str) -> ast.Module:
    try:
        return ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _import_cure(error: BaseException) -> str:
    """Return what to write instead; empty if unknown."""
    if isinstance(error, NameError) and error.name:
        import builtins

        return close(error.name, dir(builtins)) or ". Import it, or define it above"
    message = str(error)  # from 3.13 on Python may end it with a suggestion of its own
    if unknown := re.search(r"capability\(\) got an unexpected[^']*'(\w+)'$", message):
        known = inspect.signature(decorator).parameters
        return close(unknown[1], known) or f". It takes {', '.join(known)}"
    if unknown := re.fullmatch(r"Unexpected keyword argument '(\w+)'", message):  # of msgspec
        return close(unknown[1], AgentProfile.__struct_fields__)
    return ""
