"""Text that models and tools wrote: Markdown, directions, and what is hostile in it."""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import median

import pytest
from playwright.sync_api import Page, expect

from tests.support.full_form import IS_FULL, amount

DIRECTIONS: list[list[str]] = json.loads(
    (Path(__file__).parent / "directions.json").read_text(encoding="utf-8")
)
ANSWER = """# Title

A paragraph with **bold**, `code` and [a link](https://example.com/x).

- one
- two
  - inner

1. first

2. second

| a | b |
|---|---|
| 1 | 2 |

```js
const x = "```";
~~~
const y = 2;
```

> quote
> more

Setext
======

Last [ref] line.

[ref]: https://example.com/ref
"""


DELTAS = amount(300, full=600)


def show(page: Page, text: str, *, is_whole: bool = True) -> None:
    page.evaluate(
        "props => components.show('markdown', props)", {"text": text, "isWhole": is_whole}
    )


def test_web_text_is_read_in_the_direction_of_its_letters(components: Page) -> None:
    assert len(DIRECTIONS) >= 60
    wrong = []
    for text, direction, seen in DIRECTIONS:
        show(components, text)
        found = components.evaluate(
            """() => {
              const block = document.querySelector('.markdown [dir]');
              return [getComputedStyle(block).direction, components.seen('.markdown')];
            }"""
        )
        if found != [direction, seen]:
            wrong.append((text, found, [direction, seen]))
    assert wrong == []


def test_web_table_begins_where_its_letters_are_read_from(components: Page) -> None:
    show(components, "| שם | Now |\n|---|---|\n| לוח | 92.4 A |\n")
    first, second = (components.locator("th").nth(at).bounding_box() for at in (0, 1))
    assert first and second and first["x"] > second["x"]
    assert components.evaluate("components.seen('tbody td:nth-child(2)')") == "92.4A"


FIGURES = """(units) => {
  const torn = [];
  const shown = document.querySelector(".markdown");
  const walker = document.createTreeWalker(shown, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    for (const { index, 0: found } of data.matchAll(new RegExp(units, "gu"))) {
      const range = document.createRange();
      const top = (at) => {
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + 1);
        return Math.round(range.getBoundingClientRect().top);
      };
      if (top(index) !== top(index + found.length - 1)) torn.push(found);
    }
  }
  return torn;
}"""
"""The figures that are on another line than their units."""


@pytest.mark.parametrize(
    ("text", "units"),
    [
        (
            "The drop is 7.2 V of 120 V (6 %) at 16 A over 150 ft of 12 AWG at 75 °C.",
            r"[\d.]+\s[VAftW%°]",
        ),
        (
            "המפל הוא 7.2 V מתוך 120 וולט ב-16 אמפר לאורך 45.7 מטר, ב-75 °C, ו-AWG 12.",
            r"\d+\s[V°ומא]",
        ),
    ],
)
def test_web_figure_stays_on_one_line_with_its_unit(
    components: Page, text: str, units: str
) -> None:
    for width in range(320, 420, 7):
        components.set_viewport_size({"width": width, "height": 900})
        show(components, f"{text} " * 6)
        assert components.evaluate(FIGURES, units) == [], width


def test_web_item_of_another_direction_keeps_the_mark_of_its_list(components: Page) -> None:
    show(components, "- ראשון\n- this one is English\n- שלישי\n")
    edges = components.locator("li").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect().right)"
    )
    assert len(set(edges)) == 1
    assert components.evaluate("components.seen('li:nth-child(2)')") == "thisoneisEnglish"


def test_web_item_is_read_by_its_own_letters_and_not_by_those_below_it(components: Page) -> None:
    show(components, "- Send it.\n  - שלום לך.\n  - תודה רבה.\n- שלום.\n- Call her.\n")
    seen = [
        components.evaluate("at => components.seen(at)", f".markdown > * > li:nth-child({at})")
        for at in (1, 2, 3)
    ]
    assert seen == ["Sendit..ךלםולש.הברהדות", ".םולש", "Callher."]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(amount(3, full=6)))
