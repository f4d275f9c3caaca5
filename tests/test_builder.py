"""Builds: the same index from the same crawl in any order; whole or absent; nothing of others is removed."""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pagekin import CrawlError, IndexUnusable, SettingsError, StepFailed, TargetExists, build, builder, read_settings
from pagekin.builder import BuildSummary
from pagekin.engines.local import LocalEngine
from pagekin.pipelines import KEPT
from pagekin.sample.warc_writer import Record, WarcWriter
from pagekin.stores.manifest import read_manifest

Row = dict[str, Any]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"


def write_warc(path: Path, *names: str) -> Path:
    """A WARC of pages http://NAME.test/page, each with a link to all others."""
    with WarcWriter(path, path.name) as warc:
        for name in names:
            links = "".join(f"<a href=http://{other}.test/page>about {other}</a> " for other in names)
            html = f"<title>{name}</title><p>This page is about {name}. {links}"
            warc.write(
                Record("response", "2020-01-01T00:00:00Z", f"http://{name}.test/page", head=HEAD, payload=html.encode())
            )
    return path


def tables(index: Path) -> dict[str, list[Row]]:
    """The rows of all tables, in order."""
    parts = {name: sorted((index / name).glob("*.parquet")) for name in KEPT}
    rows = {name: [row for part in paths for row in pq.read_table(part).to_pylist()] for name, paths in parts.items()}
    return rows | {"rejected": pq.read_table(index / "rejected.parquet").to_pylist()}


def urls(index: Path) -> list[str]:
    return sorted(row["url"] for row in tables(index)["pages"])


def small_build(crawl: list[Path] | Path, out: Path, workers: int = 1, **options: Any) -> BuildSummary:
    return build(crawl, out, engine=LocalEngine(workers, 64 << 20), **options)


@pytest.fixture
def warcs(tmp_path: Path) -> list[Path]:
    lists = (("ant", "bee", "cat"), ("dog", "eel"), ("fox", "ant"))
    return [write_warc(tmp_path / f"{names[0]}.warc.gz", *names) for names in lists]


# --- inputs -------------------------------------------------------------------------------------------------


def test_the_order_of_inputs_makes_no_difference(warcs: list[Path], tmp_path: Path) -> None:
    small_build(warcs, tmp_path / "one.kin")
    small_build(warcs[::-1], tmp_path / "two.kin")
    assert tables(tmp_path / "one.kin") == tables(tmp_path / "two.kin")


def test_the_number_of_workers_makes_no_difference(warcs: list[Path], tmp_path: Path) -> None:
    small_build(warcs, tmp_path / "one.kin")
    small_build(warcs, tmp_path / "two.kin", workers=2)
    assert tables(tmp_path / "one.kin") == tables(tmp_path / "two.kin")


def test_small_splits_make_no_difference(warcs: list[Path], tmp_path: Path) -> None:
    small_build(warcs, tmp_path / "one.kin")
    small_build(warcs, tmp_path / "two.kin", settings=read_settings(None, ["crawl.split_bytes=300"]))
    assert tables(tmp_path / "one.kin") == tables(tmp_path / "two.kin")


def test_a_warc_is_built(tmp_path: Path) -> None:
    small_build(write_warc(tmp_path / "a.warc.gz", "ant", "bee"), tmp_path / "a.kin")
    assert urls(tmp_path / "a.kin") == ["http://ant.test/page", "http://bee.test/page"]


def write_wacz(path: Path, *names: str) -> Path:
    inner = write_warc(path.with_suffix(".warc.gz"), *names)
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.write(inner, "archive/data.warc.gz")
        zipped.writestr("datapackage.json", json.dumps({"profile": "data-package", "wacz_version": "1.1.1"}))
    inner.unlink()
    return path


def test_a_wacz_is_built(tmp_path: Path) -> None:
    small_build(write_wacz(tmp_path / "a.wacz", "ant", "bee"), tmp_path / "a.kin")
    assert urls(tmp_path / "a.kin") == ["http://ant.test/page", "http://bee.test/page"]


def write_folder(path: Path) -> Path:
    (path / "sub").mkdir(parents=True)
    (path / "index.html").write_text("<a href=sub/page.html>The page</a> below", "utf-8")
    (path / "sub" / "page.html").write_text("<p>A page in a folder", "utf-8")
    return path


