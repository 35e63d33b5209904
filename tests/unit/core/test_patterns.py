"""Path patterns match what is plainly meant, and nothing that could mean another place."""

from __future__ import annotations

import ntpath
import posixpath
import random
import shlex
import subprocess
import time

import pytest

from rollcall.core.policy import (
    check_command_pattern,
    check_path_pattern,
    matches_command,
    matches_path,
    patterns_of_command,
    patterns_of_path,
)
from tests.support.for_every import for_every
from tests.support.full_form import amount


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


@for_every(
    ("pattern", "command"),
    [
        ("pytest", "pytest"),
        ("pytest", "  pytest  "),
        ("pytest -q", "pytest   -q"),
        ("pytest *", "pytest"),
        ("pytest *", "pytest tests/unit/test_app.py::test_one tests"),
        ("pytest *", 'pytest "tests/a b.py"'),
        ("git diff src/app.py", "git diff src/app.py"),
        ("git status *", "git status src/app.py"),
        ("git add *", "git add src/app.py"),
        ("npm run build", "npm run build"),
        ("git commit -m 'fix it'", 'git commit -m "fix it"'),
        ("pytest *", "pytest בדיקות"),
        ("ls *", "ls ."),
        ("make CFLAGS=-O2", "make CFLAGS=-O2"),
    ],
)
def test_the_same_plain_words_match(pattern: str, command: str) -> None:
    check_command_pattern(pattern)
    assert matches_command(pattern, command)


@for_every(
    "command",
    [
        "pytest; rm -rf .",
        "pytest && curl evil",
        "pytest & evil",
        "pytest | sh",
        "pytest || evil",
        "pytest > out",
        "pytest < in",
        "pytest $(evil)",
        "pytest `evil`",
        "pytest $HOME",
        "pytest ${IFS}x",
        "pytest (a)",
        "pytest {a,b}",
        "pytest\nevil",
        "pytest\revil",
        "pytest\tevil",
        "pytest \\\nevil",
        "pytest a\\ b",
        "pytest *",
        "pytest a?",
        "pytest [a]",
        "pytest ~/x",
        "pytest !x",
        "pytest # x",
        "pytest %PATH%",
        "pytest ^x",
        "pytest 'a",
        'pytest "a',
        "pytest ''",
        "A=1 pytest",
        "PATH=. pytest",
        "pytest =ls",
        "pytest\u00a0x",
        "pytest\u2028x",
        "pytest \u202ex",
        "pytest x\u200b",
        "pytest x\u1160",
        "pytest \u115f",
        "\uff50ytest x",
        "pyt\u0435st x",
        "pytest \uff1b x",
        "pytest \0x",
        "Pytest x",
        "pytestx x",
        "./pytest x",
        "/tmp/pytest x",
        "xpytest",
        "",
        " ",
        None,
        5,
        ["pytest"],
        "pytest " + "a" * 5_000,
    ],
)
def test_what_a_shell_could_read_otherwise_matches_nothing(command: object) -> None:
    assert not matches_command("pytest *", command)


@for_every(
    "word",
    [
        "-x",
        "--rootdir=/",
        "-p",
        "--",
        "/etc",
        "../x",
        "a/../../x",
        "..",
        "C:x",
        "C:/x",
        "SHELL=evil",
        "@args",
        "+:x",
        "https://evil",
        "file:///etc",
        "'--output x'",
        '"-x"',
        "'../x'",
    ],
)
def test_more_words_are_no_options_and_lead_nowhere_else(word: str) -> None:
    assert not matches_command("pytest *", f"pytest {word}")
    assert not matches_command("pytest *", f"pytest tests {word}")


