"""Reads and edits an app's `firestore.rules`.

Rules of all blocks are OR-ed: one that allows is enough. So Rollcall's rules may stand in a block
of their own, and an app's wildcard that reaches Rollcall's collections opens them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from rollcall.commands.init.files import newline_of
from rollcall.emulators.jsonc import line_number

BEGIN = "// rollcall: begin"
END = "// rollcall: end"
_BLOCK_NOTE = "(`python -m rollcall init` writes this block anew; yours go beside it)"
_INDENT = "  "
_TEMPLATE = Path(__file__).parent / "template/firestore.rules"

_COMMENT_OR_STRING = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL
)
_VERSION = re.compile(r"""\brules_version\s*=\s*['"](\w+)['"]""")
_SERVICE = re.compile(r"\bservice\s+cloud\.firestore\s*\{")
_STATEMENT = re.compile(r"\b(?:match|allow)\b|[{}]")
_NEXT = re.compile(r"(?:match\s*/|allow\s+\w|function\s+\w)")
_BODY = re.compile(r"\s*\{")
_SEGMENT = re.compile(r"\s*/\s*(\{\s*\w+\s*(?:=\s*\*\*\s*)?\}|[^\s/{}]+)")

DOCUMENTS = ("databases", "(default)", "documents")
"""What the path of every document begins with."""

ANY = "{}"
"""A document's id in the path of a collection: whichever."""


class Allow(Struct, frozen=True):
    """An `allow` statement; `condition` is None where it has none and so always allows."""

    line: int
    methods: str
    condition: str | None


class Match(Struct, frozen=True):
    """A `match` statement with the whole path that its nesting makes, and its own allows."""

    line: int
    written: str
    segments: tuple[str, ...]
    allows: list[Allow]


class Opening(Struct, frozen=True):
    """An app's rule whose wildcards reach collections of Rollcall, and which of these."""

    match: Match
    allow: Allow
    collections: tuple[str, ...]


class Rules(Struct, frozen=True):
    """What init needs to know of a rules file."""

    version: str | None
    service_end: int
    """Where the bracket that closes `service cloud.firestore` is."""
    matches: list[Match]


def read(text: str) -> Rules:
    """Read a rules file; Rollcall's own block in it is passed over.

    Raises:
        ValueError: There is no `service cloud.firestore`, or its brackets do not match; the message
            begins with the line.
    """
    begin, end = block_place(text)
    own = re.sub(r"[^\n]", " ", text[begin:end])
    whole = text[:begin] + own + text[end:]
    code = _COMMENT_OR_STRING.sub(_blank, whole)
    source = _COMMENT_OR_STRING.sub(
        lambda found: found[0] if found[0][0] in "'\"" else _blank(found), whole
    )
    service = _SERVICE.search(code)
    if service is None:
        raise ValueError("line 1: there is no `service cloud.firestore { ... }`")
    version = _VERSION.search(source)
    matches, service_end = _read_service(source, code, service.end())
    return Rules(version[1] if version else None, service_end, matches)


def find_openings(rules: Rules, collections: Sequence[str]) -> list[Opening]:
    """The app's rules whose wildcards let clients at some of `collections`, given as paths such as
    `threads` and `threads/{}/messages`. A rule that names a collection outright is no wildcard."""
    found, place = [], len(DOCUMENTS)
    for match in rules.matches:
        for allow in match.allows:
            reached = tuple(
                collection
                for collection in collections
                if any(
                    _result(allow.condition, names) is not False
                    for names in _bindings(
                        match.segments, (*DOCUMENTS, *collection.split("/"), ANY)
                    )
                    # Where it begins with the very collection, no wildcard reaches it.
                    if match.segments[place : place + 1] != (collection.split("/")[0],)
                    or any(segment.endswith("=**}") for segment in match.segments[:place])
                )
            )
            if reached:
                found.append(Opening(match, allow, reached))
    return found