def test_a_folder_is_built(tmp_path: Path) -> None:
    small_build(write_folder(tmp_path / "site"), tmp_path / "a.kin")
    assert urls(tmp_path / "a.kin") == ["http://site/", "http://site/sub/page.html"]


def test_a_single_page_is_built(tmp_path: Path) -> None:
    small_build(write_folder(tmp_path / "site") / "sub" / "page.html", tmp_path / "a.kin")
    assert urls(tmp_path / "a.kin") == ["http://sub/page.html"]


def test_a_mixture_is_built(tmp_path: Path) -> None:
    crawl = [
        write_warc(tmp_path / "a.warc.gz", "ant"),
        write_wacz(tmp_path / "b.wacz", "bee"),
        write_folder(tmp_path / "site"),
    ]
    small_build(crawl, tmp_path / "a.kin")
    pages = ["http://ant.test/page", "http://bee.test/page", "http://site/", "http://site/sub/page.html"]
    assert urls(tmp_path / "a.kin") == pages


def test_a_file_that_is_no_crawl_is_set_aside(warcs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "notes.warc").write_bytes(b"%PDF-1.4 not a crawl")
    summary = small_build([*warcs, tmp_path / "notes.warc"], tmp_path / "a.kin")
    assert (summary.pages, summary.rejected_reasons) == (6, {"no crawl": 1})


def test_a_crawl_without_a_single_page_gives_an_empty_index(tmp_path: Path) -> None:
    with WarcWriter(tmp_path / "a.warc.gz", "a") as warc:
        warc.write(Record("response", "2020-01-01T00:00:00Z", "http://a.test/", head=HEAD))
    summary = small_build(tmp_path / "a.warc.gz", tmp_path / "a.kin")
    assert (summary.pages, summary.links, summary.rejected_reasons) == (0, 0, {"empty page": 1})


# --- the target ---------------------------------------------------------------------------------------------


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def index(warcs: list[Path], tmp_path: Path) -> Path:
    small_build(warcs[:1], tmp_path / "a.kin")
    return tmp_path / "a.kin"


def test_nothing_but_the_index_is_left(index: Path, warcs: list[Path]) -> None:
    assert set(index.parent.iterdir()) == {index, *warcs}


def test_an_index_is_not_replaced_without_force(index: Path, warcs: list[Path]) -> None:
    before = content(index)
    with pytest.raises(TargetExists, match="--force"):
        small_build(warcs, index)
    assert content(index) == before


def test_an_index_is_replaced_with_force(index: Path, warcs: list[Path]) -> None:
    small_build(warcs, index, force=True)
    assert len(urls(index)) == 6
    assert set(index.parent.iterdir()) == {index, *warcs}


def test_a_damaged_index_is_replaced_with_force(index: Path, warcs: list[Path]) -> None:
    manifest = index / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8")[:-20], "utf-8")
    small_build(warcs, index, force=True)
    assert len(urls(index)) == 6


def folder_with_a_page(path: Path) -> None:
    write_folder(path)


def web_application(path: Path) -> None:
    """Many sites have a manifest.json of their own."""
    write_folder(path)
    (path / "manifest.json").write_text('{"name": "My site", "start_url": "/"}', "utf-8")


def plain_file(path: Path) -> None:
    path.write_text("dear diary", "utf-8")