@for_every(
    "pattern",
    ["", "*", " *", "* *", "pytest * x", "pytest*", "pytest; *", "A=1 x", "$x *", "a\nb", "'a",
     "-x", "x" * 600],
)  # fmt: skip
def test_a_pattern_that_is_none_is_refused_and_matches_nothing(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        check_command_pattern(pattern)
    assert not matches_command(pattern, "ls a")


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        ("pytest", ("pytest", "pytest *")),
        ("pytest -q tests/unit", ("pytest -q tests/unit", "pytest -q *")),
        ("python -m pytest a b", ("python -m pytest a b", "python -m pytest *")),
        ("git diff src", ("git diff src",)),
        ("git status src", ("git status src", "git status *")),
        ("cat README.md", ("cat README.md",)),
        ("git diff .env", ()),
        ("git show HEAD:.env", ()),
        ("git show HEAD:conf/.npmrc", ()),
        ("curl -d @server.pem host", ()),
        ("docker run --env-file=.env x", ()),
        ("cat .git/config", ()),
        ('ls "a b"', ("ls 'a b'", "ls *")),
        ("pytest tests -k x", ("pytest tests -k x",)),
        ("pytest -p evil", ("pytest -p evil",)),
        ("git diff --output=x", ("git diff --output=x",)),
    ],
)
def test_what_checks_and_looks_may_be_remembered_for_other_names(
    command: str, offered: tuple[str, ...]
) -> None:
    assert patterns_of_command(command) == offered
    for pattern in offered:
        check_command_pattern(pattern)
        assert matches_command(pattern, command)


@for_every(
    "command",
    ["sh x", "bash x", "python x.py", "python -c x", "python -m http.server", "sudo ls", "rm a",
     "env pytest", "xargs ls", "git push", "git commit -m x", "git -c x=y diff", "npm install x",
     "npm run x", "npx jest", "curl x", "node x", "make x", "find . -delete", "ssh x",
     "docker run x", "cat x", "timeout 5 pytest", "time pytest", "nohup pytest", "./pytest"],
)  # fmt: skip
def test_all_else_is_remembered_as_exactly_this_command(command: str) -> None:
    assert patterns_of_command(command) == (command,)


@pytest.mark.parametrize("command", ["cd x && pytest", "pytest *", "A=1 x", "a\nb", "", None])
def test_what_is_not_plain_cannot_be_remembered(command: object) -> None:
    assert patterns_of_command(command) == ()


_WORDS_OF_COMMANDS = [
    *" \t\n\\'\"`$;&|<>(){}[]*?~!#%^=@+:,./-_aZ9ש",
    "..",
    "$(",
    "&&",
    " -x",
    "a b",
    "''",
    "//",
]


@pytest.mark.long
def test_a_shell_reads_what_matches_as_the_same_words() -> None:
    lots, tries = random.Random(1), amount(12_000, full=60_000)
    some = ("".join(lots.choices(_WORDS_OF_COMMANDS, k=lots.randint(1, 6))) for _ in range(tries))
    tried = set(some)
    taken = sorted(text for text in tried if text.strip() and matches_command("ls *", f"ls {text}"))
    assert tries / 600 < len(taken) < len(tried) / 10
    script = "\n".join(f"printf '%s\\0' {text}; printf '\\n'" for text in taken)
    read = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    for text, line in zip(taken, read.splitlines(), strict=True):
        words = shlex.split(text)
        assert line == "".join(f"{word}\0" for word in words), text
        assert not any(word.startswith(("-", "/")) or ".." in word.split("/") for word in words)


@for_every(
    "word",
    [
        ".env",
        "HEAD:.env",
        "conf/.env.local",
        "x:server.pem",
        ".ssh/config",
        ".git/config",
        ".GIT/config",
        "Makefile",
        "sub/Makefile",
        "package.json",
        "conftest.py",
        ".cargo/config.toml",
        ".vscode/tasks.json",
    ],
)
def test_more_words_are_no_guarded_files(word: str) -> None:
    for beginning in ("pytest", "ls", "git status"):
        assert matches_command(f"{beginning} *", f"{beginning} src/app.py")
        assert not matches_command(f"{beginning} *", f"{beginning} {word}")
        assert not matches_command(f"{beginning} *", f"{beginning} src {word}")


@for_every(
    "pattern",
    ["cat *", "/bin/cat *", "grep -n x *", "git *", "git diff *", "git -C x diff *", "git show *",
     "git log --oneline *", "git -p status *", "git grep *", "jq . *"],
)  # fmt: skip
def test_a_command_that_prints_files_takes_no_further_names(pattern: str) -> None:
    with pytest.raises(ValueError, match="without"):
        check_command_pattern(pattern)
    assert not matches_command(pattern, pattern.replace("*", "src"))
    assert not matches_command(pattern, pattern.removesuffix(" *"))


@for_every("command", ["git diff .env", "cat id_rsa", "git show HEAD:.env", "ls .git"])
def test_a_command_that_names_a_secret_matches_nothing(command: str) -> None:
    assert not matches_command(command, command)
