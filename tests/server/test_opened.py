"""An index takes the place of another while requests go on, and each request sees one of them."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin.errors import IndexUnusable
from pagekin.server.held import Held
from pagekin.server.opened import NotOpen, Opened

Site = Callable[[Path, str], Path]
WAX = "http://site/wax.html"


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where links to open files are kept."""
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def opened(tmp_path: Path, site: Site, links: Path) -> Opened:
    """The service's hold on a small index."""
    holding = Opened(site(tmp_path, "old"))
    holding.reload()
    return holding


def titles(opened: Opened) -> set[str]:
    answer = opened.index.related(WAX, explain=True)
    assert answer.results[0].why is not None and answer.results[0].why.quote
    return {found.title.split()[-1] for found in (*answer.results, *answer.copies)}


def test_nothing_can_be_asked_before_it_is_opened(tmp_path: Path) -> None:
    with pytest.raises(NotOpen, match=r"none\.kin is being opened"):
        _ = Opened(tmp_path / "none.kin").index


def test_what_is_no_index_is_told_by_its_own_name(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusable, match=str(tmp_path / "none.kin")):
        Opened(tmp_path / "none.kin").reload()


def test_a_reload_opens_what_stands_there_now(opened: Opened, tmp_path: Path, site: Site) -> None:
    site(tmp_path, "new")
    assert titles(opened) == {"old"}
    assert opened.reload()
    assert titles(opened) == {"new"}


def test_a_reload_of_the_same_changes_nothing(opened: Opened) -> None:
    before = opened.served
    assert not opened.reload()
    assert opened.served is before


def test_what_cannot_be_used_changes_nothing(opened: Opened, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "site.kin")
    with pytest.raises(IndexUnusable):
        opened.reload()
    assert titles(opened) == {"old"}


def test_a_lease_outlives_a_reload(opened: Opened, tmp_path: Path, site: Site) -> None:
    with opened.lease():
        site(tmp_path, "new")
        opened.reload()
        assert titles(opened) == {"old"}
    assert titles(opened) == {"new"}


def test_the_old_index_is_closed_with_its_last_lease(opened: Opened, tmp_path: Path, site: Site, links: Path) -> None:
    old = weakref.ref(opened.index)
    with opened.lease():
        site(tmp_path, "new")
        opened.reload()
        assert old() is not None and len(list(links.iterdir())) == 2
    gc.collect()
    assert old() is None
    assert len(list(links.iterdir())) == 1


def test_what_is_closed_leaves_nothing_open(opened: Opened, links: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    opened.close()
    assert list(links.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) < before
    assert not opened.is_open


def test_files_that_are_held_can_be_read_when_they_are_gone(tmp_path: Path, links: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_text("words")
    held = Held(tmp_path / "a")
    shutil.rmtree(tmp_path / "a")
    assert (held.folder / "b" / "c").read_text() == "words"
    held.let_go()
    assert list(links.iterdir()) == []


def test_where_nothing_can_be_held_files_are_read_where_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no such folder"))
    assert Held(tmp_path / "a").folder == tmp_path / "a"
