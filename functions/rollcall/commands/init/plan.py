"""Plans what init changes in an app, file by file, without writing."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, to_builtins

from rollcall.catalog import DEFAULT_PACKAGES
from rollcall.commands.app import Main, parse_variables
from rollcall.commands.init import app_code, firebase_json, security_rules, web_app
from rollcall.commands.init.files import Files, append_lines
from rollcall.commands.init.firebase_json import Codebase
from rollcall.commands.init.web_app import WebRecord
from rollcall.commands.init.wheel import (
    FIND_LINKS,
    Wheel,
    asks_for,
    conflicts,
    has_hashes,
    is_wheel_of_ours,
    require,
    same_content,
)
from rollcall.commands.rules import (
    Platform,
    group_lines,
    index_entries,
    indexes_text,
    merge_indexes,
)
from rollcall.core.definition import shown_path
from rollcall.core.errors import Problem
from rollcall.core.extras import DISTRIBUTION
from rollcall.core.options import DEFAULT_CODEBASE, DEFAULT_REGION
from rollcall.emulators.jsonc import problem_at

CODEBASE, PREFIX, REGION = "ROLLCALL_CODEBASE", "ROLLCALL_PREFIX", "ROLLCALL_REGION"
_MAX_PLACES = 3


RECORD = "vendor/rollcall.json"
"""In the functions folder: what init added."""


class Record(Struct, frozen=True):
    """What an earlier init added."""

    prefix: str
    collections: tuple[str, ...]
    indexes: tuple[str, ...]
    web: WebRecord | None = None


def read_record(functions: Path) -> Record | None:
    """Return what an earlier init added to the app with this functions folder; None if none did.

    Raises:
        Problem: The record is not what init wrote.
    """
    file = functions / RECORD
    if not file.is_file():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Record)
    except ValueError:
        raise Problem(
            f"{shown_path(file)} is not what init wrote. Take it back from version control, or "
            "delete it."
        ) from None


class Plan:
    """What init changes to make an app, or to add Rollcall to it; nothing is written by that.

    Args:
        root: The folder of `firebase.json`, or the one that is to have it.
        wheel: The library that the app is given.
        platform: Gives Rollcall's rules, indexes and names, by the prefix of these and the folders
            of the app's packages.
        prefix: What those names begin with; None for what the app says already.
        web: The folder of the web app, empty for the usual one; None to add none.

    Attributes:
        changes: Of files.
        notes: For the person.
        codebase: Where the functions are.
        is_update: Whether Rollcall was there already.
        web: The folder of the web app; None for an app without.

    Raises:
        Problem: Something in the app stands against it; each reason comes with its cure.
    """

    def __init__(
        self,
        root: Path,
        wheel: Wheel,
        platform: Callable[[str, Mapping[str, Path]], Platform],
        prefix: str | None,
        web: str | None = None,
    ) -> None:
        self.root = root
        self.notes: list[str] = []
        self._files = Files(root)
        self._wheel = wheel
        self._problems: list[str] = []
        self._firebase = self._files.read(firebase_json.FILE) or None  # an empty one says nothing
        text = self._firebase or "{}"
        self.codebase = firebase_json.choose_codebase(text, self._files)
        self._firestore = firebase_json.choose_firestore(text)
        self._main_text = self._files.read(self._in("main.py"))
        record = read_record(root / self.codebase.folder)
        self._is_added, self._record = record is not None, record or Record("", (), ())
        self._web_record = self._record.web
        # All that bind Rollcall: each needs the wheel, and its packages may have rules.
        codebases = self._codebases = (self.codebase, *self.codebase.parts)
        mains = [app_code.read_main(self._files, each.folder) for each in codebases]
        bound = [main.bind_arguments() if main is not None else None for main in mains]
        self._main, self._is_bound = mains[0], bound[0] is not None
        self.is_update = self._is_added and self._is_bound
        # Those that have nothing of Rollcall yet: what they are given once may be changed later.
        vendors = {each: each.path("vendor") for each in self.codebase.parts}
        self._fresh = [each for each in vendors if not self._files.is_folder(vendors[each])]
        self._fresh += [] if self.is_update else [self.codebase]
        self._prefix = self._choose_prefix(prefix)
        packages = {
            name if each is self.codebase else each.path(name): root / each.path(name)
            for each, arguments in zip(codebases, bound, strict=True)
            for name in self._packages(arguments)
        }
        folders = {name: folder for name, folder in packages.items() if folder.is_dir()}
        self._platform = platform(self._prefix, folders)
        steps: tuple[Callable[[], None], ...] = (
            self._plan_firebase_json,
            self._plan_main,
            self._plan_capabilities,
            *(partial(self._plan_requirements, each) for each in codebases),
            *(partial(self._plan_environment, each) for each in codebases),
            self._check_names,  # in the files as they are on disk
            self._plan_rules,
            self._plan_indexes,
            partial(self._plan_web, web),
            *(partial(self._plan_wheel, each) for each in codebases),
            self._plan_record,
            self._plan_git,
        )
        for step in steps:
            try:
                step()
            except Problem as error:
                self._problems.append(str(error))
        if self._problems:
            raise Problem("\n\n".join(dict.fromkeys(self._problems)))
        if self._prefix and not self.is_update:
            self.notes.append(
                "Clients have to know the prefix: in JavaScript, "
                f'`new Rollcall({{ ..., prefix: "{self._prefix}" }})`; elsewhere, call '
                f"`{self._prefix}_run_agent` and read `{self._prefix}_threads`."
            )
        self.changes = self._files.changes()
        self.web = self._web_record.folder if self._web_record is not None else None

    def _in(self, name: str) -> str:
        """A file's path in the functions folder."""
        return self.codebase.path(name)

    # ---- The app's configuration ----

    def _plan_firebase_json(self) -> None:
        if self._firebase is None:
            self._files.put(firebase_json.FILE, firebase_json.new_file(self.codebase))
            if not self._files.exists(".firebaserc"):
                self._files.put(".firebaserc", app_code.firebaserc(self.root.resolve().name))
            return
        for each in self._codebases:
            if pattern := firebase_json.ignored_vendor(self._firebase, each):
                raise Problem(
                    f'{firebase_json.FILE}: "ignore" has {pattern!r}, by which a deploy would '
                    f"leave out Rollcall's wheel in {each.path('vendor')}. Take the pattern out."
                )
        text = self._firebase
        if not self.is_update:
            text = firebase_json.merge(text, self.codebase)
        for part in self.codebase.parts:
            if part in self._fresh:
                text = firebase_json.merge_functions(text, part)
        self._files.put(firebase_json.FILE, text)

    def _plan_environment(self, codebase: Codebase) -> None:
        path = codebase.path(".env")
        text = self._files.read(path) or ""
        settings = []
        if codebase.name != DEFAULT_CODEBASE:
            said = parse_variables(text).get(CODEBASE)
            if said not in (None, codebase.name):
                raise Problem(
                    f"{path}: {CODEBASE} is {said!r}, and {firebase_json.FILE} calls this codebase "
                    f"{codebase.name!r}. Write the same name in both."
                )
            settings.append((CODEBASE, codebase.name, "This codebase's name in firebase.json."))
        if self._prefix:
            settings.append(
                (PREFIX, self._prefix, "Before the names of Rollcall's collections and functions.")
            )
        if codebase in self._fresh:
            if codebase is not self.codebase and (region := self._region()):
                settings.append(
                    (REGION, region, "Where runs look for the functions: the engine's.")
                )
            settings.append(app_code.THREADS)
            if self._main_text is None:
                settings.append(app_code.NO_PLUGINS)
        if settings:
            self._files.put(path, app_code.merge_variables(text, settings))

    def _plan_git(self) -> None:
        text = self._files.read(".gitignore") or ""
        missing: dict[str, None] = {}
        for codebase in (each for each in self._codebases if each in self._fresh):
            below = self._files.read(codebase.path(".gitignore")) or ""
            have = {line.strip().strip("/") for line in (text + "\n" + below).splitlines()}
            for line in app_code.gitignore_lines(codebase.folder):
                inside = line.removeprefix(f"{codebase.folder}/")
                if have.isdisjoint((line.strip("/"), inside.strip("/"))):
                    missing[line] = None
        if missing:
            gap = "\n" if text.strip() else ""
            lines = "\n".join(["# Rollcall", *missing])
            self._files.put(".gitignore", append_lines(text, f"{gap}{lines}\n"))
        names = (f"vendor/{self._wheel.file_name}", ".env")
        ours = [each.path(name) for each in self._codebases for name in names]
        pages = [f"{self._web_record.folder}/index.html"] if self._web_record is not None else []
        for path in (*ours, *pages):
            if self._files.exists(path) and (rule := _git_ignores(self.root, path)):
                self.notes.append(
                    f"{path} is ignored by git ({rule}): deploys from another machine, such as "
                    "CI, would miss it. Change that line, or add the file with `git add -f`."
                    + " A build may clear that folder: `--web=<folder>` names one that it copies "
                    "from." * (path in pages)
                )

    # ---- The functions ----

    def _plan_main(self) -> None:
        path = self._in("main.py")
        for name in ("rollcall.py", "rollcall/__init__.py"):
            if self._files.exists(self._in(name)):
                raise Problem(
                    f"{self._in(name)} would hide the library, which is imported as `rollcall`. "
                    "Rename it."
                )
        if self._main_text is None or not self._main_text.strip():
            self._files.put(path, app_code.NEW)
            return
        try:
            names = Main(self._main_text.encode(), path).names()
        except SyntaxError as error:
            raise Problem(f"{path}:{error.lineno}: Python cannot read it: {error.msg}") from error
        if self._is_bound:
            return
        if "bind" in names:
            raise Problem(
                f"{path}:{names['bind']}: `bind` is a name of the app's own, and `from rollcall "
                "import bind` would take it. Rename yours."
            )
        packages = self._packages(None)
        named = packages if packages != DEFAULT_PACKAGES else None
        self._files.put(path, app_code.merge(self._main_text, named))

    def _packages(self, bound: Mapping[str, tuple[str, ...]] | None) -> tuple[str, ...]:
        """The packages of a call of `bind` with these arguments; of a new one, None, those that it
        finds by itself, but for folders of something else."""
        if bound is not None:
            return bound.get("packs") or DEFAULT_PACKAGES
        ours = tuple(each for each in DEFAULT_PACKAGES if not self._is_other(self._in(each)))
        return ours if ours[-1:] == ("capabilities",) else (*ours, "rollcall_capabilities")

    def _is_other(self, folder: str) -> bool:
        texts = (path.read_bytes() for path in (self.root / folder).rglob("*.py"))
        is_ours = not self._files.names(folder) or any(b"rollcall" in text for text in texts)
        return self._files.exists(f"{folder}.py") or not is_ours

    def _plan_capabilities(self) -> None:
        folder = self._in(self._packages(None)[-1])
        if self._is_bound or self._files.names(folder):
            return
        taken = app_code.EXAMPLE in self._own_functions()
        for name, text in app_code.capability_files().items():
            if name == "__init__.py" or not taken:
                self._files.put(f"{folder}/{name}", text)

    def _own_functions(self) -> dict[str, str]:
        """The names in the codebase's own main.py, with file and line."""
        names = self._main.names() if self._main is not None else {}
        return {name: f"{self._in('main.py')}:{line}" for name, line in names.items()}

    def _plan_requirements(self, codebase: Codebase) -> None:
        path = codebase.path("requirements.txt")
        text = self._files.read(path)
        if text is None:
            project = codebase.path("pyproject.toml")
            if "dependencies" in (self._files.read(project) or ""):
                raise Problem(
                    f"{project} says what the app needs, and there is no requirements.txt beside "
                    "it, which Firebase asks for. Write one from it (`uv export --no-hashes "
                    "--no-emit-project -o requirements.txt`, `poetry export --without-hashes -o "
                    "requirements.txt`) and repeat this, as after each later export."
                )
            text = ""
        for line, problem in conflicts(text, self._wheel.needs):
            self._problems.append(f"{path}:{line}: {problem}.")
        if has_hashes(text):
            if not asks_for(text, self._wheel.version):
                self.notes.append(
                    f"{path} has hashes, so pip wants them of every line, and it is left as it is. "
                    f"Add {DISTRIBUTION}=={self._wheel.version} to the file that it is made from, "
                    "and make it anew, from its folder, with one of:\n"
                    f"  pip-compile --generate-hashes {FIND_LINKS}\n"
                    f"  uv pip compile --generate-hashes {FIND_LINKS} --emit-find-links\n"
                    f"Or, for uv's pyproject.toml: `uv add ./vendor/{self._wheel.file_name}` and "
                    "`uv export --no-emit-project -o requirements.txt`"
                )
            return
        self._files.put(path, require(text, self._wheel.version))

    def _plan_wheel(self, codebase: Codebase) -> None:
        vendor = codebase.path("vendor")
        path = f"{vendor}/{self._wheel.file_name}"
        there = self._files.read_bytes(path)
        if there is None:
            self._files.put(path, self._wheel.content)
        elif not same_content(there, self._wheel.content):
            raise Problem(
                f"{path} has other content than the library that runs, under the same version, so "
                "a deploy could keep the old one. Build the library with `make wheel`, which names "
                "its content in the version, install that and repeat this."
            )
        for name in self._files.names(vendor):
            if is_wheel_of_ours(name) and name != self._wheel.file_name:
                self._files.remove(f"{vendor}/{name}")

    def _plan_record(self) -> None:
        record: dict[str, Any] = {
            "about": "What `python -m rollcall init` added, so that a later one can renew it.",
            "version": self._wheel.version,
            "prefix": self._prefix,
            "collections": list(self._platform.collections),
            "indexes": index_entries(self._platform.indexes),
        }
        if self._web_record is not None:
            record["web"] = to_builtins(self._web_record)
        self._files.put(self._in(RECORD), json.dumps(record, indent=1) + "\n")

    def _choose_prefix(self, prefix: str | None) -> str:
        """The prefix asked for, or the one that the app has.

        Raises:
            Problem: The app has another one, and data under it.
        """
        path = self._in(".env")
        there = parse_variables(self._files.read(path) or "").get(PREFIX)
        before = self._record.prefix if self._is_added else there
        if there is not None and before != there:
            raise Problem(
                f"{path}: {PREFIX} is {there!r}, and Rollcall was added with {before!r}, under "
                "which its data is kept. Write that again."
            )
        if prefix is None:
            return before or ""
        if before is not None and before != prefix:
            how = f"with the prefix {before!r}" if before else "without a prefix"
            raise Problem(
                f"Rollcall was added to this app {how}, and its data is kept under those names. "
                f"Where none has to be kept, delete {self._in(RECORD)}, {PREFIX} in {path}, and "
                "the indexes and the block in the rules that init wrote, and repeat this."
            )
        return prefix

    def _region(self) -> str | None:
        """The region of the engine's functions, as far as their files say it."""
        variables = parse_variables(self._files.read(self._in(".env")) or "")
        return variables.get(REGION) or (self._main.region() if self._main is not None else None)

    # ---- The web app ----

    def _plan_web(self, folder: str | None) -> None:
        if self._web_record is None and folder is None:
            return
        self._web_record, notes = web_app.plan(
            self._files,
            web_app.shipped_files(self._wheel.content),
            folder=folder or "",
            before=self._web_record,
            settings=web_app.PageSettings(
                name=self.root.resolve().name,
                region=self._region() or DEFAULT_REGION,
                prefix=self._prefix,
            ),
        )
        self.notes += notes

    # ---- Firestore ----

    def _plan_rules(self) -> None:
        path = self._firestore.rules
        text = self._files.read(path)
        if text is None:
            self._files.put(path, security_rules.new_file(self._platform.rules))
            if self._firebase is not None:
                self.notes.append(
                    f"The app had no {path}: a deploy replaces the rules that are in the Firebase "
                    f"console now. Copy those into {path} first."
                )
            return
        try:
            rules = security_rules.read(text)
            if rules.version != "2":
                said = (
                    f"rules_version is {rules.version!r}"
                    if rules.version
                    else "there is no rules_version"
                )
                self._problems.append(
                    f"{path}:1: {said}, and Rollcall's rules need version 2. Write "
                    "`rules_version = '2';` as the first line. In version 2, `{name=**}` also "
                    "matches what stands right at that place, so look at your wildcards."
                )
            if problem := security_rules.openings_problem(
                path, rules, self._platform.collections, prefix=self._prefix
            ):
                self._problems.append(problem)
            self._files.put(path, security_rules.merge(text, self._platform.rules))
        except ValueError as error:
            raise problem_at(path, error) from error

    def _plan_indexes(self) -> None:
        path = self._firestore.indexes
        text = self._files.read(path)
        if text is None:
            self._files.put(path, indexes_text(self._platform.indexes))
            return
        try:
            merged = merge_indexes(text, self._platform.indexes, self._record.indexes)
            self._files.put(path, merged)
        except ValueError as error:
            raise problem_at(path, error) from error

    # ---- Names ----

    def _check_names(self) -> None:
        """Find names of Rollcall that the app has for something of its own."""
        taken: dict[str, list[str]] = {}
        if not self._is_bound:  # else `bind` knows better which of the engine's functions there are
            found = self._own_functions()
            for folder in self.codebase.others:
                found |= app_code.deployed_functions(self._files, folder)
            ours = self._platform.functions
            taken = {f"the function {name}": [at] for name, at in found.items() if name in ours}
        for id, places in self._taken_collections().items():
            taken.setdefault(f"the collection {id}", places)
        if not taken:
            return
        lines = [
            f"  {name}: {', '.join(dict.fromkeys(places[:_MAX_PLACES]))}"
            for name, places in sorted(taken.items())
        ]
        cure = f"Choose another prefix than {self._prefix!r}."
        if not self._prefix:
            cure = (
                "With `--prefix rc` Rollcall's own are called rc_threads, rc_run_agent and so on, "
                "in paths, rules, indexes and clients."
            )
        what = "Rollcall uses names that the app has for something else:"
        self._problems.append("\n".join([what, *lines, cure]))

    def _taken_collections(self) -> dict[str, list[str]]:
        known = self._record.collections
        new = [each for each in self._platform.collections if each not in known]
        roots = {each for each in new if "/" not in each}
        ids = {each.rpartition("/")[2] for each in new}
        groups = self._platform.shared_groups & ids
        used: list[tuple[str, str]] = []
        rules_file, indexes_file = self._firestore.rules, self._firestore.indexes
        if (text := self._files.read(rules_file)) is not None:
            try:
                lines = security_rules.collection_lines(security_rules.read(text))
                used += [(path, f"{rules_file}:{line}") for path, line in lines.items()]
            except ValueError:  # `_plan_rules` says so
                pass
        if (text := self._files.read(indexes_file)) is not None:
            ours = {*index_entries(self._platform.indexes), *self._record.indexes}
            try:
                for group, (line, keys) in group_lines(text).items():
                    if not ours.issuperset(keys):
                        used.append((f"{security_rules.ANY}**/{group}", f"{indexes_file}:{line}"))
            except ValueError:  # `_plan_indexes` says so
                pass
        if not self._is_added and not self._is_bound:
            used += app_code.collections_in_code(self.root).items()
        found: dict[str, list[str]] = {}
        for path, place in used:
            above, _, id = path.rpartition("/")
            is_root = not above
            is_unknown = above == f"{security_rules.ANY}**"
            if id in groups or ((is_root or is_unknown) and id in roots):
                found.setdefault(id, []).append(place)
        return found


def _git_ignores(root: Path, path: str) -> str | None:
    """The line of a .gitignore by which git leaves a file out; None where it keeps it."""
    git = shutil.which("git")
    if git is None or not root.is_dir():
        return None
    found = subprocess.run(
        [git, "check-ignore", "--verbose", path],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    place, _, pattern = found.stdout.partition("\t")[0].rpartition(":")
    return None if found.returncode or pattern.startswith("!") else f"{place}: {pattern}"