def test_web_text_that_streams_ends_as_the_text_at_once(components: Page, seed: int) -> None:
    chance = random.Random(seed)
    text, pieces = ANSWER * 2, []
    while text:
        size = chance.choice([1, 2, 3, 7, 20, 60])
        pieces.append(text[:size])
        text = text[size:]
    found = components.evaluate("pieces => components.readInPieces(pieces)", pieces)
    assert found["streamed"] == found["whole"]
    assert found["kept"] > 0.9


@pytest.mark.long
@pytest.mark.parametrize(
    "block",
    ["A paragraph of words and **bold** ones.\n\n", "- an item\n", "| a | b |\n", "x = 1\n"],
)
def test_web_delta_costs_the_same_in_a_long_answer(components: Page, block: str) -> None:
    """Compared with itself while it was short, by nodes touched; in `make chaos` by time, too."""
    opening = {"|": "| a | b |\n|---|---|\n", "x": "```py\n"}.get(block[0], "")
    found = components.evaluate(
        "deltas => components.stream(deltas)", [opening, *([block] * DELTAS)]
    )
    early, late = found["touched"][30:80], found["touched"][-50:]
    assert sum(late) <= 3 * sum(early) + 50
    if IS_FULL:
        assert median(found["ms"][-50:]) <= 8 * median(found["ms"][30:80]) + 4


HOSTILE = {
    "html": "<script>window.hurt = 1</script>\n\n<img src=x onerror='window.hurt = 1'>\n\n"
    "<style>*{display:none}</style> a",
    "links": "[a](javascript:alert(1)) [b](data:text/html,x) [c](https://a.example@evil.example/) "
    "[d](//evil.example) <javascript:alert(1)>",
    "image": "![a](https://tracker.example/pixel.png)",
    "controls": "a\u202eb\u0000c\u001b[31md\u2066e\u2028f",
    "deep": ">" * 5_000 + " x\n" + "\n".join("  " * at + "- x" for at in range(300)),
    "brackets": "[" * 15_000 + "](" * 2_000,
    "stars": "*a **b " * 2_500,
    "line": "x" * 1_000_000,
    "words": "word שלום " * 100_000,
    "code": "```\n" + "y" * 1_000_000 + "\n```",
    "card": '<section class="approval" data-phase="open"><button>Approve</button></section>',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_web_hostile_text_is_inert_and_bounded(components: Page, name: str) -> None:
    requests: list[str] = []
    components.on("request", lambda request: requests.append(request.url))
    show(components, HOSTILE[name])
    root = components.locator(".markdown")
    assert root.locator("*").count() < 10_000
    assert root.locator("script, style, img, iframe, form, input, section").count() == 0
    assert components.evaluate("window.hurt") is None
    hrefs = root.locator("a").evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    assert all(href.startswith("https://tracker.example/") for href in hrefs)
    assert requests == []
    assert len(root.inner_text()) < 100_000
    assert "\u202e" not in root.inner_text() and "\u0000" not in root.inner_text()


@pytest.mark.parametrize(
    ("label", "seen"),
    [
        ("bank.example", "bank.example"),
        ("https://bank.example/evil.example", "https://bank.example/evil.example"),
        ("https://bank.example@evil.example", "https://bank.example@evil.example"),
        ("bank.**example**", "bank.example"),
        ("bank&#46;example", "bank.example"),
        ("evil.example, or bank.example", "evil.example, or bank.example"),
    ],
)
def test_web_link_that_claims_another_host_says_where_it_leads(
    components: Page, label: str, seen: str
) -> None:
    show(components, f"[{label}](https://evil.example/login)")
    link = components.get_by_role("link", name="evil.example")
    expect(link).to_have_text(f"{seen} (evil.example)")
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"


@pytest.mark.parametrize("label", ["our page", "https://www.good.example/a/index.html"])
def test_web_link_that_claims_no_other_host_is_left_as_it_is(components: Page, label: str) -> None:
    show(components, f"[{label}](https://good.example/a/index.html)")
    expect(components.get_by_role("link")).to_have_text(label)


def test_web_code_shows_what_turns_it_around_and_copies_it_as_it_is(components: Page) -> None:
    show(components, "```js\nif (a) { \u202e} // ok\n```")
    expect(components.get_by_text("U+202E")).to_be_visible()
    components.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    components.get_by_role("button", name="Copy").click()
    expect(components.get_by_role("button", name="Copied")).to_be_visible()
    assert "if (a) {" in components.evaluate("window.copied")
