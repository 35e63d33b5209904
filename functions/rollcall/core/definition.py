"""Errors in the definition of a capability or an agent: where they are, and what to write instead.

The source file is read only when something is wrong: a process that serves a function must not read
sources.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any, get_type_hints

from rollcall.core.errors import Problem

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
    """Return the error for a function.

    Args:
        parameter: The error is at this parameter's line; "return" is the result's.
        option: The error is at this option of the decorator.
        text: The error is at the docstring's line that holds this text.
    """
    code: CodeType | None = getattr(inspect.unwrap(function), "__code__", None)
    line, nodes = code.co_firstlineno if code else 1, list[Any]()
    if definition := _definition(code):
        line, args = definition.lineno, definition.args
        if parameter:
            each = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            nodes = [item for item in each if item is not None and item.arg == parameter]
            if parameter == "return" and definition.returns is not None:
                nodes = [definition.returns]
        if option is not None:
            calls = [getattr(item, "keywords", []) for item in definition.decorator_list]
            nodes = [item for keywords in calls for item in keywords if item.arg == option]
            nodes += definition.decorator_list  # if the option is left out
        if nodes:
            line = nodes[0].lineno
        if text:
            lines = (function.__doc__ or "").splitlines()
            line = definition.body[0].lineno
            line += next((n for n, each in enumerate(lines) if text in each), 0)
    name = getattr(function, "__name__", repr(function))
    file = shown_path(code.co_filename) if code else getattr(function, "__module__", "?")
    return DefinitionError(f"{file}:{line}, {name}", problem, cure)


def _definition(code: CodeType | None) -> Definition | None:
    """Return a function's syntax tree; None if its source cannot be read."""
    import ast

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


def shown_path(file: str | Path) -> str:
    """Return a file's path relative to the folder of `firebase.json` or, outside of one, to the
    current folder."""
    path = Path(file).absolute()
    root = next((each for each in path.parents if (each / "firebase.json").is_file()), Path.cwd())
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def read_text(file: Path) -> str:
    """Return the text of one of the app's files.

    Raises:
        Problem: It cannot be read, or is not in UTF-8.
    """
    try:
        return decoded(file.read_bytes(), file)
    except OSError as error:
        raise Problem(f"{file} cannot be read: {error.strerror}.") from error


def decoded(content: bytes, file: str | Path) -> str:
    """Return the text in the content of one of the app's files.

    Raises:
        Problem: It is not in UTF-8.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Problem(
            f"{file}:{line}: byte {error.start} of the file, 0x{content[error.start]:02x}, is not "
            "UTF-8. Save the file as UTF-8."
        ) from error


def close(name: str, known: Iterable[str]) -> str:
    """Return a suggestion, such as " (did you mean `hours`?)"; empty if no known name is
    similar."""
    similar = closest(name, known)
    return f" (did you mean `{similar}`?)" if similar else ""


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the most similar known name, or None if none is similar."""
    import difflib

    similar = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return similar[0] if similar else None


def raw_annotations(annotated: Any) -> dict[str, Any]:
    """Return the annotations of a function or class without evaluating them: strings under
    `from __future__ import annotations`, otherwise values; from Python 3.14 on, undefined names are
    references."""
    if sys.version_info >= (3, 14):
        import annotationlib

        form = annotationlib.Format.FORWARDREF
        return annotationlib.get_annotations(annotated, format=form)
    return inspect.get_annotations(annotated)


def annotation_texts(function: Callable[..., Any]) -> dict[str, str]:
    """Return a function's annotations as source text, or nearly."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(function, format=annotationlib.Format.STRING)
    return {
        name: each if isinstance(each, str) else inspect.formatannotation(each)
        for name, each in inspect.get_annotations(function).items()
    }


def unresolved(function: Callable[..., Any], error: Exception) -> DefinitionError:
    """Return the error for a function's first annotation that cannot be evaluated."""
    import builtins
    import typing

    texts = annotation_texts(function)
    for name, annotation in raw_annotations(function).items():

        def alone() -> None:
            """Carry this one annotation."""

        alone.__annotations__ = {name: annotation}
        try:
            get_type_hints(alone, globalns=function.__globals__, include_extras=True)
            continue
        except Exception as error_of_this:
            reason = error_of_this
        place = "what it returns" if name == "return" else f"the type of `{name}`"
        if not isinstance(reason, NameError):
            what = f"{place} is `{texts[name]}`, which Python refuses: {one_line(reason)}"
            return wrong(function, what, "Write a type, such as `str`", parameter=name)
        missing = str(reason.name)
        types = {each for each, kind in vars(builtins).items() if isinstance(kind, type)}
        meant = closest(missing, types | function.__globals__.keys())
        if missing in typing.__all__:
            cure = f"Write `from typing import {missing}`"
        elif meant:
            cure = f"Write `{texts[name].replace(missing, meant)}`, if that is what you mean"
        else:
            cure = (
                f"Import `{missing}`; an import under `if TYPE_CHECKING:` is not there at run time"
            )
        what = f"{place} is `{texts[name]}`, and `{missing}` is not defined"
        return wrong(function, what, cure, parameter=name)
    return wrong(function, one_line(error), "Write types that Python can evaluate")


def one_line(error: Exception) -> str:
    """Return an error's first line without a full stop, so that a sentence can go on after it."""
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")


def name_problem(name: object) -> str | None:
    """Return what is wrong with a display name (a text, or texts by locale); None if nothing is."""
    if not name:
        return "the name is missing"
    if isinstance(name, str):
        return None
    if not isinstance(name, Mapping) or not all(isinstance(each, str) for each in name.values()):
        return f"the name is {name!r}, which is no text"
    return None if name.get("en") else "the name has no English"
