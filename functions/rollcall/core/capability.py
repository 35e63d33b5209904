"""A capability: a plain function that says what it is.

`@capability(...)` marks the function and returns it unchanged, so a test calls it as any other.
`Capability.of(function)` reads the mark, the signature and the docstring, and from these come the
tool a model sees, the registry document and the callable Cloud Function.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import re
from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace
from pydantic_core import PydanticSerializationError, from_json, to_json

from rollcall.core import readable, schema
from rollcall.core.context import ToolContext
from rollcall.core.hidden import mask_hidden, mask_values, return_hint, without_hidden
from rollcall.core.inputs import check, validate
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.shapes import Display, Role, Status

if TYPE_CHECKING:
    from docstring_parser import Docstring

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__capability__"
MAX_ID_CHARS = 62
SUMMARY_CHARS = 300
log = logging.getLogger("rollcall")
_ID = re.compile(rf"[a-z][a-z0-9_]{{0,{MAX_ID_CHARS - 1}}}")


class Preview(Struct, frozen=True):
    """What a person is shown before a write, looked up by the capability.

    `arguments`, where given, replace the model's: they are complete (a position chosen, a size
    worked out), and they are what is approved and what is written.
    """

    display: Display
    arguments: dict[str, Any] | None = None


class Undo(Struct, frozen=True):
    """The capability, itself a write that needs a yes, that takes a write back.

    `arguments` makes its arguments from those of the write and what the write returned, both as
    plain JSON; None if this one cannot be taken back.
    """

    tool: str
    arguments: Callable[[dict[str, Any], Any], dict[str, Any] | None]


class Recap(Struct, frozen=True):
    """A call as a model is told of it once it is old: what can be looked up again is left out.

    Attributes:
        arguments: Plain JSON, as `output`; the same as before where nothing is left out.
        of: What was read or written, such as a file's path: a later call of the same makes this
            one old before others.
    """

    arguments: dict[str, Any]
    output: Any
    of: str | None = None


Recapping = Callable[[dict[str, Any], Any], Recap]
"""From a call's arguments and what it returned, both plain JSON from outside; None for a call that
failed. It is pure, and leaves what it made itself as it is."""

Summary = Callable[[dict[str, Any]], str | dict[str, str]]
"""From a write's arguments (plain JSON, camelCase), one line; by locale, or the same for all."""


class _Mark(Struct, frozen=True):
    """What the decorator was told."""

    name: dict[str, str]
    category: str
    keywords: tuple[str, ...]
    examples: tuple[dict[str, Any], ...]
    related: tuple[str, ...]
    min_role: Role
    status: Status
    effect: Literal["read", "write"]
    runs_on: Literal["server", "client"]
    summary: Summary | None
    approval: ApprovalPolicy | None
    preview: Callable[..., Preview] | None
    atomic: bool
    find_effect: Callable[..., Any] | None
    undo: Undo | None
    recap: Recapping | None
    version: int


def capability(
    *,
    name: dict[str, str],
    category: str,
    keywords: tuple[str, ...] | list[str] = (),
    examples: tuple[dict[str, Any], ...] | list[dict[str, Any]] = (),
    related: tuple[str, ...] | list[str] = (),
    min_role: Literal["user", "student", "teacher", "admin"] = "user",
    status: Literal["active", "beta", "deprecated", "disabled"] = "active",
    effect: Literal["read", "write"] = "read",
    runs_on: Literal["server", "client"] = "server",
    summary: Summary | None = None,
    approval: ApprovalPolicy | None = None,
    preview: Callable[..., Preview] | None = None,
    atomic: bool = False,
    find_effect: Callable[..., Any] | None = None,
    undo: Undo | None = None,
    recap: Recapping | None = None,
    version: int = 1,
) -> Callable[[F], F]:
    """Declare a function as a capability.

    Args:
        name: For people, by locale: `{"en": "Voltage drop", "he": "מפל מתח"}`.
        category: What it is filed under, such as "electrical".
        keywords: Words a user would say, in any language; tools are found by them.
        examples: `{"userRequest", "parameters", "response"}` each.
        related: Ids of capabilities that often go with it.
        min_role: The least role that may use it.
        status: "disabled" ones are nobody's.
        effect: "write" if it changes anything: then a model's call needs a person's yes.
        runs_on: "client" if the user's own device runs it.
        summary: One line that says, from the arguments alone, what an approval would allow.
        approval: When a model's call asks, and whom; otherwise always, and the user.
        preview: `preview(ctx, *, ...the same parameters) -> Preview`, run before asking: it
            refuses what cannot work and shows what would change.
        atomic: All its writes go into `ctx.batch`, so that they happen exactly once.
        find_effect: `find_effect(ctx, key) -> result | None`: whether the write with this
            `ctx.effect_key` happened, for a crash between doing and noting it.
        undo: The capability that takes it back.
        recap: How a call is told once it is old, where it reads or writes much that can be read
            again: otherwise as it was.
        version: Counted up when the meaning changes.
    """
    for value, known in ((effect, ("read", "write")), (runs_on, ("server", "client"))):
        if value not in known:  # a write that is not seen as one would run without a yes
            raise ValueError(f"@capability: {value!r} is none of {', '.join(known)}")
    for option, given in _for_writes(approval, preview, atomic, find_effect, undo):
        if given and effect != "write":
            raise ValueError(f'@capability: {option} is for effect="write"')
    mark = _Mark(
        name=name,
        category=category,
        keywords=tuple(keywords),
        examples=tuple(examples),
        related=tuple(related),
        min_role=Role(min_role),
        status=Status(status),
        effect=effect,
        runs_on=runs_on,
        summary=summary,
        approval=approval,
        preview=preview,
        atomic=atomic,
        find_effect=find_effect,
        undo=undo,
        recap=recap,
        version=version,
    )

    def decorate(function: F) -> F:
        setattr(function, _MARK, mark)
        return function

    return decorate


