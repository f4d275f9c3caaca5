"""pagekin evaluate: its table, its documents, and one sentence for each mistake."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagekin.evaluation.strategies import BEYOND, PAPER, Contender, changed, own_contenders, settled_contender
from pagekin.settings import Settings, Strategy

Run = Callable[..., subprocess.CompletedProcess[str]]
DIRECTORY_MEASURES = {
    "sibling_gamma", "cousin_gamma", "unrelated_gamma", "sibling_somers_d", "cousin_somers_d", "unrelated_somers_d",
    "orthogonality", "precision_at_10",
}  # fmt: skip
RELATED_MEASURES = {"recall_at_10", "mrr", "ndcg_at_10"}
FEW = ("--sources", "50", "--workers", "1")
DEFAULT = settled_contender(Settings())


@pytest.fixture(scope="module")
def directory(sample: Path) -> Path:
    """The topics of the sample web."""
    return sample.with_name("directory.tsv")


@pytest.fixture(scope="module")
def related(directory: Path) -> Path:
    """Some pairs of pages of one topic."""
    rows = [line.split("\t") for line in directory.read_text("utf-8").splitlines()]
    first = {topic: page for page, topic in reversed(rows)}
    path = directory.with_name("related.tsv")
    path.write_text("".join(f"{page}\t{first[topic]}\n" for page, topic in rows if page != first[topic]), "utf-8")
    return path


@pytest.fixture(scope="module", autouse=True)
def compiled(pagekin: Run, index: Path, directory: Path) -> None:
    """Kernels that are on disk: the first evaluation on a machine says on standard error that it compiles them."""
    assert pagekin("evaluate", index, "--directory", directory, *FEW).returncode == 0


def answer(pagekin: Run, *arguments: str | Path) -> dict[str, Any]:
    """The JSON document of a command."""
    done = pagekin("evaluate", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def without_seconds(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in document["strategies"]]


# --- answers ------------------------------------------------------------------------------------------------


def test_a_person_gets_a_table(pagekin: Run, index: Path, directory: Path) -> None:
    done = pagekin("evaluate", index, "--directory", directory, *FEW)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in ("directory", "classes", "sources 50", "Γ", "P@10", "±"))


def test_the_names_of_strategies_can_be_read_on_a_narrow_terminal(pagekin: Run, index: Path, directory: Path) -> None:
    done = pagekin("evaluate", index, "--directory", directory, *FEW)
    assert Strategy().name.split()[0] in done.stdout


def test_the_document_has_its_keys(pagekin: Run, index: Path, directory: Path) -> None:
    document = answer(pagekin, index, "--directory", directory, *FEW)
    row = document["strategies"][0]
    assert document["directory"]["sources"] == 50
    assert row.keys() >= {"name", "seconds"} | DIRECTORY_MEASURES | RELATED_MEASURES
    assert row["name"] == DEFAULT.name


def test_missing_measures_are_null(pagekin: Run, index: Path, directory: Path) -> None:
    rows = answer(pagekin, index, "--directory", directory, *FEW)["strategies"]
    assert {row[key] for row in rows for key in RELATED_MEASURES} == {None}
    assert all(-1 <= row[key] <= 1 for row in rows for key in DIRECTORY_MEASURES)


def test_the_blend_comes_first_and_then_each_of_its_sources_alone(pagekin: Run, index: Path, directory: Path) -> None:
    rows = answer(pagekin, index, "--directory", directory, *FEW)["strategies"]
    assert [row["name"] for row in rows] == [each.name for each in own_contenders(Settings())]
    assert [row["name"] for row in rows[-2:]] == ["block co-citation", "links"]


def test_related_pages_alone_have_no_measures_of_a_directory(pagekin: Run, index: Path, related: Path) -> None:
    document = answer(pagekin, index, "--related", related, *FEW)
    row = document["strategies"][0]
    assert document["directory"] is None
    assert {each[key] for each in document["strategies"] for key in DIRECTORY_MEASURES} == {None}
    assert all(0 < row[key] <= 1 for key in RELATED_MEASURES)


def test_qrels_are_the_same_pairs(pagekin: Run, index: Path, related: Path, tmp_path: Path) -> None:
    rows = [line.split("\t") for line in related.read_text("utf-8").splitlines()]
    judged = [f"{page} 0 {other} 1\n{page} 0 {page}?unrelated 0\n" for page, other in rows]
    (tmp_path / "qrels").write_text("".join(judged), "utf-8")
    one, two = (answer(pagekin, index, "--related", path, *FEW) for path in (related, tmp_path / "qrels"))
    assert without_seconds(one) == without_seconds(two)


def test_folders_of_urls_are_a_directory(pagekin: Run, index: Path) -> None:
    document = answer(pagekin, index, "--directory", "urls", "--depth", "1", *FEW)
    assert document["directory"]["classes"] > 10
    assert document["strategies"][0]["unrelated_gamma"] > 0


def test_a_crawl_gives_what_its_index_gives(pagekin: Run, sample: Path, index: Path, directory: Path) -> None:
    one, two = (answer(pagekin, crawl, "--directory", directory, *FEW) for crawl in (sample, index))
    assert without_seconds(one) == without_seconds(two)
    assert (one["crawl"], two["crawl"]) == (sample.name, index.name)


def test_the_strategy_of_an_index_can_be_changed(pagekin: Run, index: Path, directory: Path) -> None:
    change = ("--set", "strategy.window=4", "--set", "similarity.cosine=0.5")
    row = answer(pagekin, index, "--directory", directory, *FEW, *change)["strategies"][0]
    assert row["name"] == changed(DEFAULT, {"window": "4", "cosine": 0.5}).name


def test_all_but_the_text_can_be_left_out_of_the_score(pagekin: Run, index: Path, directory: Path) -> None:
    shares = ("concepts", "cosine", "cocitation", "linked")
    change = [word for share in shares for word in ("--set", f"similarity.{share}=0")]
    (row,) = answer(pagekin, index, "--directory", directory, *FEW, *change)["strategies"]
    assert row["name"] == Contender().name


def test_strategies_of_a_file_are_compared(pagekin: Run, index: Path, directory: Path, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('[[strategy]]\nwindow = "8"\n[[strategy]]\ncosine = 0.5\n', "utf-8")
    done = pagekin("evaluate", index, "--directory", directory, *FEW, "--strategies", tmp_path / "s.toml")
    assert done.returncode == 0
    assert "Of 2 strategies, “" in " ".join(done.stdout.split())


def test_the_paper_has_every_bar(pagekin: Run, index: Path, directory: Path, tmp_path: Path) -> None:
    report = tmp_path / "deep" / "report"
    arguments = (index, "--directory", directory, *FEW, "--strategies", "paper", "--report", report)
    done = pagekin("evaluate", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, f"pagekin: the report is {report / 'index.html'}\n")
    rows = {row["name"]: row for row in json.loads(done.stdout)["strategies"]}
    bars = {bar.contender.name for figure in (*PAPER, *BEYOND) for bar in figure.bars}
    assert rows.keys() == bars
    assert all(row["sibling_gamma"] is not None for row in rows.values())
    page = (report / "index.html").read_text("utf-8")
    assert all(figure.title in page for figure in (*PAPER, *BEYOND))
    assert json.loads((report / "evaluation.json").read_text("utf-8")) == json.loads(done.stdout)


def test_a_report_is_two_files(pagekin: Run, index: Path, related: Path, tmp_path: Path) -> None:
    done = pagekin("evaluate", index, "--related", related, *FEW, "--report", tmp_path / "report")
    assert done.returncode == 0
    assert {path.name for path in (tmp_path / "report").iterdir()} == {"index.html", "evaluation.json"}


def test_a_pattern_leaves_pages_out(pagekin: Run, index: Path, directory: Path) -> None:
    site = directory.read_text("utf-8").split("/")[2]
    document = answer(pagekin, index, "--directory", directory, *FEW, "--exclude", f"*{site}*")
    assert document["directory"]["excluded"] > 3


# --- what would leak ----------------------------------------------------------------------------------------

WORDS = "alder birch cedar larch maple rowan aspen hazel linden poplar spruce willow".split()


@pytest.fixture(scope="module")
def see_also(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pages, each of which lists another that has nothing in common with it but that list."""
    folder = tmp_path_factory.mktemp("docs")
    pairs = []
    for word, other in zip(WORDS, WORDS[6:] + WORDS[:6], strict=True):
        list_ = f"<div class=see-also><ul><li><a href={other}.html>{other}</a></ul></div>"
        text = f"<title>{word}</title><p>The {word} grows by the river.{list_}"
        (folder / f"{word}.html").write_text(text, "utf-8")
        pairs.append(f"{word}.html\t{other}.html\n")
    (folder / "related.tsv").write_text("".join(pairs), "utf-8")
    return folder


