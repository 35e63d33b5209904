"""The elements in pages of others: plain HTML, and React."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from dev.paths import ROOT
from packs.education.blocks import item
from rollcall.store.client import database
from tests.clients.web.classroom import Classroom
from tests.clients.web.conftest import Served, watched
from tests.clients.web.scene import lead_to
from tests.clients.web.school import PASSWORD, Person, person

EXAMPLES = ROOT / "clients/web/examples"
FIREBASE = """
import { initializeApp } from "firebase/app";
import { connectAuthEmulator, getAuth, signInAnonymously } from "firebase/auth";
import { connectFirestoreEmulator, getFirestore } from "firebase/firestore";
import { connectFunctionsEmulator, getFunctions } from "firebase/functions";
const app = initializeApp({ apiKey: "demo", projectId: "demo-rollcall", appId: "demo" });
export const auth = getAuth(app);
export const firestore = getFirestore(app);
export const functions = getFunctions(app, "us-central1");
const place = (at) => [at.split(":")[0], Number(at.split(":")[1])];
connectAuthEmulator(auth, "http://AUTH", { disableWarnings: true });
connectFirestoreEmulator(firestore, ...place("FIRESTORE"));
connectFunctionsEmulator(functions, ...place("FUNCTIONS"));
await signInAnonymously(auth);
"""
ELEMENT = """
import { useFirebase } from "./elements/rollcall.js";
import { auth, firestore, functions } from "./firebase.js";
useFirebase({ auth, firestore, functions });
"""
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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Somebody else's site, with a Firebase of its own on the emulators."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(EXAMPLES, folder / "examples")
    for place in ("elements", "dist/elements"):
        shutil.copytree(ROOT / "clients/web/dist/elements", folder / place)
    (folder / "examples/firebase.js").write_text(_firebase())
    _bundle_react(folder / "examples/react.js")
    script = '<script type="module" src="/examples/react.js"></script>'
    (folder / "examples/react.html").write_text(REACT + _import_map() + script)
    with _served(folder) as address:
        yield address


@pytest.fixture
def host(browser: Browser, served: Served) -> Iterator[Page]:
    with watched(browser) as context:
        lead_to(context, served.address)
        serve_sdk(context)
        yield context.new_page()


@contextmanager
def served_element(folder: Path, who: Person, element: str, mission: str) -> Iterator[str]:
    """A page of somebody else's, in which a person signs in, with an element for a lesson alone."""
    shutil.copytree(ROOT / "clients/web/dist/elements", folder / "elements")
    sign_in = f'signInWithEmailAndPassword(auth, "{who.email}", "{PASSWORD}")'
    firebase = _firebase().replace("signInAnonymously(auth)", sign_in)
    firebase = firebase.replace("signInAnonymously", "signInWithEmailAndPassword")
    (folder / "firebase.js").write_text(firebase)
    body = f'<{element} mission="{mission}"></{element}><script type="module">{ELEMENT}</script>'
    page = f'<!doctype html><html lang="en"><title>x</title>{_import_map()}{body}'
    (folder / "index.html").write_text(page)
    with _served(folder) as address:
        yield address


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def serve_sdk(context: BrowserContext) -> None:
    """Have a browser's pages get Firebase's SDK from here."""

    def serve(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        route.fulfill(path=ROOT / "node_modules/firebase" / name, content_type="text/javascript")

    context.route("https://www.gstatic.com/firebasejs/**", serve)


def _firebase() -> str:
    firebase = FIREBASE
    for name in ("AUTH", "FIRESTORE", "FUNCTIONS"):
        variable = "FIREBASE_AUTH" if name == "AUTH" else name
        firebase = firebase.replace(name, os.environ[f"{variable}_EMULATOR_HOST"])
    return firebase


def _import_map() -> str:
    page = (EXAMPLES / "plain.html").read_text()
    return page[page.index('<script type="importmap">') : page.index("<style>")]


def _bundle_react(to: Path) -> None:
    script = to.with_suffix(".mjs")
    script.write_text(BUNDLE.replace("ESBUILD", (ROOT / "clients/web/esbuild.mjs").as_uri()))
    subprocess.run(["node", script, EXAMPLES / "react.tsx", to], check=True, cwd=ROOT, timeout=600)


def ask(page: Page, words: str) -> None:
    page.get_by_label("Message", exact=True).fill(words)
    page.get_by_role("button", name="Send", exact=True).click()


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


def test_web_lesson_element_is_a_teachers_panel(host: Page, site: str) -> None:
    teacher = person("teacher")
    host.goto(f"{site}/examples/plain.html")
    expect(host.get_by_text("Nothing waits for you.")).to_be_visible()
    host.evaluate(
        """async ([email, password]) => {
          const { signInWithEmailAndPassword } = await import("firebase/auth");
          const { auth } = await import("/examples/firebase.js");
          document.body.append(document.createElement("rollcall-lesson"));
          await signInWithEmailAndPassword(auth, email, password);
          document.addEventListener("rollcall-lesson", ({ detail }) => { window.saved = detail; });
        }""",
        [teacher.email, PASSWORD],
    )
    lesson = host.locator("rollcall-lesson")
    lesson.get_by_role("button", name="New lesson").click()
    lesson.get_by_role("textbox", name="Title", exact=True).fill("Ordering food")
    lesson.get_by_role("button", name="Save lesson").click()
    host.wait_for_function("window.saved?.missionId.length > 10")
    lesson.get_by_role("button", name="Lessons").click()
    expect(lesson.get_by_role("listitem").filter(has_text="Ordering food")).to_be_visible()


def test_web_elements_work_in_react(host: Page, site: str) -> None:
    host.goto(f"{site}/examples/react.html")
    expect(host.get_by_role("heading", name="Waiting for you: 0")).to_be_visible()
    ask(host, "say: hello")
    expect(host.locator("rollcall-chat .markdown")).to_have_text("hello")
    expect(host.get_by_text("Conversation: none yet")).to_be_hidden()


def test_web_activity_works_in_a_plain_page(host: Page, site: str) -> None:
    room = Classroom(database())
    email = room.people["pupil"].email
    id = room.publish("Sums", [item("numeric", "1 + 1 = ?", points=1, key={"value": "2"})])
    sign_in = f'signInWithEmailAndPassword(auth, "{email}", "{PASSWORD}")'

    def as_pupil(route: Route) -> None:
        script = route.fetch().text().replace("signInAnonymously(auth)", sign_in)
        script = script.replace("signInAnonymously", "signInWithEmailAndPassword")
        route.fulfill(body=script, content_type="text/javascript")

    host.route("**/firebase.js", as_pupil)
    host.goto(f"{site}/examples/activity.html")
    host.get_by_role("button", name="Sums").click()
    host.locator("rollcall-activity .numeric input").fill("2")
    host.get_by_role("button", name="Check").click()
    expect(host.locator("rollcall-activity .said")).to_have_attribute("data-result", "right")
    expect(host.locator("#progress")).to_have_text("1 of 1 answered")
    assert room.attempt(id)["points"] == 1
