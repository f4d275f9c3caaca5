"""What is said of an evaluation is what its numbers say."""

from __future__ import annotations

import pytest

from pagekin.evaluation.results import MEASURES, Comparison, Estimate, Evaluation, Outcome, Truths
from pagekin.evaluation.strategies import BEYOND, PAPER, Contender, swept
from pagekin.evaluation.words import (
    AGREES,
    DISAGREES,
    EFFECTS,
    UNTOLD,
    Compare,
    best_first,
    figure_measures,
    judged_claims,
    main_measure,
    plain_words,
    verdict,
)
from pagekin.plain_text import shown

REPRESENTATIONS, ORTHOGONALITY, HYBRIDS, *_ = PAPER
FIRST, SECOND, THIRD = swept()[:3]


def outcome(contender: Contender, **values: float) -> Outcome:
    measures = {key: Estimate(value, value - 0.01, value + 0.01) for key, value in values.items()}
    return Outcome(contender, measures, (), {}, 1.0)


def evaluation(*outcomes: Outcome) -> Evaluation:
    return Evaluation("crawl", Truths({}, {}), 10, 1, outcomes)


def comparing(found: Evaluation, p_value: float = 0.001) -> Compare:
    """The differences of the values, each as sure as is said."""

    def compare(first: Contender, second: Contender, measure: str) -> Comparison:
        a, b = found.outcome(first), found.outcome(second)
        assert a and b
        value = a.measures[measure].value - b.measures[measure].value
        return Comparison(first.name, second.name, measure, Estimate(value, value - 0.01, value + 0.01), p_value)

    return compare


def hybrids(**values: tuple[float, float]) -> Evaluation:
    """An evaluation of some bars of figure 5, each with its Γ and D."""
    pairs = [(HYBRIDS.contender(label.replace("_", " ")), pair) for label, pair in values.items()]
    return evaluation(*(outcome(c, sibling_gamma=g, sibling_somers_d=d) for c, (g, d) in pairs))


def all_words(found: Evaluation, p_value: float = 0.001) -> str:
    return "\n".join(plain_words(found, comparing(found, p_value)))


@pytest.mark.parametrize(
    ("measured", "main"),
    [
        (("sibling_gamma", "sibling_somers_d", "unrelated_gamma", "ndcg_at_10"), "sibling_somers_d"),
        (("unrelated_gamma", "unrelated_somers_d", "ndcg_at_10"), "unrelated_somers_d"),
        (("recall_at_10", "mrr", "ndcg_at_10"), "ndcg_at_10"),
        ((), "ndcg_at_10"),
    ],
)
def test_the_main_measure_is_the_finest_that_was_measured(measured: tuple[str, ...], main: str) -> None:
    assert main_measure(evaluation(outcome(FIRST, **dict.fromkeys(measured, 0.5)))).key == main


def test_the_best_comes_first_and_what_was_not_measured_last() -> None:
    outcomes = (
        outcome(FIRST, ndcg_at_10=-0.2),
        outcome(SECOND, mrr=0.9),
        outcome(THIRD, ndcg_at_10=0.3),
    )
    assert [o.contender for o in best_first(evaluation(*outcomes))] == [THIRD, FIRST, SECOND]


@pytest.mark.parametrize(
    ("difference", "p_value", "expected"),
    [(0.1, 0.01, AGREES), (-0.1, 0.01, DISAGREES), (0.1, 0.2, UNTOLD), (-0.1, 0.2, UNTOLD), (0.1, 0.05, AGREES),
     (0.0, 0.01, UNTOLD)],
)  # fmt: skip
def test_a_verdict_needs_a_sign_and_a_small_p(difference: float, p_value: float, expected: str) -> None:
    estimate = Estimate(difference, difference - 0.2, difference + 0.2)
    assert verdict(Comparison("a", "b", "mrr", estimate, p_value)) == expected


def test_claims_are_judged_by_gamma_and_by_d() -> None:
    found = hybrids(anchors_and_content=(0.5, 0.5), anchors=(0.4, 0.4), anchors_and_links=(0.6, 0.1))
    first, second = judged_claims(found, comparing(found), HYBRIDS)
    assert (first.claim.higher, first.claim.lower) == ("anchors and content", "anchors")
    assert [verdict(first.found), verdict(second.found)] == [AGREES, DISAGREES]
    assert second.cautious is not None and verdict(second.cautious) == AGREES
    assert (second.found.measure, second.cautious.measure) == ("sibling_gamma", "sibling_somers_d")


def test_a_claim_of_a_bar_that_was_not_tried_is_not_judged() -> None:
    found = hybrids(anchors=(0.4, 0.4), anchors_and_links=(0.3, 0.3))
    (only,) = judged_claims(found, comparing(found), HYBRIDS)
    assert (only.claim.higher, only.claim.lower) == ("anchors", "anchors and links")


def test_orthogonality_is_judged_by_itself_and_not_at_all_if_it_was_not_measured() -> None:
    found = evaluation(outcome(FIRST, sibling_gamma=0.1, sibling_somers_d=0.1))
    assert figure_measures(found, ORTHOGONALITY) == ()
    assert judged_claims(found, comparing(found), ORTHOGONALITY) == []
    found = evaluation(outcome(FIRST, sibling_gamma=0.1, orthogonality=0.1))
    assert [m.key for m in figure_measures(found, ORTHOGONALITY)] == ["orthogonality"]
    assert [m.key for m in figure_measures(found, REPRESENTATIONS)] == ["sibling_gamma"]