def openings_problem(
    path: str, rules: Rules, collections: Sequence[str], *, prefix: str
) -> str | None:
    """What is wrong with the app's wildcards that let clients at Rollcall's `collections`, and what
    to write instead; None where none does."""
    openings = find_openings(rules, collections)
    lines = []
    for opening in openings:
        names, allow = opening.collections, opening.allow
        more = f" and {len(names) - 4} more" if len(names) > 4 else ""
        lines.append(
            f"{path}:{allow.line}: `allow {allow.methods}` under `match {opening.match.written}` "
            f"(line {opening.match.line}) reaches collections of Rollcall: {', '.join(names[:4])}"
            f"{more}. One rule that allows is enough, so this one would open them to clients."
        )
    if not openings:
        return None
    if is_template(rules):
        lines.append(
            f"{path} is as `firebase init` wrote it: open to everybody. Write in its place, with "
            "your own collections and conditions, and repeat this:\n"
            "  rules_version = '2';\n"
            "  service cloud.firestore {\n"
            "    match /databases/{database}/documents {\n"
            "      match /your_collection/{document=**} {\n"
            "        allow read, write: if request.auth != null;\n"
            "      }\n"
            "    }\n"
            "  }"
        )
        return "\n".join(lines)
    groups = [
        segments[-2]
        for each in openings
        if len(segments := each.match.segments[len(DOCUMENTS) :]) > 1
        and re.fullmatch(r"\w+", segments[-2])
    ]
    if len(groups) == len(openings) and not prefix:
        lines.append(
            f"Write the paths that are meant in place of the wildcard, such as "
            f"`match /your_collection/{{id}}/{groups[0]}/{{document}}`; or `--prefix rc` has "
            f"Rollcall call its own rc_{groups[0]}."
        )
        return "\n".join(lines)
    roots = sorted({each.split("/")[0] for each in collections})
    paths = collection_lines(rules).keys() - roots
    own = sorted(each for each in paths if re.fullmatch(r"\w+", each))
    some = "', '".join(own[:6]) or "your_collection"
    others = f"!collection.matches('{prefix}_.*')" if prefix else f"!(collection in {roots})"
    lines.append(
        "Write your own collections in place of the wildcard, as in "
        f"`match /{own[0] if own else 'your_collection'}/{{document=**}}`; or keep it and say "
        "which it is for, with your condition after the &&:\n"
        "  match /{collection}/{document=**} {\n"
        f"    allow read, write: if collection in ['{some}'] && ...\n"
        "or which it is not for:\n"
        f"    allow read, write: if {others} && ..."
    )
    return "\n".join(lines)


def collection_lines(rules: Rules) -> dict[str, int]:
    """The paths of the collections that the app's rules name, as in `users/{}/messages`, and the
    line of each; below a wildcard of many segments (`{}**`) just the last ones are known."""
    found: dict[str, int] = {}
    for match in rules.matches:
        for path in _collections(match.segments):
            found.setdefault(path, match.line)
    return found


def block_place(text: str) -> tuple[int, int]:
    """Where Rollcall's block begins and ends, with its markers' whole lines; (0, 0) without one.

    Raises:
        ValueError: One of the markers is missing, or there twice; the message begins with the line.
    """
    begins = [each.start() for each in re.finditer(rf"^[ \t]*{re.escape(BEGIN)}", text, re.M)]
    ends = [
        each.end() for each in re.finditer(rf"^[ \t]*{re.escape(END)}[^\n]*(?:\n|\Z)", text, re.M)
    ]
    if not begins and not ends:
        return 0, 0
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        line = line_number(text, min([*begins, *ends]))
        raise ValueError(
            f"line {line}: Rollcall's block is one `{BEGIN}` with one `{END}` after it; here are "
            f"{len(begins)} and {len(ends)}. Delete what is left of the block, with its markers"
        )
    return begins[0], ends[0]


