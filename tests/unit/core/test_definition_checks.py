"""The errors for wrong definitions: where it is, what is wrong, what to write."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from rollcall.core.definition_checks import modules_problems, undeclared_tools

HEAD = """\
from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from rollcall.core.capability import Preview, capability
from rollcall.core.context import ToolContext
from rollcall.core.profile import AgentProfile, ApprovalPolicy

if TYPE_CHECKING:
    from datetime import date

"""
FIRST = HEAD.count("\n") + 1
"""The line that what is tested begins in."""
GOOD = '''
@capability(name="Meeting cost")
def meeting_cost(ctx: ToolContext, *, hours: float = 1) -> float:
    """Estimate what a meeting costs.

    Args:
        hours: How long it lasts, h.
    """
    return 60 * hours
'''


@pytest.fixture
def app(tmp_path: Path) -> Path:
    (tmp_path / "firebase.json").write_text("{}")
    (tmp_path / "functions/packs/office").mkdir(parents=True)
    return tmp_path


def problems(app: Path, **sources: str) -> list[str]:
    """What is wrong with an app of these modules."""
    return modules_problems(load(app, **sources))


def load(app: Path, **sources: str) -> dict[str, ModuleType | Exception]:
    """Write and import modules of the pack "office"."""
    modules: dict[str, ModuleType | Exception] = {}
    for name, source in sources.items():
        file = app / f"functions/packs/office/{name}.py"
        file.write_text(HEAD + source.lstrip("\n"))
        spec = importlib.util.spec_from_file_location(f"packs.office.{name}", file)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
            modules[str(file)] = module
        except Exception as error:
            modules[str(file)] = error
        finally:
            del sys.modules[spec.name]
    return modules


def only_problem(app: Path, source: str) -> str:
    """The only problem of a module `meetings`, from its line on."""
    (found,) = problems(app, meetings=source)
    path = "functions/packs/office/meetings.py:"
    assert found.startswith(path)
    line, rest = found.removeprefix(path).split(", meeting_cost: ", 1)
    return f"{int(line) - FIRST}: {rest}"


def test_a_sound_definition_has_no_problem_and_is_filed_under_its_pack(app: Path) -> None:
    assert problems(app, meetings=GOOD) == []


CASES = [
    (
        "hours: float",
        "hours: flaot",
        "1: the type of `hours` is `flaot`, and `flaot` is not defined. "
        "Write `float`, if that is what you mean.",
    ),
    (
        "hours: float",
        "hours: Literal[1]",
        "1: the type of `hours` is `Literal[1]`, and `Literal` is not defined. "
        "Write `from typing import Literal`.",
    ),
    (
        "hours: float = 1",
        "hours: date",
        "1: the type of `hours` is `date`, and `date` is not defined. "
        "Import `date`; an import under `if TYPE_CHECKING:` is not there at run time.",
    ),
    (
        "hours: float",
        "hours: int[str]",
        "1: the type of `hours` is `int[str]`, which Python refuses: type 'int' is not "
        "subscriptable. Write a type, such as `str`.",
    ),
    (
        ") -> float",
        ") -> Flot",
        "1: what it returns is `Flot`, and `Flot` is not defined. "
        "Write `float`, if that is what you mean.",
    ),
    (
        '@capability(name="Meeting cost")',
        "@capability",
        '0: @capability has no arguments. Write `@capability(name="Meeting cost")`.',
    ),
    (
        'name="Meeting cost"',
        'category="office"',
        '0: the name is missing. Write `name="Voltage drop"`, or {"en": "Voltage drop"}.',
    ),
    (
        'name="Meeting cost"',
        'name={"he": "עלות"}',
        '0: the name has no English. Write `name="Voltage drop"`, or {"en": "Voltage drop"}.',
    ),
    (
        'name="Meeting cost"',
        'name="Cost", effect="wriet"',
        "0: effect is 'wriet'. Write one of 'read', 'write'.",
    ),
    (
        'name="Meeting cost"',
        'name="Cost", min_role="boss"',
        "0: min_role is 'boss'. Write one of 'user', 'student', 'teacher', 'admin'.",
    ),
    (
        'name="Meeting cost"',
        'name="Cost",\n    keywords="meeting"',
        "1: keywords is 'meeting', which is no list. Write `keywords=['meeting']`.",
    ),
    (
        'name="Meeting cost"',
        'name="Cost", atomic=True',
        "0: atomic is for capabilities that write. "
        'Write `effect="write"` as well, or leave atomic out.',
    ),
    (
        'name="Meeting cost"',
        'name="Cost", effect="write",\n    undo="cancel_meeting"',
        "1: undo is 'cancel_meeting', which is no Undo. Write `undo=Undo(",
    ),
    (
        "ctx: ToolContext, *, hours",
        "ctx: ToolContext, hours",
        "1: the parameter `hours: 'float' = 1` is not keyword-only with a type. "
        "Write `def meeting_cost(ctx: ToolContext, *, hours: float)`.",
    ),
    (
        "ctx: ToolContext, *, hours: float",
        "*, hours: float",
        "1: the first parameter is not the context. "
        "Write `def meeting_cost(ctx: ToolContext, *, ...)`.",
    ),
    (
        "    return 60 * hours",
        "    yield 60 * hours",
        "1: it yields, and a capability returns its result. "
        "Write `return` in place of `yield`; report progress by `ctx.progress`.",
    ),
    (
        "hours: float = 1",
        "hours: AgentProfile",
        "1: the type of `hours`, `AgentProfile`, has no JSON schema: ",
    ),
    (
        "hours: float = 1",
        "hours: float = None",
        "1: the default of `hours`, None, is no `float`: Input should be a valid number. "
        "Write `hours: float | None = None`.",
    ),
    (
        "hours: float = 1",
        'most_people: int = "few", hours: float = 1',
        "1: the default of `most_people`, 'few', is no `int`: "
        "Input should be a valid integer, unable to parse string as an integer. "
        "Write another default.",
    ),
    (
        "hours: float = 1",
        "hours: Annotated[float, AfterValidator(len)] = 1",
        "1: the default of `hours`, 1, is no `Annotated[float, AfterValidator(len)]`: "
        "object of type 'float' has no len(). Write another default.",
    ),
    (
        "hours: float = 1",
        "max_hours: float, maxHours: float, hours: float = 1",
        "1: `max_hours` and `maxHours` are both `maxHours` for callers. Rename one of them.",
    ),
    (
        "        hours: How",
        "        hour: How",
        "5: the docstring names `hour`, which is no parameter. Write `hours`.",
    ),
    (
        "        hours: How long it lasts, h.",
        "        hours: How long it lasts, h.\n        people: How many.",
        "6: the docstring names `people`, which is no parameter. "
        "Take it out, or add the parameter.",
    ),
    (
        "    Args:\n        hours: How long it lasts, h.",
        "    :param float hours: How long it lasts, h.",
        "4: the docstring is in reST style, whose arguments are not read. Write a section "
        "`Args:` with a line `    hours: What it is.` for each argument.",
    ),
    (
        "    Args:\n        hours: How long it lasts, h.",
        "    Parameters\n    ----------\n    hours : float\n        How long it lasts, h.",
        "4: the docstring is in NumPy style, whose arguments are not read. Write a section "
        "`Args:` with a line `    hours: What it is.` for each argument.",
    ),
    (
        "    Args:\n        hours: How long it lasts, h.",
        "    - `hours`: How long it lasts, h.",
        "4: the docstring describes `hours` outside of `Args:`, where it is not read. Write a "
        "section `Args:` with a line `    hours: What it is.` for each argument.",
    ),
    (
        "        hours: How long it lasts, h.",
        "        hours",
        "4: a section of the docstring cannot be read: ",
    ),
    (
        '    """Estimate what a meeting costs.\n\n    Args:',
        '    """\n    Args:',
        "1: the docstring begins with a section, and does not say what it does. ",
    ),
    (
        'name="Meeting cost"',
        'name="Cost", examples=[{"userRequest": "What?", "parameters": {"hour": 2}}]',
        "0: example 1 ('What?') is no call of it: parameters.hour is not known here; leave it "
        "out. Write arguments that meeting_cost takes: hours.",
    ),
    (
        'name="Meeting cost"',
        'name="Cost", examples=[{"userRequest": "What?", "parameters": {"hours": "2"}}]',
        "0: example 1 ('What?') is no call of it: parameters.hours: input should be a valid "
        "number (not '2'). Write arguments that meeting_cost takes: hours.",
    ),
    (
        'name="Meeting cost"',
        'name="Cost", examples=[{"userRequest": "What?", "params": {}}]',
        "0: example 1 has the unknown key `params` (did you mean `parameters`?). "
        'Write `{"userRequest": "What a user would say", "parameters": {...}}`.',
    ),
    (
        'name="Meeting cost"',
        'name="Cost", examples=[{"parameters": {}}]',
        "0: example 1 has no `userRequest`. "
        'Write `{"userRequest": "What a user would say", "parameters": {...}}`.',
    ),
    (
        'name="Meeting cost"',
        'name="Cost", effect="write", preview=lambda ctx: None',
        "0: preview does not take its arguments: got an unexpected keyword argument 'hours'. "
        "Write `def preview(ctx, *, hours) -> Preview`.",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "told"), CASES, ids=[case[1] for case in CASES])