def test_what_is_cut_does_not_leak(pagekin: Run, see_also: Path) -> None:
    arguments = (see_also, "--related", see_also / "related.tsv", "--workers", "1")
    whole, cut = answer(pagekin, *arguments), answer(pagekin, *arguments, "--cut", ".see-also")
    assert whole["related"] == cut["related"]
    leaked, honest = (document["strategies"][0]["mrr"] for document in (whole, cut))
    assert leaked == 1
    assert honest < 0.5


# --- mistakes -----------------------------------------------------------------------------------------------


def complaint(pagekin: Run, *arguments: str | Path) -> str:
    """The one sentence on standard error of an evaluation that ends with status 2."""
    done = pagekin("evaluate", *arguments)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "Traceback" not in done.stderr
    line = done.stderr.splitlines()[-1]
    if not done.stderr.startswith("Usage:"):
        assert done.stderr == f"{line}\n"
    return line


def test_no_truth_is_answered_with_what_to_give(pagekin: Run, index: Path) -> None:
    assert "give --directory FILE, --directory urls, or --related FILE" in complaint(pagekin, index)


@pytest.mark.parametrize("option", ["--directory", "--related"])
def test_a_truth_that_is_missing_is_named(pagekin: Run, index: Path, tmp_path: Path, option: str) -> None:
    message = complaint(pagekin, index, option, tmp_path / "missing.tsv")
    assert f"{tmp_path / 'missing.tsv'} cannot be read: No such file or directory" in message