def merge(text: str, block: str) -> str:
    """Put Rollcall's rules into a file: in place of its block, or at the end of the service.

    Args:
        text: The app's file, whole.
        block: A `match /databases/{database}/documents { ... }`, not indented.
    """
    newline = newline_of(text)
    lines = [f"{BEGIN} {_BLOCK_NOTE}", *block.strip("\n").split("\n"), END]
    written = "".join(f"{_INDENT}{line}".rstrip() + newline for line in lines)
    begin, end = block_place(text)
    if end:
        return text[:begin] + written + text[end:]
    place = read(text).service_end
    before = text[:place].rstrip(" \t")
    gap = newline if before.endswith("\n") else newline * 2
    return before + gap + written + text[place:]


def new_file(block: str) -> str:
    """A rules file with Rollcall's block and a place for the app's own rules."""
    return merge(_TEMPLATE.read_text(encoding="utf-8"), block)


def is_template(rules: Rules) -> bool:
    """Whether the file is what `firebase init` writes: one rule that opens everything."""
    opening = re.compile(r"(?:request\.time<timestamp\.date\([\d,]+\)|true)?")
    live = [match for match in rules.matches if match.allows]
    return (
        len(live) == 1
        and len(live[0].segments) == len(DOCUMENTS) + 1
        and live[0].segments[-1].endswith("=**}")
        and all(
            opening.fullmatch(re.sub(r"\s", "", allow.condition or "")) for allow in live[0].allows
        )
    )


def _read_service(source: str, code: str, place: int) -> tuple[list[Match], int]:
    """The `match` statements of the service whose body begins here, and where it is closed.

    Args:
        source: The file with blanks for comments.
        code: The file with blanks for comments and strings.
    """
    found: list[Match] = []
    blocks: list[Match | None] = []  # None for one without statements, as a function's
    while statement := _STATEMENT.search(code, place):
        kind, place = statement[0], statement.end()
        if kind == "{":
            blocks.append(None)
        elif kind == "}":
            if not blocks:
                return found, statement.start()
            blocks.pop()
        elif blocks and blocks[-1] is None:
            continue  # a word in a function
        elif kind == "match":
            match, place = _read_match(code, statement, blocks[-1] if blocks else None)
            found.append(match)
            blocks.append(match)
        else:
            allow, place = _read_allow(source, code, statement)
            if blocks and blocks[-1] is not None:
                blocks[-1].allows.append(allow)
    raise ValueError(f"line {line_number(code, len(code.rstrip()))}: a }} is missing")


def _read_match(code: str, statement: re.Match[str], outer: Match | None) -> tuple[Match, int]:
    """A `match`, still without its allows, and where its body begins."""
    segments: list[str] = []
    place = statement.end()
    while segment := _SEGMENT.match(code, place):
        segments.append(re.sub(r"\s", "", segment[1]))
        place = segment.end()
    body = _BODY.match(code, place)
    line = line_number(code, statement.start())
    if not segments or body is None:
        raise ValueError(f"line {line}: `match` needs a path and a {{")
    path = (*outer.segments, *segments) if outer is not None else (*segments,)
    return Match(line, code[statement.end() : place].strip(), path, []), body.end()


def _read_allow(source: str, code: str, statement: re.Match[str]) -> tuple[Allow, int]:
    """An `allow`, and where it ends."""
    end, depth = statement.end(), 0
    while end < len(code):
        letter = code[end]
        # The last semicolon of a body may be missing.
        is_new = _NEXT.match(code, end) and not re.match(r"[\w.]", code[end - 1])
        if depth == 0 and (letter in ";}" or is_new):
            break
        depth += (letter in "([{") - (letter in ")]}")
        end += 1
    methods, colon, condition = source[statement.end() : end].partition(":")
    said = condition.strip().removeprefix("if").strip() if colon else None
    line = line_number(code, statement.start())
    return Allow(line, " ".join(methods.split()), said), end


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _bindings(
    pattern: tuple[str, ...], path: tuple[str, ...]
) -> Iterator[dict[str, tuple[str, ...]]]:
    """The ways in which a match path reaches a document, each with what its variables hold."""
    if not pattern:
        if not path:
            yield {}
        return
    head, rest = pattern[0], pattern[1:]
    if head.endswith("=**}"):
        name = head[1:-4]
        for length in range(len(path) + 1):
            for names in _bindings(rest, path[length:]):
                yield {name: path[:length], **names}
    elif path and (head.startswith("{") or head == path[0] or path[0] == ANY):
        for names in _bindings(rest, path[1:]):
            yield {head[1:-1]: path[:1], **names} if head.startswith("{") else names


