"""A file is there whole, or what was there before is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pagekin.errors import SettingsError, TargetExists
from pagekin.exports.targets import whole_file


def write(path: Path, text: str, force: bool = False) -> None:
    with whole_file(path, force) as beside:
        beside.write_text(text, "utf-8")


def test_a_file_appears_at_the_end(tmp_path: Path) -> None:
    with whole_file(tmp_path / "out", force=False) as beside:
        beside.write_text("new", "utf-8")
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "out").read_text("utf-8") == "new"


def test_a_fault_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "out", force=True) as beside:
        beside.write_text("half", "utf-8")
        raise ZeroDivisionError
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("out", "old")]


def test_a_file_that_is_there_is_replaced_only_with_force(tmp_path: Path) -> None:
    write(tmp_path / "out", "old")
    with pytest.raises(TargetExists, match="exists; give --force"):
        write(tmp_path / "out", "new")
    write(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out").read_text("utf-8") == "new"


def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    write(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", "new", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text("utf-8") == "new"


def test_what_is_no_ordinary_file_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SettingsError, match="no ordinary file"):
        write(tmp_path / "pipe", "new", force=True)
    with pytest.raises(SettingsError, match="is a folder"):
        write(tmp_path / "folder", "new", force=True)


def test_a_folder_that_is_missing_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no folder"):
        write(tmp_path / "missing" / "out", "new")


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").write_text("", "utf-8")
    write(tmp_path / "out", "new")
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode
