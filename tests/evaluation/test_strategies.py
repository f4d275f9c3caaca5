"""The strategies of the paper's figures, and those of a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from pagekin.errors import SettingsError
from pagekin.evaluation.strategies import (
    BEYOND,
    CITATIONS,
    PAPER,
    SHARES,
    Contender,
    Figure,
    changed,
    own_contenders,
    read_contenders,
    settled_contender,
    swept,
)
from pagekin.settings import ConceptSettings, LinkSettings, Settings, Strategy, read_settings

FIGURES = (*PAPER, *BEYOND)
titles = [figure.title for figure in FIGURES]


def figure(number: int) -> Figure:
    return next(each for each in PAPER if each.title.startswith(f"Figure {number}:"))


def labels(each: Figure) -> set[str]:
    return {bar.label for bar in each.bars}


def differing(each: Figure) -> set[str]:
    """The fields in which the bars of a figure are not all the same."""
    strategies = [bar.contender.strategy for bar in each.bars]
    return {f.name for f in fields(Strategy) if len({getattr(strategy, f.name) for strategy in strategies}) > 1}


@pytest.mark.parametrize("share", SHARES)
def test_a_change_of_the_share_leaves_the_strategy_and_the_other_way_round(share: str) -> None:
    mixed = changed(Contender(), {share: 0.5})
    assert mixed == replace(Contender(), **{share: 0.5})
    assert changed(mixed, {"numbers": True}) == replace(mixed, strategy=Strategy(numbers=True))


def test_a_change_of_the_vectors_leaves_the_rest() -> None:
    start = Contender(Strategy(links=1.0), 0.15, concepts=0.3)
    found = changed(start, {"concepts.links": 0.0, "concepts.dimensions": 30})
    assert found == Contender(start.strategy, 0.15, concepts=0.3, vectors=ConceptSettings(dimensions=30, links=0.0))


# --- settings -----------------------------------------------------------------------------------------------


def test_the_settings_say_how_is_ranked() -> None:
    found = settled_contender(read_settings(None, ["strategy.window=8", "similarity.cosine=0.2", "concepts.links=1"]))
    vectors = ConceptSettings(links=1.0)
    shares = {"concepts": 0.3, "cocitation": 0.05, "linked": 0.15}
    assert found == Contender(Strategy(window="8"), 0.2, **shares, vectors=vectors)


def test_the_defaults_have_a_share_of_concepts_cocitation_and_links_and_none_of_words_and_authority() -> None:
    shares = {"concepts": 0.3, "words": 0.0, "cocitation": 0.05, "linked": 0.15, "authority": 0.0}
    assert settled_contender(Settings()) == Contender(Strategy(), 0.15, **shares)


@pytest.mark.parametrize("share", ["concepts", "words"])
def test_what_was_not_made_has_no_share(share: str) -> None:
    some = [f"similarity.{share}=0.5", f"{share}.dimensions=10"]
    assert getattr(settled_contender(read_settings(None, some)), share) == 0.5
    assert getattr(settled_contender(read_settings(None, [*some, f"{share}.dimensions=0"])), share) == 0.0


def test_links_that_were_not_made_have_no_share() -> None:
    some = ["similarity.linked=0.5", "similarity.authority=0.1"]
    found, without = (settled_contender(read_settings(None, given)) for given in (some, [*some, "links.neighbours=0"]))
    assert (found.linked, found.authority) == (0.5, 0.1)
    assert (without.linked, without.authority) == (0.0, 0.0)


def test_the_sources_of_a_blend_come_after_it_each_alone() -> None:
    blend, *alone = own_contenders(Settings())
    assert blend == settled_contender(Settings())
    nothing = changed(blend, {"concepts": 0.0, "cocitation": 0.0, "linked": 0.0})
    shares = ("concepts", "cocitation", "linked")
    assert alone == [nothing, *(changed(nothing, {share: 1.0}) for share in shares)]
    assert [each.text for each in alone] == [1.0, 0.0, 0.0, 0.0]


def test_what_has_no_share_is_not_among_the_sources_of_a_blend() -> None:
    all_but_text = ["similarity.concepts=0.75", "similarity.cocitation=0", "similarity.linked=0.25"]
    _, *alone = own_contenders(read_settings(None, all_but_text))
    assert [(each.concepts, each.linked) for each in alone] == [(1.0, 0.0), (0.0, 1.0)]


def test_a_blend_of_one_source_is_tried_once() -> None:
    text_alone = [f"similarity.{share}=0" for share in ("concepts", "cocitation", "linked")]
    settings = read_settings(None, text_alone)
    assert own_contenders(settings) == [settled_contender(settings)]


# --- names --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("contender", "rest"),
    [
        (Contender(), ""),
        (Contender(cosine=0.15, concepts=0.3), " +0.15*cosine +0.3*concepts"),
        (Contender(concepts=0.3, words=0.1), " +0.3*concepts +0.1*words"),
        (Contender(concepts=0.3, vectors=ConceptSettings(dimensions=30)), " +0.3*concepts dimensions=30"),
        (Contender(vectors=ConceptSettings(dimensions=30)), ""),  # nothing is made of them
        (Contender(linked=0.15, authority=0.05), " +0.15*links +0.05*authority"),
        (Contender(linked=0.15, linking=LinkSettings(itself=0.0)), " +0.15*links itself=0.0"),
        (Contender(linking=LinkSettings(itself=0.0)), ""),
    ],
)
def test_a_name_says_what_has_a_share(contender: Contender, rest: str) -> None:
    assert contender.name == Strategy().name + rest


def test_concepts_or_words_alone_are_those_of_a_strategy() -> None:
    alone = Contender(concepts=1.0, vectors=ConceptSettings(links=0.0))
    assert alone.name == f"concepts of {Strategy().name} links=0.0"
    assert Contender(words=1.0).name == f"words of {Strategy().name}"


# --- figures ------------------------------------------------------------------------------------------------


def test_the_figures_are_those_of_the_paper() -> None:
    assert [each.title.partition(":")[0] for each in PAPER] == [f"Figure {number}" for number in (3, 4, 5, 6, 7, 9)]


@pytest.mark.parametrize("number", [3, 4])
def test_figures_3_and_4_have_every_representation(number: int) -> None:
    windows = {f"window {width}" for width in (0, 4, 8, 16, 32)}
    assert labels(figure(number)) == windows | {"syntactic", "topical", "links", "content"}


@pytest.mark.parametrize("window", ["0", "4", "8", "16", "32", "syntactic", "topical"])
def test_a_window_has_the_width_of_its_label(window: str) -> None:
    strategy = figure(3).contender(f"window {window}" if window.isdecimal() else window).strategy
    assert (strategy.window, strategy.anchors, strategy.content, strategy.links) == (window, 1.0, 0.0, 0.0)


def test_content_and_links_stand_alone_in_figure_3() -> None:
    content, links = (figure(3).contender(label).strategy for label in ("content", "links"))
    assert (content.content, content.anchors, content.links) == (1.0, 0.0, 0.0)
    assert (links.content, links.anchors, links.links) == (0.0, 0.0, 1.0)


def test_figure_4_is_about_orthogonality_and_the_others_about_siblings() -> None:
    assert {each.title[:8]: each.measure for each in PAPER if each.measure != "sibling"} == {
        "Figure 4": "orthogonality"
    }


def test_figure_5_adds_content_and_links_to_anchors_with_distance_weights() -> None:
    sources = {(s.anchors, s.content, s.links) for s in (bar.contender.strategy for bar in figure(5).bars)}
    assert {(1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.0, 1.0)} <= sources
    assert all(bar.contender.strategy.distance for bar in figure(5).bars)  # footnote 12


def test_figure_6_has_each_weight_alone_and_both() -> None:
    weights = [(bar.label, s.distance, s.frequency) for bar in figure(6).bars for s in [bar.contender.strategy]]
    assert weights == [
        ("neither", False, "none"), ("distance", True, "none"), ("frequency", False, "nmdf"), ("both", True, "nmdf"),
    ]  # fmt: skip


def test_figure_7_has_the_frequency_weights_of_the_paper() -> None:
    assert {"none", "log", "sqrt", "nmdf"} <= labels(figure(7))
    for label in ("none", "log", "sqrt", "nmdf"):
        assert figure(7).contender(label).strategy.frequency == label


def test_figure_9_has_the_ways_of_stemming() -> None:
    assert {bar.label: bar.contender.strategy.stemming for bar in figure(9).bars} == {
        "nostem": "nostem", "stopstem": "stopstem", "stem": "stem",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("number", "varied"),
    [
        (3, {"anchors", "content", "links", "window"}),
        (5, {"content", "links"}),
        (6, {"distance", "frequency"}),
        (7, {"frequency"}),
        (9, {"stemming"}),
    ],
)
def test_the_bars_of_a_figure_differ_in_what_it_is_about_alone(number: int, varied: set[str]) -> None:
    assert differing(figure(number)) == varied


def test_no_bag_of_the_paper_is_cut_short_or_mixed_with_a_cosine() -> None:
    contenders = [bar.contender for each in PAPER for bar in each.bars]
    assert {(each.strategy.bag_size, each.strategy.metric) for each in contenders} == {(0, "jaccard")}
    assert {getattr(each, share) for each in contenders for share in SHARES} == {0.0}


def test_concepts_are_compared_with_text_alone() -> None:
    concepts = next(each for each in BEYOND if each.title == "Concepts")
    default = changed(settled_contender(Settings()), {"cocitation": 0.0, "linked": 0.0})
    assert concepts.contender("concepts 0.3") == default
    assert concepts.contender("text alone") == changed(default, {"concepts": 0.0})
    for share in (0.15, 0.5):
        assert concepts.contender(f"concepts {share}") == changed(default, {"concepts": share})
    assert concepts.contender("concepts alone").concepts == 1.0
    assert concepts.contender("concepts alone, without links").vectors == ConceptSettings(links=0.0)
    assert concepts.contender("concepts alone, 30 dimensions").vectors == ConceptSettings(dimensions=30)


def test_blocks_are_compared_with_other_ways_of_reading_links() -> None:
    links = next(each for each in BEYOND if each.title.startswith("Links alone, by"))
    assert {bar.contender.citations for bar in links.bars} == set(CITATIONS)
    assert all(bar.contender.cocitation == 1.0 for bar in links.bars)
    paper = links.contender("blocks as in the paper").citing
    assert (paper.edges, paper.dynamic, paper.site_pairs) == (False, True, False)
    shares = next(each for each in BEYOND if each.title == "Co-citation in the score")
    without = changed(settled_contender(Settings()), {"cocitation": 0.0, "linked": 0.0})
    assert shares.contender("without") == without
    assert shares.contender("a twentieth") == changed(without, {"cocitation": 0.05})
    assert shares.contender("a tenth") == changed(without, {"cocitation": 0.1})


def test_links_in_the_score_are_compared_around_the_default() -> None:
    links = next(each for each in BEYOND if each.title == "Links in the score")
    default = settled_contender(Settings())
    assert links.contender("the default") == default
    for label, share in (("without", 0.0), ("a tenth", 0.1), ("a quarter", 0.25)):
        assert links.contender(label) == changed(default, {"linked": share})
    assert links.contender("links alone") == Contender(linked=1.0)
    assert links.contender("links alone, without the page itself").linking == LinkSettings(itself=0.0)
    assert links.contender("and a twentieth of authority") == changed(default, {"authority": 0.05})


def test_no_share_of_cocitation_without_a_store_of_it() -> None:
    assert settled_contender(read_settings(None, ["cocitation.pages=0"])).cocitation == 0.0


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"cocitation": 1.0}, "block co-citation"),
        ({"linked": 1.0}, "links"),
        ({"authority": 1.0}, "authority"),
        ({"linked": 1.0, "links.itself": 0.0}, "links itself=0.0"),
        ({"cocitation": 1.0, "cocitation.edges": False}, "block co-citation edges=False"),
        ({"cocitation": 1.0, "citations": "traditional", "cocitation.edges": False}, "traditional co-citation"),
        (
            {"cocitation": 0.1, "concepts": 1.0},
            "content+0.3*anchor32 stem dist nmdf jaccard +1*concepts +0.1*cocitation",
        ),
        ({"cocitation": 0.1}, "content+0.3*anchor32 stem dist nmdf jaccard +0.1*cocitation"),
        (
            {"cocitation": 0.1, "citations": "coupling"},
            "content+0.3*anchor32 stem dist nmdf jaccard +0.1*bibliographic coupling",
        ),
    ],
)
def test_the_name_says_how_links_count(given: dict[str, Any], name: str) -> None:
    assert changed(Contender(), given).name == name


def test_a_file_says_how_links_count(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text('[[strategy]]\ncocitation = 1\ncitations = "companion"\nciting = { near = 3 }\n', "utf-8")
    wanted = {"cocitation": 1.0, "citations": "companion", "cocitation.near": 3}
    assert read_contenders(path) == [changed(Contender(), wanted)]


def test_a_file_says_how_near_links_bring_pages(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("[[strategy]]\nlinked = 0.5\nauthority = 0.1\nlinking = { itself = 0 }\n", "utf-8")
    assert read_contenders(path) == [Contender(linked=0.5, authority=0.1, linking=LinkSettings(itself=0.0))]


@pytest.mark.parametrize("each", FIGURES, ids=titles)
def test_no_two_bars_of_a_figure_are_the_same(each: Figure) -> None:
    assert len(labels(each)) == len({bar.contender for bar in each.bars}) == len(each.bars)


@pytest.mark.parametrize("each", FIGURES, ids=titles)
def test_claims_are_about_bars_of_their_figure(each: Figure) -> None:
    assert {label for claim in each.claims for label in (claim.higher, claim.lower)} <= labels(each)


@pytest.mark.parametrize("each", FIGURES, ids=titles)
def test_no_claim_says_the_opposite_of_others(each: Figure) -> None:
    above = {(claim.higher, claim.lower) for claim in each.claims}
    for _ in each.bars:
        above |= {(high, low) for high, middle in above for other, low in above if middle == other}
    assert not any(high == low for high, low in above)


@pytest.mark.parametrize("each", PAPER, ids=titles[: len(PAPER)])
def test_the_paper_claims_something_in_each_of_its_figures(each: Figure) -> None:
    assert each.claims


def test_a_sweep_has_every_bar_once() -> None:
    found = swept()
    assert set(found) == {bar.contender for each in FIGURES for bar in each.bars}
    assert len(found) == len(set(found))


def test_no_two_contenders_of_a_sweep_have_one_name() -> None:
    assert [name for name, times in Counter(contender.name for contender in swept()).items() if times > 1] == []


# --- files --------------------------------------------------------------------------------------------------


def read(folder: Path, text: str) -> list[Contender]:
    (folder / "some.toml").write_text(text, "utf-8")
    return read_contenders(folder / "some.toml")


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(SettingsError) as raised:
        read(folder, text)
    return str(raised.value)


def test_strategies_are_read_from_a_file_in_their_order(tmp_path: Path) -> None:
    found = read(tmp_path, '[[strategy]]\ncontent = 1\nanchors = 0\n[[strategy]]\nwindow = "topical"\ncosine = 0.25\n')
    assert found == [Contender(Strategy(content=1.0, anchors=0.0)), Contender(Strategy(window="topical"), 0.25)]


def test_an_empty_table_is_the_default(tmp_path: Path) -> None:
    assert read(tmp_path, "[[strategy]]\n") == [Contender()]


def test_a_strategy_that_stands_twice_in_a_file_is_tried_once(tmp_path: Path) -> None:
    assert len(read(tmp_path, "[[strategy]]\nwindow = 16\n" * 2 + "[[strategy]]\nwindow = 8\n")) == 2


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("share", ["0", "1", "1.0", "0.5"])
def test_a_share_is_from_0_to_1(tmp_path: Path, name: str, share: str) -> None:
    assert read(tmp_path, f"[[strategy]]\n{name} = {share}\n") == [replace(Contender(), **{name: float(share)})]


def test_the_vectors_of_a_strategy_may_be_its_own(tmp_path: Path) -> None:
    found = read(tmp_path, "[[strategy]]\nwindow = 16\nconcepts = 0.3\nvectors = {dimensions = 30, links = 1}\n")
    vectors = ConceptSettings(dimensions=30, links=1.0)
    assert found == [Contender(Strategy(window="16"), concepts=0.3, vectors=vectors)]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("windw = 16", "there is no strategy.windw"),
        ('stemming = "porter"', "strategy.stemming cannot be 'porter': allowed are nostem, stem, stopstem"),
        ('content = "much"', "strategy.content cannot be 'much': expected float"),
        ("content = -1", "strategy.content cannot be -1.0: it must be 0 or more"),
        ('window = "wide"', "strategy.window cannot be 'wide'"),
        ("distance = 1", "strategy.distance cannot be 1: expected bool"),
        ("cosine = 1.5", "cosine cannot be 1.5: it must be from 0 to 1"),
        ("cosine = -0.1", "cosine cannot be -0.1: it must be from 0 to 1"),
        ("cosine = true", "cosine cannot be True: it must be from 0 to 1"),
        ("cosine = nan", "cosine cannot be nan: it must be from 0 to 1"),
        ('cosine = "half"', "cosine cannot be 'half': it must be from 0 to 1"),
        ("concepts = 1.5", "concepts cannot be 1.5: it must be from 0 to 1"),
        ("words = -1", "words cannot be -1: it must be from 0 to 1"),
        ("vectors = 100", "vectors cannot be 100: expected a table of settings"),
        ("vectors = {dimension = 30}", "there is no vectors.dimension; there are dimensions"),
        ("vectors = {links = -1}", "vectors.links cannot be -1.0: it must be 0 or more"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_file_and_strategy(tmp_path: Path, wrong: str, said: str) -> None:
    found = refusal(tmp_path, f"[[strategy]]\nwindow = 16\n[[strategy]]\n{wrong}\n")
    assert found.startswith(f"{tmp_path / 'some.toml'}, strategy 2: {said}")


@pytest.mark.parametrize(
    "text",
    ["", "[strategy]\nwindow = 16\n", "strategy = []\n", "strategy = [1, 2]\n", 'strategy = "x"\n'],
)
def test_a_file_without_tables_of_strategies_is_refused(tmp_path: Path, text: str) -> None:
    found = refusal(tmp_path, text)
    assert found.startswith(f"{tmp_path / 'some.toml'}: expected tables [[strategy]]")
    assert "content, anchors, links" in found
    assert found.endswith("cosine, concepts, words, cocitation, linked, authority, citations, vectors, citing, linking")


def test_a_section_that_is_no_strategy_is_refused(tmp_path: Path) -> None:
    found = refusal(tmp_path, "[[strategy]]\nwindow = 8\n[similarity]\ncosine = 0.5\n")
    assert found == (
        f"{tmp_path / 'some.toml'}: there is no section 'similarity' here; "
        "a strategy has its own cosine, concepts, words, cocitation, linked, authority"
    )


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, "[[strategy\n").startswith(f"{tmp_path / 'some.toml'}: not a TOML file")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read"):
        read_contenders(tmp_path / "none.toml")
