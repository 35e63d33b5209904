"""A capability: a function marked with `@capability`, and everything derived from it.

`@capability(...)` marks the function and returns it unchanged, so a test calls it as any other.
`Capability.of(function)` reads the mark, the signature and the docstring, and from these come the
tool a model sees, the registry document and the callable Cloud Function.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Coroutine, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError, from_json, to_json

from rollcall.core import readable, schema
from rollcall.core.context import ToolContext
from rollcall.core.definition import name_problem, one_line, wrong
from rollcall.core.hidden import mask_hidden, mask_values, without_hidden
from rollcall.core.inputs import check, digest, validate
from rollcall.core.policy import ApprovalPolicy
from rollcall.core.redaction import redacted, redacted_json
from rollcall.core.shapes import (
    CAPABILITY_ID,
    MAX_ID_CHARS,
    PLATFORM_TOOLS,
    Display,
    Role,
    Status,
)
from rollcall.core.texts import texts_around, texts_of

if TYPE_CHECKING:
    from docstring_parser import Docstring

F = TypeVar("F", bound=Callable[..., Any])
_MARK = "__capability__"
SUMMARY_CHARS = 300
log = logging.getLogger("rollcall")
_DOCSTRING = '`"""Estimate what a meeting costs in salaries."""`'


class Preview(Struct, frozen=True):
    """The view of a write for the person who approves it, made by the capability.

    Attributes:
        arguments: Completed arguments (a position chosen, a size calculated) that replace the
            model's. They are what is approved and what is written.
        summary: The approval's one line, in place of the one made from the arguments alone. It can
            name what ids stand for.
        shows: Wire names of the arguments that the display shows whole or by name.
    """

    display: Display
    arguments: dict[str, Any] | None = None
    summary: str | None = None
    shows: tuple[str, ...] = ()


class Undo(Struct, frozen=True):
    """The capability that reverses a write; it is itself a write that needs approval.

    `arguments` makes its arguments from the write's arguments and result, both plain JSON. It
    returns None if this write cannot be reversed.
    """

    tool: str
    arguments: Callable[[dict[str, Any], Any], dict[str, Any] | None]


class Compaction(Struct, frozen=True):
    """The short form of an old call for the model, without what can be looked up again.

    Attributes:
        arguments: Plain JSON; unchanged if nothing is left out.
        output: Plain JSON; unchanged if nothing is left out.
        of: What was read or written, such as a file's path. After a later call with the same value,
            this one is shortened before others.
    """

    arguments: dict[str, Any]
    output: Any
    of: str | None = None


CompactionFunction = Callable[[dict[str, Any], Any], Compaction]
"""Makes the compaction of a call from its arguments and its output (None if it failed), both
untrusted plain JSON. It is pure, and returns a compaction that it is given unchanged."""

Summary = Callable[[dict[str, Any]], str | dict[str, str]]
"""Returns one line for a write's arguments (plain JSON, camelCase): one for all locales, or one by
locale."""


class _Mark(Struct, frozen=True):
    """The decorator's options; `mistakes` are the invalid ones, and why."""

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
    compaction: CompactionFunction | None
    version: int
    mistakes: tuple[_Mistake, ...]


_Mistake = tuple[str, str, str]
"""An invalid option of the decorator ("" for the decorator itself), why, and what to write."""


