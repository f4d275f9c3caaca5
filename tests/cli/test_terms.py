"""pagekin terms: the words that stand for a page are those that a person expects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from click.testing import CliRunner

import pagekin as package
from pagekin.cli import commands
from pagekin.languages import stemmer
from pagekin.sample.topics import Topic, directory

Run = Callable[..., "CompletedProcess[str]"]


def stems(text: str) -> set[str]:
    return set(stemmer("en")(re.findall(r"\w+", text.lower())))


def vocabulary(topic: Topic) -> set[str]:
    """The stems of the words of a topic."""
    return stems(" ".join([topic.name, *topic.things, *topic.acts, *topic.kinds]))


@pytest.fixture(scope="module")
def pages(sample: Path, index: Path) -> list[tuple[str, str]]:
    """Eight pages that were fetched and two that were not, from all over the directory, with their topics."""
    lines = [line.split("\t") for line in sample.with_name("directory.tsv").read_text("utf-8").splitlines()]
    opened = package.open(index)
    by_fetched: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for url, topic in lines:
        by_fetched[opened.terms(url).fetched].append((url, topic))
    fetched, unseen = by_fetched[True], by_fetched[False]
    return [*fetched[:: len(fetched) // 8][:8], *unseen[:: len(unseen) // 2][:2]]


def test_one_of_the_five_heaviest_terms_is_a_word_of_the_topic(pages: list[tuple[str, str]], index: Path) -> None:
    topics = {topic.path: topic for topic in directory().leaves}
    assert len(pages) == 10
    for url, topic in pages:
        done = CliRunner().invoke(commands, ["terms", str(index), url, "-k", "5", "--json"])
        found = json.loads(done.stdout)
        heaviest = " ".join(term["term"] for term in found["terms"])
        assert stems(heaviest) & vocabulary(topics[topic]), (url, topic, heaviest)


def test_json_holds_the_address_and_the_terms_with_their_weights(
    pages: list[tuple[str, str]], index: Path, pagekin: Run
) -> None:
    found = json.loads(pagekin("terms", index, pages[0][0], "-k", "3", "--json").stdout)
    assert found.keys() == {"url", "terms"}
    weights = [term["weight"] for term in found["terms"]]
    assert len(weights) == 3 and weights == sorted(weights, reverse=True)


def test_a_page_that_was_never_fetched_is_said_to_be_so(
    pages: list[tuple[str, str]], index: Path, pagekin: Run
) -> None:
    done = pagekin("terms", index, pages[-1][0])
    assert done.returncode == 0
    assert "never fetched" in done.stdout


def test_ten_terms_are_shown(pages: list[tuple[str, str]], index: Path, pagekin: Run) -> None:
    done = pagekin("terms", index, pages[0][0])
    assert len(done.stdout.splitlines()) == 11


def test_an_unknown_page_is_a_no_with_the_nearest_addresses(index: Path, pagekin: Run) -> None:
    done = pagekin("terms", index, "http://camping-lane.test/no-such-page")
    assert done.returncode == 1
    assert "is not in this index" in done.stderr and "nearest" in done.stderr
    assert done.stdout == ""
