from typing import Any

import pytest

from seed.messaging.slack_text import message_text, plain_text
from tests.support.for_every import for_every

PEOPLE = {"U1": "Noa Levi", "U2": "עומר"}
CHANNELS = {"C1": "general"}


@for_every(
    ("markup", "expected"),
    [
        ("hi <@U1>", "hi @Noa Levi"),
        ("תודה <@U2>!", "תודה @עומר!"),
        ("<@U9|dana>", "@dana"),
        ("<@U9>", "@U9"),
        ("see <#C1> and <#C2|ops>", "see #general and #ops"),
        ("<!here> <!channel> <!subteam^S1|@team> <!subteam^S2>", "@here @channel @team @S2"),
        ("<!date^1392734382^{date}|18 Feb>", "18 Feb"),
        ("<https://a.example/x>", "https://a.example/x"),
        ("<https://a.example/x|the plan>", "the plan (https://a.example/x)"),
        ("<https://a.example|a.example>", "https://a.example"),
        ("<mailto:a@b.example|a@b.example> <tel:+123>", "a@b.example +123"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;", "1 < 2 && 3 > 2 &lt;"),
        ("a < b and <> stay", "a < b and <> stay"),
    ],
)
def test_marks_are_spelled_out(markup: str, expected: str) -> None:
    assert plain_text(markup, people=PEOPLE, channels=CHANNELS) == expected


BLOCKS = [
    {
        "type": "rich_text",
        "elements": [
            {
                "type": "rich_text_section",
                "elements": [{"type": "user", "user_id": "U1"}, {"type": "text", "text": "look"}],
            }
        ],
    }
]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"text": "said", "blocks": BLOCKS}, "said"),
        ({"text": "", "blocks": BLOCKS}, "<@U1> look"),
        ({"text": "", "attachments": [{"title": "Deploy", "text": "done"}]}, "Deploy done"),
        ({"attachments": [{"fallback": "short"}, 7]}, "short"),
        (
            {"text": "x", "files": [{"name": "a.pdf"}, {"title": "B"}]},
            "x\n[file: a.pdf]\n[file: B]",
        ),
        ({"files": [{"mode": "tombstone", "name": "gone"}, {"name": 7}]}, "[file: unnamed]"),
        ({"text": 7, "blocks": 8, "attachments": "x", "files": {}}, ""),
    ],
)
def test_a_message_is_its_text_or_its_blocks_and_its_files(
    message: dict[str, Any], expected: str
) -> None:
    assert message_text(message) == expected


def test_blocks_without_end_are_cut_off() -> None:
    blocks: dict[str, Any] = {"text": "bottom"}
    for _ in range(500):
        blocks = {"elements": [blocks]}
    assert message_text({"blocks": blocks}) == ""