def test_the_best_strategy_is_told_with_its_interval() -> None:
    found = hybrids(anchors=(0.4, 0.39), anchors_and_content=(0.453, 0.45))
    name = HYBRIDS.contender("anchors and content").name
    values = "sibling D 0.450 (0.440 to 0.460), sibling Γ 0.453 (0.443 to 0.463)"
    expected = f"Of 2 strategies, “{name}” agrees best with the directory: {values}."
    assert plain_words(found, comparing(found))[0] == expected


def test_the_runner_up_is_worse_or_cannot_be_told_apart() -> None:
    found = hybrids(anchors=(0.4, 0.4), anchors_and_content=(0.45, 0.45))
    name = HYBRIDS.contender("anchors").name
    much = "sibling D differs by 0.050 (0.040 to 0.060), p"
    assert f"It is better than the runner-up, “{name}”: {much} = 0.050." in all_words(found, 0.05)
    assert f"It cannot be told apart from the runner-up, “{name}”: {much} = 0.051." in all_words(found, 0.051)


def test_what_helped_and_what_hurt_is_told_with_its_size() -> None:
    found = hybrids(anchors=(0.4, 0.4), anchors_and_content=(0.453, 0.453), anchors_and_links=(0.3, 0.3))
    words = all_words(found)
    assert "Adding the page's own words to its anchor windows raised sibling D by 0.053 (0.043 to 0.063)." in words
    assert "Adding the linking pages to the anchor windows lowered sibling D by 0.100 (0.090 to 0.110)." in words


def test_what_may_be_chance_neither_helped_nor_hurt() -> None:
    words = all_words(hybrids(anchors=(0.4, 0.4), anchors_and_content=(0.453, 0.453)), 0.3)
    assert "raised" not in words and "lowered" not in words
    assert "No difference can be told for: adding the page's own words to its anchor windows." in words


def test_it_is_told_if_gamma_goes_the_other_way() -> None:
    words = all_words(hybrids(anchors=(0.4, 0.4), anchors_and_links=(0.6, 0.3)))
    assert "lowered sibling D by 0.100 (0.090 to 0.110), and raised sibling Γ by 0.200 (0.190 to 0.210)." in words


def test_a_gamma_of_few_pairs_is_warned_of() -> None:
    found = hybrids(anchors=(0.71, 0.02), anchors_and_content=(0.5, 0.45))
    (warning,) = [sentence for sentence in plain_words(found, comparing(found)) if "looks better" in sentence]
    assert HYBRIDS.contender("anchors").name in warning
    assert warning.endswith("because it orders only 3% of the pairs: sibling Γ 0.710, sibling D 0.020.")


def test_findings_of_the_paper_are_counted() -> None:
    found = hybrids(anchors_and_content=(0.5, 0.5), anchors=(0.4, 0.4), anchors_and_links=(0.6, 0.6))
    failed = "anchors above anchors and links, figure 5"
    counts = f"these results agree with 1 and disagree with 1 ({failed}); 0 cannot be told"
    expected = f"Of 2 findings of Haveliwala et al. (2002), {counts}."
    assert expected in all_words(found)


def test_without_a_directory_all_is_said_by_ndcg() -> None:
    bars = {"anchors and content": 0.5, "anchors": 0.4}
    found = evaluation(*(outcome(HYBRIDS.contender(label), ndcg_at_10=v) for label, v in bars.items()))
    words = all_words(found)
    assert "finds the known related pages best: nDCG@10 0.500 (0.490 to 0.510)." in words
    assert "judged here by nDCG@10 and in the paper by Γ" in words
    assert "raised nDCG@10 by 0.100" in words


def test_one_strategy_is_not_the_best_of_many() -> None:
    (sentence,) = plain_words(found := evaluation(outcome(FIRST, ndcg_at_10=0.5)), comparing(found))
    assert sentence.startswith("One strategy was measured")


def test_nothing_measured_is_said() -> None:
    assert all_words(evaluation()) == all_words(evaluation(outcome(FIRST))) == "No strategy could be measured."


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.change)
def test_every_effect_is_between_two_bars_of_its_figure(effect: object) -> None:
    figures = {figure.title: figure for figure in (*PAPER, *BEYOND)}
    for e in (e for e in EFFECTS if e is effect):
        assert figures[e.figure].contender(e.before) != figures[e.figure].contender(e.after)


def test_what_would_be_obeyed_is_not_shown() -> None:
    assert shown("a\x00b\u202ec\u2067d\x1b[31m\ud800e\ufffe") == "a b c d [31m e"
    assert shown("Çéà 漢字 العربية") == "Çéà 漢字 العربية"


def test_the_keys_that_figures_are_drawn_by_are_measures() -> None:
    found = evaluation(outcome(FIRST, **{measure.key: 0.5 for measure in MEASURES}))
    assert [m.key for m in figure_measures(found)] == ["sibling_gamma", "sibling_somers_d"]
