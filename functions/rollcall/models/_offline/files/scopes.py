"""Where something is to be looked for or changed: "in app.py", "in src", "in all Python files"."""

from __future__ import annotations

import re

from msgspec import Struct

from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import HELD, Masked
from rollcall.models._offline.files.paths import paths_in, tidy

_GLOB = compiled(r"(?<![\w*])(?:\*\*?/)?\*[\w*.-]*\.\w+|(?<![\w*])\*\.\w+")
_FOLDER = compiled(
    rf"\b(?:in|under|inside|within|of|from|across|throughout|over)\s+(?:all (?:of )?)?(?:the\s+)?"
    rf"(?:(?:folder|directory|dir)\s+(?P<after>{HELD}|[\w./-]+)|(?P<before>{HELD}|"
    rf"[\w./-]+)\s+(?:folder|directory|dir)\b)"
    rf"|^(?:show|list|open|display|see|print)(?:\s+me)?\s+(?:the\s+)?(?P<shown>{HELD}|[\w./-]+)\s+"
    rf"(?:folder|directory|dir)\b"
    rf"|ב?תיקיי?ת\s+(?P<of>(?!ה)[א-ת][א-ת0-9_-]*)"
    rf"|ב?תיקיי?ה\s+(?:בשם\s+|שנקראת\s+)?(?!(?:הזאת|הזו|זאת|זו|הזה|ההיא|הראשית|הנוכחית|"
    rf"הנוכחי|כולה|של|יש|את|כל|עם|או|גם|בבקשה|עכשיו|היום|ש[א-ת]*|ו[א-ת]*)(?![א-ת]))"
    rf"(?P<in_he>[א-ת][א-ת0-9_/-]*)"
    rf"|(?:ב?תיקיי?ת\s+(?:ה[-־]?)?|ב?תיקיי?ה\s+|תחת\s+|"
    rf"בתוך\s+(?:ה?תיקיי?[הת]\s+)?)(?P<he>{HELD}|[A-Za-z0-9_./-]+)",
    re.IGNORECASE,
)
_BARE = compiled(
    r"\b(?:in|under|inside|"
    r"within)\s+(?:the\s+)?(?P<name>[A-Za-z][\w-]*)(?![\w.*])(?!\s+(?:files?|cases?|"
    r"code)\b)|"
    r"(?<![א-ת])(?:ב|בתוך\s+)[-־]?(?P<he>[A-Za-z][\w-]*)(?![\w.*])",
    re.IGNORECASE,
)
_NO_FOLDER = frozenset(
    [
        "the",
        "all",
        "every",
        "each",
        "any",
        "this",
        "that",
        "these",
        "my",
        "our",
        "code",
        "project",
        "files",
        "file",
        "repo",
        "repository",
        "workspace",
        "folder",
        "directory",
        "english",
        "hebrew",
        "it",
        "them",
        "python",
        "javascript",
        "typescript",
        "total",
        "everything",
        "here",
        "there",
        "codebase",
        "source",
        "sources",
        "which",
        "what",
        "root",
        "app",
        "lower",
        "upper",
        "order",
        "use",
        "place",
        "tree",
        "module",
        "modules",
        "class",
        "function",
        "text",
        "documents",
    ]
)
_KINDS = {
    "python|py|פייתון|פיתון": "*.py",
    "javascript|js": "*.js",
    "typescript|ts": "*.ts",
    "markdown|md|מרקדאון": "*.md",
    "json": "*.json",
    "yaml|yml": "*.y*ml",
    "toml": "*.toml",
    "html": "*.html",
    "css": "*.css",
    "text|txt|טקסט": "*.txt",
    "go": "*.go",
    "rust": "*.rs",
    "java": "*.java",
    "test|tests|טסט|בדיקות|הבדיקות": "*test*",
}
_KIND = tuple(
    (
        compiled(
            rf"\b(?:{names})\s+(?:source\s+)?files?\b|קבצי\s+ה?(?:{names})(?!\w)", re.IGNORECASE
        ),
        glob,
    )
    for names, glob in _KINDS.items()
)


class Scope(Struct, frozen=True):
    """A file, or a folder and what the names of its files look like."""

    file: str | None = None
    folder: str = "."
    glob: str | None = None


def scope(text: str, of: Masked) -> Scope:
    """Read where something is meant; everywhere, where nothing is said."""
    glob = _glob(text, of)
    folder = _folder(text, of)
    files = [path for path in paths_in(text, of) if not path.startswith("*")]
    if folder is None and files and f"{files[0]}/" in of.source(text):
        folder = files[0]
    if folder is not None:
        return Scope(None, tidy(folder), glob)
    if glob is None and files:
        return Scope(files[0])
    return Scope(None, _bare(text) or ".", glob)


def _bare(text: str) -> str | None:
    """A folder that is named without more ado: "in src"."""
    names = (found["name"] or found["he"] for found in _BARE.finditer(text))
    return next((name for name in names if name.lower() not in _NO_FOLDER), None)


def _glob(text: str, of: Masked) -> str | None:
    source = of.source(text)
    if found := _GLOB.search(source):
        return found[0].rpartition("/")[2]
    return next((glob for kind, glob in _KIND if kind.search(text)), None)


def _folder(text: str, of: Masked) -> str | None:
    found = _FOLDER.search(text)
    said = next((group for group in found.groups() if group), None) if found else None
    if said is None or said.lower() in (
        "this",
        "the",
        "same",
        "current",
        "root",
        "whole",
        "entire",
        "project",
        "main",
        "working",
        "full",
    ):
        return None
    return of.value(said)
