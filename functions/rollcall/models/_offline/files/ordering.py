"""Requests to run something: a command, or a task of the project such as its tests."""

from __future__ import annotations

import re

from rollcall.models._offline.files.clauses import Clause
from rollcall.models._offline.files.declining import NeedsModel
from rollcall.models._offline.files.forms import compiled
from rollcall.models._offline.files.masked import HELD
from rollcall.models._offline.files.paths import first_path
from rollcall.models._offline.files.running import Run, RunTask

_RUN = r"(?:re-?run|run|execute|launch|start|invoke|try|do|perform|fire up|kick off)"
_RUN_HE = r"(?:הר(?:ץ|יצי)|תריצי?|להריץ|הפע(?:ל|ילי)|תפעילי?|להפעיל|בצעי?|תבצעי?|לבצע|הרצה של|הרצת)"
_TESTS = r"(?:unit[- ]?tests?|tests?(?:[- ]suites?)?|test cases|specs?|suite|unittests)"
_TESTS_HE = r"(?:ה?בדיקות|ה?טסטים|ה?טסט|ה?בדיקה|בדיקות היחידה|חבילת הבדיקות)"
_TEST = compiled(
    rf"^{_RUN}\s+(?:me\s+)?(?:(?:all|the|my|our|its|every|full|whole|entire|project's|"
    rf"existing|python|unit|again)\s+|of\s+)*{_TESTS}\b|"
    rf"^(?:do|are|is|did|will|have|check (?:that|if|whether)|see (?:if|whether)|"
    rf"verify(?: that| if)?|make sure(?: that)?|tell me (?:if|whether)|ensure(?: that)?|"
    rf"whether|if)\s+"
    rf"(?:all\s+)?(?:of\s+)?(?:the\s+|our\s+|my\s+)?(?:\w+\s+)?{_TESTS}\s+(?:(?:all|still|"
    rf"now|currently)\s+)*(?:pass(?:es|ed|ing)?|green|ok(?:ay)?|work(?:s|ing)?|succeed|"
    rf"fail(?:s|ing)?|broken|run|red|fine)|"
    rf"^(?:test (?:it|this|everything|the (?:project|code|package|lot))|"
    rf"which tests (?:fail|are failing|pass)|(?:check|verify) the tests|how (?:do|"
    rf"are) the tests(?: doing)?|what(?:'s| is) failing|(?:the )?tests,? please|"
    rf"{_TESTS})\W*$|"
    rf"^{_RUN_HE}\s+(?:לי\s+)?(?:שוב\s+)?(?:את\s+)?(?:כל\s+)?{_TESTS_HE}(?![א-ת])|"
    rf"^(?:האם\s+)?(?:כל\s+)?{_TESTS_HE}\s+(?:של הפרויקט\s+)?(?:עדיין\s+)?(?:עוברות|עוברים|"
    rf"עבר(?:ו|ה)|ירוקות|תקינות|נכשלות|נכשלים|עובדות|בסדר)|"
    rf"^(?:בדוק|בדקי|תבדוק|תבדקי|לבדוק|ודא|ודאי|תוודא|תוודאי|לוודא)\s+(?:ש|אם\s+|"
    rf"האם\s+)?(?:כל\s+)?{_TESTS_HE}\s+(?:עוברות|עוברים|תקינות|עובדות)|"
    rf"^(?:אילו|איזה)\s+(?:בדיקות|טסטים)\s+(?:נכשלות|נכשלים|עוברות)",
    re.IGNORECASE,
)
_NAMED = rf"(?P<{{key}}>{HELD}|[A-Za-z_][A-Za-z0-9_]{{{{0,100}}}})"
_ALONE = r"(?:only|just|solely)\s+"
_ONE_TEST = compiled(
    # run (only) the test test_cart (only)
    rf"^{_RUN}\s+(?:{_ALONE})?(?:(?:the|a|this|single|one|unit)\s+)*(?:tests?|test case)\s+"
    rf"(?:(?:called|named|case|function|method|class)\s+)*{_NAMED.format(key='name')}"
    rf"(?:\s+(?:only|alone))?\W*$|"
    # run (only) test_cart; run the test_cart test
    rf"^{_RUN}\s+(?:{_ALONE})?(?:the\s+)?(?P<bare>test_[A-Za-z0-9_]{{1,100}})"
    rf"(?:\s+tests?)?(?:\s+(?:only|alone))?\W*$|"
    rf"^{_RUN_HE}\s+(?:רק\s+)?(?:את\s+)?(?:ה?(?:בדיקה|טסט)\s+)(?:בשם\s+|שנקראת?\s+)?"
    rf"{_NAMED.format(key='he')}(?:\s+(?:בלבד|לבד|לבדה))?\W*$|"
    rf"^{_RUN_HE}\s+(?:רק\s+)?(?:את\s+)?(?P<bare_he>test_[A-Za-z0-9_]{{1,100}})"
    rf"(?:\s+בלבד)?\W*$",
    re.IGNORECASE,
)
_SAYS_ALONE = compiled(r"\b(?:only|alone|just|solely|called|named)\b|רק|בלבד|לבד|בשם|שנקרא")
_NO_TEST_NAME = compiled(r"suites?|cases?|again|please|now|once|only|here|all|files?|it")
_AGAIN = compiled(
    r"^(?:(?:re-?run|run|execute|try|do)\s+(?:it|that|this|the (?:same|"
    r"last) command)(?:\s+(?:again|once more))?|again|once more|re-?run|run again|"
    r"try again|"
    r"(?:הר(?:ץ|יצי)|תריצי?|להריץ)\s+(?:את זה\s+|את אותה הפקודה\s+|אותה\s+)?(?:שוב|"
    r"פעם נוספת|עוד פעם)|שוב|עוד פעם|פעם נוספת)\W*$",
    re.IGNORECASE,
)
_PROGRAMS = (
    "make|npm|npx|yarn|pnpm|node|deno|bun|python|python3|py|pip|pip3|pytest|tox|nox|uv|"
    "poetry|ruff|mypy|black|"
    "flake8|pylint|cargo|go|rustc|javac|java|mvn|gradle|dotnet|git|ls|cat|echo|grep|find|"
    "sed|awk|head|tail|wc|mv|cp|rm|"
    "mkdir|touch|pwd|cd|chmod|which|env|date|curl|wget|tsc|eslint|jest|vitest|docker|sh|"
    "bash|./\\S+|du|df|diff|tree|whoami|"
    "uname|printf|true|false|sleep|seq|ruby|php|swift|flutter|dart|terraform|kubectl|gcc|"
    "clang|cmake|sort|uniq|unittest"
)
_COMMAND = compiled(
    rf"^(?:{_RUN})\s+(?:the\s+)?(?:following\s+|shell\s+|"
    rf"this\s+)?(?:command\s+)?(?P<command>(?:{_PROGRAMS})(?![\w-]).*|\S+\s+--?\w.*|\./.*|"
    rf"\S+/\S+\.(?:sh|py|js)\b.*)$|"
    rf"^{_RUN_HE}\s+(?:לי\s+)?(?:את\s+)?(?:ה?פקודה\s+)?(?P<he>(?:{_PROGRAMS})(?![\w-]).*|\./.*)$|"
    rf"^(?P<alone>(?:pytest|npm|npx|yarn|cargo|git|ruff|mypy|make|python3?|pip3?|node|tox|"
    rf"poetry|uv|eslint|tsc|docker|echo)\s+[a-z./-][^?]*|pytest)$",
    re.DOTALL,
)
_HELD = compiled(
    rf"^(?:{_RUN})\s+(?:the\s+)?(?:following\s+|shell\s+|this\s+|command\s+|"
    rf"script\s+)*(?P<command>{HELD})|"
    rf"^{_RUN_HE}\s+(?:לי\s+)?(?:את\s+)?(?:ה?פקודה\s+)?(?P<he>{HELD})",
    re.IGNORECASE,
)
_TASKS = (
    ("lint", r"lint(?:er|ing)?|style checks?|ה?לינטר"),
    ("build", r"build|ה?בנייה|ה?בניה"),
    ("format", r"format(?:ter|ting)?|ה?פורמטר"),
    ("typecheck", r"type ?checks?(?:er|ing)?|בדיקת ה?טיפוסים"),
    ("clean", r"clean"),
    ("dev", r"dev server"),
    ("start", r"app|application|server|ה?אפליקציה|ה?שרת|ה?יישום"),
)
_TASK = tuple(
    (
        compiled(
            rf"^(?:{_RUN}|{_RUN_HE})\s+(?:את\s+)?(?:(?:the|a|our|"
            rf"project's)\s+)*(?:{said})(?![\w-])\W*(?:on .*|for .*)?$|"
            rf"^(?:{task})\s+(?:the\s+)?(?:project|code|it|everything|all|app)\W*$",
            re.IGNORECASE,
        ),
        task,
    )
    for task, said in _TASKS
)
_BUILD_HE = compiled(r"^(?:בנ[הי]|תבנ[הי]|לבנות)\s+את\s+ה?פרויקט", re.IGNORECASE)
_TOOL_AFTER = compiled(r"\s+(?:again|for me|please|now|once more|שוב|בבקשה)\W*$", re.IGNORECASE)
_ONLY_IF = compiled(
    r"(?:\band|\bbut|[,;])\s+(?:only\s+)?(?:if|unless|when|once)\b|(?<![א-ת])ו(?:רק\s+)?אם(?![א-ת])",
    re.IGNORECASE,
)
_PROMPT = compiled(r"^\s*(?:\$|>|%)\s+")


