"""The report: what it says, in which order, and that nothing in it is obeyed or loaded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from pagekin.evaluation.report import contrasts, kinship, report_page, write_report
from pagekin.evaluation.results import Comparison, Estimate, Evaluation, Excerpt, Outcome, Ranked, Ratio, Truths
from pagekin.evaluation.strategies import BEYOND, PAPER, Contender, swept
from pagekin.evaluation.uncertainty import comparison, estimates
from pagekin.evaluation.words import best_first

SOURCES = 200
PAIRS = 40.0  # a source has so many for each kind of kin
EVIL = "http://evil.example/<script>alert(1)</script>\u202e?a=\"'&b"

DIRECTORY = {"depth": 3, "rows": 5400, "pages": 5302, "classes": 212, "used": 4811, "not_in_crawl": 391}
RELATED = {"rows": 3000, "sources": 420, "pairs": 2890, "not_in_crawl": 55, "asked": SOURCES}

Compare = Callable[[Contender, Contender, str], Comparison]


def quality(contender: Contender) -> tuple[float, float]:
    """A Γ, and the share of the pairs that are not tied, such as strategies of that kind have."""
    s = contender.strategy
    width = min(int(s.window), 32) / 32 if s.window.isdecimal() else 0.6
    gamma = 0.30 * bool(s.content) + (0.22 + 0.12 * width) * bool(s.anchors) - 0.08 * bool(s.content and s.anchors)
    gamma += {"none": 0, "log": 0.03, "sqrt": 0.06, "tf-idf": 0.05, "nmdf": 0.065}[s.frequency]
    gamma += 0.02 * s.distance + 0.01 * (s.stemming == "stem") + 0.02 * contender.cosine - 0.05 * (not s.template_pages)
    sparse = s.links and not (s.content or s.anchors)
    return (0.71, 0.03) if sparse else (gamma - 0.04 * bool(s.links), 0.98 if s.content else 0.6 + 0.35 * width)


def fake_tally(contender: Contender, number: int) -> dict[str, Ratio]:
    """Sums for each source: sources differ much, strategies little."""
    gamma, share = quality(contender)
    luck = np.random.default_rng(1).normal(0, 0.2, SOURCES) + np.random.default_rng(number).normal(0, 0.05, SOURCES)
    tally = {}
    for kin, bonus in (("sibling", 0.0), ("cousin", 0.1), ("unrelated", 0.2)):
        above, ones = np.clip(gamma + bonus + luck, -1, 1) * share * PAIRS, np.ones(SOURCES)
        tally[f"{kin}_gamma"] = Ratio(above, share * PAIRS * ones)
        tally[f"{kin}_somers_d"] = Ratio(above, PAIRS * ones)
    for key, level in (("precision_at_10", 0.1), ("r_score_at_10", 0.3)):
        tally[key] = Ratio(np.clip(gamma * share + level + luck, 0, 2), ones)
    for key, level in (("recall_at_10", 0.0), ("mrr", 0.15), ("ndcg_at_10", 0.05)):
        tally[key] = Ratio(np.clip(gamma * share + level + luck, 0, 1), ones)
    return tally | {"orthogonality": Ratio(np.clip(1 - share + luck / 10, 0, 1), ones)}


def fake_excerpts(contender: Contender) -> tuple[Excerpt, ...]:
    good = contender.strategy.content > 0
    names = ["home/gardens/clubs_and_associations", "home/gardens/plants", "business/industries/construction"]
    ranked = [
        Ranked(rank, 0.17 - n / 50, f"http://garden{n}.example/page/{rank}.html", names[(n // 3 if good else n) % 3])
        for n, rank in enumerate((1, 2, 5, 10, 20, 50, 100))
    ]
    evil = Ranked(1, 0.5, EVIL, "<b>bold</b>/\u2067x")
    return (
        Excerpt("http://www.aabga.example/", names[0], 0.53 if good else 0.3, tuple(ranked)),
        Excerpt(EVIL, "<img src=x onerror=alert(1)>", None, (evil,)),
    )


def fake_outcome(contender: Contender, number: int, truth: str) -> Outcome:
    related = ("recall_at_10", "mrr", "ndcg_at_10")
    tally = {
        k: r
        for k, r in fake_tally(contender, number).items()
        if truth == "both" or (k in related) != (truth == "directory")
    }
    return Outcome(contender, estimates(tally, 1), fake_excerpts(contender), tally, 1.5 + number / 10)


def fake_evaluation(truth: str = "directory", contenders: list[Contender] | None = None) -> Evaluation:
    """An evaluation by a directory, by related pages, or by both."""
    outcomes = tuple(fake_outcome(c, n, truth) for n, c in enumerate(contenders or swept()))
    truths = Truths(DIRECTORY if truth != "related" else None, RELATED if truth != "directory" else None)
    return Evaluation(f"schools {EVIL}", truths, 5302, 1, outcomes)


def comparing(evaluation: Evaluation) -> Compare:
    def compare(first: Contender, second: Contender, measure: str) -> Comparison:
        a, b = evaluation.outcome(first), evaluation.outcome(second)
        assert a is not None and b is not None
        return comparison((first.name, second.name), measure, (a.tally, b.tally), 1)

    return compare


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return fake_evaluation()


@pytest.fixture(scope="module")
def page(evaluation: Evaluation) -> str:
    return report_page(evaluation, comparing(evaluation))


def charts(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def chart(page: str, title: str) -> ElementTree.Element:
    return next(svg for svg in charts(page) if svg[0].text == title)


def text_of(html: str) -> str:
    """What a person reads."""
    parts: list[str] = []
    parser = HTMLParser()
    parser.handle_data = parts.append  # type: ignore[method-assign]
    parser.feed(re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", html, flags=re.DOTALL))
    return " ".join(" ".join(parts).split())


class Elements(HTMLParser):
    """All elements of a page, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_a_report_is_a_page_and_a_document(tmp_path: Path, evaluation: Evaluation, page: str) -> None:
    path = write_report(evaluation, comparing(evaluation), tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "index.html"
    assert path.read_bytes().decode("utf-8") == page
    assert json.loads((path.parent / "evaluation.json").read_text("utf-8")) == evaluation.document()


def test_the_same_results_give_the_same_page(evaluation: Evaluation, page: str) -> None:
    assert report_page(evaluation, comparing(evaluation)) == page


def test_nothing_is_loaded_and_nothing_runs(page: str) -> None:
    for tag, attributes in Elements(page).found:
        assert tag not in {"script", "link", "iframe", "object", "embed", "img", "base", "form"}
        assert not {"src", "href", "srcset", "action", "style"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None and "url(" not in style[1] and "@import" not in style[1]


def test_what_a_crawl_says_is_escaped_and_loses_what_is_obeyed(page: str) -> None:
    assert "http://evil.example/<script>alert(1)</script> ?a=\"'&b" in text_of(page)
    assert "<img src=x onerror=alert(1)>" in text_of(page)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f]", page)


def test_elements_are_closed(page: str) -> None:
    for tag in ("div", "table", "tr", "td", "th", "section", "figure", "ul", "li", "small", "svg", "span", "p"):
        assert len(re.findall(rf"<{tag}[ >]", page)) == page.count(f"</{tag}>"), tag


def test_ids_are_the_only_ones(page: str) -> None:
    ids = [attributes["id"] for _, attributes in Elements(page).found if "id" in attributes]
    assert ids and len(ids) == len(set(ids))


def test_strategies_stand_in_the_order_of_the_main_measure(evaluation: Evaluation, page: str) -> None:
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    names = re.findall(r'<th scope="row">(.*?)</th>', body)
    assert names == [outcome.contender.name for outcome in best_first(evaluation)]
    shown = [float(v.replace("−", "-")) for v in re.findall(r'<td class="main">(.*?)<small>', body)]
    assert shown == sorted(shown, reverse=True) and len(shown) == len(evaluation.outcomes)


def test_the_table_has_every_value_and_its_interval_the_main_measure_first() -> None:
    contender = swept()[0]
    values = {"sibling_gamma": Estimate(0.1234, 0.1, 0.2), "sibling_somers_d": Estimate(-0.5, -0.6, -0.4)}
    only = Evaluation("c", Truths({}, None), 1, 1, (Outcome(contender, values, (), {}, 2.0),))
    read = text_of(report_page(only, comparing(only)))
    assert f"{contender.name} −0.500 −0.600 to −0.400 0.123 0.100 to 0.200 2.0" in read


def test_facts_are_in_plain_words(page: str) -> None:
    read = text_of(page)
    assert "Judged by a directory levels of categories 3" in read
    assert "pages used 4,811" in read and "source pages for the directory 200" in read and "seed 1" in read


def test_all_figures_are_drawn(page: str) -> None:
    titles = [svg[0].text for svg in charts(page)]
    assert titles == [figure.title for figure in (*PAPER, *BEYOND)]
    assert len(titles) == 15


def test_a_figure_needs_two_bars(evaluation: Evaluation) -> None:
    hybrids = PAPER[2]
    some = fake_evaluation(contenders=[hybrids.bars[0].contender, hybrids.bars[1].contender])
    assert [svg[0].text for svg in charts(report_page(some, comparing(some)))] == [hybrids.title]
    one = fake_evaluation(contenders=[hybrids.bars[0].contender])
    assert charts(report_page(one, comparing(one))) == []


def test_figures_show_gamma_and_d_and_orthogonality_alone(page: str) -> None:
    classes = {rect.get("class") for rect in chart(page, PAPER[0].title).iter("{http://www.w3.org/2000/svg}rect")}
    assert classes == {"bar series0", "bar series1"}
    classes = {rect.get("class") for rect in chart(page, PAPER[1].title).iter("{http://www.w3.org/2000/svg}rect")}
    assert classes == {"bar series0"}


def hybrids_with(p_value: float, **gammas: float) -> str:
    """What is read below figure 5, if its bars have these Γ, and D of the other sign."""
    found = fake_evaluation(contenders=[bar.contender for bar in PAPER[2].bars])
    values = {PAPER[2].contender(label.replace("_", " ")): value for label, value in gammas.items()}

    def measured(o: Outcome) -> Outcome:
        g = values[o.contender]
        return replace(o, measures={"sibling_gamma": Estimate(g, g, g), "sibling_somers_d": Estimate(-g, -g, -g)})

    found = replace(found, outcomes=tuple(measured(o) for o in found.outcomes if o.contender in values))

    def compare(first: Contender, second: Contender, measure: str) -> Comparison:
        sign = 1 if measure == "sibling_gamma" else -1
        value = sign * (values[first] - values[second])
        return Comparison(first.name, second.name, measure, Estimate(value, value - 0.01, value + 0.01), p_value)

    page = report_page(found, compare)
    return text_of(page[page.index('<ul class="claims">') :])


def test_a_claim_that_holds_agrees() -> None:
    read = hybrids_with(0.0005, anchors=0.4, anchors_and_content=0.453)
    assert "✓ agrees · anchors and content above anchors: +0.053 (0.043 to 0.063), p < 0.001" in read
    assert "; by D: does not agree, −0.053 (−0.063 to −0.043), p < 0.001" in read


def test_a_claim_that_is_reversed_does_not_agree() -> None:
    read = hybrids_with(0.02, anchors=0.4, anchors_and_content=0.3)
    assert "✗ does not agree · anchors and content above anchors: −0.100 (−0.110 to −0.090), p = 0.020" in read


def test_a_claim_that_may_be_chance_cannot_be_told() -> None:
    read = hybrids_with(0.4, anchors=0.4, anchors_and_content=0.453)
    assert "? cannot be told · anchors and content above anchors: +0.053 (0.043 to 0.063), p = 0.400" in read
    assert "by D" not in read


def test_without_a_directory_figures_and_claims_are_by_ndcg() -> None:
    related = fake_evaluation("related")
    page = report_page(related, comparing(related))
    assert "There is no directory here: findings are judged by nDCG@10, those of the paper by sibling Γ." in text_of(
        page
    )
    assert PAPER[1].title not in page
    assert "nDCG@10" in [t.text for t in chart(page, PAPER[0].title).iter("{http://www.w3.org/2000/svg}text")]
    assert "source pages for the related pages 200" in text_of(page)


def test_both_truths_are_told() -> None:
    both = fake_evaluation("both")
    read = text_of(report_page(both, comparing(both)))
    assert "Judged by a directory" in read and "Judged by known related pages" in read
    assert "Best first, by sibling D (sibling Γ: pages of the class before pages of sibling classes; sibling D:" in read
    assert "○ another. ● a known related page" in read


def test_the_best_and_the_worst_show_the_same_sources(evaluation: Evaluation, page: str) -> None:
    ranked = best_first(evaluation)
    first, second = contrasts(evaluation)
    assert first.source == "http://www.aabga.example/" and second.source == EVIL
    names = [f"Best: {ranked[0].contender.name}", f"Worst: {ranked[-1].contender.name}"]
    assert [name for name, _ in first.sides] == names
    assert [excerpt for _, excerpt in first.sides] == [ranked[0].excerpts[0], ranked[-1].excerpts[0]]
    assert f"{names[0]} · Γ 0.530" in text_of(page)


def test_sources_that_only_one_of_them_has_are_left_out(evaluation: Evaluation) -> None:
    ranked = best_first(evaluation)
    worst = replace(ranked[-1], excerpts=ranked[-1].excerpts[1:])
    (only,) = contrasts(replace(evaluation, outcomes=(worst, ranked[0])))
    assert only.source == EVIL


def test_one_source_judged_by_two_truths_is_shown_for_both() -> None:
    two = (
        Excerpt("http://a.example/", "x/y", 0.5, ()),
        Excerpt("http://a.example/", "2 known related pages", None, ()),
    )
    outcomes = tuple(replace(o, excerpts=two) for o in fake_evaluation().outcomes[:2])
    assert [c.category for c in contrasts(replace(fake_evaluation(), outcomes=outcomes))] == [e.category for e in two]


@pytest.mark.parametrize(
    ("category", "kin"),
    [
        ("a/b/c", "same"),
        ("x/y/z; a/b/c", "same"),
        ("a/b/d", "near"),
        ("a/d/c", "other"),
        ("a/bb/d", "other"),
        ("", "other"),
    ],
)
def test_kin_are_of_the_same_category_or_of_one_beside_it(category: str, kin: str) -> None:
    assert kinship(category, "a/b/c; k/l/m") == kin


def test_categories_at_the_root_are_not_beside_each_other() -> None:
    assert kinship("a", "b") == kinship("/a", "/b") == "other"


def test_no_strategy_is_a_report_too() -> None:
    empty = Evaluation("c", Truths(None, None), 0, 1, ())
    assert "No strategy could be measured." in text_of(report_page(empty, comparing(empty)))