def test_a_wrong_definition_is_told_with_its_line(
    app: Path, right: str, wrong: str, told: str
) -> None:
    assert right in GOOD
    found = only_problem(app, GOOD.replace(right, wrong, 1))
    assert found == told if told.endswith(".") else found.startswith(told)


def test_a_clients_return_type_is_one_that_its_result_can_be_checked_against(app: Path) -> None:
    of_client = GOOD.replace('"Meeting cost"', '"Meeting cost", runs_on="client"')
    assert problems(app, meetings=of_client) == []
    record = "from msgspec import Struct\n\nclass Record(Struct):\n    hours: float\n"
    (found,) = problems(app, meetings=record + of_client.replace("-> float", "-> Record"))
    assert "what it returns is `Record`, which no result of a client can be checked" in found


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("summary='Book {room}'", "summary is 'Book {room}', which is no function. Write "),
        (
            "summary=lambda ctx, hours: 'A'",
            "summary does not take its arguments: missing a required argument: 'hours'. "
            "Write `def summary(arguments) -> str`.",
        ),
        (
            "effect='write', find_effect=lambda ctx: None",
            "find_effect does not take its arguments: too many positional arguments. "
            "Write `def find_effect(ctx, key) -> Any`.",
        ),
        (
            "compaction=len",
            "compaction does not take its arguments: too many positional arguments. ",
        ),
    ],
)
def test_a_function_that_cannot_take_what_it_gets_is_told(
    app: Path, options: str, told: str
) -> None:
    found = only_problem(app, GOOD.replace('"Meeting cost"', f'"Meeting cost",\n    {options}'))
    assert found.startswith(f"1: {told}")


