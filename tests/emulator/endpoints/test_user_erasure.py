"""After `delete_my_data` no document contains a trace of the user, whatever they did here."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from rollcall.core.context import Call, User
from rollcall.core.wire import Role
from rollcall.endpoints.cancel_run import cancel_run
from rollcall.endpoints.my_data import clear_thread, delete_my_data, export_my_data
from rollcall.endpoints.rate_message import rate_message
from rollcall.endpoints.usage import my_usage
from rollcall.testing import calls, says
from tests.support.office import Office, payment
from tests.support.user_data import all_documents, paths_with

UID, WORD = "zed-4711", "Xylophonium"
ZED = User(UID, Role.TEACHER, name=f"Zed {WORD}")
TEACHER = {"role": "teacher", "name": f"Zed {WORD}"}


def as_zed(office: Office, *replies: Any, **data: Any) -> Any:
    message = data.pop("message", f"Please, {WORD}.")
    return office.send({"message": message, **data}, *replies, uid=UID, claims=TEACHER)


def remaining_documents(office: Office) -> dict[str, dict[str, Any]]:
    """Every document but the test pack's own notes, which it does not declare."""
    found = all_documents(office.db)
    return {path: found[path] for path in found if not path.startswith(("done/", "letters/"))}


def use_everything(office: Office) -> None:
    """Use everything there is, as Zed."""
    office.platform.users[UID] = ZED
    paying = as_zed(office, payment(7, f"to {WORD}"), context={"page": WORD})
    office.resume(paying, says(f"Paid {WORD}."), uid=UID, claims=TEACHER)
    edited = as_zed(office, payment(8, "bob"), runId="my-run", clientId=WORD[:8])
    changed = [{"approved": True, "editedArguments": {"amountUsd": 1, "to": WORD}}]
    office.resume(edited, says("Paid."), uid=UID, claims=TEACHER, answers=changed)
    as_zed(office, payment(9, WORD))  # left open
    as_zed(office, calls(("open_file", {"path": WORD})), clientTools=["open_file"])
    as_zed(office, calls(("look_up", {"word": WORD})), says(WORD))
    cancelled = as_zed(office, payment(10, WORD))
    ids = {"threadId": cancelled.thread, "runId": cancelled.done["runId"]}
    cancel_run(office.platform, Call(ZED, ids))
    rate_message(office.platform, Call(ZED, {**ids, "rating": "down", "comment": f"No {WORD}"}))
    gone = as_zed(office, says(WORD), runId="gone")
    clear_thread(office.platform, Call(ZED, {"threadId": gone.thread}))
    direct = {"arguments": {"to": WORD}, "callKey": WORD}
    office.write_documents()
    sent = office.functions.post("send_letter", direct, uid=UID, claims=TEACHER)
    assert sent.status_code == 200
    device = {"uid": UID, "token": WORD, "platform": "web", "createdAt": datetime.now(UTC)}
    office.db.document(f"devices/{WORD}").set({**device, "schemaVersion": 1})


def decided_for_others(office: Office) -> None:
    """Answers to what Ann asked, by both ways."""
    asked = office.ask(calls(("sign", {"paper": "lease"})))
    office.resume(asked, uid=UID, claims=TEACHER)
    office.run_queue(says("Signed."))
    refused = office.ask(calls(("sign", {"paper": "loan"})))
    office.decide(refused.interrupts[0]["id"], approved=False, by=UID, reason="Not now.")
    office.run_queue(says("Not signed."))
    office.ask(calls(("sign", {"paper": "deed"})))  # open; Zed is only one of several who may


def exported(office: Office, user: User) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    cursor = None
    while True:
        page = export_my_data(office.platform, Call(user, {"cursor": cursor} if cursor else {}))
        items += page["items"]
        if not (cursor := page.get("cursor")):
            return items


def test_whatever_a_user_did_nothing_names_them_afterwards(office: Office) -> None:
    use_everything(office)
    decided_for_others(office)
    before = remaining_documents(office)
    assert {path.split("/")[0] for path in paths_with(before, UID, WORD)} >= {
        *("threads", "approvals", "effects", "audit", "runs", "devices"),
        "ratings",
    }
    anns = {path for path in before if before[path].get("uid") == "ann"}
    receipt = delete_my_data(office.platform, Call(ZED, {"confirm": True}))
    assert receipt["status"] == "done"
    after = remaining_documents(office)
    assert paths_with(after, UID, WORD) == []
    assert anns <= set(after)


def test_an_export_has_all_of_ones_own_and_nothing_of_anothers(office: Office) -> None:
    use_everything(office)
    decided_for_others(office)
    everyone = {
        path: data
        for path, data in remaining_documents(office).items()
        if not path.startswith("erasures/")
    }
    mine = {path.split("/")[-1] for path, data in everyone.items() if data.get("uid") == UID}
    copies = {path.split("/")[-1] for path in everyone if "/views/" in path or "/events/" in path}
    items = exported(office, ZED)
    assert mine - copies - {item["id"] for item in items} == set()
    shown = json.dumps(items)
    for word in ("ann", "lease", "loan", "deed"):
        assert f'"{word}"' not in shown
        assert f'\\"{word}\\"' not in shown
    assert [
        item["data"]["decision"]["approved"] for item in items if item["kind"] == "decisionsMade"
    ]
    anns = json.dumps(exported(office, User("ann")))
    assert WORD not in anns


def test_usage_is_ones_own(office: Office) -> None:
    use_everything(office)
    assert my_usage(office.platform, Call(User("ann"), {}))["today"]["tokens"] == 0


def test_the_runs_of_who_was_erased_open_and_end_like_any_others(office: Office) -> None:
    """Under the same ids, in the thread whose id follows from them; the audit keeps both."""

    def live() -> list[Any]:
        paying = as_zed(office, payment(7, "bob"), runId="my-run")
        paid = office.resume(paying, says("Paid."), uid=UID, claims=TEACHER, runId="my-yes")
        ids = {"threadId": paid.thread, "runId": paid.done["runId"]}
        rate_message(office.platform, Call(ZED, {**ids, "rating": "up"}))
        return [paid.done["message"], ids, len(office.done("pay"))]

    def audited() -> list[str]:
        return sorted(each.get("kind") for each in office.db.collection("audit").stream())

    first, kinds = live(), audited()
    delete_my_data(office.platform, Call(ZED, {"confirm": True}))
    assert live() == [*first[:2], 2]
    assert audited() == sorted([*kinds, *["erased"] * len(kinds), "data_erased"])
    delete_my_data(office.platform, Call(ZED, {"confirm": True}))
    assert audited() == sorted(["erased"] * 2 * len(kinds) + ["data_erased"] * 2)
