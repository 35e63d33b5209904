import zipfile
from pathlib import Path

import pytest

from seed.errors import UnusableInput
from seed.messaging import slack_files
from seed.messaging.slack_files import Export


def zipped(tmp_path: Path, files: dict[str, str | bytes]) -> Path:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("prefix", ["", "Acme export/"])
def test_a_zip_is_read_like_a_folder_wherever_its_root_is(tmp_path: Path, prefix: str) -> None:
    files: dict[str, str | bytes] = {
        f"{prefix}users.json": '[{"id": "U1"}]',
        f"{prefix}garden/2026-03-02.json": "[1, 2]",
        f"{prefix}garden/deeper/2026-03-02.json": "[3]",
        f"__MACOSX/{prefix}users.json": "junk",
    }
    with Export(zipped(tmp_path, files)) as export:
        assert export.days() == [("garden", "garden/2026-03-02.json")]
        assert export.read_list("users.json") == [{"id": "U1"}]
        assert export.read_list("garden/2026-03-02.json") == [1, 2]
        assert export.read_list("dms.json") == []


def test_names_that_climb_out_are_passed_over(tmp_path: Path) -> None:
    names = ("../../evil/2026-03-02.json", "/etc/2026-03-02.json", "a\\..\\2026-03-02.json")
    files: dict[str, str | bytes] = {"users.json": "[]", **dict.fromkeys(names, "[]")}
    with Export(zipped(tmp_path, files)) as export:
        assert export.days() == []
        assert set(export.passed_over) == set(names)
    assert {path.name for path in tmp_path.iterdir()} == {"export.zip"}


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text("[]")
    root = tmp_path / "export"
    (root / "garden").mkdir(parents=True)
    (root / "users.json").write_text("[]")
    (root / "garden" / "2026-03-02.json").symlink_to(secret)
    with Export(root) as export:
        assert export.days() == []
        assert export.passed_over == ["garden/2026-03-02.json"]


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_files, "DAY_BYTES", 1_000_000)
    bomb = b"[" + b" " * 50_000_000 + b"]"
    path = zipped(tmp_path, {"users.json": "[]", "garden/2026-03-02.json": bomb})
    assert path.stat().st_size < 100_000
    with Export(path) as export, pytest.raises(ValueError, match="larger than the 1,000,000"):
        export.read_list("garden/2026-03-02.json")


def test_all_files_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_files, "TOTAL_BYTES", 100)
    files: dict[str, str | bytes] = {"users.json": "[]"}
    files |= {f"garden/{n}.json": "[" + " " * 50 + "]" for n in range(2)}
    with Export(zipped(tmp_path, files)) as export:
        assert export.read_list("garden/0.json") == []
        with pytest.raises(ValueError, match="larger"):
            export.read_list("garden/1.json")


def test_too_many_files_are_unusable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slack_files, "FILES", 2)
    path = zipped(tmp_path, {f"{n}.json": "[]" for n in range(3)})
    with pytest.raises(UnusableInput, match="holds 3 files; at most 2"):
        Export(path)


def test_a_damaged_entry_is_a_problem_of_its_own(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"users.json": "[]", "garden/2026-03-02.json": "[" + "7, " * 99 + "7]"})
    data = path.read_bytes()
    at = data.index(b"garden/2026-03-02.json") + len("garden/2026-03-02.json") + 3
    path.write_bytes(data[:at] + b"\xff\xff\xff" + data[at + 3 :])
    with Export(path) as export:
        assert export.read_list("users.json") == []
        with pytest.raises(ValueError, match=r"cannot be read|not JSON|not UTF-8"):
            export.read_list("garden/2026-03-02.json")


def test_what_is_no_export_is_unusable(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="no such file"):
        Export(tmp_path / "none")
    with pytest.raises(UnusableInput, match=r"holds no users\.json"):
        Export(tmp_path)
    (tmp_path / "no.zip").write_text("text")
    with pytest.raises(UnusableInput, match="neither a folder nor a zip"):
        Export(tmp_path / "no.zip")


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    path = zipped(tmp_path, {"users.json": b'["\xff"]', "channels.json": b"\xef\xbb\xbf[]"})
    with Export(path) as export:
        with pytest.raises(ValueError, match="not UTF-8 at byte 3"):
            export.read_list("users.json")
        assert export.read_list("channels.json") == []
