"""Reads and edits an app's `main.py`."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence

from rollcall.commands import app
from rollcall.commands.init.files import append_lines

NEW = "from rollcall import bind\n\nbind(globals())\n"


def binds(text: str) -> bool:
    """Whether a main.py binds Rollcall; False too for one that Python cannot read."""
    return _bind_call(text) is not None


def packages(text: str) -> list[str] | None:
    """The packages that the call of `bind` names; None where it names none."""
    call = _bind_call(text)
    for keyword in call.keywords if call is not None else ():
        if keyword.arg == "packs" and isinstance(keyword.value, ast.List | ast.Tuple):
            named = [each.value for each in keyword.value.elts if isinstance(each, ast.Constant)]
            return [str(name) for name in named]
    return None


def top_level_names(text: str) -> dict[str, int]:
    """The names that a main.py defines or imports, and the line of each.

    Raises:
        SyntaxError: Python cannot read it.
    """
    found: dict[str, int] = {}
    for node in _statements(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(node.name, node.lineno)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                found.setdefault((alias.asname or alias.name).split(".")[0], node.lineno)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        found.setdefault(name.id, node.lineno)
    return found


def decorated_functions(text: str) -> dict[str, int]:
    """The functions under decorators in a main.py, as those are that a deploy makes.

    Raises:
        SyntaxError: Python cannot read it.
    """
    return {
        node.name: node.lineno
        for node in _statements(ast.parse(text).body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list
    }


def merge(text: str, packs: Sequence[str] | None) -> str:
    """Bind Rollcall at the end of the app's own main.py, whose other lines stay as they are.

    Args:
        packs: The packages to name; None for those that `bind` looks for by itself.
    """
    named = "" if packs is None else f", packs={json.dumps(list(packs))}"
    gap = "\n\n" if text.strip() else ""
    return append_lines(
        text,
        f"{gap}# Rollcall's functions, after your own, which start without loading any of it.\n"
        f"from rollcall import bind  # noqa: E402\n\nbind(globals(){named})\n",
    )


def _statements(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements that run at import, those in `if` and `try` too."""
    found: list[ast.stmt] = []
    for node in body:
        found.append(node)
        for part in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With):
                found += _statements(getattr(node, part, []))
    return found


def _bind_call(text: str) -> ast.Call | None:
    try:
        return app.bind_call(text)
    except (SyntaxError, ValueError):
        return None
