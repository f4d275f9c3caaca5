"""pagekin duplicates: on crawl files and on an index, for a person, a program, and as lists of addresses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pagekin.builder import build
from pagekin.cli import commands
from pagekin.engines.local import LocalEngine
from pagekin.errors import CrawlError, SettingsError
from pagekin.sample import write_sample
from pagekin.settings import CrawlSettings, DuplicateSettings, Settings
from pagekin.trials import duplicates as trial
from pagekin.trials.duplicates import Duplicates, differing, duplicates
from pagekin.trials.outputs import check_writable


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    write_sample(folder, pages=400, seed=1)
    return folder / "sample.warc.gz"


@pytest.fixture(scope="module")
def index(crawl: Path) -> Path:
    path = crawl.with_name("sample.kin")
    build([str(crawl)], path, Settings(), engine=LocalEngine(1))
    return path


@pytest.fixture(scope="module")
def found(crawl: Path) -> Duplicates:
    return duplicates(crawl, engine=LocalEngine(1), examples=3)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(commands, ["duplicates", *map(str, arguments), "--workers", "1"])


def test_the_copies_of_the_sample_web(found: Duplicates) -> None:
    assert (found.pages, len(found.dropped), len(found.mirrors)) == (397, 37, 1)
    assert found.mirrors[0].share == 1.0


def test_an_index_has_the_same_copies_as_its_crawl(found: Duplicates, index: Path) -> None:
    assert duplicates(index, engine=LocalEngine(1), examples=3) == found


def test_what_differs_is_said_for_the_clusters_that_are_shown(found: Duplicates) -> None:
    told = [bool(copy.differences) for cluster in found.clusters[:3] for copy in cluster.copies if copy.resemblance < 1]
    assert told and all(told)
    assert not any(copy.differences for cluster in found.clusters[3:] for copy in cluster.copies)


def test_the_print_version_is_contained_in_the_article(found: Duplicates) -> None:
    prints = [copy for cluster in found.clusters for copy in cluster.copies if "/print/" in copy.url]
    assert prints and all(copy.containment and copy.containment > 0.95 for copy in prints)


def test_for_a_person(crawl: Path) -> None:
    done = run(crawl, "--examples", "2")
    assert done.exit_code == 0, done.output
    assert "37 in" in done.output and "16 pages alike" in done.output
    assert done.output.count("stands for") == 2 and "lacks “" in done.output and "more; --examples" in done.output


def test_for_a_program(crawl: Path, found: Duplicates) -> None:
    document = json.loads(run(crawl, "--json").output)
    assert document.keys() == {"clusters", "parts", "mirrors", "pages", "kept", "dropped", "capped"}
    assert (document["pages"], document["kept"], document["dropped"]) == (397, 360, 37)
    first = document["clusters"][0]
    assert first["pages"][0] == first["representative"] == found.clusters[0].representative
    assert first["resemblance"] <= 1 and first["containment"] >= 0.9


def test_lists_of_what_to_keep_and_to_drop(crawl: Path, found: Duplicates, tmp_path: Path) -> None:
    assert run(crawl, "--keep", tmp_path / "keep", "--drop", tmp_path / "drop").exit_code == 0
    assert tuple((tmp_path / "keep").read_text("utf-8").splitlines()) == found.kept
    assert tuple((tmp_path / "drop").read_text("utf-8").splitlines()) == found.dropped


def test_a_higher_threshold_finds_fewer(crawl: Path) -> None:
    strict = json.loads(run(crawl, "--json", "--threshold", "1").output)
    assert 0 < strict["dropped"] < 37
    assert min(cluster["resemblance"] for cluster in strict["clusters"]) < 1  # print versions that are wholly contained


def test_none_is_said_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<p>one page of a few words that are like no others at all")
    done = run(tmp_path / "site")
    assert done.exit_code == 0 and "none: no two pages" in done.output


def test_what_is_wrong_is_one_sentence(tmp_path: Path, index: Path) -> None:
    with pytest.raises(CrawlError, match="missing"):
        duplicates(tmp_path / "missing.warc")
    with pytest.raises(SettingsError, match="is an index"):
        duplicates(index, Settings(crawl=CrawlSettings(cut="nav")))
    assert run(index, "--threshold", "2").exit_code == 2


def test_passages_that_differ_are_short_and_few() -> None:
    here, there = list(range(100)), list(range(50, 200))
    assert all(len(passage) <= 12 for pair in differing(here, there) for passage in pair)
    assert differing([7] * 5000, [7] * 5000) == []


def test_an_index_is_not_compared_again(index: Path, found: Duplicates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "pages_to_duplicates", None)
    assert duplicates(index, examples=3) == found


def test_an_index_in_which_copies_were_not_looked_for_says_so(tmp_path: Path) -> None:
    write_sample(tmp_path, pages=20, seed=1)
    settings = Settings(duplicates=DuplicateSettings(super_shingles=0))
    build([str(tmp_path / "sample.warc.gz")], tmp_path / "few.kin", settings, engine=LocalEngine(1))
    with pytest.raises(SettingsError, match="are not looked for"):
        duplicates(tmp_path / "few.kin")


def test_a_file_that_cannot_be_written_is_told_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no folder"):
        check_writable(tmp_path / "none" / "keep.txt")
    with pytest.raises(SettingsError, match="is a folder"):
        check_writable(tmp_path)
