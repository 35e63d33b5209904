from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dev.paths import FIREBASE_JSON
from rollcall.__main__ import main
from rollcall.commands.init import command, web_app
from rollcall.commands.init.plan import read_record
from rollcall.commands.init.wheel import Wheel
from rollcall.core.errors import Problem
from rollcall.emulators.jsonc import read_jsonc
from tests.unit.commands.init import apps
from tests.unit.commands.init.apps import init, make, planned, refusal, tree

PAGE = '<link href="/main-A1.css"><script src="/main-A1.js"></script>'
FILES = {
    "index.html": PAGE,
    "main-A1.js": "1",
    "elements/rollcall.js": "2",
    "rollcall.json": '{"name": "Rollcall"}',
}
OWN_RULE = {"source": "**", "headers": [{"key": "X-Frame-Options", "value": "DENY"}]}
HOSTING = (
    '{\n  // the shop\n  "hosting": {\n    "public": "dist/", // built by Vite\n'
    '    "rewrites": [{ "source": "**", "destination": "/index.html" }]\n  }\n}\n'
)
SITES = json.dumps(
    {
        "hosting": [
            {"target": "shop", "public": "shop", "headers": [OWN_RULE]},
            {"site": "my-admin", "public": "admin"},
        ]
    },
    indent=2,
)
RECORD = "functions/vendor/rollcall.json"


def library(version: str = "0.1.0+g1", **changed: str | None) -> Wheel:
    """A wheel with a small web app; a name's underscores stand for its other marks."""
    files: dict[str, str | None] = {**FILES, **changed}
    built = zipped({name: text for name, text in files.items() if text is not None})
    return Wheel(version, zipped({"rollcall/__init__.py": version, "rollcall/web.zip": built}))


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # the same bytes each time
    return buffer.getvalue()


def hosting(root: Path) -> Any:
    return read_jsonc(root / "firebase.json")["hosting"]


def settings(root: Path, folder: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / folder / "rollcall.json").read_text())
    return found


def test_an_app_without_it_gets_none(tmp_path: Path) -> None:
    plan = init(tmp_path, library=library())
    assert plan.web is None
    assert "hosting" not in read_jsonc(tmp_path / "firebase.json")
    assert "web" not in json.loads((tmp_path / RECORD).read_text())


def test_without_hosting_it_is_the_whole_site(tmp_path: Path) -> None:
    root = tmp_path / "My shop"
    plan = init(root, library=library(), web="")
    assert plan.web == "rollcall-web"
    assert (root / "rollcall-web/index.html").read_text() == PAGE
    assert (root / "rollcall-web/elements/rollcall.js").read_text() == "2"
    assert settings(root, "rollcall-web") == {
        "name": "My shop",
        "region": "us-central1",
        "prefix": "",
        "signIn": ["password"],
        "appCheckSiteKey": "",
    }
    assert hosting(root)["public"] == "rollcall-web"
    assert read_jsonc(root / "firebase.json")["emulators"]["hosting"] == {"port": 5002}
    assert "firebase apps:create web" in plan.notes[-1]


def test_the_page_is_told_the_region_that_the_code_sets(tmp_path: Path) -> None:
    main = "options.set_global_options(region='europe-west1')\n"
    root = make(tmp_path, {"firebase.json": '{"functions": {}}', "functions/main.py": main})
    init(root, library=library(), web="")
    assert settings(root, "rollcall-web")["region"] == "europe-west1"


def test_its_policy_is_that_of_this_repositorys_own_page() -> None:
    assert web_app.Site("", "").headers() == read_jsonc(FIREBASE_JSON)["hosting"]["headers"]


