"""Messages that lean on the answer before: "and for Dana?", "the second one", "tell me more"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec.structs import replace

from rollcall.core.messages import Json, UserMessage
from rollcall.core.text import tokens
from rollcall.models._offline import topic
from rollcall.models._offline.asked import searcher
from rollcall.models._offline.chain import takes
from rollcall.models._offline.choose import says_keyword
from rollcall.models._offline.fill import Source, fill
from rollcall.models._offline.history import Step, Turn, read
from rollcall.models._offline.items import main_list, people
from rollcall.models._offline.named import Names, noun
from rollcall.models._offline.ordinals import ORDINALS, bare
from rollcall.models._offline.people import is_called, is_somebodys
from rollcall.models._offline.plan import Goal, Progress
from rollcall.models._offline.schema import Param, params
from rollcall.models.base import ModelRequest

_SHORT = 8
_MOST_SUPPOSED = 12
_SUPPOSED = re.compile(r"^(?:what if|suppose|if|ואם|אם|מה אם|ומה אם|נניח)\s", re.IGNORECASE)
_ELLIPSIS = re.compile(
    r"^(?:and|also|what about|how about|now|same|instead|only|just|but|ומה לגבי|מה לגבי|ומה עם|"
    r"מה עם|ומה|וגם|רק|אבל|עכשיו|ו)(?:\s|(?<=ו))",
    re.IGNORECASE,
)
_ONE_OF_THEM = re.compile(
    r"^\W*(?:and |what about |ok |so )*the (?P<which>\w+) (?:one|item|message|task|decision|result)"
    r"\s*[?,.;:-]\s*(?:and )?(?:who|what|when|where|which|whose|by)\b.{0,40}$|"
    r"^\W*(?:and |so )*(?:who|when|what|where)\b.{0,30}?\bthe (?P<which_last>\w+) one\W*$|"
    r"^\W*ו?ה(?P<first_he>\w+)\s*[,?:]\s*(?:(?:ב|ל|מ|על |את )?(?:מי|מתי|מה|איפה))(?!\w).{0,30}$|"
    r"^\W*ו?(?:מי|מתי|מה|איפה)\s.{0,30}?(?<!\w)(?:את|של|על|עם) ה(?P<which_he>\w+)\W*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^\W*(?:(?:can you |could you |please )*(?:tell me |show me |give me |i want )?"
    r"(?:more|the rest|all of them|more details|in (?:more )?detail|everything)"
    r"(?: about (?:it|that|this))?|"
    r"(?:please )?(?:expand|elaborate|go on|continue)(?: on (?:it|that|this))?|"
    r"(?:בבקשה )?(?:תרחיב|תרחיבי|הרחב|הרחיבי|להרחיב|עוד|תמשיך|תמשיכי|המשך|המשיכי|יותר פירוט|"
    r"פרט|פרטי|תפרט|תפרטי|עוד פרטים|תראה לי עוד|תראי לי עוד|ספר לי עוד|ספרי לי עוד|ומה עוד|מה עוד|"
    r"את השאר|תראה את השאר))(?: (?:please|בבקשה))?\W*$",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"^\W*(?:and |what about |how about |tell me (?:more )?about |more (?:on|about) |"
    r"show me |expand on |summari[sz]e |open |read |explain |"
    r"(?:סכמ?ם?|סכמי|תסכם|תסכמי|פתח|פתחי|הראה|הראי|תראה|תראי) (?:לי )?את |"
    r"ומה עם |מה עם |ספר לי על |ספרי לי על |תרחיב על |תרחיבי על |הרחב על |ו)?(?:the |ה|את ה|על ה)?"
    r"(?P<which>\w+)"
    r"(?: (?:one|item|message|task|decision|result|conversation|הודעה|משימה|החלטה|שיחה))?\W*$",
    re.IGNORECASE,
)


def leans(text: str) -> bool:
    """Tell whether a message may only be understood after the one before it."""
    return bool(_MORE.match(text) or _ELLIPSIS.match(text.strip())) or place(text) is not None


def place(text: str) -> int | None:
    """Return which of a list a message asks for: 1 for "and the second one?"."""
    match = _PLACE.match(text)
    asked = None if match else _ONE_OF_THEM.match(text)
    named = match["which"] if match else next(filter(None, asked.groups()), "") if asked else ""
    said = tokens(named)
    return next((ORDINALS[word] for word in (*said, *bare(said)) if word in ORDINALS), None)


def back(turn: Turn, prior: list[Progress], request: ModelRequest) -> list[Goal]:
    """Return the goals of a message that asks for more of what was just told."""
    told = [part for part in prior if part.steps and not part.steps[-1].failed]
    if not told:
        return []
    if _MORE.match(turn.text):
        return [replace(part.goal, all=True) for part in told]
    which = place(turn.text)
    if which is None:
        return []
    return [_opened(which, told[-1], request) or replace(told[-1].goal, pick=which)]


def _opened(which: int, part: Progress, request: ModelRequest) -> Goal | None:
    """Return the goal to open the thing at a place of a list, where a tool can."""
    listed = main_list(part.steps[-1].output)
    if not -len(listed) <= which < len(listed):
        return None
    id_ = str(listed[which].get("id"))
    named = next((e for e in part.steps[-1].entities if e.id == id_), None)
    for tool in request.tools if named else ():
        param = takes(tool, named.kind) if named else None
        if named and param:
            return Goal(named.name, tool, {param.name: id_})
    return None


def supposed(turn: Turn, request: ModelRequest) -> list[Goal]:
    """Read "and if it were 300 ft long?" or "and on the water heater?" as the last call with a
    figure, a listed value or a thing at hand changed, unless the words are another tool's."""
    text = turn.text.strip()
    last = last_call(turn)
    begins = _ELLIPSIS.match(text) or _SUPPOSED.match(text)
    if last is None or not begins or len(text.split()) > _MOST_SUPPOSED:
        return []
    tool = next((tool for tool in request.tools if tool.name == last.call.name), None)
    if (
        tool is None
        or tool.writes
        or any(says_keyword(t, text) for t in request.tools if t != tool)
    ):
        return []
    wanted = params(tool)
    source = Source(text, request.now_iso, turn.entities, request.names)
    filled = fill(tool, source).arguments
    changed = {p.name: filled[p.name] for p in wanted if _is_sure(p, filled, request.names)}
    if not changed:
        return []
    before = last.call.arguments or {}
    about = {noun(p) for p in wanted if p.name in changed}
    moves = bool(changed.keys() & request.names.keys())  # another thing may stand elsewhere
    kept = {
        p.name: before[p.name]
        for p in wanted
        if p.name in before and noun(p) not in about and not (moves and p.name in request.names)
    }
    return [Goal(text, tool, {**kept, **changed})]


