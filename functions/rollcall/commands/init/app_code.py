"""An app's own code: the collections and functions that it names, its `main.py`, and the texts of
files that init writes for an app without."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from rollcall.commands.app import Main
from rollcall.commands.init.files import Files, append_lines, line_number
from rollcall.commands.init.security_rules import ANY

_WEB = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".vue", ".svelte")
_SUFFIXES = (".py", *_WEB, ".dart", ".swift", ".kt", ".java")
_SKIPPED = frozenset(
    ["node_modules", "venv", "__pycache__", "site-packages", "vendor", "dist", "build", "Pods"]
)
_MOST_BYTES = 1_000_000
_COLLECTION = re.compile(
    r"(?P<nested>\)\s*[!?]?\s*\.\s*)?\b(?P<call>collection|collectionGroup|collection_group)"
    r"\s*\(\s*(?:[\w.!]+\s*,\s*)?f?(?P<quote>['\"`])(?P<path>[^'\"`\n]{1,400})(?P=quote)"
    r"(?P<more>(?:\s*,\s*[^,()\n]+)*)"
)
_EXPORTS = (
    re.compile(r"^\s*(?:module\.)?exports\.(\w+)\s*=", re.MULTILINE),
    re.compile(r"^\s*export\s+(?:const|let|var|(?:async\s+)?function\*?)\s+(\w+)", re.MULTILINE),
)
_EXPORT_LISTS = re.compile(r"(?:^|\n)\s*(?:export\s*|module\.exports\s*=\s*)\{([^}]*)\}")
_EXPORT_ALL = re.compile(
    r"export\s*\*\s*from\s*['\"]([^'\"]+)['\"]"
    r"|(?:Object\.assign\(\s*exports\s*,|module\.exports\s*=)\s*require\(\s*['\"]([^'\"]+)['\"]"
)
_NODE_FILES = ("src/index.ts", "src/index.js", "index.ts", "index.js", "index.mjs")


def collections_in_code(root: Path) -> dict[str, str]:
    """The collections that sources name in calls of `collection(...)`, by path as in
    `users/{}/messages` (`{}**/messages` where what is above is not known), with file and line."""
    found: dict[str, str] = {}
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            each
            for each in folders
            if each not in _SKIPPED and not each.startswith(".") and "venv" not in each
        )
        paths += [Path(folder, name) for name in sorted(names) if name.endswith(_SUFFIXES)]
    for path in paths:
        try:
            if path.stat().st_size > _MOST_BYTES:
                continue
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):  # a link to nothing, or no source
            continue
        if "collection" not in text:
            continue
        for call in _COLLECTION.finditer(text):
            place = f"{path.relative_to(root).as_posix()}:{line_number(text, call.start())}"
            for collection in _paths(call):
                found.setdefault(collection, place)
    return found


def deployed_functions(files: Files, folder: str) -> dict[str, str]:
    """The functions that another codebase deploys, with file and line, as far as its main.py or
    index.js (and what that re-exports) says them."""
    path = f"{folder}/main.py"
    if not files.exists(path) or files.exists(f"{folder}/package.json"):
        return _node_functions(files, folder)
    main = read_main(files, folder)
    functions = main.functions() if main is not None else ()
    return {each.name: f"{path}:{each.lineno}" for each in functions if each.decorator_list}


def _node_functions(files: Files, folder: str) -> dict[str, str]:
    entries = [f"{folder}/{name}" for name in _NODE_FILES]
    package = files.read(f"{folder}/package.json")
    try:
        main = json.loads(package or "{}").get("main")
    except (ValueError, AttributeError):
        main = None
    if isinstance(main, str):
        entries.append(f"{folder}/{main.removeprefix('./')}")
    found: dict[str, str] = {}
    waiting = [entry for entry in entries if files.exists(entry)]
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        text = files.read(path) or ""
        for name, line in _exports(text):
            found.setdefault(name, f"{path}:{line}")
        for each in _EXPORT_ALL.finditer(text):
            waiting += _resolve(files, path, each[1] or each[2])
    return found


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
    for pattern in _EXPORTS:
        for each in pattern.finditer(text):
            yield each[1], line_number(text, each.start(1))
    for each in _EXPORT_LISTS.finditer(text):
        for entry in each[1].split(","):
            name = re.match(r"\s*(?:\w+\s+as\s+)?(\w+)", entry)
            if name:
                yield name[1], line_number(text, each.start(1))


def _resolve(files: Files, path: str, said: str) -> list[str]:
    """The files that an import may mean."""
    if not said.startswith("."):
        return []
    base = os.path.normpath(f"{path.rpartition('/')[0]}/{said}").replace(os.sep, "/")
    stem = base.removesuffix(".js")
    tried = [base, *(f"{stem}{end}" for end in (".ts", ".js", "/index.ts", "/index.js"))]
    return [each for each in tried if files.exists(each)]


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


def firebaserc(folder_name: str) -> str:
    """A `.firebaserc` whose project is the emulators' alone: its id begins with `demo-`."""
    name = re.sub(r"[^a-z0-9]+", "-", folder_name.lower()).strip("-")[:20] or "app"
    return json.dumps({"projects": {"default": f"demo-{name}"}}, indent=2) + "\n"


def gitignore_lines(folder: str) -> list[str]:
    """What git should not keep of an app with its functions in `folder`."""
    return [f"{folder}/venv".removeprefix("./"), *_IGNORED]
