"""How a project's tasks are run, by the files that say so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

TEST_FILES = "*test*.py"
_MAKE = ("Makefile", "makefile", "GNUmakefile")
_READ = (*_MAKE, "package.json", "pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt")
_TESTS = {"Cargo.toml": "cargo test", "go.mod": "go test ./...", "pom.xml": "mvn test"}
_BUILDS = {"Cargo.toml": "cargo build", "go.mod": "go build ./..."}
_PYTEST = re.compile(r"(?<![\w-])pytest(?![\w-]*cov)", re.IGNORECASE)
_NO_TESTS = "no test specified"
_RUNNERS = re.compile(
    r"^(?:\w+=\S*\s+)*(?:\S*/)?(?:(?:npx|uv|poetry|pnpm|yarn|npm|bun|python[\d.]*|py)\s+"
    r"(?:exec\s+|run\s+|-m\s+)*)?(?:\./|\S+/)?(?:[\w.-]*[._-])?"
    r"(?:py\.?test|unit-?tests?|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|tests?(?:\.\w+)?)"
    r"(?![\w-])|"
    r"^(?:make|just|cargo|go|mvn|gradle|\./gradlew|dotnet|mix|swift|flutter|dart|deno|rake)\s+"
    r"(?:\S+\s+)*(?:[\w:.-]*[:._-])?(?:tests?|check|spec|nextest)(?![\w-])",
    re.IGNORECASE,
)


class Project(Struct, frozen=True):
    """What is known of a project.

    Args:
        paths: Its files and folders, two levels down.
        texts: The content of those in `manifests`.
        unittest: Whether its tests are of the standard library's kind.
    """

    paths: tuple[str, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    unittest: bool = False


def manifests(paths: Iterable[str]) -> list[str]:
    """The files at the root that may say how tasks are run."""
    return [path for path in paths if path in _READ]


def commands(task: str, project: Project) -> tuple[str, ...]:
    """The commands for a task, such as "test": one where the files leave no doubt.

    A Makefile's target comes before all else: it is how the project's people run it.
    """
    for name in _MAKE:
        if re.search(rf"^{re.escape(task)}\s*:(?!=)", project.texts.get(name, ""), re.MULTILINE):
            return (f"make {task}",)
    found = [*_of_scripts(task, project), *_of_python(task, project)]
    known = {"test": _TESTS, "build": _BUILDS}.get(task, {})
    found += [command for name, command in known.items() if name in project.paths]
    return tuple(dict.fromkeys(found))


def runs_tests(command: str) -> bool:
    """Whether a command is one that runs tests, by its looks: "pytest -q", "make test"."""
    return bool(_RUNNERS.match(command.strip()))


def only_test(command: str, name: str) -> str | None:
    """The command for one test, by its name; None where the runner is not known to take one."""
    if command.startswith("python3 -m "):
        return f"{command} -k {name}"
    return {"cargo test": f"cargo test {name}", "go test ./...": f"go test ./... -run {name}"}.get(
        command
    )


def _of_scripts(task: str, project: Project) -> list[str]:
    try:
        said = json.loads(project.texts.get("package.json") or "{}")
    except (ValueError, RecursionError):
        return []
    scripts = said.get("scripts") if isinstance(said, dict) else None
    script = scripts.get(task) if isinstance(scripts, dict) else None
    if not isinstance(script, str) or _NO_TESTS in script:
        return []
    return ["npm test" if task == "test" else f"npm run {task}"]


def _of_python(task: str, project: Project) -> list[str]:
    if task != "test" or not any(path.endswith(".py") for path in project.paths):
        return []
    said = "\n".join(text for path, text in project.texts.items() if path != "package.json")
    if _PYTEST.search(said) or {"pytest.ini", "conftest.py", "tests/conftest.py"} & {
        *project.paths
    }:
        return ["python3 -m pytest -q"]
    if project.unittest:
        return ["python3 -m unittest"]
    has_tests = any(re.search(r"(?:^|/)test_[^/]*\.py$|^tests?$", path) for path in project.paths)
    return ["python3 -m pytest -q"] if has_tests else []