def _for_writes(*given: object) -> list[tuple[str, object]]:
    return list(zip(("approval", "preview", "atomic", "find_effect", "undo"), given, strict=True))


def is_capability(value: object) -> bool:
    """Whether `value` is a function under `@capability`."""
    return inspect.isfunction(value) and hasattr(value, _MARK)


class Capability(Struct, frozen=True, dict=True):
    """All that is known of one capability. What only models and the registry need of it is made
    when it is asked for: a process that serves it as a function does without."""

    id: str
    function: Callable[..., Any]
    mark: _Mark
    arguments: type[schema.Arguments]

    @staticmethod
    @cache
    def of(function: Callable[..., Any]) -> Capability:
        """Read a marked function.

        Raises:
            TypeError: It is not marked, has no docstring or a signature that cannot be a schema.
                Whether its types can be one is found out by `json_schema`.
        """
        mark: _Mark | None = getattr(function, _MARK, None)
        if mark is None:
            raise TypeError(f"{function!r} is not a capability; put @capability(...) above it")
        if not _ID.fullmatch(function.__name__):
            raise TypeError(
                f"{function.__name__}: a capability's name is its id everywhere: lower-case ASCII "
                f"letters, digits and _, at most {MAX_ID_CHARS}"
            )
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError(f"{function.__name__} must be a plain `def` that returns its result")
        if not (function.__doc__ or "").strip():
            raise TypeError(f"{function.__name__} needs a docstring: a model reads it to choose")
        return Capability(
            id=function.__name__,
            function=function,
            mark=mark,
            arguments=schema.arguments_model(function),
        )

    @cached_property
    def description(self) -> str:
        """The docstring without its sections.

        Raises:
            TypeError: It has sections only.
        """
        found = schema.description(self._docstring)
        if not found:
            raise TypeError(f"{self.id}'s docstring must say what it does: a model reads it")
        return found

    @cached_property
    def json_schema(self) -> dict[str, Any]:
        """The schema of its arguments, as providers take it.

        Raises:
            TypeError: The types refer to themselves, nest too deep, or hold what the registry
                cannot keep.
        """
        shape = schema.json_schema(self.arguments, schema.described(self._docstring))
        if _has_nested_list([shape]) or _has_nested_list(list(self.mark.examples)):
            raise TypeError(
                f"{self.id}: a default or an example holds a list inside a list, which "
                "the registry cannot keep"
            )
        return shape

    @cached_property
    def digest(self) -> str:
        """Changes with all that an approval of a call relies on."""
        source = inspect.getsource(self.function)
        shape, version = self.json_schema, self.mark.version
        return digest({"d": self.description, "s": shape, "v": version, "f": source})

    @cached_property
    def returns(self) -> Any:
        """What the function says that it returns, with the marks of hidden fields."""
        return return_hint(self.function)

    @cached_property
    def _docstring(self) -> Docstring:
        return schema.docstring(self.function)

    def frozen(self, arguments: Any, *, field: str = "arguments") -> dict[str, Any]:
        """Validate plain JSON arguments and return them as they would be approved: camelCase,
        without those left out.

        Raises:
            InvalidArgument: An argument is wrong; its name stands under the prefix `field`.
        """
        given = validate(self.arguments, {} if arguments is None else arguments, field=field)
        dumped: dict[str, Any] = given.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return dumped

    def summarize(self, arguments: dict[str, Any], locale: str) -> str:
        """The one line that an approval of these arguments asks; where none is declared, the name
        with the arguments.

        A summary that breaks on arguments nobody foresaw must not decide for the person. Nor may
        one argument hide another, or look like more than a value.
        """
        named = self.mark.name.get(locale) or self.mark.name.get("en", self.id)
        shown = readable.value(mask_values(self.shown(arguments), self.arguments, arguments))
        text = self._summary(shown, locale) or readable.called(named, shown, chars=SUMMARY_CHARS)
        text = redacted(mask_values(text, self.arguments, arguments))
        return readable.line(text, SUMMARY_CHARS)

    def _summary(self, shown: dict[str, Any], locale: str) -> str | None:
        """The declared summary; None where there is none, or it fails."""
        if self.mark.summary is None:
            return None
        try:
            text = self.mark.summary(shown)
        except Exception:
            log.exception("the summary of %s failed", self.id)
            return None
        found = text.get(locale) or text.get("en") if isinstance(text, dict) else text
        return str(found) if found else None

    def shown(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Arguments as they may be shown and noted: hidden ones masked."""
        return mask_hidden(self.arguments, arguments)

    def preview(self, ctx: ToolContext, arguments: dict[str, Any]) -> Preview | None:
        """What a person is shown before this write, if the capability looks something up for it;
        also refuses, by an `AgentError`, what cannot work."""
        if self.mark.preview is None:
            return None
        given = validate(self.arguments, arguments, field="")
        found = self.mark.preview(ctx, **schema.keywords(given))
        display = mask_values(found.display.dump(), self.arguments, arguments)
        shown = readable.texts(redacted_json(display))
        if shown.get("title"):
            shown["title"] = readable.line(shown["title"], SUMMARY_CHARS)
        return replace(found, display=Display.model_validate(shown))

    def finder(self, ctx: ToolContext) -> Callable[[], Any] | None:
        """How to find out whether the write of `ctx.effect_key` happened, where that is known."""
        find = self.mark.find_effect
        return None if find is None else lambda: self._visible(find(ctx, ctx.effect_key))

    def undo(self, arguments: dict[str, Any], output: Any) -> dict[str, Any] | None:
        """`{tool, arguments}` of the write that takes one with these back, where there is one."""
        if self.mark.undo is None:
            return None
        made = self.mark.undo.arguments(arguments, output)
        return None if made is None else {"tool": self.mark.undo.tool, "arguments": made}

    def recap(self, arguments: dict[str, Any], output: Any) -> Recap | None:
        """A call as it is told once it is old; None where it is told as it was."""
        if self.mark.recap is None:
            return None
        try:
            return self.mark.recap(arguments, output)
        except Exception:  # what a model or a client sent, which nobody foresaw
            log.exception("a call of %s cannot be told shortly", self.id)
            return None

    def call(self, ctx: ToolContext, arguments: Any, *, field: str = "arguments") -> Any:
        """Validate plain JSON arguments, run the function, and return plain JSON.

        Raises:
            InvalidArgument: An argument is wrong; its name stands under the prefix `field`.
        """
        return plain(self._result(ctx, arguments, field=field))

    def call_visibly(self, ctx: ToolContext, arguments: Any, *, field: str = "arguments") -> Any:
        """The same without the fields that are hidden: for models, the ledger and the log."""
        return self._visible(self._result(ctx, arguments, field=field))

    def check_result(self, value: Any, *, field: str) -> None:
        """Whether plain JSON from outside is what the function says that it returns; anything is
        where it says nothing.

        Raises:
            InvalidArgument: It is not; its first wrong part is named under the prefix `field`.
        """
        check(self.returns, value, field=field)

    def _result(self, ctx: ToolContext, arguments: Any, *, field: str) -> Any:
        given = validate(self.arguments, {} if arguments is None else arguments, field=field)
        return self.function(ctx, **schema.keywords(given))

    def _visible(self, result: Any) -> Any:
        return without_hidden(plain(result), result, self.returns)


def _has_nested_list(value: Any) -> bool:
    """Whether a list lies directly in a list, which Firestore refuses."""
    if isinstance(value, list):
        return any(isinstance(item, list) or _has_nested_list(item) for item in value)
    return isinstance(value, dict) and any(_has_nested_list(item) for item in value.values())


def plain(value: Any) -> Any:
    """A capability's return value as JSON: models with camelCase keys, null for NaN.

    Raises:
        ValueError: It has no JSON (an object of no known type, half a character, a cycle).
    """
    text = to_json(
        value, by_alias=True, exclude_none=True, inf_nan_mode="null", fallback=_fields_of
    )
    return from_json(text)


def _fields_of(value: Any) -> dict[str, Any]:
    """A struct's, such as `ctx.user`: of records pydantic knows dataclasses alone."""
    if not isinstance(value, Struct):
        raise PydanticSerializationError(f"Unable to serialize unknown type: {type(value)}")
    return asdict(value)


def digest(value: Any) -> str:
    """A short fingerprint of plain JSON, the same for equal values."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]