@pytest.mark.parametrize("option", ["--directory", "--related"])
def test_a_truth_of_other_pages_is_refused_with_examples(
    pagekin: Run, index: Path, tmp_path: Path, option: str
) -> None:
    (tmp_path / "other.tsv").write_text("http://far.test/a\thttp://far.test/b\n", "utf-8")
    message = complaint(pagekin, index, option, tmp_path / "other.tsv")
    assert "http://far.test/" in message
    assert "speaks of pages of this crawl" in message


def test_what_cannot_be_cut_any_more_is_refused(pagekin: Run, index: Path, directory: Path) -> None:
    message = complaint(pagekin, index, "--directory", directory, "--cut", "ul")
    assert f"{index} is an index, whose pages have been read" in message
    assert "give the crawl files in its place" in message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[strategy]]\nwinow = "8"\n', "strategy 1: there is no strategy.winow; there are content"),
        ("[[strategy]]\ncosine = 2\n", "cosine cannot be 2: it must be from 0 to 1"),
        ('[[strategy]]\nfrequency = "often"\n', "strategy.frequency cannot be 'often': allowed are none, log"),
        ('[strategy]\nwindow = "8"\n', "expected tables [[strategy]]"),
        ("", "expected tables [[strategy]]"),
        ("page\tclass\n", "not a TOML file"),
    ],
)
def test_wrong_strategies_are_named(
    pagekin: Run, index: Path, directory: Path, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "s.toml").write_text(text, "utf-8")
    message = complaint(pagekin, index, "--directory", directory, "--strategies", tmp_path / "s.toml")
    assert str(tmp_path / "s.toml") in message
    assert said in message


def test_strategies_that_are_missing_are_named(pagekin: Run, index: Path, directory: Path) -> None:
    message = complaint(pagekin, index, "--directory", directory, "--strategies", "papers")
    assert "papers: cannot be read: No such file" in message


@pytest.mark.parametrize(
    ("depth", "said"),
    [
        ("0", "0 is not in the range"),
        ("101", "pass a --depth from 1 to 100"),
        ("9", "are not that deep"),
        ("deep", "is not a valid integer"),
    ],
)
def test_a_wrong_depth_is_answered_with_right_ones(
    pagekin: Run, index: Path, directory: Path, depth: str, said: str
) -> None:
    assert said in complaint(pagekin, index, "--directory", directory, "--depth", depth)


def test_an_index_that_is_missing_is_named(pagekin: Run, index: Path, directory: Path) -> None:
    missing = index.with_name("missing.kin")
    assert complaint(pagekin, missing, "--directory", directory) == f"pagekin: {missing}: no such file or folder"


@pytest.mark.parametrize("name", ["manifest.json", "pages/part-000000.parquet", "urls/part-000000.parquet"])
def test_a_damaged_index_is_named(pagekin: Run, index: Path, directory: Path, tmp_path: Path, name: str) -> None:
    damaged = tmp_path / "a.kin"
    shutil.copytree(index, damaged)
    (damaged / name).write_bytes((damaged / name).read_bytes()[:-20])
    message = complaint(pagekin, damaged, "--directory", directory)
    assert f"{damaged / name} is damaged" in message
    assert "build the index again" in message


def test_an_index_without_its_manifest_is_named(pagekin: Run, index: Path, directory: Path, tmp_path: Path) -> None:
    shutil.copytree(index, tmp_path / "a.kin")
    (tmp_path / "a.kin" / "manifest.json").unlink()
    message = complaint(pagekin, tmp_path / "a.kin", "--directory", directory)
    assert str(tmp_path / "a.kin") in message


def test_a_second_index_is_refused(pagekin: Run, index: Path, directory: Path) -> None:
    assert "index" in complaint(pagekin, index, index, "--directory", directory)


def test_a_report_where_a_file_is_is_refused(pagekin: Run, index: Path, directory: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("dear diary", "utf-8")
    message = complaint(pagekin, index, "--directory", directory, *FEW, "--report", tmp_path / "file")
    assert str(tmp_path / "file") in message
    assert (tmp_path / "file").read_text("utf-8") == "dear diary"
