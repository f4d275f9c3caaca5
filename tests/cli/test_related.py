"""pagekin related: a table for a person, JSON for a program, and a status that says whether there was an answer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagekin.builder import build
from pagekin.cli.related import _strangers
from pagekin.engines.local import LocalEngine

Run = Callable[..., subprocess.CompletedProcess[str]]
PAGEKIN = [sys.executable, "-c", "from pagekin.cli import main; main()"]
TITLE = "\x1b[31m[bold]Red[/bold] :bee: \x9b5n\u202e\x07[/] end"
BEES = "<p>swarm hive comb nectar pollen brood"


@pytest.fixture(scope="session")
def url(index: Path) -> str:
    """A page of the sample web."""
    truth = index.with_name("directory.tsv").read_text("utf-8")
    return truth.split("\t")[0]


@pytest.fixture(scope="session")
def answer(pagekin: Run, index: Path, url: str) -> dict[str, Any]:
    """What is related to it, as JSON, with reasons."""
    done = pagekin("related", index, url, "--explain", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of two pages, one of which has a title that would change the terminal."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "site").mkdir()
    (folder / "site" / "a.html").write_text(f"<title>{TITLE}</title>{BEES} keeper meadow", "utf-8")
    (folder / "site" / "b.html").write_text(f"<title>Plain</title>{BEES} clover", "utf-8")
    build(folder / "site", folder / "site.kin", engine=LocalEngine(workers=1))
    return folder / "site.kin"


def urls(document: str) -> list[str]:
    return [result["url"] for result in json.loads(document)["results"]]


# --- answers


def test_the_json_has_the_keys_of_the_design(answer: dict[str, Any], url: str) -> None:
    assert answer.keys() >= {"query", "results", "took_ms"}
    assert answer["query"] == url
    assert answer["took_ms"] > 0
    shares = {"text": 0.5, "concepts": 0.3, "cocitation": 0.05, "links": 0.15}
    for rank, result in enumerate(answer["results"], 1):
        assert result.keys() >= {"rank", "url", "title", "score", "evidence", "why"}
        assert (result["rank"], result["evidence"].keys()) == (rank, shares.keys())
        blend = sum(share * result["evidence"][source] for source, share in shares.items())
        assert result["score"] == pytest.approx(blend, abs=2e-6)


def test_reasons_are_terms_with_shares_and_a_quote(answer: dict[str, Any]) -> None:
    for result in answer["results"]:
        (why,) = result["why"]
        assert why["shared"][0].keys() == {"term", "share"}
        assert why["quote"]


def test_without_explain_there_are_no_reasons(pagekin: Run, index: Path, url: str) -> None:
    done = pagekin("related", index, url, "--json", "-k", "3")
    assert [result["why"] for result in json.loads(done.stdout)["results"]] == [[], [], []]


def test_a_person_sees_title_address_score_and_reasons(pagekin: Run, hostile: Path) -> None:
    done = pagekin("related", hostile, "http://site/a.html", "--explain")
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout.splitlines()
    assert shown[0] == "related to http://site/a.html"
    assert shown[1].split()[0] == "1"
    assert shown[1].split()[2:] == ["Plain"]
    assert shown[2].strip() == "http://site/b.html"
    assert re.fullmatch(r"rests on (text \d+%, concepts \d+%|concepts \d+%, text \d+%)", shown[3].strip())
    assert shown[4].strip().startswith("shares ")
    assert "“swarm hive comb nectar pollen brood clover”" in done.stdout


def test_the_table_has_the_pages_of_the_json(pagekin: Run, index: Path, answer: dict[str, Any], url: str) -> None:
    shown = "".join(line.strip() for line in pagekin("related", index, url).stdout.splitlines())
    assert all(result["url"] in shown for result in answer["results"])


@pytest.mark.parametrize("options", [("--other-sites",), ("--per-site", "1"), ("--exact",), ("-k", "2")])
def test_options_reach_the_index(pagekin: Run, index: Path, url: str, options: tuple[str, ...]) -> None:
    import pagekin as library

    done = pagekin("related", index, url, "--json", *options)
    name, value = options[0].lstrip("-").replace("-", "_"), int(options[1]) if options[1:] else True
    expected = library.open(index).related(url, **{name: value})  # type: ignore[arg-type]
    assert urls(done.stdout) == [found.url for found in expected.results]


@pytest.mark.parametrize("weights", ["text=1", "concepts=1", "text=1, concepts=0.5"])
def test_weights_reach_the_index(pagekin: Run, index: Path, url: str, weights: str) -> None:
    import pagekin as library

    done = pagekin("related", index, url, "--json", "--weights", weights)
    parts = (part.split("=") for part in weights.split(", "))
    expected = library.open(index).related(url, weights={source: float(weight) for source, weight in parts})
    found = [(result["url"], result["score"]) for result in json.loads(done.stdout)["results"]]
    assert found == [(each.url, each.score) for each in expected.results]


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("fame=1", "there is no source 'fame' to be weighed; there are text, concepts, words, cocitation, links"),
        ("words=1", "has no words; build it again with --set words.dimensions=256"),
        ("text=-1", "weights must not be negative"),
        ("text=0", "at least one must be more than 0"),
        ("text=nan", "weights must not be negative"),
        ("text", "expected SOURCE=NUMBER, such as text=1,concepts=0.5"),
    ],
)
def test_wrong_weights_are_answered_with_right_ones(pagekin: Run, hostile: Path, weights: str, said: str) -> None:
    done = pagekin("related", hostile, "http://site/a.html", "--weights", weights)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


# --- questions


def test_a_file_standard_input_and_its_words_are_asked_alike(pagekin: Run, hostile: Path, tmp_path: Path) -> None:
    page = tmp_path / "question.html"
    page.write_text(BEES, "utf-8")
    command = [*PAGEKIN, "related", str(hostile), "-", "--json"]
    piped = subprocess.run(command, input=BEES.encode(), capture_output=True, check=True)
    by_file = pagekin("related", hostile, page, "--json")
    by_text = pagekin("related", hostile, "--text", BEES.removeprefix("<p>"), "--json")
    assert urls(by_file.stdout) == urls(piped.stdout.decode()) == urls(by_text.stdout) != []


def test_a_page_can_be_asked_for_without_its_scheme(pagekin: Run, hostile: Path) -> None:
    assert urls(pagekin("related", hostile, "site/b.html", "--json").stdout) == ["http://site/a.html"]


# --- no answer


def test_an_unknown_page_is_answered_with_the_nearest_and_status_1(pagekin: Run, hostile: Path) -> None:
    done = pagekin("related", hostile, "http://site/c.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "pagekin: http://site/c.html is not in this index; the nearest that are: http://site/"
    )


@pytest.mark.parametrize("text", ["", "qwertz", "the"])
def test_if_nothing_is_related_the_status_is_1(pagekin: Run, hostile: Path, text: str) -> None:
    done = pagekin("related", hostile, "--text", text, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["results"] == []
    assert done.stderr == "pagekin: no page of this index is related to it\n"


@pytest.mark.parametrize(
    "arguments",
    [(), ("http://site/", "--text", "bees"), ("http://site/", "-k", "0"), ("http://site/", "--per-site", "0"),
     ("http://site/", "-k", "many"), ("http://site/", "--nothing"), ("http://site/", "http://site/b.html")],
)  # fmt: skip
def test_wrong_use_is_status_2(pagekin: Run, hostile: Path, arguments: tuple[str, ...]) -> None:
    done = pagekin("related", hostile, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_no_index_is_status_2(pagekin: Run, tmp_path: Path) -> None:
    done = pagekin("related", tmp_path / "nothing.kin", "http://site/")
    assert done.returncode == 2
    assert "make one with: pagekin build" in done.stderr


# --- titles that would change the terminal


def test_a_title_is_shown_as_it_is_written_but_for_what_a_terminal_obeys(pagekin: Run, hostile: Path) -> None:
    shown = pagekin("related", hostile, "http://site/b.html", "--explain").stdout
    assert "[31m[bold]Red[/bold] :bee:  5n" in shown
    assert "[/] end" in shown
    assert not {*"\x1b\x9b\x07\u202e"} & {*shown}


def test_not_even_in_colour_an_escape_of_the_title_is_sent(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    command = [*PAGEKIN, "related", str(hostile), "http://site/b.html"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "\x1b[1m" in shown
    assert "\x1b[31m" not in shown


def test_the_json_has_the_title_as_it_is(pagekin: Run, hostile: Path) -> None:
    done = pagekin("related", hostile, "http://site/b.html", "--json")
    assert json.loads(done.stdout)["results"][0]["title"] == TITLE
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(("pages", "counted"), [(1, "1 page of sites"), (1033, "1,033 pages of sites")])
def test_it_is_told_how_many_pages_were_left_out_for_where_links_lead(pages: int, counted: str) -> None:
    assert _strangers(pages).plain.startswith(f"left out: {counted} that link to one another")