@pytest.mark.parametrize(
    "around",
    [
        "class Meetings:{}",
        "import functools\n\nif True:\n    @functools.cache{}",
        "def quick(function):\n    return lambda *a: function(*a)\n\nif True:\n    @quick{}",
    ],
)
def test_a_capability_in_a_class_or_under_a_decorator_that_hides_it_is_told(
    app: Path, around: str
) -> None:
    found = only_problem(app, around.format(GOOD.replace("\n", "\n    ")))
    assert found.endswith(
        ": no capability is found here: it is in a class, or a decorator hides it. "
        "Write `@capability` on top of a function of the module."
    )


@pytest.mark.parametrize(
    "around",
    [
        "class Meetings:{}\nmeeting_cost = Meetings.meeting_cost",
        "def make():{}\n    return meeting_cost\n",
        "def make():{}\n    globals()['meeting_cost'] = meeting_cost\nmake()",
        "if True:{}",
        "if not __name__:{}",
    ],
)
def test_a_capability_that_a_module_comes_to_have_is_sound(app: Path, around: str) -> None:
    source = around.format(GOOD.replace("\n", "\n    "))
    assert problems(app, meetings=source) == []


def test_a_decorator_above_a_capability_that_keeps_a_function_is_sound(app: Path) -> None:
    wrapper = """
def logged(function):
    @functools.wraps(function)
    def call(*positional, **keywords):
        return function(*positional, **keywords)
    return call

@logged"""
    assert problems(app, meetings="import functools\n" + wrapper + GOOD) == []


