"""Running commands, and telling how they ended."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from rollcall.models._offline.files import shown
from rollcall.models._offline.files.choosing import chosen
from rollcall.models._offline.files.hands import argument, call
from rollcall.models._offline.files.locating import entries
from rollcall.models._offline.files.project import (
    TEST_FILES,
    Project,
    commands,
    manifests,
    only_test,
    runs_tests,
)
from rollcall.models._offline.files.troubles import trouble
from rollcall.models._offline.files.words import say
from rollcall.models._offline.files.work import Asking, Move, Work, content_of, output

_MOST_LINES = 14
_MOST_OUTPUT = 40
_LAST = 3
_MISSING = (127, 9009)
_NO_TESTS = re.compile(r"^Ran 0 tests|no tests ran|no tests found|NO TESTS RAN", re.M | re.I)
_FAILING = re.compile(
    r"^(?:FAIL(?:ED|URE)?|ERROR|E)\b[: ]|^\s*(?:not ok|--- FAIL|✖|✗|×|●)\s|"
    r"\b(?:[A-Z]\w*(?:Error|Exception)|panicked at|error(?:\[\w+\])?:|FAILED|FAILURES?)\b|"
    r"^.*:\d+(?::\d+)?: (?:error|fatal)",
)
_HEADING = re.compile(r"^\s*[=_\-*#]{3,}|^\s*[=_\-*#]*\s*(?:FAILURES|ERRORS)\s*[=_\-*#]*\s*$")
_FAILED_TESTS = re.compile(r"\bFAILED\b|\b[1-9]\d* (?:failed|failing|errors?)\b|not ok \d", re.I)
_ASKS_ANEW = re.compile(
    r"\s*(?:(?:please|now|just|ok(?:ay)?|can you|בבקשה|עכשיו)[\s,]+)*"
    r"(?:run|execute|list|show|read|open|search|rename|replace|create|add|remove|delete|what|"
    r"which|where|how|why|הרץ|הריצי|תריצי?|להריץ|הצג|הציגי|הרא[הי]|תרא[הי]|קרא|קראי|חפשי?|מה|"
    r"אילו|איפה|למה|איך)\s",
    re.IGNORECASE,
)
"""Begins a request of its own, rather than the name of a command."""


class Run(Struct, frozen=True):
    """A command to run.

    Args:
        tests: Whether it runs the tests, so that what it says of them is told.
        ours: Whether the planner chose it, and may try another where there is no such program,
            or it finds no tests.
    """

    command: str
    tests: bool = False
    ours: bool = False
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        tool = work.hands.runs
        if tool is None:
            told = say("not_offered", work.language, what=shown.said(self.command))
            return Move(text=told, done=False)
        step = work.step(tool, command=self.command)
        if step is None:
            return Move((call(tool, command=self.command),))
        if step.failed:
            told = trouble(step, "run", work.language, command=shown.plain(self.command))
            return Move(text=told, done=False)
        other = _instead(self.command, output(step)) if self.ours else None
        if other:
            return replace(self, command=other).move(work)
        return Move(text=_told(output(step), self, work.language))

    def answered(self, text: str, work: Work) -> None:
        return None


def _instead(command: str, found: dict[str, Any]) -> str | None:
    """What else runs the same: Python may be called `python`, and tests that the standard library
    does not find may be pytest's."""
    if _code(found) in _MISSING and command.startswith("python3 "):
        return command.replace("python3 ", "python ", 1)
    if "-m unittest" in command and _NO_TESTS.search(str(found.get("output") or "")):
        return command.replace("unittest", "pytest -q")
    return None


def _code(found: dict[str, Any]) -> int | None:
    code = found.get("exitCode", found.get("exit_code"))
    return code if isinstance(code, int) else None


def _told(found: dict[str, Any], run: Run, language: str) -> str:
    code, said = _code(found), str(found.get("output") or "")
    parts = [_verdict(code, said, language)] if run.tests and not found.get("timedOut") else []
    parts.append(_ended(found, run.command, language))
    return "\n\n".join(filter(None, (" ".join(filter(None, parts)), _lines(found, run, language))))


def _verdict(code: int | None, said: str, language: str) -> str:
    if _NO_TESTS.search(said):
        return say("no_tests", language)
    if code is None:
        return ""
    return say("tests_pass" if code == 0 else "tests_fail", language)


def _ended(found: dict[str, Any], command: str, language: str) -> str:
    ms = found.get("ms")
    time = say("took", language, seconds=f"{ms / 1000:.1f}") if isinstance(ms, int) else ""
    told = {"command": shown.plain(command), "time": time}
    if found.get("timedOut") or found.get("timed_out"):
        return say("stopped", language, **told)
    code = _code(found)
    key = "broken" if code is None else "ended"
    return say(key, language, **told, code=code)