def running(clause: Clause, last: str | None) -> Run | RunTask | NeedsModel | None:
    """Read "run the tests", "run `make lint`" and "run it again". What depends on how tests end
    takes a model.

    Args:
        last: The command that was run last.
    """
    text = " ".join(clause.text.split()).rstrip("?!").strip()
    if _AGAIN.match(text):
        return Run(last) if last else None
    if clause.rest is not None:
        says_run = re.match(rf"(?:{_RUN}|{_RUN_HE})(?![\w-])", text, re.IGNORECASE)
        return Run(_PROMPT.sub("", clause.rest.strip())) if says_run else None
    if one := _one_test(text, clause):
        return RunTask("test", name=one)
    if tests := _TEST.match(text):
        if _ONLY_IF.search(text, tests.end()):
            return NeedsModel(clause.said)
        return RunTask("test", only=first_path(text, clause.of))
    if held := _HELD.match(text):
        return Run(_PROMPT.sub("", clause.of.value(held["command"] or held["he"])))
    if command := _COMMAND.match(text):
        said = next(group for group in command.groups() if group)
        return Run(clause.of.source(_TOOL_AFTER.sub("", said.rstrip(". "))))
    if _BUILD_HE.match(text):
        return RunTask("build")
    return next((RunTask(task) for pattern, task in _TASK if pattern.match(text)), None)


def _one_test(text: str, clause: Clause) -> str | None:
    """The name of the one test that is to be run; never more than a name, for it goes into a
    command."""
    found = _ONE_TEST.match(text)
    if not found:
        return None
    said = next(group for group in found.groups() if group)
    name = clause.of.value(said)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or _NO_TEST_NAME.fullmatch(name):
        return None
    is_meant = said != name or re.search(r"[_\d]|[a-z][A-Z]", name) or _SAYS_ALONE.search(text)
    return name if is_meant else None
