"""The project's Python files as syntax trees: each is read, parsed and walked once in a process."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

FUNCTIONS = Path(__file__).parents[2] / "functions"


@cache
def text(path: Path) -> str:
    """What a file says."""
    return path.read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(text(path))


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a syntax tree, the outer ones first."""
    return tuple(ast.walk(tree))
