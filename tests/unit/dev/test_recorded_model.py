"""The recorded model of the demo: its replies fit the sample folder that they are about."""

from __future__ import annotations

import json
import urllib.request

import pytest

from dev.demo import TOURS
from dev.recorded_model import UNKNOWN, next_step, read_recording, recorded_model
from dev.sample import sample_workspace

NAMES = sorted({each.recording for each in TOURS.values() if each.recording})


@pytest.mark.parametrize("name", NAMES)
def test_every_question_of_the_tour_is_recorded(name: str) -> None:
    tours = [each for each in TOURS.values() if each.recording == name]
    said = {text for tour in tours for text in tour.questions}
    said |= {each.message for tour in tours for each in tour.requests}
    said |= {text for tour in tours for each in tour.lessons for text in each.messages}
    assert said == set(read_recording(name))


def test_steps_follow_one_another_after_the_last_question() -> None:
    recording = {"Fix it": [{"calls": []}, {"text": "Done"}]}
    asked = [{"role": "system", "content": "…"}, {"role": "user", "content": "Fix it"}]
    assert next_step(asked, recording) == {"calls": []}
    called = [*asked, {"role": "assistant"}, {"role": "tool", "content": "{}"}]
    assert next_step(called, recording) == {"text": "Done"}
    assert next_step([*called, {"role": "assistant"}], recording) == {"text": UNKNOWN}
    assert next_step([{"role": "user", "content": "Else"}], recording) == {"text": UNKNOWN}


def test_its_edits_apply_to_the_sample_folder_and_mend_the_failing_test() -> None:
    with sample_workspace() as workspace:
        codes = []
        for question, steps in read_recording("workspace").items():
            for call in (call for step in steps for call in step.get("calls", ())):
                result = workspace.run(call["name"], call["arguments"])
                assert result, question
                codes += [result["exitCode"]] if call["name"] == "run_command" else []
        assert codes == [1, 0]


def test_it_speaks_chat_completions() -> None:
    with recorded_model("workspace") as environment:
        body = {"messages": [{"role": "user", "content": "Which files are here?"}]}
        url = f"{environment['OPENAI_BASE_URL']}/chat/completions"
        request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request) as response:
            text = response.read().decode()
    chunks = [json.loads(each[6:]) for each in text.split("\n\n") if each.startswith("data: {")]
    deltas = [choice["delta"] for each in chunks for choice in each["choices"]]
    names = [c["function"]["name"] for each in deltas for c in each.get("tool_calls", ())]
    assert (names, text.endswith("data: [DONE]\n\n")) == (["list_directory"], True)