def dangling_link(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


@pytest.mark.parametrize("make", [folder_with_a_page, web_application, plain_file, dangling_link])
@pytest.mark.parametrize("force", [False, True])
def test_what_is_not_an_index_is_never_removed(
    make: Callable[[Path], None], force: bool, warcs: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "precious"
    make(target)
    before = content(tmp_path)
    with pytest.raises(TargetExists, match="is not a pagekin index"):
        small_build(warcs, target, force=force)
    assert content(tmp_path) == before
    assert target.exists() or target.is_symlink()


@pytest.mark.parametrize("name", ["a.kin.old", "a.kin.building"])
def test_folders_with_names_like_ours_are_never_removed(name: str, index: Path, warcs: list[Path]) -> None:
    write_folder(index.with_name(name))
    try:
        small_build(warcs, index, force=True)
    except TargetExists as refusal:
        assert name in str(refusal)
    assert (index.with_name(name) / "sub" / "page.html").exists()


def test_an_empty_folder_may_become_an_index(warcs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "a.kin").mkdir()
    small_build(warcs, tmp_path / "a.kin", force=True)
    assert len(urls(tmp_path / "a.kin")) == 6


def test_folders_above_the_index_are_made(warcs: list[Path], tmp_path: Path) -> None:
    small_build(warcs, tmp_path / "new" / "deep" / "a.kin")
    assert len(urls(tmp_path / "new" / "deep" / "a.kin")) == 6


def test_a_target_below_a_file_is_refused(warcs: list[Path]) -> None:
    with pytest.raises(TargetExists, match="cannot be written"):
        small_build(warcs, warcs[0] / "a.kin")


def test_the_folder_one_stands_in_is_refused(
    warcs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(TargetExists):
        small_build(warcs, Path("."), force=True)


def test_a_missing_input_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match=r"missing\.warc: no such file"):
        small_build(tmp_path / "missing.warc", tmp_path / "deep" / "a.kin")
    assert list(tmp_path.iterdir()) == []


# --- builds that are ended early ----------------------------------------------------------------------------


def failing(*_: object) -> None:
    raise StepFailed("the disk is full")


def test_a_build_that_fails_leaves_the_old_index(
    index: Path, warcs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(index)
    monkeypatch.setattr(builder, "_write_manifest", failing)
    with pytest.raises(StepFailed):
        small_build(warcs, index, force=True)
    assert content(index) == before
    assert read_manifest(index).counts["pages"] == 3


class Stopped(BaseException):
    """The machine stops."""


def stop_at(monkeypatch: pytest.MonkeyPatch, name: str, when: Callable[[Any], bool] = lambda _: True) -> None:
    """Stop the build where it calls a function of the builder, if its first argument is such."""
    original = getattr(builder, name)

    def stop(first: Any, *rest: Any) -> Any:
        if when(first):
            raise Stopped
        return original(first, *rest)

    monkeypatch.setattr(builder, name, stop)


def test_half_of_the_parts_moved_is_no_loss(warcs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalEngine, "share", lambda *_: 2000)
    small_build(warcs, tmp_path / "whole.kin")
    assert len(list((tmp_path / "whole.kin" / "pages").iterdir())) > 1
    original, moved = Path.rename, []

    def rename_one_page_part(path: Path, target: Path) -> Path:
        if path.suffix == ".parquet" and path.parent.name == "pages":
            moved.append(path)
        if len(moved) > 1:
            raise Stopped
        return original(path, target)

    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(Path, "rename", rename_one_page_part)
        small_build(warcs, tmp_path / "a.kin")
    small_build(warcs, tmp_path / "a.kin", resume=True)
    assert tables(tmp_path / "a.kin") == tables(tmp_path / "whole.kin")


def test_a_build_may_stop_between_two_renames(index: Path, warcs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(index)
    original = Path.rename

    def rename(path: Path, target: Path) -> Path:
        if path.name == "index":
            raise Stopped
        return original(path, target)

    with monkeypatch.context() as patch, pytest.raises(Stopped):
        patch.setattr(Path, "rename", rename)
        small_build(warcs, index, force=True)
    with pytest.raises(TargetExists, match="--force"):
        small_build(warcs, index)
    assert content(index) == before


def test_a_build_may_stop_while_it_cleans_up(index: Path, warcs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(Stopped):
        stop_at(patch, "_sync_folder", when=lambda folder: folder == index.parent)
        small_build(warcs, index, force=True)
    assert len(urls(index)) == 6
    small_build(warcs[:1], index, force=True, resume=True)
    assert len(urls(index)) == 3
    assert set(index.parent.iterdir()) == {index, *warcs}


@pytest.fixture
def half_built(warcs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with monkeypatch.context() as patch, pytest.raises(Stopped):
        stop_at(patch, "_write_manifest")
        small_build(warcs, tmp_path / "a.kin")
    return tmp_path / "a.kin"


def test_a_build_is_resumed(half_built: Path, warcs: list[Path]) -> None:
    summary = small_build(warcs, half_built, resume=True)
    assert (summary.pages, len(urls(half_built))) == (6, 6)


def test_a_build_begins_anew_without_resume(half_built: Path, warcs: list[Path]) -> None:
    assert small_build(warcs[:1], half_built).pages == 3


def test_resume_where_nothing_was_begun_builds(warcs: list[Path], tmp_path: Path) -> None:
    assert small_build(warcs, tmp_path / "a.kin", resume=True).pages == 6


def test_resume_refuses_other_inputs(half_built: Path, warcs: list[Path]) -> None:
    with pytest.raises(SettingsError, match="begun with other inputs, settings or another version; leave out --resume"):
        small_build(warcs[:1], half_built, resume=True)


def test_resume_refuses_an_input_that_was_changed(half_built: Path, warcs: list[Path]) -> None:
    write_warc(warcs[0], "ant", "bee", "cow")
    with pytest.raises(SettingsError, match="other inputs"):
        small_build(warcs, half_built, resume=True)


def test_resume_refuses_other_settings(half_built: Path, warcs: list[Path]) -> None:
    with pytest.raises(SettingsError, match="other inputs, settings"):
        small_build(warcs, half_built, resume=True, settings=read_settings(None, ["crawl.max_page_bytes=99"]))


# --- the manifest -------------------------------------------------------------------------------------------


def test_the_counts_are_those_of_the_tables(warcs: list[Path], tmp_path: Path) -> None:
    summary = small_build(warcs, tmp_path / "a.kin")
    counts, rows = read_manifest(tmp_path / "a.kin").counts, tables(tmp_path / "a.kin")
    assert counts["pages"] == summary.pages == len(rows["pages"])
    assert counts["urls"] == summary.urls == len(rows["urls"])
    assert counts["aliases"] == len(rows["aliases"])
    assert counts["rejected"] == summary.rejected == len(rows["rejected"])
    assert counts["terms"] == summary.terms


def test_links_are_counted_once_where_they_start_and_once_where_they_end(index: Path) -> None:
    rows = tables(index)
    links = sum(len(row["link_page"]) for row in rows["pages"])
    assert read_manifest(index).counts["links"] == links == sum(row["in_links"] for row in rows["urls"]) == 6


def test_the_manifest_knows_inputs_and_settings(index: Path, warcs: list[Path]) -> None:
    manifest = read_manifest(index)
    assert manifest.inputs == [{"path": str(warcs[0]), "base_url": "", "bytes": warcs[0].stat().st_size}]
    assert manifest.settings_digest == read_settings().digest


def test_the_manifest_knows_the_address_of_a_folder(tmp_path: Path) -> None:
    site = write_folder(tmp_path / "site")
    small_build(site, tmp_path / "a.kin")
    size = sum(path.stat().st_size for path in site.rglob("*.html"))
    assert read_manifest(tmp_path / "a.kin").inputs == [{"path": str(site), "base_url": "http://site/", "bytes": size}]


def test_the_size_is_that_of_the_files(warcs: list[Path], tmp_path: Path) -> None:
    summary = small_build(warcs, tmp_path / "a.kin")
    sizes = {name: len(data) for name, data in content(tmp_path / "a.kin").items()}
    assert summary.bytes == sum(sizes.values()) - sizes["manifest.json"]


def test_an_index_may_be_moved(index: Path) -> None:
    index.rename(index.with_name("b.kin"))
    assert read_manifest(index.with_name("b.kin")).counts["pages"] == 3
    with pytest.raises(IndexUnusable, match="does not exist"):
        read_manifest(index)


class StandingElsewhere(LocalEngine):
    """An engine whose workers are in another folder than who asked for the build, as those of a cluster are."""

    def run(self, steps: Any, splits: Any, schemas: Any, folder: Path) -> None:
        folder = folder.absolute()
        with contextlib.chdir("/"):
            super().run(steps, splits, schemas, folder)


def test_a_path_means_the_same_to_workers_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_warc(tmp_path / "a.warc.gz", "bees", "wasps")
    monkeypatch.chdir(tmp_path)
    build("a.warc.gz", "a.kin", engine=StandingElsewhere(1))
    assert len(urls(tmp_path / "a.kin")) == 2
    assert read_manifest(tmp_path / "a.kin").inputs[0]["path"] == "a.warc.gz"