def capability(
    function: None = None,
    /,
    *,
    name: str | dict[str, str] = "",
    category: str = "",
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
    compaction: CompactionFunction | None = None,
    version: int = 1,
) -> Callable[[F], F]:
    """Declare a function as a capability.

    `Capability.of` reports what is wrong with the definition, not this decorator, so that one wrong
    definition does not hide others. The table in docs/add_a_capability.md is generated from the
    list below.

    Args:
        name: Name for people, "Voltage drop", or by locale `{"en": …, "he": …}`. Without it,
            name, keywords and examples come from `capabilities.<id>` of the pack's
            `texts/<language>.json`.
        category: Group such as "billing"; by default the pack.
        keywords: Words that users say, in any language. Search finds the tool by them.
        examples: Objects `{"userRequest", "parameters", "response"}`; `parameters` is a valid call.
        related: Ids of capabilities that are often used together with it.
        min_role: Lowest role that may use it: "user", "student", "teacher" or "admin".
        status: "active", "beta", "deprecated" or "disabled".
        effect: "write" if it changes anything; a model's call then needs approval.
        runs_on: "client" if the user's device runs it.
        summary: Function of the arguments that returns one line for the approval, or one by locale.
        approval: `ApprovalPolicy`: when a model's call needs approval, and whose. By default
            always, and the user's.
        preview: Function with the same parameters, called before the approval. It returns a
            `Preview` with what to show and, optionally, completed arguments, or raises an error.
        atomic: `True` if all its writes go into `ctx.batch`; they then happen exactly once.
        find_effect: `find_effect(ctx, key) -> result | None`: looks up whether the write with this
            `ctx.effect_key` happened, after a crash.
        undo: `Undo(tool, arguments)`: the capability that reverses the write.
        compaction: `compaction(arguments, output) -> Compaction`: a shorter form of an old call for
            the model.
        version: Number to raise when the meaning changes.
    """
    options = dict(locals())
    options["mistakes"] = tuple(_mistakes(options))
    del options["function"]
    if isinstance(name, str):
        options["name"] = {"en": name} if name else {}
    options["min_role"] = Role(min_role) if min_role in set(Role) else Role.ADMIN
    options["status"] = Status(status) if status in set(Status) else Status.DISABLED
    for listed in _LISTS:
        value = options[listed]
        options[listed] = tuple(value) if isinstance(value, list | tuple) else ()

    def decorate(function: F) -> F:
        if not inspect.isfunction(function):  # such as what functools.cache makes
            raise TypeError(
                f"@capability marks a function, and this is a {type(function).__name__}. Write it "
                "directly above a `def`."
            )
        # By default the module's folder, "office" for `packs.office.meetings`, or the module itself
        # if it is in none.
        package, _, module = function.__module__.partition(".")
        pack = module.partition(".")[0] or package
        setattr(function, _MARK, _Mark(**{**options, "category": category or pack}))
        return function

    return decorate if function is None else decorate(function)


_CHOICES: dict[str, tuple[str, ...]] = {
    "effect": ("read", "write"),
    "runs_on": ("server", "client"),
    "min_role": tuple(Role),
    "status": tuple(Status),
}
_NAME_CURE = 'Write `name="Voltage drop"`, or {"en": "Voltage drop"}'
_LISTS = ("keywords", "examples", "related")
_FOR_WRITES = ("approval", "preview", "atomic", "find_effect", "undo")


def _mistakes(options: dict[str, Any]) -> Iterator[_Mistake]:
    """Yield the invalid options. `definition_checks` finds all other mistakes."""
    if function := options["function"]:
        words = function.__name__.replace("_", " ").capitalize()
        yield "", "@capability has no arguments", f'Write `@capability(name="{words}")`'
        return
    if options["name"] != "" and (problem := name_problem(options["name"])):
        yield "name", problem, _NAME_CURE
    for option, known in _CHOICES.items():
        if options[option] not in known:  # a misspelt "write" would run without approval
            cure = f"Write one of {', '.join(map(repr, map(str, known)))}"
            yield option, f"{option} is {options[option]!r}", cure
    for option in _LISTS:
        if not isinstance(options[option], list | tuple):
            problem = f"{option} is {options[option]!r}, which is no list"
            yield option, problem, f"Write `{option}=[{options[option]!r}]`"
    if not isinstance(options["undo"], Undo | None):
        cure = 'Write `undo=Undo("cancel_room", lambda arguments, output: {"id": output["id"]})`'
        yield "undo", f"undo is {options['undo']!r}, which is no Undo", cure
    for option in _FOR_WRITES:
        if options[option] and options["effect"] != "write":
            cure = f'Write `effect="write"` as well, or leave {option} out'
            yield option, f"{option} is for capabilities that write", cure


