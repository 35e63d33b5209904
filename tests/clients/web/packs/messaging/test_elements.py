"""The elements in pages of others: plain HTML, and React."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from playwright.sync_api import Page, expect

from dev.paths import ROOT
from rollcall.store.client import database
from tests.clients.web.conftest import Served
from tests.clients.web.elements import EXAMPLES, import_map, served_examples
from tests.clients.web.scene import ask

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