def _lines(found: dict[str, Any], run: Run, language: str) -> str:
    """The lines that say what failed; of what went well the last ones, or all it wrote."""
    said = [line.rstrip() for line in str(found.get("output") or "").splitlines()]
    lines = [line for line in said if any(map(str.isalnum, line))]
    if not lines:
        return say("silent", language)
    cut = [say("cut", language)] if found.get("truncated") else []
    failing = _failing(lines) if _code(found) != 0 else []
    if failing:
        kept = [*failing[:_MOST_LINES], *lines[-_LAST:]]
        head, kept = "failing", list(dict.fromkeys(kept))
    elif run.tests or len(lines) > _MOST_OUTPUT:
        head, kept = "last_lines", lines[-(_LAST if run.tests else _MOST_LINES) :]
    else:
        head, kept = "wrote", lines
    block = shown.block("\n".join(line[:300] for line in kept))
    return "\n\n".join((say(head, language), block, *cut))


def _failing(lines: list[str]) -> list[str]:
    found = [line for line in lines if _FAILING.search(line) and not _HEADING.match(line)]
    return list(dict.fromkeys(found))


class RunTask(Struct, frozen=True):
    """Something that a project can do, such as "test" or "lint", by the command its files name.

    Args:
        command: The command that was chosen for it.
        only: The file that is meant.
        name: The one test that is meant. Where the command takes neither, all are run, and that
            is told.
    """

    task: str = "test"
    command: str | None = None
    only: str | None = None
    name: str | None = None
    acts: ClassVar[bool] = True

    def move(self, work: Work) -> Move:
        runs = work.hands.runs
        if runs is None or work.hands.lists is None:
            return Move(text=say("not_offered", work.language, what=self.task), done=False)
        if self.command is not None:
            return self._run(self._narrowed(self.command), work, ours=False)
        if made := work.step(runs):
            return self._run(str(argument(runs, made.call.arguments, "command")), work)
        project = self._project(work)
        if isinstance(project, Move):
            return project
        found = commands(self.task, project)
        if len(found) == 1:
            return self._run(self._narrowed(found[0]), work)
        return Move(asking=self._ask(found, work.language))

    def _narrowed(self, command: str) -> str:
        """The command for what is meant alone, where it takes that."""
        if self.name is not None:
            return only_test(command, self.name) or command
        takes_file = self.only and command.startswith("python3 ")
        return f"{command} {self.only}" if takes_file else command

    def _run(self, command: str, work: Work, *, ours: bool = True) -> Move:
        tests = self.task == "test" and (ours or runs_tests(command))
        move = Run(command, tests=tests, ours=ours).move(work)
        meant = self.name or self.only
        if meant is None or meant in command or not move.text:
            return move
        what = {"what": shown.plain(meant), "command": shown.plain(command)}
        return replace(move, text=f"{say('ran_all', work.language, **what)}\n\n{move.text}")

    def _ask(self, found: tuple[str, ...], language: str) -> Asking:
        if found:
            named = ", ".join(shown.code(command) for command in found)
            return Asking(say("which_command", language, commands=named), found)
        return Asking(say("ask_command", language, task=shown.said(self.task)))

    def _project(self, work: Work) -> Project | Move:
        """What the files say of how the project's tasks are run, or what to look at first."""
        lists, reads, searches = work.hands.lists, work.hands.reads, work.hands.searches
        assert lists is not None and reads is not None
        listed = work.step(lists, path=".", depth=2)
        if listed is None:
            return Move((call(lists, path=".", depth=2),))
        if listed.failed:
            return Move(text=trouble(listed, "list", work.language, path="."), done=False)
        paths = tuple(path for path, _ in entries(output(listed)))
        steps = {path: work.step(reads, path=path) for path in manifests(paths)}
        query = {"query": "unittest", "glob": TEST_FILES}
        is_python = searches is not None and self.task == "test" and any(map(_is_python, paths))
        search = work.step(searches, **query) if searches is not None and is_python else None
        missing = [call(reads, path=path) for path, step in steps.items() if step is None]
        if is_python and search is None and searches is not None:
            missing.append(call(searches, **query))
        if missing:
            return Move(tuple(missing))
        texts = {path: content_of(step) or "" for path, step in steps.items() if step}
        return Project(paths, texts, unittest=bool(search and output(search).get("matches")))

    def answered(self, text: str, work: Work) -> RunTask | None:
        project = self._project(work)
        offered = commands(self.task, project) if isinstance(project, Project) else ()
        if picked := chosen(text, offered):
            return replace(self, command=picked)
        if _ASKS_ANEW.match(text):
            return None
        said = re.sub(r"^(?:use|it'?s|with|עם|זה)\s+", "", text.strip(), flags=re.I)
        bare = said.strip().strip("`\"'“”.")
        return replace(self, command=bare) if 0 < len(bare) <= 200 else None


def _is_python(path: str) -> bool:
    return path.endswith(".py")
