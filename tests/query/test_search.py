"""Pages by words, as they are asked for from Python and on the command line."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import time
from pathlib import Path

import pytest
from building import built_index
from click.testing import CliRunner, Result
from small_web import COPIES, NEVER_FETCHED, write_small_web

import pagekin
from pagekin.cli import commands
from pagekin.errors import IndexUnusable, QueryError, QueryTimeout, SettingsError, UnknownPage
from pagekin.index import Index
from pagekin.query_language.thesaurus import read_thesaurus
from pagekin.settings import KeywordSettings, Settings

BEES = "http://garden.example/bees-0.html"


def urls(index: Index, query: str, k: int = 100, **how: bool) -> list[str]:
    return [hit.url for hit in index.search(query, k, **how).results]


def test_words_are_found_in_any_form(small_index: Index) -> None:
    assert BEES in urls(small_index, "title:bee")
    assert BEES not in urls(small_index, "title:=bee")


def test_a_hit_says_who_the_page_is_and_shows_the_words(small_index: Index) -> None:
    hit = small_index.search("title:bees", k=1).results[0]
    assert (hit.rank, hit.title.split()[0], hit.url.partition("-")[0].rpartition("/")[2]) == (1, "Bees", "bees")
    assert hit.site in hit.url
    assert hit.snippet and all(hit.snippet[first:last].strip() for first, last in hit.marks)


def test_a_page_that_was_never_fetched_is_found_by_what_links_say(small_index: Index) -> None:
    [hit] = small_index.search("anchor:sourdough -title:bread").results
    assert (hit.url, hit.title, hit.snippet) == (NEVER_FETCHED, "", "an unseen sourdough starter")


def test_of_copies_the_best_is_shown(small_index: Index) -> None:
    [hit] = small_index.search("title:lost").results
    assert hit.url in COPIES and hit.copies == 1
    assert sorted(urls(small_index, "title:lost", copies=True)) == sorted(COPIES)


def test_copies_do_not_use_up_the_places(small_index: Index) -> None:
    query = "title:lost^9 OR title:bees"
    assert len(urls(small_index, query, k=3)) == 3


def test_all_pages_are_counted(small_index: Index) -> None:
    answer = small_index.search("title:bees", k=1)
    assert answer.total == len(urls(small_index, "title:bees", copies=True)) > 1


# --- did you mean


def test_when_nothing_is_found_a_query_is_offered_that_finds_something(small_index: Index) -> None:
    answer = small_index.search("title:beess")
    assert (answer.total, answer.results) == (0, ())
    assert small_index.search(answer.meant).total > 0


def test_only_words_that_are_not_there_are_replaced(small_index: Index) -> None:
    assert small_index.search("+title:bees +honeyy").meant == "+title:bees +honey"


def test_a_query_that_finds_nothing_though_all_its_words_are_there_is_not_changed(small_index: Index) -> None:
    answer = small_index.search('"honey honey honey honey"')
    assert (answer.total, answer.meant) == (0, "")


def test_no_word_is_offered_where_none_is_alike(small_index: Index) -> None:
    assert small_index.search("xqzwvkj").meant == ""


# --- synonyms, time, faults


def test_a_thesaurus_widens_a_query(small_index: Index, tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("apiarist\tbees\n", "utf-8")
    synonyms = read_thesaurus(tmp_path / "words.tsv")
    assert small_index.search("title:apiarist").total == 0
    assert small_index.search("title:apiarist", thesaurus=synonyms).total == small_index.search("title:bees").total


def test_a_query_that_takes_too_long_is_given_up(small_index: Index) -> None:
    with pytest.raises(QueryTimeout):
        small_index.search("*e*", timeout_seconds=1e-9)


HOSTILE = [
    '"' + "the " * 3000,
    "(" * 5000,
    "*" * 9000,
    "a* " * 200,
    '"of the and"~9',
    "like:" + "a" * 5000,
    "editex:x~6",
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_no_query_takes_much_longer_than_it_may(small_index: Index, query: str) -> None:
    started = time.monotonic()
    with contextlib.suppress(QueryError, QueryTimeout):
        small_index.search(query, timeout_seconds=1.0)
    assert time.monotonic() - started < 30  # not a measurement: a query without a limit would take hours


def test_an_index_without_keywords_says_so(small_crawl: Path) -> None:
    bare = built_index(small_crawl, Settings(keywords=KeywordSettings(search=False)), "wordless.kin")
    assert not (bare.path / "keywords").exists() and not (bare.path / "vocabulary").exists()
    with pytest.raises(SettingsError, match="cannot be searched by words"):
        bare.search("bees")


# --- related pages about something


def test_pages_that_are_about_the_words_come_before_others(small_index: Index) -> None:
    plain = [found.url for found in small_index.related(BEES, k=30).results]
    about = small_index.related(BEES, k=30, about="bread").results
    assert "bread" in about[0].url and "bread" not in plain[0]
    assert max(found.evidence["keywords"] for found in about) == 1.0


def test_the_score_of_what_pages_are_about_is_a_share_of_the_whole(small_index: Index) -> None:
    share = small_index.similarity_settings.keywords
    plain = {found.url: found.score for found in small_index.related(BEES, k=100).results}
    for found in small_index.related(BEES, k=100, about="bread").results:
        whole = (1 - share) * plain.get(found.url, 0.0) + share * found.evidence["keywords"]
        if found.url in plain:
            assert found.score == pytest.approx(whole, abs=1e-5)


def test_what_pages_are_about_must_be_weighed_and_said(small_index: Index) -> None:
    with pytest.raises(SettingsError, match="must be weighed too"):
        small_index.related(BEES, about="bread", weights={"text": 1})
    with pytest.raises(SettingsError, match="say what pages should be about"):
        small_index.related(BEES, weights={"text": 1, "keywords": 1})


def test_pages_about_a_site_are_those_of_the_site(small_index: Index) -> None:
    found = small_index.related(BEES, k=5, about="site:kitchen.test").results
    assert {each.site for each in found} == {"kitchen.test"}


def test_what_no_page_is_about_is_told(small_index: Index) -> None:
    with pytest.raises(UnknownPage, match="no page has xqzwvkj"):
        small_index.related(BEES, about="xqzwvkj")


def test_a_copy_that_is_about_the_words_speaks_for_the_page_that_stands_for_it(small_index: Index) -> None:
    copies = [small_index._documents.number(small_index.page(url)) for url in COPIES]
    stands = [int(small_index._documents.representatives[number]) for number in copies if number is not None]
    other = next(url for url, number in zip(COPIES, copies, strict=True) if number != stands[0])
    about = small_index._about(f"url:{other.rpartition('/')[2].partition('.')[0]} site:{other.split('/')[2]}")
    assert dict(zip(*(column.tolist() for column in about), strict=True))[stands[0]] == 1.0


# --- odd numbers, damage


@pytest.mark.parametrize("seconds", [float("nan"), 0.0, -1.0])
def test_no_time_is_no_time(small_index: Index, seconds: float) -> None:
    with pytest.raises(SettingsError, match="seconds"):
        small_index.search("bees", timeout_seconds=seconds)


def test_all_time_is_enough(small_index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagekin.query.keywords.LITTLE", 0.0)
    assert small_index.search("bees", timeout_seconds=float("inf")).total > 0


def test_more_may_be_asked_for_than_there_is(small_index: Index) -> None:
    assert len(small_index.search("bees", k=10**20).results) == len(urls(small_index, "bees"))


@pytest.mark.parametrize("ending", ["idx", "term", "store"])
def test_damage_is_told_in_a_sentence(small_index: Index, tmp_path: Path, ending: str) -> None:
    shutil.copytree(small_index.path, tmp_path / "damaged.kin")
    [file] = (tmp_path / "damaged.kin" / "keywords").glob(f"*.{ending}")
    size = file.stat().st_size
    file.write_bytes(random.Random(1).randbytes(size))
    with contextlib.suppress(IndexUnusable):
        pagekin.open(tmp_path / "damaged.kin").search("honey bees", k=3)


def test_filters_do_not_change_the_order_of_pages(small_index: Index) -> None:
    plain = urls(small_index, "honey hive queen", copies=True)
    assert urls(small_index, "honey hive queen date:1990..2100", copies=True) == [
        url for url in plain if url in set(urls(small_index, "date:1990..2100", k=1000, copies=True))
    ]


# --- the command line


def run(*words: str) -> Result:
    return CliRunner().invoke(commands, words)


def test_the_command_prints_marked_snippets(small_index: Index) -> None:
    said = run("search", str(small_index.path), "honey").output
    assert "pages for honey" in said and " *honey* " in said


def test_the_command_says_what_parts_stood_for(small_index: Index) -> None:
    said = run("search", str(small_index.path), "title:bee*", "--explain").output
    assert "bee* stood for " in said and "bees" in said.partition("\n")[0]


def test_the_command_has_json(small_index: Index) -> None:
    document = json.loads(run("search", str(small_index.path), "title:bee*", "--json", "--explain", "-k", "2").output)
    assert list(document) == ["query", "total", "results", "expanded", "took_ms"]
    names = ["rank", "url", "title", "site", "score", "snippet", "marks", "copies"]
    assert [list(result) for result in document["results"]] == [names] * 2
    assert document["expanded"][0]["part"] == "bee*" and "bees" in document["expanded"][0]["words"]


def test_nothing_found_is_a_plain_no(small_index: Index) -> None:
    result = run("search", str(small_index.path), "title:beess")
    assert isinstance(result.exception, UnknownPage)
    assert "did you mean title:bees" in str(result.exception)


def test_a_query_that_cannot_be_read_has_a_caret(small_index: Index) -> None:
    result = run("search", str(small_index.path), "title:(bees OR")
    assert isinstance(result.exception, QueryError)
    query, caret = result.exception.caret.split("\n")
    assert query == "title:(bees OR" and caret.index("^") == len(query)


def test_a_missing_thesaurus_is_one_sentence(small_index: Index, tmp_path: Path) -> None:
    result = run("search", str(small_index.path), "bees", "--thesaurus", str(tmp_path / "none.tsv"))
    assert result.exit_code != 0 and "none.tsv" in str(result.exception)


def test_build_can_leave_parts_out(tmp_path: Path) -> None:
    crawl = write_small_web(tmp_path / "small.warc")
    parts = ("keywords", "duplicates", "concepts", "cocitation")
    result = run(
        "build",
        str(crawl),
        "-o",
        str(tmp_path / "few.kin"),
        "--workers",
        "1",
        *(w for p in parts for w in ("--without", p)),
    )
    assert result.exit_code == 0, result.output
    assert not any((tmp_path / "few.kin" / part).is_dir() for part in ("keywords", "vocabulary", "concepts", "cocited"))
    assert json.loads((tmp_path / "few.kin" / "manifest.json").read_text("utf-8"))["duplicates"] == {}
