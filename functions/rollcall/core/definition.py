"""Errors in the definition of a capability or an agent: where they are, and what to write instead.

Where it is is looked up in the source file only once something is wrong, since a process that
serves a function must not read sources.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    import ast

    Definition = ast.FunctionDef | ast.AsyncFunctionDef


class DefinitionError(TypeError):
    """A definition that cannot work, as `file:line, name: what is wrong. What to write.`"""

    def __init__(self, where: str, problem: str, cure: str) -> None:
        super().__init__(f"{where}: {problem}. {cure}.")


def wrong(
    function: Callable[..., Any],
    problem: str,
    cure: str,
    *,
    parameter: str | None = None,
    option: str | None = None,
    text: str | None = None,
) -> DefinitionError:
    """Return the error for a function, at the line of a parameter ("return" is its result), of an
    option of its decorator, or of its docstring that holds `text`; by default of its `def`."""
    line = _line(function, parameter=parameter, option=option, text=text)
    name = getattr(function, "__name__", repr(function))
    code = getattr(inspect.unwrap(function), "__code__", None)
    file = shown_path(code.co_filename) if code else getattr(function, "__module__", "?")
    return DefinitionError(f"{file}:{line}, {name}", problem, cure)


def shown_path(file: str | Path) -> str:
    """Return a file's path as its author would type it: from the folder of `firebase.json` if it is
    in one, else from the current folder."""
    path = Path(file).absolute()
    root = next((each for each in path.parents if (each / "firebase.json").is_file()), Path.cwd())
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def close(name: str, known: Iterable[str]) -> str:
    """Return a suggestion in brackets, such as whether `hours` was meant by `hour`; empty if
    nothing known is similar."""
    found = closest(name, known)
    return f" (did you mean `{found}`?)" if found else ""


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most similar, if any is."""
    import difflib

    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


def raw_annotations(annotated: Any) -> dict[str, Any]:
    """Return the annotations of a function or class, as far as Python has evaluated them: texts
    under `from __future__ import annotations`, otherwise values, and from Python 3.14 on references
    where a name is not defined."""
    if sys.version_info >= (3, 14):
        import annotationlib

        form = annotationlib.Format.FORWARDREF
        return annotationlib.get_annotations(annotated, format=form)
    return inspect.get_annotations(annotated)


def annotation_texts(function: Callable[..., Any]) -> dict[str, str]:
    """Return a function's annotations as its source has them, or nearly."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(function, format=annotationlib.Format.STRING)
    return {
        name: each if isinstance(each, str) else inspect.formatannotation(each)
        for name, each in inspect.get_annotations(function).items()
    }


def unresolved(function: Callable[..., Any], error: Exception) -> DefinitionError:
    """Return the problem with the first annotation that cannot be evaluated."""
    texts = annotation_texts(function)
    for name, annotation in raw_annotations(function).items():

        def alone() -> None:
            """Has this one annotation."""

        alone.__annotations__ = {name: annotation}
        try:
            get_type_hints(alone, globalns=function.__globals__, include_extras=True)
        except NameError as missing:
            return _undefined(function, name, texts[name], str(missing.name))
        except Exception as reason:
            what = f"{_typed(name)} is `{texts[name]}`, which Python refuses: {one_line(reason)}"
            return wrong(function, what, "Write a type, such as `str`", parameter=name)
    return wrong(function, one_line(error), "Write types that Python can evaluate")


def _undefined(
    function: Callable[..., Any], parameter: str, annotation: str, missing: str
) -> DefinitionError:
    import builtins
    import typing

    types = {name for name, each in vars(builtins).items() if isinstance(each, type)}
    meant = closest(missing, types | function.__globals__.keys())
    if missing in typing.__all__:
        cure = f"Write `from typing import {missing}`"
    elif meant:
        cure = f"Write `{annotation.replace(missing, meant)}`, if that is what you mean"
    else:
        cure = f"Import `{missing}`; an import under `if TYPE_CHECKING:` is not there at run time"
    what = f"{_typed(parameter)} is `{annotation}`, and `{missing}` is not defined"
    return wrong(function, what, cure, parameter=parameter)


def _typed(parameter: str) -> str:
    return "what it returns" if parameter == "return" else f"the type of `{parameter}`"


def one_line(error: Exception) -> str:
    """Return an error as one line that can be continued."""
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")


def name_problem(name: object) -> str | None:
    """Return what is wrong with a name for people, which is a text or texts by locale; None if
    nothing is."""
    if not name:
        return "the name is missing"
    if isinstance(name, str):
        return None
    if not isinstance(name, Mapping) or not all(isinstance(each, str) for each in name.values()):
        return f"the name is {name!r}, which is no text"
    return None if name.get("en") else "the name has no English"


def _line(
    function: Callable[..., Any], *, parameter: str | None, option: str | None, text: str | None
) -> int:
    code = getattr(inspect.unwrap(function), "__code__", None)
    found = _definition(function)
    if found is None:
        return code.co_firstlineno if code else 1
    places: list[Any] = []
    if parameter:
        given = found.args
        each = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        places = [item for item in each if item is not None and item.arg == parameter]
        if parameter == "return" and found.returns is not None:
            places = [found.returns]
    if option is not None:
        calls = [getattr(item, "keywords", []) for item in found.decorator_list]
        places = [item for keywords in calls for item in keywords if item.arg == option]
        places += found.decorator_list  # where it is left out
    if text:
        start = found.body[0].lineno
        lines = (function.__doc__ or "").splitlines()
        return start + next((n for n, line in enumerate(lines) if text in line), 0)
    line: int = (places[0] if places else found).lineno
    return line


def _definition(function: Callable[..., Any]) -> Definition | None:
    """The function's own syntax tree; None where its source is not there."""
    import ast

    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return None
    try:
        tree = ast.parse(Path(code.co_filename).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if (node.name, first) == (code.co_name, code.co_firstlineno):
                return node
    return None
