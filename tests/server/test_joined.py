"""Two servers on loopback answer as one, and go on when one of them is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import pagekin
from pagekin.crawl.urls import canonical_url, page_id
from pagekin.engines.local import LocalEngine
from pagekin.errors import UnknownPage
from pagekin.index import Index
from pagekin.query.federation import TERMS
from pagekin.sample import write_sample

K = 15


@contextmanager
def served(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, and its address."""
    command = [sys.executable, "-c", "from pagekin.cli import main; main()", "serve", *arguments, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().rpartition(" ")[2].strip().rstrip("/"), process
        finally:
            process.kill()


def asked(address: str, **query: Any) -> tuple[int, dict[str, Any]]:
    """What a server answers about related pages."""
    url = f"{address}/api/related?{urllib.parse.urlencode(query)}"
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as fault:
        return fault.code, json.load(fault)


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Index]:
    """Two webs of one maker: some pages are in both, most in one."""
    found = []
    for seed in (1, 2):
        folder = tmp_path_factory.mktemp(f"web{seed}")
        write_sample(folder, 150, seed)
        pagekin.build(folder / "sample.warc.gz", folder / "web.kin", engine=LocalEngine(1))
        found.append(pagekin.open(folder / "web.kin"))
    return found


@pytest.fixture(scope="module")
def joined(indexes: list[Index]) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """The server that joins two others, and these."""
    with served(str(indexes[0].path)) as (one, first), served(str(indexes[1].path)) as (other, second):
        for address in (one, other):
            wait_until_ready(address)
        with served("--join", f"{one},{other}") as (address, _):
            wait_until_ready(address)
            yield address, [first, second]


def wait_until_ready(address: str) -> None:
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=60):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(f"{address} never became ready")


def number(url: str) -> int:
    return page_id(canonical_url(url))


def question(index: Index, others: list[Index], url: str) -> dict[str, Any]:
    """How an index is asked: by the address if it knows it, else by the terms of the first that does."""
    try:
        index.page(url)
        return {"url": url}
    except UnknownPage:
        known = next(other for other in others if other is not index)
        return {"terms": {term.term: term.weight for term in known.terms(url, TERMS).terms}}


def merged(indexes: list[Index], url: str) -> list[tuple[float, int]]:
    """The slow and obvious way: all that each index lists, as much as any of them gives it."""
    questions = [question(index, indexes, url) for index in indexes]
    listed = {
        number(found.url): found.url
        for index, each in zip(indexes, questions, strict=True)
        for found in index.related(**each, k=1000).results
    }
    urls = list(listed.values())
    columns = [index.scores(urls, **each) for index, each in zip(indexes, questions, strict=True)]
    best = {
        number(url): max(score or 0.0 for score in row)
        for url, row in zip(urls, zip(*columns, strict=True), strict=True)
    }
    return sorted((-score, page) for page, score in best.items())[:K]


def some_pages(index: Index, count: int) -> list[str]:
    fetched = index._documents.fetched.nonzero()[0].tolist()
    return [index._documents.text("url", page) for page in fetched[:: len(fetched) // count]][:count]


def test_they_answer_as_one_to_the_last_place(
    indexes: list[Index], joined: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    for url in [*some_pages(indexes[0], 4), *some_pages(indexes[1], 4)]:
        status, document = asked(joined[0], url=url, k=K)
        assert status == 200 and document["left_out"] == []
        found = [(-row["score"], number(row["url"])) for row in document["results"]]
        assert found == merged(indexes, url)
        assert [row["rank"] for row in document["results"]] == list(range(1, K + 1))


def test_a_part_of_the_ranking_can_be_asked_for(
    indexes: list[Index], joined: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    [url] = some_pages(indexes[0], 1)
    whole, rest = (asked(joined[0], url=url, k=k, offset=offset)[1]["results"] for k, offset in ((10, 0), (4, 6)))
    assert rest == whole[6:]


def test_a_page_that_nobody_knows_is_told(joined: tuple[str, list[subprocess.Popen[str]]]) -> None:
    status, document = asked(joined[0], url="http://nowhere.example/")
    assert status == 404 and "is not in this index" in document["error"]


def test_one_that_is_killed_is_left_out_and_told(
    indexes: list[Index], joined: tuple[str, list[subprocess.Popen[str]]]
) -> None:
    address, (_, second) = joined
    [url] = some_pages(indexes[0], 1)
    second.kill()
    second.wait()
    status, document = asked(address, url=url, k=K)
    assert status == 200
    assert [left["reason"] for left in document["left_out"]] == ["no answer: ConnectError"]
    alone = [(-found.score, number(found.url)) for found in indexes[0].related(url, k=K).results]
    assert [(-row["score"], number(row["url"])) for row in document["results"]] == sorted(alone)