def _names_in(schema: Any) -> set[str]:
    """Return the names of a JSON schema's properties and the strings in its enums."""
    if isinstance(schema, list):
        return set().union(*map(_names_in, schema))
    if not isinstance(schema, dict):
        return set()
    listed = {value for value in schema.get("enum", ()) if isinstance(value, str)}
    return listed.union(schema.get("properties", ()), *map(_names_in, schema.values()))


def is_capability(value: object) -> bool:
    """Tell whether `value` is a function under `@capability`."""
    return inspect.isfunction(value) and hasattr(value, _MARK)


class Capability(Struct, frozen=True, dict=True):
    """A declared capability. What only models and the registry need is computed on first use, so a
    process that serves the capability as a function does not pay for it."""

    id: str
    function: Callable[..., Any]
    mark: _Mark
    arguments: type[schema.Arguments]
    returns: Any
    """The declared return type, with the marks of hidden fields."""

    @staticmethod
    @cache
    def of(function: Callable[..., Any]) -> Capability:
        """Read a marked function.

        Raises:
            TypeError: It is not marked.
            DefinitionError: The mark is wrong, it has no docstring, or its signature cannot become
                a schema. `json_schema` checks the types.
        """
        mark: _Mark | None = getattr(function, _MARK, None)
        if mark is None:
            raise TypeError(f"{function!r} is not a capability; put @capability(...) above it")
        for option, problem, cure in mark.mistakes:
            raise wrong(function, problem, cure, option=option)
        if not mark.name and texts_of(function.__module__) is None:
            raise wrong(function, "the name is missing", _NAME_CURE, option="name")
        if not CAPABILITY_ID.fullmatch(function.__name__):
            what = f"its name is its id everywhere, and `{function.__name__}` cannot be one"
            cure = f"Write at most {MAX_ID_CHARS} lower-case ASCII letters, digits and _"
            raise wrong(function, what, cure)
        if function.__name__ in PLATFORM_TOOLS:
            what = f"each agent has a tool `{function.__name__}` of the platform"
            raise wrong(function, what, "Write another name")
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            cure = "Write `return` in place of `yield`; report progress by `ctx.progress`"
            raise wrong(function, "it yields, and a capability returns its result", cure)
        if not (function.__doc__ or "").strip():
            cure = f"Write one, such as {_DOCSTRING}"
            raise wrong(function, "it has no docstring, by which a model chooses it", cure)
        hints = schema.type_hints(function)
        return Capability(
            id=function.__name__,
            function=function,
            mark=mark,
            arguments=schema.arguments_model(function, hints),
            returns=hints.get("return", Any),
        )

    @cached_property
    def name(self) -> dict[str, str]:
        """Its name for people, by locale.

        Raises:
            DefinitionError: It has none, in the decorator or in the pack's texts.
        """
        if self.mark.name:
            return self.mark.name
        name = {language: texts["name"] for language, texts in self._texts if "name" in texts}
        if problem := name_problem(name):
            cure = f'{_NAME_CURE}, or "capabilities.{self.id}.name" in the texts of its pack'
            raise wrong(self.function, problem, cure, option="name")
        return name

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        """Words that users say for it, in all languages."""
        return self._listed_texts("keywords", self.mark.keywords)

    @cached_property
    def examples(self) -> tuple[dict[str, Any], ...]:
        """`{"userRequest", "parameters", "response"}` each, in all languages."""
        return self._listed_texts("examples", self.mark.examples)

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Other names that people use for its parameters and enum values, in all languages, from
        `aliases` of the texts around it."""
        aliases: dict[str, tuple[str, ...]] = {}
        around, names = texts_around(self.function.__module__), _names_in(self.json_schema)
        for table in [table for texts in around for table in texts.every("aliases")]:
            for name, others in table.items():
                if name in names:
                    aliases[name] = (*aliases.get(name, ()), *others)
        return aliases

    def _listed_texts(self, what: str, declared: tuple[Any, ...]) -> tuple[Any, ...]:
        every = list(declared)
        for _, texts in self._texts:
            every += [each for each in texts.get(what, ()) if each not in every]
        return tuple(every)

    @cached_property
    def _texts(self) -> list[tuple[str, dict[str, Any]]]:
        """Its entries in the pack's texts, by language."""
        texts, key = texts_of(self.function.__module__), f"capabilities.{self.id}"
        entries = [(each, texts.find(each, key)) for each in texts.languages] if texts else []
        return [(language, entry) for language, entry in entries if entry]

    @cached_property
    def description(self) -> str:
        """The docstring without its sections.

        Raises:
            DefinitionError: It has sections only.
        """
        text = schema.description(self._docstring)
        if not text:
            problem = "the docstring does not say what it does, by which a model chooses it"
            raise wrong(self.function, problem, f"Begin it with a sentence, such as {_DOCSTRING}")
        return text

    @cached_property
    def json_schema(self) -> dict[str, Any]:
        """The schema of its arguments, as providers take it.

        Raises:
            DefinitionError: The types are recursive, nest too deep, or hold what the registry
                cannot store.
        """
        try:
            shape = schema.json_schema(self.arguments, schema.described(self._docstring))
        except (PydanticUserError, TypeError, ValueError) as error:
            problem = f"its arguments have no JSON schema: {one_line(error)}"
            raise wrong(self.function, problem, "Write types that have one") from error
        if _has_nested_list([shape]) or _has_nested_list(list(self.examples)):
            problem = "a default or an example holds a list inside a list"
            raise wrong(self.function, problem, "Write a list of objects: the registry keeps those")
        return shape

    @cached_property
    def digest(self) -> str:
        """The fingerprint of everything that an approval of a call relies on."""
        source = inspect.getsource(self.function)
        shape, version = self.json_schema, self.mark.version
        return digest({"d": self.description, "s": shape, "v": version, "f": source})

    @cached_property
    def _docstring(self) -> Docstring:
        return schema.docstring(self.function)

    def frozen(self, arguments: Any, *, field: str = "arguments") -> dict[str, Any]:
        """Validate plain JSON arguments and return them as they would be approved: camelCase,
        without unset ones.

        Raises:
            InvalidArgument: An argument is wrong; its name follows the prefix `field`.
        """
        valid = validate(self.arguments, {} if arguments is None else arguments, field=field)
        dumped: dict[str, Any] = valid.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return dumped

    def summarize(self, arguments: dict[str, Any], locale: str) -> str:
        """Return the line that an approval of these arguments shows; by default the name with the
        arguments.

        A summary function that fails on unexpected arguments must not block the decision. One
        argument may not hide another, nor look like more than a value.
        """
        name = self.name.get(locale) or self.name.get("en", self.id)
        shown = readable.value(mask_values(self.shown(arguments), self.arguments, arguments))
        text: Any = None
        if self.mark.summary is not None:
            try:
                text = self.mark.summary(shown)
            except Exception:
                log.exception("the summary of %s failed", self.id)
        if isinstance(text, dict):
            text = text.get(locale) or text.get("en")
        text = str(text or readable.called(name, shown, chars=SUMMARY_CHARS))
        text = redacted(mask_values(text, self.arguments, arguments))
        return readable.line(text, SUMMARY_CHARS)

    def shown(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments for display and logs, with hidden ones masked."""
        return mask_hidden(self.arguments, arguments)

    def preview(self, ctx: ToolContext, arguments: dict[str, Any]) -> Preview | None:
        """Return what a person sees before approving this write, or None without a preview.

        Raises:
            AgentError: The capability refuses the arguments.
        """
        if self.mark.preview is None:
            return None
        valid = validate(self.arguments, arguments, field="")
        preview = self.mark.preview(ctx, **schema.keywords(valid))
        display = mask_values(preview.display.dump(), self.arguments, arguments)
        shown = readable.texts(redacted_json(display))
        if shown.get("title"):
            shown["title"] = readable.line(shown["title"], SUMMARY_CHARS)
        summary = preview.summary
        if summary is not None:
            summary = redacted(mask_values(summary, self.arguments, arguments))
            summary = readable.line(summary, SUMMARY_CHARS)
        return replace(preview, display=Display.model_validate(shown), summary=summary)

    def finder(self, ctx: ToolContext) -> Callable[[], Any] | None:
        """Return a function that looks up whether the write of `ctx.effect_key` happened, if one is
        declared."""
        find = self.mark.find_effect
        return None if find is None else lambda: self._visible(find(ctx, ctx.effect_key))

    def undo(self, arguments: dict[str, Any], output: Any) -> dict[str, Any] | None:
        """Return `{tool, arguments}` of the write that reverses a write with these arguments, if
        there is one."""
        if self.mark.undo is None:
            return None
        reverse = self.mark.undo.arguments(arguments, output)
        return None if reverse is None else {"tool": self.mark.undo.tool, "arguments": reverse}

    def compaction(self, arguments: dict[str, Any], output: Any) -> Compaction | None:
        """Return the short form of an old call, or None if the call stays as it was."""
        if self.mark.compaction is None:
            return None
        try:
            return self.mark.compaction(arguments, output)
        except Exception:  # a model or a client sent something unexpected
            log.exception("the compaction of a call of %s failed", self.id)
            return None

    def call(self, ctx: ToolContext, arguments: Any) -> Any:
        """Validate plain JSON arguments, run the function, and return plain JSON.

        Raises:
            InvalidArgument: An argument is wrong; its name follows the prefix `arguments`.
        """
        return _with_files(ctx, plain(self._result(ctx, arguments, field="arguments")))

    def call_visibly(self, ctx: ToolContext, arguments: Any) -> Any:
        """Run the capability like `call` and return the result without hidden fields, for models,
        the ledger and the log. An error names an argument without a prefix."""
        return _with_files(ctx, self._visible(self._result(ctx, arguments, field="")))

    def check_result(self, value: Any, *, field: str) -> None:
        """Check that plain JSON from a client fits the declared return type. Without one, anything
        fits.

        Raises:
            InvalidArgument: It does not fit; the name of its first wrong part follows the prefix
                `field`.
        """
        check(self.returns, value, field=field)

    def _result(self, ctx: ToolContext, arguments: Any, *, field: str) -> Any:
        valid = validate(self.arguments, {} if arguments is None else arguments, field=field)
        result = self.function(ctx, **schema.keywords(valid))
        return _run_coroutine(result) if inspect.iscoroutine(result) else result

    def _visible(self, result: Any) -> Any:
        return without_hidden(plain(result), result, self.returns)


def _with_files(ctx: ToolContext, output: Any) -> Any:
    """Add the files that a call made to its result, so that a replay of the call returns them too.

    Raises:
        TypeError: The result is not an object.
    """
    if not ctx.files:
        return output
    if not isinstance(output, dict):
        raise TypeError("a capability that keeps files must return an object, which gets `files`")
    return {**output, "files": [file.dump() for file in ctx.files]}


def _run_coroutine(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end in a new event loop, and in a new thread if this thread already
    runs a loop."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    try:
        asyncio.get_running_loop()
        is_inside = True
    except RuntimeError:
        is_inside = False
    if not is_inside:  # outside the handler above, which would begin every traceback
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(copy_context().run, asyncio.run, work).result()


def _has_nested_list(value: Any) -> bool:
    """Tell whether a list is directly inside a list, which Firestore refuses."""
    if isinstance(value, list):
        return any(isinstance(item, list) or _has_nested_list(item) for item in value)
    return isinstance(value, dict) and any(_has_nested_list(item) for item in value.values())


def plain(value: Any) -> Any:
    """Return a capability's return value as JSON: models with camelCase keys, null for NaN.

    Raises:
        ValueError: It cannot become JSON (an object of an unknown type, a lone surrogate, a cycle).
    """
    text = to_json(
        value, by_alias=True, exclude_none=True, inf_nan_mode="null", fallback=_fields_of
    )
    return from_json(text)


def _fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a struct, such as `ctx.user`, which pydantic cannot serialize."""
    if not isinstance(value, Struct):
        raise PydanticSerializationError(f"Unable to serialize unknown type: {type(value)}")
    return asdict(value)
