"""How the work is cut changes no vector; an index may have none."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_web import write_small_web

import pagekin
from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.errors import SettingsError
from pagekin.settings import ConceptSettings, Settings, read_settings

SETTINGS = Settings(concepts=ConceptSettings(dimensions=30, sample=300))
BEES = "http://garden.example/bees-0.html"


def built(crawl: list[Path], out: Path, workers: int, settings: Settings = SETTINGS) -> tuple[bytes, pa.Table]:
    """The vectors and the basis of an index."""
    build([str(path) for path in crawl], out, settings, engine=LocalEngine(workers, 64 << 20))
    basis = pa.concat_tables([pq.read_table(part) for part in sorted((out / "basis").glob("*.parquet"))])
    return (out / "concepts" / "vectors.f16").read_bytes(), basis.combine_chunks()


@pytest.fixture(scope="module")
def one(sample_crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, pa.Table]:
    """What one worker makes of one file."""
    return built([sample_crawl], tmp_path_factory.mktemp("one") / "one.kin", 1)


@pytest.fixture(scope="module")
def parts(sample_crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The same crawl in three files."""
    folder = tmp_path_factory.mktemp("parts")
    records = re.split(rb"(?<=\r\n\r\n)(?=WARC/1)", gzip.decompress(sample_crawl.read_bytes()))
    found = [folder / f"{number}.warc" for number in (3, 1, 2)]
    for number, part in enumerate(found):
        part.write_bytes(b"".join(records[number::3]))
    return found


def test_there_is_a_vector_for_each_document(one: tuple[bytes, pa.Table]) -> None:
    vectors, basis = one
    assert len(vectors) % (2 * 30) == 0
    assert len(vectors) // (2 * 30) >= 600
    assert basis.num_rows > 1000


def test_the_number_of_workers(sample_crawl: Path, one: tuple[bytes, pa.Table], tmp_path: Path) -> None:
    assert built([sample_crawl], tmp_path / "two.kin", 2) == one


def test_the_order_and_the_cut_of_files(parts: list[Path], one: tuple[bytes, pa.Table], tmp_path: Path) -> None:
    assert built(parts, tmp_path / "parts.kin", 1) == one
    assert built(parts[::-1], tmp_path / "turned.kin", 2) == one


def test_the_seed_changes_the_vectors(sample_crawl: Path, one: tuple[bytes, pa.Table], tmp_path: Path) -> None:
    other = Settings(concepts=ConceptSettings(dimensions=30, sample=300, seed=2))
    assert built([sample_crawl], tmp_path / "seed.kin", 1, other)[0] != one[0]


# --- without concepts


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of texts alone, as the command line would build it."""
    folder = tmp_path_factory.mktemp("without")
    settings = read_settings(None, ["concepts.dimensions=0", "cocitation.pages=0", "links.neighbours=0"])
    build(write_small_web(folder / "small.warc"), folder / "small.kin", settings, engine=LocalEngine(1))
    return folder / "small.kin"


def test_no_dimensions_no_concepts(without: Path) -> None:
    assert not (without / "concepts").exists()


def test_without_concepts_pages_are_related_by_text_alone(without: Path) -> None:
    found = pagekin.open(without).related(BEES, k=8)
    assert len(found.results) == 8
    assert all("/bees-" in result.url and result.evidence == {"text": result.score} for result in found.results)


def test_without_concepts_none_are_explained(without: Path) -> None:
    results = pagekin.open(without).related(BEES, explain=True).results
    assert {result.why.concepts for result in results if result.why} == {()}


def test_without_concepts_they_cannot_be_weighed(without: Path) -> None:
    with pytest.raises(SettingsError, match=r"has no concepts; build it again with --set concepts\.dimensions=100"):
        pagekin.open(without).related(BEES, weights={"concepts": 1})


def test_without_concepts_a_weight_of_0_does_no_harm(without: Path) -> None:
    index = pagekin.open(without)
    assert index.related(BEES, weights={"text": 2, "concepts": 0}) == index.related(BEES)


def test_fewer_than_no_dimensions_are_refused() -> None:
    with pytest.raises(SettingsError, match="0 or more"):
        read_settings(None, ["concepts.dimensions=-1"])


# --- crawls that teach little


@pytest.mark.parametrize(
    "pages",
    [
        {"http://a.test/": "<p>harbour"},
        {"http://a.test/": "<p>harbour", "http://b.test/": "<p>harbour"},
        {"http://a.test/": "<p>harbour mooring", "http://b.test/": "<p>flour yeast"},
        {"http://a.test/": "<a href=http://b.test/>1</a>", "http://b.test/": "<a href=http://a.test/>2</a>"},
        {f"http://{a}.test/": "<a href=http://x.test/></a><a href=http://y.test/></a>" for a in "abc"},
        {f"http://{a}.test/": "<a href=http://x.test/></a> harbour" for a in "abc"},
        {"http://a.test/": "<p>1 2 3"},
    ],
    ids=["one", "copies", "strangers", "two links", "many links", "words and links", "mute"],
)
def test_a_crawl_that_teaches_little_gives_an_index_that_can_be_asked(tmp_path: Path, pages: dict[str, str]) -> None:
    build(write_small_web(tmp_path / "few.warc", pages), tmp_path / "few.kin", engine=LocalEngine(1))
    index = pagekin.open(tmp_path / "few.kin")
    assert index.related(text="unheard-of").results == ()
    assert all(0 <= found.score <= 1 for found in index.related(text="harbour", k=3).results)


def test_an_index_of_format_1_still_opens_and_has_no_concepts() -> None:
    index = pagekin.open(Path(__file__).resolve().parents[1] / "golden" / "format-1.kin")
    found = index.related(BEES)
    assert index.manifest.format == 1
    assert found.results and all(result.evidence.keys() == {"text"} for result in found.results)
    with pytest.raises(SettingsError, match="has no concepts"):
        index.related(BEES, weights={"concepts": 1})
