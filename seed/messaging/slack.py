"""Reads conversations from a Slack export.

A channel's messages lie in `<channel>/<day>.json`; who is who in users.json; who is where in
channels.json, groups.json, mpims.json and dms.json. See docs/import.md for what becomes of what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeGuard

from seed.messaging.records import (
    NAME_CHARS,
    Item,
    Note,
    Problem,
    Record,
    Removal,
    fit_text,
    replace_surrogates,
)
from seed.messaging.slack_files import Export
from seed.messaging.slack_text import message_text, plain_text

_TS = re.compile(r"(\d{1,10})\.(\d{1,6})")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SLACK_ID = re.compile(r"[A-Z0-9]{2,30}")
_LISTS = ("channels.json", "groups.json", "mpims.json", "dms.json")
_HOUSEKEEPING = re.compile(
    r"(channel|group|im|mpim|pinned|unpinned|reminder|huddle|sh_room|ekm|app_conversation|user)_.*"
    r"|bot_(add|remove|enable|disable)|tombstone|message_replied"
)


@dataclass(frozen=True, slots=True)
class _Channel:
    """A conversation of the export."""

    id: str
    name: str
    members: tuple[str, ...] = ()


@dataclass(slots=True)
class _Workspace:
    """Who and what the export's lists name, by Slack id; channels by their folder."""

    user: str
    uids: Mapping[str, str]
    people: dict[str, str] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    folders: dict[str, _Channel] = field(default_factory=dict)

    def uid(self, slack_id: str) -> str:
        return self.uids.get(slack_id) or f"slack-{slack_id}"

    def is_user(self, slack_id: str) -> bool:
        """Whether this is whose conversations are read."""
        return self.uids.get(slack_id) == self.user

    def is_in(self, channel: _Channel) -> bool:
        """Whether the user is a member; yes where nothing tells which Slack user that is."""
        own = {slack_id for slack_id in self.uids if self.is_user(slack_id)}
        return not own or not channel.members or not own.isdisjoint(channel.members)


def read_slack(
    path: Path,
    *,
    user: str,
    uids: Mapping[str, str],
    on_read: Callable[[int], None] = lambda count: None,
) -> Iterator[Item]:
    """Read an export; `on_read` is told of each file of messages that is done.

    Args:
        user: Whose conversations to read; those without them are left out, where `uids` tells.
        uids: Our user ids by Slack's.

    Raises:
        UnusableInput: The path holds no Slack export.
    """
    with Export(path) as export:
        workspace = _Workspace(user, uids)
        yield from (Problem(name, "lies outside the export") for name in export.passed_over)
        yield from _read_people(export, workspace)
        for name in _LISTS:
            yield from _read_channels(export, name, workspace)
        for folder, name in export.days():
            channel = workspace.folders.get(folder) or _Channel(folder, folder)
            if workspace.is_in(channel):
                yield from _read_day(export, name, channel, workspace)
            else:
                yield Note("days of conversations that the user is not in")
            on_read(1)


def count_days(path: Path) -> int:
    """How many files of messages an export has.

    Raises:
        UnusableInput: The path holds no Slack export.
    """
    with Export(path) as export:
        return len(export.days())


def _read_people(export: Export, workspace: _Workspace) -> Iterator[Problem]:
    try:
        users = export.read_list("users.json")
    except ValueError as error:
        yield Problem("users.json", str(error))
        return
    for number, user in enumerate(users, 1):
        if isinstance(user, dict) and _is_slack_id(user.get("id")):
            workspace.people[user["id"]] = _name_of(user) or user["id"]
        else:
            yield Problem(f"users.json #{number}", "has no id")


def _name_of(user: Mapping[str, Any]) -> str:
    """The name a person goes by, from users.json or a message's user_profile."""
    profile = user.get("profile")
    inner: Mapping[str, Any] = profile if isinstance(profile, dict) else {}
    for source, name in (
        (inner, "display_name"), (inner, "real_name"),
        (user, "display_name"), (user, "real_name"), (user, "name"),
    ):  # fmt: skip
        value = source.get(name)
        if isinstance(value, str) and value.strip():
            return replace_surrogates(value.strip())[:NAME_CHARS]
    return ""


