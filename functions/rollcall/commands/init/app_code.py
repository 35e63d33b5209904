"""An app's own code: the collections and functions that it names, its `main.py`, and the texts of
files that init writes for an app without."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from rollcall.commands.app import Main, parse_variables
from rollcall.commands.init.files import Files, append_lines
from rollcall.commands.init.security_rules import ANY
from rollcall.emulators.jsonc import line_number

_NODE = (".js", ".mjs", ".cjs", ".ts")
_WEB = (*_NODE, ".jsx", ".tsx", ".vue", ".svelte")
_SUFFIXES = (".py", *_WEB, ".dart", ".swift", ".kt", ".java")
_BUILT = frozenset(["dist", "build"])
_SKIPPED = frozenset(["node_modules", "venv", "__pycache__", "site-packages", "vendor", "Pods"])
_MAX_BYTES = 1_000_000
_COLLECTION = re.compile(
    r"(?P<nested>\)\s*[!?]?\s*\.\s*)?\b(?P<call>collection|collectionGroup|collection_group)"
    r"\s*\(\s*(?:[\w.!]+\s*,\s*)?f?(?P<quote>['\"`])(?P<path>[^'\"`\n]{1,400})(?P=quote)"
    r"(?P<more>(?:\s*,\s*[^,()\n]+)*)"
)
_NO_CODE = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
    # a regular expression, in which quotes begin no text
    r"|(?<=[=(,:\[!&|?])[ \t]*/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/",
    re.DOTALL,
)
_QUOTED_NAME = r"""(?P<quote>['"`])(?P<name>\w+)(?P=quote)"""
_EXPORTS = (
    re.compile(r"(?<![\w.$])(?:module\.)?exports\.(?P<name>\w+)\s*=(?!=)"),
    re.compile(rf"(?<![\w.$])(?:module\.)?exports\s*\[\s*{_QUOTED_NAME}\s*\]\s*=(?!=)"),
    re.compile(
        r"(?<![\w.$])Object\s*\.\s*defineProperty\s*\(\s*(?:module\.)?exports\s*,"
        rf"\s*{_QUOTED_NAME}"
    ),
    re.compile(
        r"(?<![\w.$])export\s+(?:(?:const|let|var)\s|(?:async\s+)?function\b)[\s*]*(?P<name>\w+)"
    ),
)
_EXPORT_LIST = re.compile(r"(?<![\w.$])(?:export\s*|(?:module\.)?exports\s*=\s*)\{")
_ENTRY_NAME = re.compile(r"""\s*(?:\w+\s+as\s+)?['"]?(\w+)""")
_MARK = re.compile(r"[\[\](){},]")


def collections_in_code(root: Path) -> dict[str, str]:
    """The collections that sources name in calls of `collection(...)`, by path as in
    `users/{}/messages` (`{}**/messages` where what is above is not known), with file and line."""
    found: dict[str, str] = {}
    for path, text in _sources(root, _SUFFIXES, _SKIPPED | _BUILT):
        for call in _COLLECTION.finditer(text) if "collection" in text else ():
            place = f"{path}:{line_number(text, call.start())}"
            for collection in _paths(call):
                found.setdefault(collection, place)
    return found


def deployed_functions(files: Files, folder: str) -> dict[str, str]:
    """The functions that another codebase deploys, with file and line, as far as its main.py, or
    what its JavaScript exports, says them."""
    path = f"{folder}/main.py"
    if not files.exists(path) or files.exists(f"{folder}/package.json"):
        # `dist/` and `lib/` are deployed, too; they come before what they were built of.
        exports = _sources(files.root / folder, _NODE, _SKIPPED)
        found = ((path, *each) for path, text in exports for each in _exports(text))
        return {name: f"{folder}/{path}:{line}" for path, name, line in found}
    main = read_main(files, folder)
    functions = main.functions() if main is not None else ()
    return {each.name: f"{path}:{each.lineno}" for each in functions if each.decorator_list}


def _sources(
    root: Path, suffixes: tuple[str, ...], skipped: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """The app's own sources below a folder, each by its path from there, with its text."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            each
            for each in folders
            if each not in skipped and not each.startswith(".") and "venv" not in each
        )
        for path in (Path(folder, name) for name in sorted(names) if name.endswith(suffixes)):
            with suppress(OSError):  # a link to nothing
                if path.stat().st_size <= _MAX_BYTES:
                    # In whatever encoding: the names that are looked for are ASCII.
                    text = path.read_text(encoding="utf-8-sig", errors="replace")
                    yield path.relative_to(root).as_posix(), text


def _paths(call: re.Match[str]) -> Iterator[str]:
    """The collections of one call; its path may be one string, or several arguments."""
    literal = re.sub(r"\$\{[^}]*\}|\$\w+|\{[^}]*\}|\\\([^)]*\)", ANY, call["path"]).strip("/")
    parts = literal.split("/")
    for argument in re.findall(r",\s*([^,()\n]+)", call["more"]):
        quoted = re.fullmatch(r"\s*(['\"`])([^'\"`]*)\1\s*", argument)
        parts += quoted[2].strip("/").split("/") if quoted else [ANY]
    if len(parts) % 2 == 0:  # it goes on beyond what can be read here
        parts = parts[:-1]
    unknown = call["nested"] or call["call"] != "collection"
    for place in range(0, len(parts), 2):
        if parts[place] != ANY and re.fullmatch(r"[^\s{}]+", parts[place]):
            path = [ANY if at % 2 else each for at, each in enumerate(parts[: place + 1])]
            yield "/".join([f"{ANY}**", *path] if unknown else path)


def _exports(text: str) -> Iterator[tuple[str, int]]:
    """The names that a source in JavaScript exports, each with its line."""
    # Names stand in strings too, as in `exports["name"] =`; what begins in one is no code.
    code = _NO_CODE.sub(_blank, text)
    source = _NO_CODE.sub(lambda found: found[0] if found[0][0] in "'\"`" else _blank(found), text)
    for pattern in _EXPORTS:
        for each in pattern.finditer(source):
            if not code[each.start()].isspace():
                yield each["name"], line_number(text, each.start("name"))
    for each in _EXPORT_LIST.finditer(code):
        for place in _entries(code, each.end()):
            if name := _ENTRY_NAME.match(source, place):
                yield name[1], line_number(text, name.start(1))


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _entries(code: str, place: int) -> Iterator[int]:
    """Where the entries begin of a list in braces, the first of which is here."""
    depth = 0
    yield place
    for mark in _MARK.finditer(code, place):
        if depth == 0 and mark[0] == "}":
            return
        if depth == 0 and mark[0] == ",":
            yield mark.end()
        depth += (mark[0] in "([{") - (mark[0] in ")]}")


NEW = "from rollcall import bind\n\nbind(globals())\n"


def read_main(files: Files, folder: str) -> Main | None:
    """A folder's `main.py`, empty where there is none; None where Python cannot read it."""
    path = f"{folder}/main.py".removeprefix("./")
    try:
        return Main(files.read_bytes(path) or b"", path)
    except SyntaxError:
        return None


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


EXAMPLE = "estimate_meeting_cost"
QUESTION = "What does a meeting of 6 people for 2 hours cost?"

TEMPLATE = Path(__file__).with_name("template")
"""Files of the package of capabilities, with one capability and one agent; each ends in ".txt"."""

THREADS = ("THREADS", "48", "Requests that one instance serves at once: a stream keeps a thread.")
NO_PLUGINS = (
    "PYDANTIC_DISABLE_PLUGINS",
    "true",
    "pydantic looks for plugins in every installed package; without this, at each cold start.",
)

_IGNORED = ("__pycache__/", "*.local", "*-debug.log", ".rollcall/", "firebase.offset-*.json")


def capability_files() -> dict[str, str]:
    """The files of a new package of capabilities, by name."""
    return {each.stem: each.read_text(encoding="utf-8") for each in sorted(TEMPLATE.glob("*.txt"))}


def merge_variables(text: str, settings: Sequence[tuple[str, str, str]]) -> str:
    """Add variables that a dotenv file does not set, each as its name, value and comment."""
    for name, wanted, comment in settings:
        if name not in parse_variables(text):
            text = append_lines(text, f"# {comment}\n{name}={wanted}\n")
    return text


def firebaserc(folder_name: str) -> str:
    """A `.firebaserc` whose project is the emulators' alone: its id begins with `demo-`."""
    name = re.sub(r"[^a-z0-9]+", "-", folder_name.lower()).strip("-")[:20] or "app"
    return json.dumps({"projects": {"default": f"demo-{name}"}}, indent=2) + "\n"


def gitignore_lines(folder: str) -> list[str]:
    """What git should not keep of an app with its functions in `folder`."""
    return [f"{folder}/venv".removeprefix("./"), *_IGNORED]
