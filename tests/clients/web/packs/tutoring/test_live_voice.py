"""Live voice in the lesson room: a talk with captions, tool calls, mute and resumption.

The page connects to the address of Google, which leads to a local server that speaks the wire.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.clients.web.conftest import Served, launched, watched
from tests.clients.web.elements import serve_sdk, served_element
from tests.clients.web.school import (
    PASSWORD,
    TEXTS,
    Person,
    course,
    findings,
    person,
    post,
    signed_in,
    until,
)
from tests.support.live_voice import FakeLive

EN = TEXTS["en"]
WATCH = """
window.tracks = [];
window.played = [];
const devices = navigator.mediaDevices; // none in an empty page
const ask = devices?.getUserMedia.bind(devices);
if (devices) devices.getUserMedia = async (wanted) => {
  const stream = await ask(wanted);
  tracks.push(...stream.getTracks());
  return stream;
};
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (...when) {
  played.push([this.buffer.sampleRate, this.buffer.length]);
  return start.apply(this, when);
};
"""
TOOLS = [
    {"toolId": "mark_task_complete", "enabled": True, "triggerCondition": {"type": "always"}},
    {
        "toolId": "mark_for_review",
        "enabled": True,
        "triggerCondition": {"type": "turn_count", "minTurns": 3},
    },
]
TASK = ("mark_task_complete", {"taskId": "task-1", "evidence": "She ordered soup."})
ERROR = {"errorType": "grammar", "original": "I goed", "correction": "I went", "severity": 4}


@dataclass(frozen=True)
class Voice:
    """A pupil in a lesson, a browser with a microphone, and the voice model's server."""

    browser: Browser
    served: Served
    pupil: Person
    mission: str
    session: str

    @property
    def live(self) -> FakeLive:
        return self.served.live

    @contextmanager
    def room(self, language: str = "en", *, policy: str | None = None) -> Iterator[Page]:
        """The pupil's page in the lesson, where a policy is given with that for its devices."""

        def put_policy(route: Route) -> None:
            answer = route.fetch()
            headers = {"permissions-policy": policy or "", "content-type": "text/html"}
            route.fulfill(body=answer.body(), headers=headers)

        entered = signed_in(
            self.browser, self.served.app, self.pupil, language, ignore_https_errors=True
        )
        with entered as page:
            if policy is not None:
                page.context.route(lambda url: url.endswith("/"), put_policy)
            page.add_init_script(WATCH)
            page.goto(f"/#/lesson/session.{self.session}")
            yield page

    def talk(self, page: Page) -> None:
        """Begin a talk."""
        page.get_by_role("button", name=EN["voice.talk"], exact=True).click()
        expect(page.get_by_text(EN["voice.reason"])).to_be_visible()
        page.get_by_role("button", name=EN["voice.start"]).click()
        expect(page.get_by_text(EN["voice.open"])).to_be_visible()


@pytest.fixture(scope="module")
def voice(served: Served) -> Iterator[Voice]:
    at = served.live.session_address.rpartition(":")[2]
    teacher, pupil = person("teacher"), person("student")
    lesson = {
        "title": "Ordering",
        "courseId": course(teacher, [pupil]),
        "conversationPrompt": "Play a waiter.",
        "tasks": [{"id": "task-1", "text": "Order soup"}],
        "toolConfiguration": {"tools": TOOLS},
    }
    made = post(served.address, "configure_lesson", teacher, lesson)["result"]
    mission = {"missionId": made["missionId"]}
    started = post(served.address, "start_session", pupil, mission)["result"]
    with launched(
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        # A page whose headers a test has changed may call the emulators like any other.
        "--disable-features=LocalNetworkAccessChecks",
        f"--host-resolver-rules=MAP generativelanguage.googleapis.com:443 127.0.0.1:{at}",
    ) as browser:
        yield Voice(browser, served, pupil, made["missionId"], started["sessionId"])


def test_web_voice_that_cannot_be_had_is_said_in_the_pages_language(voice: Voice) -> None:
    texts = TEXTS["he"]
    refusals = {
        "voice.not_set_up": ("failed-precondition", "FAILED_PRECONDITION"),
        "voice.enough": ("resource-exhausted", "RESOURCE_EXHAUSTED"),
    }
    allowed = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
    with voice.room("he") as page:
        for said, (code, status) in refusals.items():
            error = {"status": status, "message": "not now", "details": {"code": code}}
            page.context.route(
                "**/create_live_session",
                partial(Route.fulfill, status=400, json={"error": error}, headers=allowed),
            )
            page.get_by_role("button", name=texts["voice.talk"], exact=True).click()
            expect(page.get_by_role("alert")).to_have_text(texts[said])
            expect(page.get_by_label(texts["composer.message"], exact=True)).to_be_enabled()
            page.get_by_role("button", name=texts["app.close"], exact=True).click()
        assert page.evaluate("tracks.length") == 0


def test_web_voice_without_a_microphone_is_said(voice: Voice) -> None:
    with voice.room(policy="microphone=()") as page:  # which the browser refuses by
        page.get_by_role("button", name=EN["voice.talk"], exact=True).click()
        page.get_by_role("button", name=EN["voice.start"]).click()
        expect(page.get_by_role("alert")).to_have_text(EN["voice.refused"])
        page.get_by_role("button", name=EN["app.close"], exact=True).click()
        expect(page.get_by_role("button", name=EN["voice.talk"], exact=True)).to_be_visible()


