"""Pages that are cited together, as a source of evidence of an index."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from building import built_index
from click.testing import CliRunner
from small_web import write_small_web

from pagekin.cli import commands
from pagekin.errors import SettingsError, UnknownPage
from pagekin.index import Index
from pagekin.settings import CocitationSettings, Settings

CITED = {"cocitation": 1.0}
ORCHIDS, BLOOM, STEAM, COPYRIGHT = (f"http://{name}.example/" for name in ("orchids", "bloom", "steam", "copyright"))
GARDEN = """<html lang=en><title>Links</title><h2>Orchids</h2>
<ul><li><a href="http://orchids.example/">Growing orchids</a>
<li><a href="http://bloom.example/">Orchids in bloom</a></ul>
<h2>Trains</h2><ul><li><a href="http://steam.example/">Steam</a><li><a href="http://night.example/">Night</a></ul>
<p><a href="/">Home</a> <a href="http://copyright.example/">Copyright</a></p>"""
FLOWERS = """<html lang=en><title>Flowers</title>
<p>We read <a href="http://www.orchids.example/">Growing orchids</a> often.
<p>And <a href="http://bloom.example/">Orchids in bloom</a>.<hr><a href="http://copyright.example/">Copyright</a>"""
HUBS = {"http://garden.example/links.html": GARDEN, "http://flowers.example/": FLOWERS}


@pytest.fixture(scope="module")
def hubs(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return built_index(write_small_web(tmp_path_factory.mktemp("hubs") / "hubs.warc", HUBS))


def test_the_score_is_what_the_equations_say(hubs: Index) -> None:
    """Two sites, both 1 · (1 + 1/3), by 1 + ln 2 blocks; as evidence total / (total + 4)."""
    total = 2 * (4 / 3) / (1 + math.log(2))
    [found] = hubs.related(ORCHIDS, weights=CITED).results
    assert found.url == BLOOM
    assert found.score == found.evidence["cocitation"] == pytest.approx(total / (total + 4), abs=1e-6)


def test_the_reason_names_pages_headings_and_anchors(hubs: Index) -> None:
    [found] = hubs.related(ORCHIDS, weights=CITED, explain=True).results
    assert found.why is not None and found.why.cited is not None
    assert found.why.cited.blocks == 2
    said = {(citation.title, citation.heading, citation.anchors) for citation in found.why.cited.citations}
    anchors = ("growing orchids", "orchids in bloom")
    assert said == {("Links", "orchids", anchors), ("Flowers", "", anchors)}


def test_both_spellings_of_a_host_have_the_same_kin(hubs: Index) -> None:
    with_www = hubs.related("http://www.orchids.example/", weights=CITED).results
    assert [found.url for found in with_www] == [BLOOM]


@pytest.mark.parametrize("url", [COPYRIGHT, "http://garden.example/"])
def test_what_no_block_cites_beside_others_is_kin_to_nobody(hubs: Index, url: str) -> None:
    assert hubs.related(url, weights=CITED).results == ()


def test_blocks_of_one_page_are_not_mixed(hubs: Index) -> None:
    found = [related.url for related in hubs.related(STEAM, weights=CITED).results]
    assert found == ["http://night.example/"]


@pytest.mark.parametrize("exact", [False, True])
def test_it_is_one_source_among_others(hubs: Index, exact: bool) -> None:
    weights = {"text": 1.0, "cocitation": 3.0}
    for found in hubs.related(ORCHIDS, weights=weights, exact=exact).results:
        expected = 0.25 * found.evidence["text"] + 0.75 * found.evidence["cocitation"]
        assert found.score == pytest.approx(expected, abs=2e-6)


def test_a_text_is_cited_by_nobody(hubs: Index) -> None:
    with pytest.raises(SettingsError, match="nobody links to a text or a file; weigh another source too"):
        hubs.related(text="growing orchids", weights=CITED)
    usual = hubs.related(text="growing orchids")
    shares = hubs.similarity_settings
    rest = 1 - shares.cocitation - shares.linked
    for found in usual.results:
        text, concepts = (rest - shares.concepts) / rest, shares.concepts / rest
        expected = text * found.evidence["text"] + concepts * found.evidence["concepts"]
        assert found.evidence["cocitation"] == found.evidence["links"] == 0
        assert found.score == pytest.approx(expected, abs=2e-6)


def test_the_sources_are_named(hubs: Index, tmp_path: Path) -> None:
    assert hubs.sources == ("text", "concepts", "cocitation", "links", "authority")
    settings = replace(Settings(), cocitation=CocitationSettings(pages=0))
    without = built_index(write_small_web(tmp_path / "hubs.warc", HUBS), settings, "without.kin")
    assert without.sources == ("text", "concepts", "links", "authority")
    assert not (without.path / "cocited").exists() and without.manifest.cocitation == {}
    with pytest.raises(SettingsError, match=r"has no cocitation; build it again with --set cocitation\.pages=15"):
        without.related(ORCHIDS, weights=CITED)
    assert without.related(ORCHIDS).results[0].evidence.keys() == {"text", "concepts", "links"}


def test_the_manifest_says_what_was_kept_and_dropped(hubs: Index) -> None:
    found = hubs.manifest.cocitation
    assert (found["pairs"], found["least"]) == (5, 0.0)  # www.orchids.example has its own row
    assert found["filtered"]["own site"] == 1
    assert sum(found["filtered"].values()) == 2  # and a host that is spelled with www.


def test_the_best_of_a_page_do_not_exceed_the_setting(sample: Path) -> None:
    settings = replace(Settings(), cocitation=CocitationSettings(pages=2))
    index = built_index(sample / "sample.warc.gz", settings, "two.kin")
    url = (sample / "blocks.tsv").read_text("utf-8").split("\t")[2].splitlines()[0]
    assert len(index.related(url, weights=CITED, k=10).results) <= 2


def test_on_the_sample_web_most_answers_are_of_the_same_topic(sample: Path, sample_index: Index) -> None:
    lines = (sample / "directory.tsv").read_text("utf-8").splitlines()
    topics = {url: topic.rpartition("/")[0] for url, topic in (line.split("\t") for line in lines)}
    right = wrong = 0
    for url in list(topics)[::40]:
        for found in sample_index.related(url, weights=CITED, k=3).results:
            if found.url in topics:
                right += topics[found.url] == topics[url]
                wrong += topics[found.url] != topics[url]
    assert right > 3 * wrong > 0


def test_a_mirrored_page_has_the_kin_of_its_original(sample: Path, sample_index: Index) -> None:
    rows = [line.split("\t") for line in (sample / "duplicates.tsv").read_text("utf-8").splitlines()]
    compared = 0
    for original, mirror, kind in rows:
        if kind == "mirror":
            one, other = (sample_index.related(url, weights=CITED).results for url in (original, mirror))
            assert [found.url for found in one if found.url != mirror] == [found.url for found in other]
            compared += bool(one)
    assert compared


def built(tmp_path: Path, pages: dict[str, str], **settings: Any) -> Index:
    chosen = replace(Settings(), cocitation=CocitationSettings(**settings))
    return built_index(write_small_web(tmp_path / "some.warc", pages), chosen, "some.kin")


def mirrored(*hosts: str) -> dict[str, str]:
    """Four pages that each host has, with a link between them."""
    return {
        f"http://{host}/{n}": f"<p>{word} {word}s of the harbour and the hill and the sea <a href=/links>our links</a>"
        for host in hosts
        for n, word in enumerate(("boat", "sail", "oar", "keel"))
    }


LISTED = '<ul><li><a href="http://x.example/">first x</a><li><a href="http://y.example/">then y</a></ul>'


def test_what_was_fetched_from_a_mirror_alone_still_cites(tmp_path: Path) -> None:
    pages = mirrored("orig.example", "mirror.example") | {"http://mirror.example/links": LISTED}
    index = built(tmp_path, pages)
    assert index.manifest.duplicates["mirrors"] == 1
    assert [found.url for found in index.related("http://x.example/", weights=CITED).results] == ["http://y.example/"]


def test_a_site_and_its_mirror_are_one_site(tmp_path: Path) -> None:
    pages = mirrored("one.example", "two.test")
    listed = '<ul><li><a href="/0">first boat</a><li><a href="/1">then sail</a></ul>'
    pages |= {f"http://{host}/list": listed for host in ("one.example", "two.test")}
    assert built(tmp_path, pages).manifest.cocitation["pairs"] > 0


def test_whole_pages_are_explained_too(tmp_path: Path) -> None:
    page = '<h2>One</h2><p><a href="http://x.example/">first x</a><h2>Two</h2><p><a href="http://y.example/">then y</a>'
    index = built(tmp_path, {"http://hub.example/": page}, whole_pages=True)
    answer = index.related("http://x.example/", weights=CITED, explain=True)
    [found] = (*answer.results, *answer.copies)  # of which the same few words speak
    assert found.why is not None and found.why.cited is not None
    assert found.why.cited.citations[0].anchors == ("first x", "then y")


# --- the command line


def asked(index: Index, *arguments: str) -> str:
    done = CliRunner().invoke(commands, ["related", str(index.path), *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_command_says_who_cites(hubs: Index) -> None:
    said = " ".join(asked(hubs, ORCHIDS, "--weights", "cocitation=1", "--explain").split())
    assert "cited together in 2 blocks of links" in said
    assert (
        "on Links under “orchids”, as “growing orchids” and “orchids in bloom” http://garden.example/links.html" in said
    )


def test_the_json_has_the_citations(hubs: Index) -> None:
    [found] = json.loads(asked(hubs, ORCHIDS, "--weights", "cocitation=1", "--explain", "--json"))["results"]
    assert found["why"][0]["cited"]["blocks"] == 2
    assert {citation["url"] for citation in found["why"][0]["cited"]["citations"]} == set(HUBS)


def test_scanned_gives_the_row_of_a_fetched_page_only(hubs: Index) -> None:
    row, words = hubs.scanned("http://garden.example/links.html")
    assert row["title"] == "Links" and set(row["words"]) == set(words)
    with pytest.raises(UnknownPage, match="was not fetched"):
        hubs.scanned(ORCHIDS)