def _is_sure(param: Param, filled: Mapping[str, Json], names: Names) -> bool:
    """Whether an argument is more than words: a figure, a listed value, a thing at hand."""
    if param.name not in filled:
        return False
    value = filled[param.name]
    is_known = value in names.get(param.name, ())
    is_figure = isinstance(value, int | float) or str(value)[:1].isdigit()  # sizes are texts: "2/0"
    return is_known or bool(param.options) or is_figure


def up(turn: Turn, request: ModelRequest, prior: list[Progress]) -> list[Goal]:
    """Read "and for grade 5?" as the last call with something changed."""
    text = turn.text.strip()
    last = last_call(turn)
    said = len(text.split())
    if last is None or not (_ELLIPSIS.match(text) or said <= _SHORT // 2) or said > _SHORT:
        return []
    tool = next((tool for tool in request.tools if tool.name == last.call.name), None)
    if tool is None or tool.writes:
        return []  # a write is asked for in full
    changed = fill(tool, Source(text, request.now_iso, turn.entities, request.names)).arguments
    if changed and (searcher("", (tool,)) is None or _ELLIPSIS.match(text)):
        return [Goal(text, tool, {**(last.call.arguments or {}), **changed})]
    return _about(text, request, prior)


def _about(text: str, request: ModelRequest, prior: list[Progress]) -> list[Goal]:
    """Read "what about marketing?" as the last request with another topic."""
    match = _ELLIPSIS.match(text)
    subject = topic.subject(text) or (text[match.end() :].strip(" ?!.") if match else "")
    if not match or not subject or not prior:
        return []
    goal = prior[-1].goal
    listed = [item for step in prior[-1].steps for item in main_list(step.output)]
    owned = any(people(item, owners=True) for item in listed)
    if owned and (is_somebodys(text) or any(is_called(n, text) for i in listed for n in people(i))):
        return [replace(goal, text=text)]
    if prior[-1].topic is not None:
        about = "לגבי" if any("א" <= char <= "ת" for char in subject) else "about"
        return [replace(goal, text=f"{about} {subject}", given={})]
    search = searcher(text, request.tools)
    return [Goal(text, search, {})] if search else []


def last_call(turn: Turn) -> Step | None:
    """Return the last call of the turn before this one."""
    users = [at for at, m in enumerate(turn.before) if isinstance(m, UserMessage)]
    if not users:
        return None
    previous = read(turn.before[users[-1] :], "en")
    return previous.steps[-1] if previous.steps else None