def test_beside_an_apps_own_page_it_is_a_folder_of_the_site(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": HOSTING, "dist/index.html": "shop"})
    assert init(tmp_path, library=library(), web="").web == "dist/rollcall"
    assert (tmp_path / "dist/index.html").read_text() == "shop"
    page = (tmp_path / "dist/rollcall/index.html").read_text()
    assert page == PAGE.replace('"/', '"/rollcall/')
    text = (tmp_path / "firebase.json").read_text()
    assert '"public": "dist/", // built by Vite\n' in text and "// the shop" in text
    found = hosting(tmp_path)
    assert found["rewrites"] == [{"source": "**", "destination": "/index.html"}]
    assert [rule["source"] for rule in found["headers"]] == [
        "/rollcall{,/**}",
        "/rollcall/@(main|chunk)-*.@(js|css)",
    ]


def test_of_several_sites_the_one_is_meant_that_serves_the_folder(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": SITES})
    assert "--web=shop/rollcall or --web=admin/rollcall" in refusal(
        tmp_path, library=library(), web=""
    )
    assert "serves other/chat with none of its sites" in refusal(
        tmp_path, library=library(), web="other/chat"
    )
    init(tmp_path, library=library(), web="shop/help/chat/")
    shop, admin = hosting(tmp_path)
    assert [rule["source"] for rule in shop["headers"]][:2] == ["**", "/help/chat{,/**}"]
    assert shop["headers"][0] == OWN_RULE
    assert admin == {"site": "my-admin", "public": "admin"}
    assert '="/help/chat/main-A1.js"' in (tmp_path / "shop/help/chat/index.html").read_text()


def test_a_site_of_its_own_is_one_whose_folder_is_named(tmp_path: Path) -> None:
    sites = [{"target": "shop", "public": "shop"}, {"target": "chat", "public": "chat"}]
    make(tmp_path, {"firebase.json": json.dumps({"hosting": sites})})
    init(tmp_path, library=library(), web="chat")
    assert hosting(tmp_path)[1]["headers"] == web_app.Site("", "").headers()
    assert (tmp_path / "chat/index.html").read_text() == PAGE


@pytest.mark.parametrize("entry", [{"public": "dist"}, {"source": "."}])
def test_a_folder_that_a_build_copies_from_is_served_under_its_name(
    tmp_path: Path, entry: dict[str, str]
) -> None:
    make(tmp_path, {"firebase.json": json.dumps({"hosting": entry})})
    plan = init(tmp_path, library=library(), web="static/chat")
    assert '="/chat/main-A1.js"' in (tmp_path / "static/chat/index.html").read_text()
    assert any("your build has to copy it there, so that it is at /chat" in n for n in plan.notes)


def test_where_hosting_builds_the_site_a_folder_has_to_be_named(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": '{"hosting": {"source": "."}}'})
    assert "--web=public/rollcall" in refusal(tmp_path, library=library(), web="")


@pytest.mark.parametrize("folder", ["/tmp/chat", "../chat", ".", "a/../../b"])
def test_a_folder_outside_of_the_app_is_refused(tmp_path: Path, folder: str) -> None:
    said = refusal(tmp_path, library=library(), web=folder)
    assert said == f"--web {folder}: name a folder inside the app, such as --web=public/rollcall."


def test_nothing_is_written_over_a_file_of_the_apps_own(tmp_path: Path) -> None:
    make(tmp_path, {"rollcall-web/index.html": "mine"})
    said = refusal(tmp_path, library=library(), web="")
    assert said.startswith("rollcall-web/index.html is the app's own, and nothing is written over")


def test_a_library_that_was_built_without_it_says_how_to_get_it(tmp_path: Path) -> None:
    assert "`make wheel` in a checkout" in refusal(tmp_path, web="")
    init(tmp_path, library=library(), web="")
    before = tree(tmp_path / "rollcall-web")
    plan = init(tmp_path, library=apps.wheel("0.2.0+g2", "two"))
    assert tree(tmp_path / "rollcall-web") == before
    assert plan.notes == ["rollcall-web stays: this library has no web app to renew it with."]
    assert planned(tmp_path, library=library()).web == "rollcall-web"


@pytest.mark.parametrize("text", ["{}", HOSTING])
@pytest.mark.parametrize("web", [None, ""])
def test_a_second_init_changes_nothing(tmp_path: Path, text: str, web: str | None) -> None:
    make(tmp_path, {"firebase.json": text})
    init(tmp_path, library=library(), web="")
    assert planned(tmp_path, library=library(), web=web).changes == []


def test_a_new_library_renews_its_files_and_nothing_else(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": HOSTING})
    init(tmp_path, library=library(), web="")
    own = tmp_path / "dist/rollcall/rollcall.json"
    own.write_text('{"name": "Our chat", "prefix": "", "signIn": ["google"]}')
    (tmp_path / "dist/rollcall/notes.txt").write_text("mine")
    newer = library("0.2.0+g2", **{"main-A1.js": None, "main-B2.js": "3", "index.html": "<p>"})
    changes = {each.path: each.new for each in init(tmp_path, library=newer).changes}
    assert changes.pop("dist/rollcall/index.html") == b"<p>"
    assert changes.pop("dist/rollcall/main-A1.js") is None
    assert changes.pop("dist/rollcall/main-B2.js") == b"3"
    assert all(path.startswith("functions/") for path in changes)
    assert planned(tmp_path, library=newer).changes == []


def test_a_file_that_was_changed_since_stops_it(tmp_path: Path) -> None:
    init(tmp_path, library=library(), web="")
    (tmp_path / "rollcall-web/index.html").write_text("my title")
    newer = library("0.2.0+g2", **{"index.html": "<p>"})
    said = refusal(tmp_path, library=newer)
    assert said.startswith("rollcall-web/index.html was changed since init wrote it.")


def test_a_policy_of_an_earlier_library_is_renewed_and_a_changed_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, {"firebase.json": HOSTING})
    with monkeypatch.context() as earlier:
        page = web_app._HEADERS["page"]
        earlier.setitem(page, "Content-Security-Policy", ["default-src 'self'"])
        init(tmp_path, library=library(), web="")
    assert hosting(tmp_path)["headers"][0]["headers"][0]["value"] == "default-src 'self'"
    init(tmp_path, library=library("0.2.0+g2"))
    assert hosting(tmp_path)["headers"] == web_app.Site("", "/rollcall").headers()
    text = (tmp_path / "firebase.json").read_text().replace("script-src", "script-src x", 1)
    (tmp_path / "firebase.json").write_text(text)
    monkeypatch.setitem(web_app._HEADERS["page"], "Referrer-Policy", ["same-origin"])
    plan = init(tmp_path, library=library("0.3.0+g3"))
    assert (tmp_path / "firebase.json").read_text() == text
    assert '"same-origin"' in plan.notes[0] and "were changed, so they stay" in plan.notes[0]
    assert planned(tmp_path, library=library("0.3.0+g3")).notes == []


def test_the_page_is_told_prefix_and_region(tmp_path: Path) -> None:
    make(tmp_path, {"firebase.json": "{}", "functions/.env": "ROLLCALL_REGION=europe-west1\n"})
    init(tmp_path, library=library(), web="", prefix="rc")
    told = settings(tmp_path, "rollcall-web")
    assert (told["prefix"], told["region"]) == ("rc", "europe-west1")
    path = tmp_path / "rollcall-web/rollcall.json"
    path.write_text('{"prefix":"other"}')
    assert planned(tmp_path, library=library()).notes == [
        'rollcall-web/rollcall.json: it has to say "prefix": "rc".'
    ]
    path.write_text("{")
    assert refusal(tmp_path, library=library()).startswith("rollcall-web/rollcall.json:1: ")


def test_it_is_not_moved_by_itself(tmp_path: Path) -> None:
    init(tmp_path, library=library(), web="")
    said = refusal(tmp_path, library=library(), web="other")
    assert said.startswith("--web other: the web app is in rollcall-web. To move it, delete")
    assert planned(tmp_path, library=library(), web="rollcall-web/").changes == []


LOG = (
    "✔  hosting[demo-shop]: Local server: http://127.0.0.1:5002\n"
    "✔  hosting[shop]: Local server: http://127.0.0.1:5003\n"
    "✔  hosting[my-admin]: Local server: http://127.0.0.1:5008\n"
)


@pytest.mark.parametrize(
    ("text", "folder", "log", "expected"),
    [
        ("{}", "rollcall-web", LOG.splitlines()[0], None),
        ('{"hosting": {"public": "a"}}', "a", LOG.splitlines()[0], "http://127.0.0.1:5002/"),
        ('{"hosting": {"public": "a"}}', "a/b", LOG.splitlines()[0], "http://127.0.0.1:5002/b/"),
        ('{"hosting": {"public": "a"}}', "a", "", None),
        (SITES, "admin/chat", LOG, "http://127.0.0.1:5008/chat/"),
        (SITES, "shop", LOG, "http://127.0.0.1:5003/"),
        (SITES, "other", LOG, None),
    ],
)
def test_the_address_is_that_of_the_site_that_serves_it(
    text: str, folder: str, log: str, expected: str | None
) -> None:
    assert web_app.address(text, folder, log) == expected


def test_the_record_tells_the_folder(tmp_path: Path) -> None:
    assert read_record(tmp_path) is None
    init(tmp_path, library=library())
    found = read_record(tmp_path / "functions")
    assert found is not None and found.web is None
    init(tmp_path, library=library(), web="")
    found = read_record(tmp_path / "functions")
    assert found is not None and found.web is not None
    assert found.web.folder == "rollcall-web"
    for content in (b'{"web": {"folder": 1}}', b"<<<<<<< ours", b'{"prefix": "\xff"}'):
        (tmp_path / RECORD).write_bytes(content)
        with pytest.raises(Problem, match=r"^functions/vendor/rollcall\.json is not what init"):
            read_record(tmp_path / "functions")


@pytest.mark.parametrize(("answers", "has_it"), [("y\ny\n", True), ("n\ny\n", False)])
def test_a_person_is_asked_once(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answers: str,
    has_it: bool,
) -> None:
    monkeypatch.setattr(command, "installed_wheel", library)
    monkeypatch.setattr(command, "platform", apps.platform)
    terminal = io.StringIO(answers)
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    assert main(["init", str(tmp_path)]) == 0
    assert (tmp_path / "rollcall-web/index.html").exists() is has_it
    shown = capsys.readouterr().out
    assert ("web app  rollcall-web/ (4 files new, 0 changed, 0 deleted)" in shown) is has_it
    monkeypatch.setattr(command, "installed_wheel", lambda: library("0.2.0+g2"))
    terminal.seek(0)
    assert main(["init", str(tmp_path)]) == (0 if has_it else 2)  # the first answer is the only one


def test_the_option_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "installed_wheel", library)
    monkeypatch.setattr(command, "platform", apps.platform)
    assert main(["init", str(tmp_path), "--yes", "--web=chat"]) == 0
    assert hosting(tmp_path)["public"] == "chat"
