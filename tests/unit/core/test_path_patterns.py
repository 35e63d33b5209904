"""Patterns of paths match what is plainly meant, and nothing that could mean another place."""

from __future__ import annotations

import ntpath
import posixpath
import random
import time

import pytest

from rollcall.core.path_patterns import check_path_pattern, matches_path, patterns_of_path
from tests.support.rules import for_every


@for_every(
    ("pattern", "path"),
    [
        ("docs/**", "docs/a.md"),
        ("docs/**", "docs/deep/er/a.md"),
        ("docs/**", "./docs//a.md"),
        ("docs/**", "docs/./a.md"),
        ("docs/*", "docs/a.md"),
        ("src/*.py", "src/app.py"),
        ("src/**/test_*.py", "src/test_app.py"),
        ("src/**/test_*.py", "src/a/b/test_app.py"),
        ("**", "a/b.txt"),
        ("a.txt", "a.txt"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        (".github/**", ".github/dependabot.yml"),
        ("src/.*", "src/.prettierignore"),
        ("Makefile", "Makefile"),
        ("app/package.json", "app/package.json"),
        ("מסמכים/**", "מסמכים/תקציב שנתי.md"),
        ("a*b*c", "aXbYbZc"),
    ],
)
def test_a_path_that_is_plainly_meant_matches(pattern: str, path: str) -> None:
    check_path_pattern(pattern)
    assert matches_path(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("docs/**", "docs"),
        ("docs/**", "docs2/a.md"),
        ("docs/**", "src/docs/a.md"),
        ("docs/*", "docs/deep/a.md"),
        ("src/*.py", "src/app.pyc"),
        ("a*b", "ab/b"),
        ("a*a", "a"),
        ("docs/**", "Docs/a.md"),
        ("docs/**", "DOCS/a.md"),
    ],
)
def test_another_path_does_not(pattern: str, path: str) -> None:
    check_path_pattern(pattern)
    assert not matches_path(pattern, path)


@for_every(
    "path",
    [
        "docs/../secret",
        "docs/..",
        "docs/a/../../etc/passwd",
        "docs/.. /secret",
        "docs/../",
        "docs/...",
        "docs/a.",
        "docs/a.md ",
        "docs/ a.md",
        "docs/a./b",
        "/docs/a.md",
        "//host/docs/a.md",
        "docs\\..\\secret",
        "docs/a\\b",
        "C:docs/a.md",
        "C:/docs/a.md",
        "docs/a.md:stream",
        "docs/%2e%2e/secret",
        "docs/%2fa",
        "docs/a\0.md",
        "docs/a\nb",
        "docs/a\tb",
        "docs/a\x7fb",
        "~/docs/a.md",
        "docs/GIT~1/config",
        "docs/.git/hooks/pre-commit",
        "docs/.env",
        "docs/x/.ssh/authorized_keys",
        "docs/\u202eda.md",
        "docs/a\u200b.md",
        "docs/.g\u200cit/config",
        "docs/\ufeffa.md",
        "docs/a\u1160.md",
        "docs/a\u2800.md",
        "docs/a\u034f.md",
        "docs/a\u00a0b.md",
        "docs/\u3000a.md",
        "docs/\uff0e\uff0e/secret",
        "docs/\u2024\u2024/secret",
        "docs/..\uff0fsecret",
        "docs\uff0fa.md",
        "docs/\u2025/secret",
        "docs/e\u0301.md",
        "docs/nul",
        "docs/CON.txt",
        "docs/com1/a",
        "docs/*",
        "docs/a|b",
        "d\u043ecs/a.md",
        "docs/" + "a/" * 100,
        "docs/" + "a" * 2_000,
        "",
        ".",
        None,
        5,
        ["docs/a.md"],
        {"docs/a.md": 1},
    ],
)
def test_what_could_mean_another_place_matches_nothing(path: object) -> None:
    assert not matches_path("docs/**", path)
    assert not matches_path("**", path) or path == "d\u043ecs/a.md"


@for_every(
    "pattern",
    ["", "/docs/**", "../**", "docs/../**", "docs/**x", "docs//a", "./docs", "docs/", "a\\b",
     "C:/**", "docs/\u200b**", "docs/%2e", "a" * 600],
)  # fmt: skip
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        check_path_pattern(pattern)


@pytest.mark.parametrize(
    ("path", "offered"),
    [
        ("src/app.py", ("src/app.py", "src/**")),
        ("./src//a/b.py", ("src/a/b.py", "src/a/**")),
        ("app.py", ("app.py",)),
        (".github/dependabot.yml", (".github/dependabot.yml",)),
        ("src/.env", ()),
        ("setup.py", ()),
        ("a/Makefile", ()),
        (".vscode/tasks.json", ()),
        (".git/config", ()),
        ("../x", ()),
        ("a/*/b", ()),
        (None, ()),
    ],
)
def test_what_a_yes_may_stand_for_is_the_file_and_its_folder(
    path: object, offered: tuple[str, ...]
) -> None:
    assert patterns_of_path(path) == offered
    for pattern in offered:
        check_path_pattern(pattern)
        assert matches_path(pattern, path)


def test_a_pattern_made_to_be_slow_is_not() -> None:
    began = time.process_time()
    assert not matches_path("/".join(["**", "a*a*a*a*a*b"] * 12), "/".join(["a" * 18] * 50))
    assert not matches_path("*a" * 200 + "b", "a" * 900)
    assert time.process_time() - began < 1


_PIECES = [
    *'/\\.:%~ *?<>|"\0\naZ9ש',
    "..",
    "./",
    "/../",
    "%2e",
    "\u200b",
    "\u202e",
    "\uff0e",
    "nul",
]


def test_what_matches_stays_below_by_the_rules_of_every_system() -> None:
    lots = random.Random(1)
    tried = {"".join(lots.choices(_PIECES, k=lots.randint(1, 7))) for _ in range(60_000)}
    taken = [path for path in tried if matches_path("**", path)]
    assert 100 < len(taken) < len(tried) / 10
    for path in taken:
        assert posixpath.normpath(posixpath.join("/root", path)).startswith("/root/")
        assert ntpath.normpath(ntpath.join("C:\\root", path)).startswith("C:\\root\\")
        assert not any(part.startswith(".") for part in posixpath.normpath(path).split("/"))


@for_every(
    "path",
    [
        "a/Makefile",
        "a/makefile",
        "a/package.json",
        "a/conftest.py",
        "a/vite.config.ts",
        "a/.env",
        "a/server.pem",
        "a/HEAD",
        "a/sitecustomize.py",
        "a/node_modules/.bin/x",
        "a/AGENTS.md",
    ],
)
def test_wildcards_reach_no_guarded_file(path: str) -> None:
    for pattern in ("**", "a/**", "*/*", "a/*", "a/.*", f"**/{path.rsplit('/')[-1]}"):
        assert not matches_path(pattern, path)


@for_every("path", [".env", "a/.npmrc", ".git/config", ".bashrc", ".mcp.json", "a/HEAD"])
def test_what_is_secret_or_runs_unasked_no_pattern_reaches(path: str) -> None:
    assert not matches_path(path, path)