def _collections(segments: tuple[str, ...]) -> Iterator[str]:
    """The collections that a match path names."""
    if segments[:1] == ("databases",) and segments[2:3] == ("documents",):
        segments = segments[len(DOCUMENTS) :]
    many = [place for place, each in enumerate(segments) if each.endswith("=**}")]
    start = many[-1] + 1 if many else 0
    outer = [f"{ANY}**"] if many else []
    if many and len(segments) - start < 2:  # `threads/{t}/{rest=**}`: what stands before it
        start, segments, outer = 0, segments[: many[0]], []
    names = [ANY if each.startswith("{") else each for each in segments[start:]]
    for place in range(0, len(names), 2):
        if names[place] != ANY:
            yield "/".join([*outer, *names[: place + 1]])


def _result(condition: str | None, names: dict[str, tuple[str, ...]]) -> bool | None:
    """What a condition gives wherever its variables hold `names`; None where that depends on what
    is not known here, such as data. Understood are `true`, `false` and comparisons of a variable
    with strings (`collection in ['users']`, `collection != 'effects'`,
    `collection.matches('rc_.*')`), under `!`, `&&` and `||`."""
    if condition is None:
        return True
    condition = condition.strip()
    while condition.startswith("(") and _closing(condition) == len(condition) - 1:
        condition = condition[1:-1].strip()
    for operator, decisive in (("||", True), ("&&", False)):  # by one part it is decided
        if len(parts := _split(condition, operator)) > 1:
            results = [_result(part, names) for part in parts]
            return decisive if decisive in results else None if None in results else not decisive
    if condition.startswith("!"):
        result = _result(condition[1:], names)
        return None if result is None else not result
    if condition in ("true", "false"):
        return condition == "true"
    return _test(condition, names)


def _test(condition: str, names: dict[str, tuple[str, ...]]) -> bool | None:
    """What a comparison of one variable with strings gives; None where that is not known."""
    quoted = r"""(?:'[^']*'|"[^"]*")"""
    found = re.fullmatch(
        rf"(\w+)(?:\[(\d+)\])?\s*(?:(==|!=)\s*({quoted})|in\s*\[((?:\s*{quoted}\s*,?)*)\]"
        rf"|\.matches\(\s*({quoted})\s*\))",
        condition.strip(),
    )
    if found is None or found[1] not in names:
        return None
    segments, index = names[found[1]], int(found[2] or 0)
    if (found[2] is None and len(segments) != 1) or index >= len(segments):
        return None
    value = segments[index]
    if value == ANY:
        return None
    if found[3]:
        return (value == found[4][1:-1]) is (found[3] == "==")
    if found[6]:
        try:
            return re.fullmatch(found[6][1:-1], value) is not None
        except re.error:
            return None
    return value in re.findall(r"""['"]([^'"]*)['"]""", found[5])


def _closing(condition: str) -> int:
    """Where the bracket that it begins with is closed."""
    depth = 0
    for place, letter in enumerate(_COMMENT_OR_STRING.sub(_blank, condition)):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return place
    return -1


def _split(condition: str, operator: str) -> list[str]:
    """The operands of an operator outside brackets and strings."""
    code = _COMMENT_OR_STRING.sub(_blank, condition)
    parts, start, depth = [], 0, 0
    for place, letter in enumerate(code):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and code.startswith(operator, place):
            parts.append(condition[start:place])
            start = place + len(operator)
    return [*parts, condition[start:]]
