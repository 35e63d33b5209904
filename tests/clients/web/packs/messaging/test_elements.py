"""The elements in pages of others: plain HTML, and React."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dev.paths import ROOT
from rollcall.store.client import database
from seed.target import DEMO_USER
from tests.clients.web.conftest import Served, watched
from tests.clients.web.elements import (
    EXAMPLES,
    import_map,
    serve_sdk,
    served_element,
    served_examples,
)
from tests.clients.web.scene import ask, open_chat
from tests.clients.web.school import sample_user, storage_state

REACT = '<!doctype html><html lang="en"><title>x</title><div id="root"></div>'
BUNDLE = """
import * as esbuild from "ESBUILD";
await esbuild.build({
  entryPoints: [process.argv[2]], outfile: process.argv[3], bundle: true, format: "esm",
  jsx: "automatic", target: "es2022",
  external: ["firebase/*", "../dist/elements/*", "./firebase.js"],
  define: { "process.env.NODE_ENV": '"production"' },
});
"""


def test_web_elements_work_in_a_plain_page(host: Page, site: str) -> None:
    host.goto(f"{site}/examples/plain.html")
    expect(host.get_by_text("Ask about your messages.")).to_be_visible()
    expect(host.get_by_text("Nothing waits for you.")).to_be_visible()
    host.evaluate(
        "document.addEventListener('rollcall-thread', ({ detail }) => { window.thread = detail; })"
    )
    ask(host, "say: **bold** words")
    expect(host.locator("rollcall-chat strong")).to_have_text("bold")
    assert host.evaluate("window.thread.threadId.length") > 10
    style = host.locator("rollcall-chat [part=message]").evaluate(
        """(message) => {
          const style = getComputedStyle(message);
          return [style.fontStyle, style.getPropertyValue("--accent")];
        }"""
    )
    assert style == ["italic", "#7a3b69"]
    assert host.evaluate("getComputedStyle(document.body).margin") == "32px"  # the page's own
    assert host.locator("[role=status]").count() == 1


def test_web_element_takes_none_of_the_pages_text_styles(host: Page, site: str) -> None:
    style = (
        "letter-spacing: 9px; word-spacing: 2em; text-transform: uppercase; text-indent: 5em;"
        "text-align: center; white-space: pre; font: italic 700 40px/0.8 cursive; direction: rtl"
    )
    host.goto(f"{site}/examples/plain.html")
    host.evaluate("(style) => document.body.setAttribute('style', style)", style)
    ask(host, "say: plain words")
    words = host.locator("rollcall-chat .markdown p")
    expect(host.get_by_role("button", name="Ask again")).to_be_visible()
    names = ["letterSpacing", "wordSpacing", "textTransform", "textIndent", "textAlign"]
    names += ["fontStyle", "whiteSpace", "fontSize", "direction"]
    found = words.evaluate("(p, names) => names.map((name) => getComputedStyle(p)[name])", names)
    assert found == ["normal", "0px", "none", "0px", "start", "normal", "normal", "16px", "ltr"]
    host.locator("rollcall-chat").evaluate("(chat) => { chat.style.visibility = 'hidden'; }")
    expect(words).to_be_hidden()


def test_web_source_opens_in_the_element_that_cites_it_and_gives_the_focus_back(
    host: Page, site: str
) -> None:
    host.goto(f"{site}/examples/plain.html")
    chats = host.locator("rollcall-chat")
    host.evaluate(
        """() => {
          document.querySelector("rollcall-chat").setAttribute("agent", "electrical");
          const chat = document.createElement("rollcall-chat");
          chat.setAttribute("agent", "electrical");
          document.body.append(chat);
        }"""
    )
    for chat in chats.all():
        question = 'call: search_nec {"query": "GFCI in kitchens"}'
        chat.get_by_label("Message", exact=True).fill(question)
        chat.get_by_role("button", name="Send", exact=True).click()
        expect(chat.get_by_role("button", name="Ask again")).to_be_visible()
    chats.first.locator(".citations summary").click()
    chats.first.locator(".citations button").first.click()
    expect(chats.first.get_by_role("complementary")).to_be_visible()
    expect(chats.last.get_by_role("complementary")).to_have_count(0)
    message = chats.first.get_by_label("Message", exact=True)
    expect(message).to_be_visible()
    host.set_viewport_size({"width": 360, "height": 740})
    expect(chats.first.get_by_role("complementary")).to_be_focused()
    expect(message).to_be_hidden()  # nothing that the source covers takes the focus
    host.keyboard.press("Escape")
    expect(message).to_be_visible()
    expect(chats.first.locator(".citations button").first).to_be_focused()


def test_web_elements_of_one_page_share_the_client(host: Page, site: str) -> None:
    host.goto(f"{site}/examples/plain.html")
    expect(host.get_by_text("Nothing waits for you.")).to_be_visible()
    assert host.evaluate(
        """(() => {
          const [chat, inbox] = document.querySelectorAll("rollcall-chat, rollcall-approvals");
          return chat.firebase.functions === inbox.firebase.functions;
        })()"""
    )


def test_web_chat_element_tells_where_its_user_is_and_begins_anew_in_another_place(
    host: Page, site: str
) -> None:
    host.goto(f"{site}/examples/plain.html")
    expect(host.get_by_text("Ask about your messages.")).to_be_visible()
    host.evaluate(
        "document.addEventListener('rollcall-thread', ({ detail }) => { window.thread = detail; })"
    )
    chat = host.locator("rollcall-chat")
    threads = []
    for place in ({"page": "/projects/7"}, {"page": "/projects/8", "tab": ["plan", 2]}):
        chat.evaluate("(chat, json) => chat.setAttribute('context', json)", json.dumps(place))
        expect(host.get_by_text("Ask about your messages.")).to_be_visible()
        ask(host, "say: here")
        expect(chat.locator(".markdown")).to_have_text("here")
        threads.append(host.evaluate("window.thread.threadId"))
        stored = database().document(f"threads/{threads[-1]}").get()
        assert json.loads(stored.get("context")) == place
    assert threads[0] != threads[1]


def test_web_elements_name_agents_in_the_language_of_the_page(host: Page, site: str) -> None:
    host.goto(f"{site}/examples/plain.html")
    chat = host.locator("rollcall-chat")
    for language, name in (("en", "Conversation assistant"), ("he", "עוזר השיחות")):
        chat.evaluate("(chat, language) => chat.setAttribute('locale', language)", language)
        expect(chat.locator("textarea")).to_have_attribute("placeholder", re.compile(name))


@pytest.mark.usefixtures("sample")
def test_web_inbox_element_alone_names_the_agent_that_asks(
    browser: Browser, served: Served, tmp_path: Path
) -> None:
    with watched(
        browser, served.app, storage_state=storage_state(sample_user(), served.app)
    ) as app:
        chat = open_chat(app)
        ask(chat, "send: Hello from afar")
        expect(chat.locator(".approval")).to_contain_text("Needs your approval")
        sign_in = {"email": DEMO_USER.email, "password": DEMO_USER.password}
        element = served_element(tmp_path, served.address, "rollcall-approvals", "", **sign_in)
        with element as address, watched(browser) as elsewhere:
            serve_sdk(elsewhere)
            page = elsewhere.new_page()
            page.goto(address)
            card = page.locator(".approval", has_text="Hello from afar")
            expect(card).to_contain_text("Asked by \u2068Conversation assistant\u2069 for you")
            card.get_by_role("button", name="Reject").click()


@pytest.mark.parametrize("context", ["{page", "[1]", "7", "null"])
def test_web_chat_element_refuses_a_context_that_is_no_object_by_its_name(
    browser: Browser, site: str, context: str
) -> None:
    elsewhere = browser.new_context()  # unlike a watched one, it may have errors
    serve_sdk(elsewhere)
    page = elsewhere.new_page()
    page.goto(f"{site}/examples/plain.html")
    expect(page.get_by_text("Ask about your messages.")).to_be_visible()
    with page.expect_event("pageerror") as told:
        page.locator("rollcall-chat").evaluate(
            "(chat, json) => chat.setAttribute('context', json)", context
        )
    assert told.value.message == f"context of <rollcall-chat> is a JSON object, not {context}"
    elsewhere.close()


def test_web_elements_work_in_react(host: Page, served: Served, tmp_path: Path) -> None:
    with served_examples(tmp_path, served.address) as site:
        script = tmp_path / "bundle.mjs"
        script.write_text(BUNDLE.replace("ESBUILD", (ROOT / "clients/web/esbuild.mjs").as_uri()))
        bundle = ["node", script, EXAMPLES / "react.tsx", tmp_path / "examples/react.js"]
        subprocess.run(bundle, check=True, cwd=ROOT, timeout=600)
        script_tag = '<script type="module" src="/examples/react.js"></script>'
        (tmp_path / "examples/react.html").write_text(REACT + import_map() + script_tag)
        host.goto(f"{site}/examples/react.html")
        expect(host.get_by_role("heading", name="Waiting for you: 0")).to_be_visible()
        ask(host, "say: hello")
        expect(host.locator("rollcall-chat .markdown")).to_have_text("hello")
        expect(host.get_by_text("Conversation: none yet")).to_be_hidden()