def test_web_voice_goes_on_through_calls_mute_and_cuts_until_the_end(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = voice.live
    sound = base64.b64encode(b"\0\1" * 2_400).decode()
    live.contents = [
        {"inputTranscription": {"text": "I goed "}},
        {"inputTranscription": {"text": "<b>home</b>"}},
        {"outputTranscription": {"text": "You went home."}},
        {"modelTurn": {"parts": [{"inlineData": {"data": sound, "mimeType": "audio/pcm"}}]}},
    ]
    live.script = [TASK, ("mark_for_review", ERROR), ("delete_all", {})]
    called: list[str] = []
    talks, tokens = len(live.setups), len(live.tokens)
    with voice.room() as page:
        page.on("request", lambda sent: called.append(f"{sent.method} {sent.url}"))
        voice.talk(page)
        captions = page.get_by_role("log", name=EN["voice.captions"]).locator("p")
        expect(captions).to_have_text(["You: I goed <b>home</b>", "Tutor: You went home."])
        expect(page.locator(".room-tasks li")).to_contain_text(EN["task.done"])
        until(page, lambda: len(live.results) == 3)
        assert live.results["mark_task_complete-0"]["done"]
        assert "this is turn 1" in live.results["mark_for_review-1"]["error"]
        assert "does not have delete_all" in live.results["delete_all-2"]["error"]
        assert not [each for each in called if "delete_all" in each]
        assert page.evaluate("played") == [[24_000, 2_400]]
        level = page.get_by_role("meter", name=EN["voice.level"])
        until(page, lambda: level.evaluate("meter => meter.value") > 0)  # the device beeps
        audio = live.speech[0]["audio"]
        assert audio["mimeType"] == "audio/pcm;rate=16000"
        assert len(base64.b64decode(audio["data"])) == 3_200  # 100 ms
        assert findings(page) == []

        page.get_by_role("button", name=EN["voice.mute"]).click()
        until(page, lambda: live.speech[-1] == {"audioStreamEnd": True})
        live.send({"serverContent": {"outputTranscription": {"text": "Are you there?"}}})
        expect(captions.last).to_have_text("Tutor: Are you there?")
        expect(page.get_by_text(EN["voice.muted"])).to_be_visible()
        assert live.speech[-1] == {"audioStreamEnd": True} and page.evaluate("!tracks[0].enabled")
        page.get_by_role("button", name=EN["voice.mute"]).click()
        until(page, lambda: "audio" in live.speech[-1])

        # The same call comes again after the cut; it is answered and not made twice.
        live.contents, live.script = [], [TASK]
        live.results.clear()
        live.cut()
        expect(page.get_by_text(EN["voice.resuming"])).to_be_visible()
        expect(page.get_by_text(EN["voice.open"])).to_be_visible()
        assert live.client_setups[-1]["sessionResumption"] == {"handle": f"handle-{talks}"}
        until(page, lambda: "mark_task_complete-0" in live.results)
        assert live.results["mark_task_complete-0"]["done"]
        assert len([each for each in called if "POST" in each and TASK[0] in each]) == 1
        live.script = []
        live.send({"goAway": {"timeLeft": "5s"}})
        until(page, lambda: len(live.setups) == talks + 3)
        assert live.client_setups[-1]["sessionResumption"] == {"handle": f"handle-{talks + 1}"}
        expect(page.get_by_text(EN["voice.open"])).to_be_visible()
        assert len(live.tokens) == tokens + 1  # one for all of it

        # The token has expired: it is tried a few times, and given up.
        page.evaluate(
            """() => {
              const real = setTimeout;
              window.setTimeout = (run, ms, ...given) => real(run, ms / 20, ...given);
            }"""
        )
        monkeypatch.setattr(live, "now", lambda: datetime.now(UTC) + timedelta(days=1))
        live.cut()
        expect(page.get_by_text(EN["voice.lost"])).to_be_visible()
        assert page.evaluate("tracks.map((each) => each.readyState)") == ["ended"]


def test_web_voice_lets_the_microphone_go_with_the_room_and_with_the_lesson(voice: Voice) -> None:
    with voice.room() as page:
        voice.talk(page)
        page.evaluate("location.hash = '#/lesson'")
        page.wait_for_function("tracks[0].readyState === 'ended'")
        page.go_back()
        voice.talk(page)
        assert page.evaluate("tracks[1].readyState") == "live"
        page.get_by_role("button", name=EN["room.end"]).click()
        expect(page.get_by_text(EN["room.over"])).to_be_visible()
        expect(page.get_by_role("button", name=EN["voice.end"])).to_have_count(0)
        page.wait_for_function("tracks[1].readyState === 'ended'")


def test_web_voice_works_in_a_page_of_somebody_else(voice: Voice, tmp_path: Path) -> None:
    live = voice.live
    live.contents, live.script = [], [TASK]
    live.results.clear()
    page_with = served_element(
        tmp_path,
        voice.served.address,
        "rollcall-lesson",
        voice.mission,
        email=voice.pupil.email,
        password=PASSWORD,
    )
    with (
        page_with as address,
        watched(voice.browser, ignore_https_errors=True) as context,
    ):
        serve_sdk(context)
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(address)
        voice.talk(page)
        until(page, lambda: "mark_task_complete-0" in live.results)
        assert live.results["mark_task_complete-0"]["done"]
        level = page.get_by_role("meter", name=EN["voice.level"])
        until(page, lambda: level.evaluate("meter => meter.value") > 0)
        page.evaluate("document.querySelector('rollcall-lesson').remove()")
        page.wait_for_function("tracks[0].readyState === 'ended'")
