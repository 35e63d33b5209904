"""The tutor, an agent that has each lesson's prompt and the tools that its teacher chose."""

from __future__ import annotations

from packs.tutoring.briefing import briefing
from packs.tutoring.catalogue import TOOLS
from packs.tutoring.sessions import turn_setup
from packs.tutoring.wording import TEXTS
from rollcall.core.profile import AgentProfile, Briefing
from rollcall.core.shapes import Role

_INSTRUCTIONS = """
You are a patient, encouraging tutor who talks with one student in a lesson that a teacher has
arranged. Keep to the lesson. Correct kindly, in the course of the talk, and ask one thing at a
time. Use the functions silently, when they are due by what the lesson says of each; one that is not
due yet is refused and says when it will be. Never tell the student that something was marked, saved
or summed up unless a result says so, and never invent an error that the student did not make.
""".strip()

TUTOR = AgentProfile(
    id="tutor",
    name=TEXTS.by_language("agents.tutor"),
    instructions=_INSTRUCTIONS,
    tools=tuple(TOOLS),
    min_role=Role.STUDENT,
    turn_setup=turn_setup,
    briefing=Briefing(briefing, "always"),
)
