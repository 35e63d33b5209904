"""Export and erasure of a user's data."""

from __future__ import annotations

import logging
from typing import Any

from rollcall.core.context import Call, Catalog, Platform
from rollcall.core.errors import InvalidArgument
from rollcall.core.inputs import validate
from rollcall.core.triggers import OnCall, OnSchedule, OnTask, bound
from rollcall.core.user_data import ErasureRequest, ExportRequest, Section
from rollcall.core.wire import ThreadRequest
from rollcall.knowledge.documents import UPLOADS
from rollcall.store.departed_users import begin_erasures
from rollcall.store.erasure import continue_erasure, erase_one_thread, erase_user
from rollcall.store.user_data import AUDIT, DECIDED, DEVICES, PLATFORM, export_page

log = logging.getLogger("rollcall")


@bound(OnCall())
def clear_thread(platform: Platform, call: Call) -> dict[str, Any]:
    """Empty one's own thread and keep it: `{threadId}`, returning a `Receipt`."""
    request = validate(ThreadRequest, call.data)
    return erase_one_thread(platform, call.user.uid, request.thread_id, for_good=False)


@bound(OnCall())
def delete_thread(platform: Platform, call: Call) -> dict[str, Any]:
    """Delete one's own thread with all that is in it: `{threadId}`, returning a `Receipt`."""
    request = validate(ThreadRequest, call.data)
    return erase_one_thread(platform, call.user.uid, request.thread_id, for_good=True)


@bound(OnCall(timeout_s=300))
def export_my_data(platform: Platform, call: Call) -> dict[str, Any]:
    """Export everything stored about the user, a page at a time: `{cursor?}`, returning
    `{items, cursor}`."""
    request = validate(ExportRequest, {} if call.data is None else call.data)
    return export_page(platform.db, call.user.uid, all_sections(platform.catalog), request.cursor)


@bound(OnCall(timeout_s=300))
def delete_my_data(platform: Platform, call: Call) -> dict[str, Any]:
    """Erase everything stored about the user, and the account on request:
    `{confirm, deleteAccount?}`, returning a `Receipt`."""
    if not isinstance(call.data, dict) or call.data.get("confirm") is not True:
        raise InvalidArgument(
            "this erases everything for good; send confirm: true if that is meant",
            field="confirm",
        )
    request = validate(ErasureRequest, call.data)
    return erase_user(
        platform,
        call.user.uid,
        other_sections(platform.catalog),
        with_account=request.delete_account,
    )


@bound(OnTask(max_attempts=5, timeout_s=540, max_concurrent=10))
def continueerasure(platform: Platform, data: dict[str, Any]) -> None:
    """Continue an erasure that a call could not finish: `{id}`."""
    if not isinstance(data.get("id"), str):
        raise InvalidArgument("the task names no erasure", field="id")
    continue_erasure(platform, data["id"], other_sections(platform.catalog))


@bound(OnSchedule("every day 03:40"))
def erase_departed(platform: Platform) -> None:
    """Erase what is stored about users whose account no longer exists."""
    begun = begin_erasures(platform)
    log.info("departed users: %d erasures begun", begun)


def other_sections(catalog: Catalog) -> list[Section]:
    """Return the sections of uploads and of the packs' data."""
    packs = catalog.user_data()
    return [*UPLOADS.sections, *(section for pack in packs for section in pack.sections)]


def all_sections(catalog: Catalog) -> list[Section]:
    """Return all sections of an export: the platform's own, then the others."""
    return [DEVICES, *PLATFORM, *DECIDED, *AUDIT, *other_sections(catalog)]