def _read_channels(export: Export, name: str, workspace: _Workspace) -> Iterator[Problem]:
    try:
        listed = export.read_list(name)
    except ValueError as error:
        yield Problem(name, str(error))
        return
    for number, data in enumerate(listed, 1):
        if not isinstance(data, dict) or not _is_slack_id(data.get("id")):
            yield Problem(f"{name} #{number}", "has no id")
            continue
        members = data.get("members")
        ids = tuple(m for m in members if _is_slack_id(m)) if isinstance(members, list) else ()
        given = data.get("name")
        title = given if isinstance(given, str) and name in _LISTS[:2] else ""
        if not title:
            others = [workspace.people.get(m, m) for m in ids if not workspace.is_user(m)]
            title = ", ".join(others) or data["id"]
        folder = given if isinstance(given, str) and given else data["id"]
        workspace.channels[data["id"]] = title
        workspace.folders[folder] = _Channel(
            data["id"], replace_surrogates(title)[:NAME_CHARS], ids
        )


def _read_day(
    export: Export, name: str, channel: _Channel, workspace: _Workspace
) -> Iterator[Item]:
    try:
        entries = export.read_list(name)
    except ValueError as error:
        yield Problem(name, str(error))
        return
    for number, entry in enumerate(entries, 1):
        yield from _read_entry(f"{name} #{number}", entry, channel, workspace)


def _read_entry(place: str, entry: Any, channel: _Channel, workspace: _Workspace) -> Iterator[Item]:
    if not isinstance(entry, dict):
        yield Problem(place, "has to be a JSON object")
        return
    subtype = entry.get("subtype")
    kind = subtype if isinstance(subtype, str) else ""
    if entry.get("type", "message") != "message" or _HOUSEKEEPING.fullmatch(kind):
        yield Note("joins, topics and other housekeeping")
    elif kind == "message_deleted":
        yield from _removal(place, entry, channel)
    elif kind == "message_changed":
        changed = entry.get("message")
        if isinstance(changed, dict):
            yield from _message(place, changed, channel, workspace, replaces=True)
        else:
            yield Problem(place, "changes a message that it does not hold")
    else:
        yield from _message(place, entry, channel, workspace)


def _removal(place: str, entry: dict[str, Any], channel: _Channel) -> Iterator[Item]:
    before = entry.get("previous_message")
    ts = entry.get("deleted_ts") or (before.get("ts") if isinstance(before, dict) else None)
    if isinstance(ts, str) and _TS.fullmatch(ts):
        yield Removal(f"slack-{channel.id}", _key(ts))
    else:
        yield Problem(place, "does not say which message was deleted")


def _message(
    place: str,
    entry: dict[str, Any],
    channel: _Channel,
    workspace: _Workspace,
    *,
    replaces: bool = False,
) -> Iterator[Item]:
    ts = entry.get("ts")
    found = _TS.fullmatch(ts) if isinstance(ts, str) else None
    sender = _sender(entry, workspace)
    if not found or not sender:
        yield Problem(place, "ts is no time of Slack's" if not found else "has no sender")
        return
    text = plain_text(message_text(entry), people=workspace.people, channels=workspace.channels)
    if not text.strip():
        yield Note("messages without text")
        return
    *notes, content = fit_text(text)
    yield from (note for note in notes if isinstance(note, Note))
    slack_id, name = sender
    yield Record(
        place=place,
        conversation=f"slack-{channel.id}",
        conversation_name=channel.name,
        sender=workspace.uid(slack_id),
        sender_name=name,
        content=str(content),
        sent_at=_EPOCH + timedelta(seconds=int(found[1]), microseconds=int(found[2].ljust(6, "0"))),
        key=_key(found[0]),
        participants={workspace.uid(m): workspace.people.get(m, m) for m in channel.members},
        replaces=replaces or "edited" in entry,
    )


def _sender(entry: dict[str, Any], workspace: _Workspace) -> tuple[str, str] | None:
    """Slack id and name of who wrote a message, a bot included."""
    user = entry.get("user")
    if _is_slack_id(user):
        profile = entry.get("user_profile")
        known = workspace.people.get(user)
        return user, known or (_name_of(profile) if isinstance(profile, dict) else "") or user
    bot = entry.get("bot_id")
    profile = entry.get("bot_profile")
    names = (entry.get("username"), profile.get("name") if isinstance(profile, dict) else None)
    name = next(
        (replace_surrogates(n)[:NAME_CHARS] for n in names if isinstance(n, str) and n.strip()), ""
    )
    if _is_slack_id(bot):
        return bot, name or "bot"
    return ("bot", name) if name else None


def _is_slack_id(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and _SLACK_ID.fullmatch(value) is not None


def _key(ts: str) -> str:
    return ts.replace(".", "-")