def test_a_name_of_the_platforms_own_tools_is_refused(app: Path) -> None:
    (found,) = problems(app, meetings=GOOD.replace("def meeting_cost", "def find_tools"))
    assert found.endswith(
        "find_tools: each agent has a tool `find_tools` of the platform. Write another name."
    )


def test_every_wrong_definition_is_told_and_not_the_first_alone(app: Path) -> None:
    two = GOOD.replace("hours: float", "hours: flaot") + GOOD.replace("_cost(", "_price(").replace(
        '(name="Meeting cost")', ""
    )
    other = GOOD.replace("_cost", "_length").replace("    return", "    yield")
    found = problems(app, meetings=two, rooms=other)
    assert [each.split(": ")[0].split("/")[-1] for each in found] == [
        "meetings.py:15, meeting_cost",
        "meetings.py:23, meeting_price",
        "rooms.py:15, meeting_length",
    ]


def test_a_type_that_is_not_defined_is_told_without_the_future_import(
    app: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until Python 3.13 the module cannot be imported; from 3.14 on it can."""
    evaluated = HEAD.replace("from __future__ import annotations", "")
    monkeypatch.setattr(sys.modules[__name__], "HEAD", evaluated)
    told = only_problem(app, GOOD.replace("hours: float", "hours: list[flaot]"))
    assert told.startswith("1: ") and "`flaot` is not" in told.replace("'", "`")
    assert "`float`" in told or "`list[float]`" in told


def test_what_is_wrong_with_a_function_of_two_names_is_told_once(app: Path) -> None:
    wrong = GOOD.replace("        hours:", "        hour:")
    (found,) = problems(app, meetings=f"{wrong}\n\nalias = meeting_cost\n")
    assert "the docstring names `hour`" in found


def test_one_id_in_two_modules_is_told_with_both_places(app: Path) -> None:
    (found,) = problems(app, meetings=GOOD, rooms=GOOD)
    assert found == (
        "functions/packs/office/rooms.py:15, meeting_cost: functions/packs/office/meetings.py:14 "
        "declares a capability `meeting_cost` as well. Rename one: all packs share their ids."
    )


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            "A = AgentProfile(id='a', tool=())",
            "meetings.py:14: TypeError: Unexpected keyword argument 'tool' (did you mean `tools`?)",
        ),
        ("\n\nfrom nowhere import x", "meetings.py:14: ModuleNotFoundError: No module named"),
        ("def ping(ctx) -> str\n", "meetings.py:14: SyntaxError: expected ':'"),
        (
            "def ping(ctx: ToolContext, x: int = lenght('')): ...",
            "meetings.py:14, ping: NameError: name 'lenght' is not defined",
        ),
    ],
)
def test_a_module_that_cannot_be_imported_is_told_with_its_line(
    app: Path, source: str, told: str
) -> None:
    (found,) = problems(app, meetings=source)
    assert found.startswith(f"functions/packs/office/{told}")


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (b'{\n  "rooms": "A room"\n  "hours": "{n} h"\n}', ":3: this is no JSON: Expecting ','"),
        (b'["A room"]', ":1: texts are an object, such as {}. Put them into one."),
        (
            b'{\n"rooms": "\xff"}',
            ":2: byte 12 of the file, 0xff, is not UTF-8. Save the file as UTF",
        ),
    ],
)
def test_wrong_texts_are_told_with_their_line(app: Path, texts: bytes, told: str) -> None:
    (app / "functions/packs/office/texts").mkdir()
    (app / "functions/packs/office/texts/en.json").write_bytes(texts)
    (found,) = problems(app, meetings=GOOD)
    assert found.startswith(f"functions/packs/office/texts/en.json{told}")


def test_an_unknown_option_is_told_with_the_one_that_was_meant_once(app: Path) -> None:
    source = "@capability(name='X', keyword=[])\ndef ping(ctx: ToolContext) -> str: ..."
    (found,) = problems(app, meetings=source)
    told = "meetings.py:14, ping: TypeError: capability() got an unexpected keyword argument"
    assert found.startswith(f"functions/packs/office/{told} 'keyword'")
    python, ours = ". Did you mean 'keywords'?", " (did you mean `keywords`?)"
    assert found.endswith(python if sys.version_info >= (3, 13) else ours)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            '("meeting_cost",)',
            '("meeting_cost")',
            "tools is 'meeting_cost', which is no tuple of texts. Write `tools=(",
        ),
        (
            '"office"',
            '"my office"',
            "the id is 'my office'. Write at most 64 ASCII letters, digits, _ and -, such as "
            'id="office".',
        ),
        (
            "tools=",
            'models=("gpt-6",), tools=',
            "models has 'gpt-6', which names no provider. Write `<provider>:<name>`, such as ",
        ),
        (
            "tools=",
            'min_role="teacher", tools=',
            "min_role is 'teacher'. Write one of Role.USER, Role.STUDENT, Role.TEACHER, "
            "Role.ADMIN, of rollcall.core.shapes.",
        ),
        (
            '"Plan."',
            '" "',
            'it has no instructions. Write `instructions="Help to plan meetings."`.',
        ),
        ('"Office"', '{"he": "משרד"}', "the name has no English. "),
        (
            "tools=",
            "approvals=None, tools=",
            "approvals is None, which is no dict of policies. Write `approvals={",
        ),
        (
            "tools=",
            'approvals={"pay": "always"}, tools=',
            "approvals is {'pay': 'always'}, which is no dict of policies. Write `approvals={",
        ),
        (
            "tools=",
            "approvals={sum: ApprovalPolicy()}, tools=",
            "approvals has a policy of <built-in function sum>, which is no capability's id. Write",
        ),
        (
            "tools=",
            'approvals={"category:office": ApprovalPolicy()}, tools=',
            "approvals has a policy of 'category:office', which is no capability's id. Write",
        ),
        (
            "tools=",
            'pinned=("category:office",), tools=',
            "pinned has 'category:office', which is no capability's id. Write ids, such as ",
        ),
        ("tools=", "max_steps=0, tools=", "max_steps is 0. Write a number from 1 to 200."),
    ],
)
def test_a_wrong_agent_is_told_with_its_line(app: Path, right: str, wrong: str, told: str) -> None:
    agent = (
        'OFFICE = AgentProfile(\n    id="office", name="Office", instructions="Plan.", '
        'tools=("meeting_cost",)\n)\n'
    )
    assert problems(app, agents=agent) == []
    (found,) = problems(app, agents=agent.replace(right, wrong))
    assert found.startswith(f"functions/packs/office/agents.py:14, OFFICE: {told}")


def test_two_agents_of_one_id_are_told(app: Path) -> None:
    agent = 'A = AgentProfile(id="a", name="A", instructions="Plan.", tools=())\n'
    (found,) = problems(app, agents=agent + agent.replace("A =", "B ="))
    assert "agents.py:15, B: functions/packs/office/agents.py:14, A declares an agent 'a'" in found


AGENT = """
TOOLS = (
    "meeting_cost",
    {tools}
)
OFFICE = AgentProfile(id="office", name="Office", instructions="Plan.", tools=TOOLS{more})
"""


@pytest.mark.parametrize(
    ("tools", "more", "told"),
    [
        (
            '"meeting_cots",',
            "",
            "16, OFFICE: `meeting_cots` in tools of the agent 'office' names no capability "
            "here (did you mean `meeting_cost`?)",
        ),
        (
            "'category:offices',",
            "",
            "16, OFFICE: `category:offices` in tools of the agent 'office' names no capability "
            "here (did you mean `category:office`?)",
        ),
        (
            "",
            ", pinned=('book_hotel',)",
            "18, OFFICE: `book_hotel` in pinned of the agent 'office' names no capability here",
        ),
        (
            "",
            ', approvals={"met_cost": ApprovalPolicy()}',
            "18, OFFICE: `met_cost` in approvals of the agent 'office' names no capability "
            "here (did you mean `meeting_cost`?)",
        ),
        (
            "*[f'book_{each}' for each in ('flight',)]",
            "",
            "18, OFFICE: `book_flight` in tools of the agent 'office' names no capability here",
        ),
    ],
    ids=["tools", "category", "pinned", "approvals", "not written out"],
)
def test_a_tool_that_no_capability_is_called_is_told_with_its_line(
    app: Path, tools: str, more: str, told: str
) -> None:
    modules = load(app, meetings=GOOD, agents=AGENT.format(tools=tools, more=more))
    assert modules_problems(modules) == []  # another codebase may have it
    loaded = {file: each for file, each in modules.items() if isinstance(each, ModuleType)}
    ((_, text),) = undeclared_tools(loaded)
    cure = "Correct it, unless another codebase has it"
    assert text == f"functions/packs/office/agents.py:{told}. {cure}."


def test_agents_in_another_encoding_are_looked_through_all_the_same(app: Path) -> None:
    modules = load(app, meetings=GOOD, agents=AGENT.format(tools='"book_hotel"', more=""))
    file = app / "functions/packs/office/agents.py"
    file.write_bytes(b"# -*- coding: latin-1 -*- caf\xe9\n" + file.read_bytes())
    loaded = {name: each for name, each in modules.items() if isinstance(each, ModuleType)}
    assert [id for id, _ in undeclared_tools(loaded)] == ["book_hotel"]


@pytest.mark.parametrize(
    ("name", "value"), [("related", '["book_rom"]'), ("undo", "Undo('book_rom', print)")]
)
def test_a_capability_that_another_names_and_that_is_not_there_is_told(
    app: Path, name: str, value: str
) -> None:
    effect = ', effect="write"' if name == "undo" else ""
    meetings = GOOD.replace('"Meeting cost"', f'"Meeting cost"{effect},\n    {name}={value}')
    rooms = GOOD.replace("meeting_cost", "book_room")
    modules = load(
        app, meetings=f"from rollcall.core.capability import Undo{meetings}", rooms=rooms
    )
    assert modules_problems(modules) == []
    loaded = {file: each for file, each in modules.items() if isinstance(each, ModuleType)}
    ((id, text),) = undeclared_tools(loaded)
    assert id == "book_rom"
    assert text == (
        f"functions/packs/office/meetings.py:16, meeting_cost: `book_rom` in {name} names no "
        "capability here (did you mean `book_room`?). Correct it, unless another codebase has it."
    )


def test_a_misspelt_id_is_told_once_however_often_its_owner_is_imported(app: Path) -> None:
    (meetings,) = load(
        app, meetings=GOOD.replace('"Meeting cost"', '"Meeting cost", related=["book_rom"]')
    ).values()
    (agents,) = load(app, agents=AGENT.format(tools="", more="") + "OTHER = OFFICE\n").values()
    assert isinstance(meetings, ModuleType) and isinstance(agents, ModuleType)
    found = undeclared_tools({str(meetings.__file__): meetings, str(agents.__file__): agents})
    assert [id for id, _ in found] == ["book_rom"]
    agents.__dict__["meeting_cost"] = meetings.__dict__["meeting_cost"]
    found = undeclared_tools({str(meetings.__file__): meetings, str(agents.__file__): agents})
    assert [id for id, _ in found] == ["book_rom"]
    found = undeclared_tools({str(agents.__file__): agents})
    assert [id for id, _ in found] == ["book_rom"]
    del agents.__dict__["meeting_cost"]
    found = undeclared_tools({str(agents.__file__): agents})
    assert [id for id, _ in found] == ["meeting_cost"]  # of one agent, whatever names it has


def test_ids_categories_and_all_are_known_as_tools(app: Path) -> None:
    modules = load(app, meetings=GOOD, agents=AGENT.format(tools="'category:office', '*'", more=""))
    loaded = {file: each for file, each in modules.items() if isinstance(each, ModuleType)}
    assert len(loaded) == 2
    assert list(undeclared_tools(loaded)) == []
