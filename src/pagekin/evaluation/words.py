"""What an evaluation found, in plain words: which strategy is best, how sure that is, what helped and what hurt.

The same sentences stand at the top of the report and in the terminal. A difference that chance brings about more
often than one time in twenty is called a difference that cannot be told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pagekin.evaluation.results import MEASURES, Comparison, Estimate, Evaluation, Measure, Outcome
from pagekin.evaluation.strategies import BEYOND, PAPER, Claim, Contender, Figure

Compare = Callable[[Contender, Contender, str], Comparison]

SURE = 0.05  # the largest p-value of a difference that can be told
MOST_EFFECTS = 3  # how many of those that helped, and of those that hurt, are told
MOST_WARNINGS = 3
NEGLIGIBLE = 0.0005  # a difference that three digits do not show, however sure it is
FEW_PAIRS = 0.5  # a strategy that orders a smaller share of the pairs is sparse
MUCH_HIGHER = 0.1  # Γ is misleading only if it is this much above D

AGREES, DISAGREES, UNTOLD = "agrees", "does not agree", "cannot be told"

# What a figure may be drawn by, in the order in which they are wanted: the paper's measure and its cautious twin.
_DRAWN_BY = (
    ("sibling_gamma", "sibling_somers_d"),
    ("unrelated_gamma", "unrelated_somers_d"),  # a directory of depth 1 has no siblings
    ("ndcg_at_10",),
)


@dataclass(frozen=True)
class Effect:
    """One change of a strategy, from one bar of a figure to another, as the subject of a sentence."""

    figure: str
    before: str
    after: str
    change: str


_REPRESENTATIONS, _, _HYBRIDS, _WEIGHTS, _FREQUENCIES, _STEMMING = (figure.title for figure in PAPER)
_CONTENT, _LINKS, _TEMPLATES, _SIZES, _BLENDS, _CONCEPTS, _CITATIONS, _CITED, _LINKED = (
    figure.title for figure in BEYOND
)

EFFECTS = (
    Effect(
        _REPRESENTATIONS, "window 0", "window 32", "Widening anchor windows from the anchor alone to 32 words a side"
    ),
    Effect(
        _REPRESENTATIONS,
        "window 32",
        "syntactic",
        "Cutting anchor windows at sentences and paragraphs instead of at 32 words",
    ),
    Effect(
        _REPRESENTATIONS,
        "window 32",
        "topical",
        "Cutting anchor windows where the topic seems to end instead of at 32 words",
    ),
    Effect(_REPRESENTATIONS, "window 32", "content", "Taking the page's own words instead of its anchor windows"),
    Effect(_REPRESENTATIONS, "window 32", "links", "Taking the linking pages instead of the words around their links"),
    Effect(_HYBRIDS, "anchors", "anchors and content", "Adding the page's own words to its anchor windows"),
    Effect(_HYBRIDS, "anchors", "anchors and links", "Adding the linking pages to the anchor windows"),
    Effect(_WEIGHTS, "neither", "distance", "Counting words less the farther they stand from the anchor"),
    Effect(_WEIGHTS, "neither", "frequency", "Counting words less that are in too many or too few bags"),
    Effect(_FREQUENCIES, "sqrt", "nmdf", "Weighing terms by nmdf instead of sqrt"),
    Effect(_STEMMING, "nostem", "stem", "Making the forms of a word one term"),
    Effect(_CONTENT, "none", "tf-idf", "Weighing the page's own words by tf-idf"),
    Effect(_CONTENT, "tf-idf", "tf-idf cosine", "Comparing the page's own words by the cosine instead of the Jaccard"),
    Effect(_LINKS, "jaccard", "cosine", "Comparing linking pages by the cosine instead of the Jaccard"),
    Effect(_TEMPLATES, "kept", "left out", "Leaving out the text that a site repeats"),
    Effect(_TEMPLATES, "left out", "left out but for its links", "Counting the links in the text that a site repeats"),
    Effect(_SIZES, "all", "heaviest 40", "Keeping only the 40 heaviest terms of a page"),
    Effect(_SIZES, "all", "heaviest 160", "Keeping only the 160 heaviest terms of a page"),
    Effect(_BLENDS, "none", "a half", "Making the cosine of tf-idf a half of the score"),
    Effect(_BLENDS, "none", "cosine alone", "Ranking by the cosine of tf-idf alone"),
    Effect(_CONCEPTS, "text alone", "concepts 0.3", "Making concepts a part of the score"),
    Effect(_CONCEPTS, "text alone", "concepts alone", "Ranking by concepts alone"),
    Effect(_CITATIONS, "traditional co-citation", "block co-citation", "Pairing the links of a block, not of a page"),
    Effect(_CITATIONS, "block co-citation", "whole pages as blocks", "Taking all links of a page for one block"),
    Effect(_CITATIONS, "block co-citation", "citing sites by authority", "Weighing citing sites by their PageRank"),
    Effect(_CITATIONS, "block co-citation", "blocks as in the paper", "Making and pairing blocks as the paper says"),
    Effect(_CITATIONS, "mirrors apart", "block co-citation", "Taking copies and mirrored hosts for one"),
    Effect(_CITED, "without", "a tenth", "Making block co-citation a tenth of the score"),
    Effect(_LINKED, "without", "the default", "Counting links, templates aside, as 0.15 of the score"),
)


@dataclass(frozen=True)
class Judged:
    """A claim of the paper and what was found here: by the measure of the figure, and by its cautious twin."""

    claim: Claim
    found: Comparison
    cautious: Comparison | None = None


def number(value: float, signed: bool = False) -> str:
    """A value with three decimals and a real minus.

    >>> number(-0.0523), number(0.0523, signed=True), number(-0.0001)
    ('−0.052', '+0.052', '0.000')
    """
    text = f"{abs(value):.3f}"
    if float(text) == 0:
        return text
    return ("−" if value < 0 else "+" if signed else "") + text


def interval(estimate: Estimate) -> str:
    """The interval of an estimate.

    >>> interval(Estimate(0.1, -0.2, 0.3))
    '−0.200 to 0.300'
    """
    return f"{number(estimate.low)} to {number(estimate.high)}"


def with_interval(estimate: Estimate) -> str:
    """A value and its interval.

    >>> with_interval(Estimate(0.1, -0.2, 0.3))
    '0.100 (−0.200 to 0.300)'
    """
    return f"{number(estimate.value)} ({interval(estimate)})"


def chance(p_value: float) -> str:
    """A p-value.

    >>> chance(0.0005), chance(0.25)
    ('p < 0.001', 'p = 0.250')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def verdict(found: Comparison) -> str:
    """Whether the first of two rankings is the higher one: agrees, does not agree, cannot be told."""
    if found.p_value > SURE or abs(found.difference.value) < NEGLIGIBLE:
        return UNTOLD
    return AGREES if found.difference.value > 0 else DISAGREES


def figure_measures(evaluation: Evaluation, figure: Figure | None = None) -> tuple[Measure, ...]:
    """What a figure is drawn by: Γ and D, nDCG@10 without a directory, or orthogonality; nothing if not measured."""
    measured = {measure.key for measure in evaluation.measured}
    wanted = (("orthogonality",),) if figure is not None and figure.measure == "orthogonality" else _DRAWN_BY
    keys = next((keys for keys in wanted if keys[0] in measured), ())
    return tuple(measure for measure in MEASURES if measure.key in keys and measure.key in measured)


def main_measure(evaluation: Evaluation) -> Measure:
    """What strategies are sorted by: D, which no strategy raises by leaving pairs tied, or nDCG@10."""
    measures = figure_measures(evaluation)
    return measures[-1] if measures else next(measure for measure in MEASURES if measure.key == "ndcg_at_10")


def best_first(evaluation: Evaluation) -> list[Outcome]:
    """The outcomes by the main measure; last those that have no value of it, all ties in the order of evaluation."""
    key = main_measure(evaluation).key
    return sorted(evaluation.outcomes, key=lambda o: (key not in o.measures, -_value(o, key)))


def drawn_bars(evaluation: Evaluation, figure: Figure) -> list[tuple[str, Outcome]]:
    """The labels and outcomes of the bars that were evaluated and measured."""
    measures = figure_measures(evaluation, figure)
    found = ((bar.label, evaluation.outcome(bar.contender)) for bar in figure.bars)
    return [(label, o) for label, o in found if o is not None and measures and measures[0].key in o.measures]


def judged_claims(evaluation: Evaluation, compare: Compare, figure: Figure) -> list[Judged]:
    """What the paper says of the bars of a figure that were evaluated, and what was found here."""
    bars = dict(drawn_bars(evaluation, figure))
    measures = figure_measures(evaluation, figure)
    claims = [claim for claim in figure.claims if claim.higher in bars and claim.lower in bars]
    return [_judged(claim, bars[claim.higher], bars[claim.lower], measures, compare) for claim in claims]


def plain_words(evaluation: Evaluation, compare: Compare) -> list[str]:
    """The results as sentences, the most important first."""
    ranked = [o for o in best_first(evaluation) if main_measure(evaluation).key in o.measures]
    if not ranked:
        return ["No strategy could be measured."]
    return [
        *_best(evaluation, ranked),
        *_runner_up(evaluation, ranked, compare),
        *_effects(evaluation, compare),
        *_claims_in_short(evaluation, compare),
        *_sparse(evaluation),
    ]


def _value(outcome: Outcome, key: str) -> float:
    return outcome.measures[key].value if key in outcome.measures else 0.0


def _judged(claim: Claim, higher: Outcome, lower: Outcome, measures: Sequence[Measure], compare: Compare) -> Judged:
    both = [m.key for m in measures if m.key in higher.measures and m.key in lower.measures]
    return Judged(claim, *(compare(higher.contender, lower.contender, key) for key in both))


def _best(evaluation: Evaluation, ranked: Sequence[Outcome]) -> list[str]:
    main, best = main_measure(evaluation), ranked[0]
    others = [m for m in reversed(figure_measures(evaluation)) if m.key in best.measures]
    values = ", ".join(f"{m.title} {with_interval(best.measures[m.key])}" for m in others)
    does = "agrees best with the directory" if main.truth == "directory" else "finds the known related pages best"
    name = f"“{best.contender.name}”"
    if len(ranked) == 1:
        return [f"One strategy was measured, {name}: {values}."]
    return [f"Of {len(ranked)} strategies, {name} {does}: {values}."]


def _runner_up(evaluation: Evaluation, ranked: Sequence[Outcome], compare: Compare) -> list[str]:
    main = main_measure(evaluation)
    for best, second in list(pairwise(ranked))[:1]:
        found = compare(best.contender, second.contender, main.key)
        much = f"{main.title} differs by {with_interval(found.difference)}, {chance(found.p_value)}"
        name = f"“{second.contender.name}”"
        if verdict(found) == UNTOLD:
            return [f"It cannot be told apart from the runner-up, {name}: {much}."]
        return [f"It is better than the runner-up, {name}: {much}."]
    return []


def _effects(evaluation: Evaluation, compare: Compare) -> list[str]:
    """What helped most, what hurt most, and what made no difference that can be told."""
    key = main_measure(evaluation).key
    found = [(effect, pair, compare(*pair, key)) for effect, pair in _tried(evaluation, key)]
    found.sort(key=lambda entry: -entry[2].difference.value)
    helped = [entry for entry in found if verdict(entry[2]) == AGREES][:MOST_EFFECTS]
    hurt = [entry for entry in found[::-1] if verdict(entry[2]) == DISAGREES][:MOST_EFFECTS]
    untold = [effect.change for effect, _, c in found if verdict(c) == UNTOLD]
    sentences = [_effect(evaluation, compare, *entry) for entry in (*helped, *hurt)]
    return sentences + ([f"No difference can be told for: {_listed(untold)}."] if untold else [])


def _tried(evaluation: Evaluation, key: str) -> list[tuple[Effect, tuple[Contender, Contender]]]:
    """The effects both of whose ends were measured, the changed strategy first."""
    figures = {figure.title: figure for figure in (*PAPER, *BEYOND)}
    measured = {outcome.contender for outcome in evaluation.outcomes if key in outcome.measures}
    ends = [(e, (figures[e.figure].contender(e.after), figures[e.figure].contender(e.before))) for e in EFFECTS]
    return [(effect, pair) for effect, pair in ends if measured.issuperset(pair)]


def _effect(
    evaluation: Evaluation, compare: Compare, effect: Effect, pair: tuple[Contender, Contender], found: Comparison
) -> str:
    main, gamma = main_measure(evaluation), figure_measures(evaluation)[0]
    sentence = f"{effect.change} {_moved(main, found)}"
    if gamma == main or any(gamma.key not in o.measures for o in map(evaluation.outcome, pair) if o):
        return f"{sentence}."
    other = compare(*pair, gamma.key)
    if verdict(other) in (UNTOLD, verdict(found)):
        return f"{sentence}."
    return f"{sentence}, and {_moved(gamma, other)}."


def _moved(measure: Measure, found: Comparison) -> str:
    """What a change did to a measure, with the size of it and no sign.

    >>> _moved(MEASURES[0], Comparison("a", "b", "sibling_gamma", Estimate(-0.2, -0.3, -0.1), 0.01))
    'lowered sibling Γ by 0.200 (0.100 to 0.300)'
    """
    d = found.difference
    if d.value < 0:
        return f"lowered {measure.title} by {with_interval(Estimate(-d.value, -d.high, -d.low))}"
    return f"raised {measure.title} by {with_interval(d)}"


def _claims_in_short(evaluation: Evaluation, compare: Compare) -> list[str]:
    judged = [(figure, j) for figure in PAPER for j in judged_claims(evaluation, compare, figure)]
    if not judged:
        return []
    verdicts = [verdict(j.found) for _, j in judged]
    holds, fails, untold = (verdicts.count(v) for v in (AGREES, DISAGREES, UNTOLD))
    failed = [f"{j.claim.higher} above {j.claim.lower}, {figure.title.partition(':')[0].lower()}"
              for figure, j in judged if verdict(j.found) == DISAGREES]  # fmt: skip
    which = f" ({'; '.join(failed)})" if failed else ""
    by = figure_measures(evaluation)[0].title
    note = "" if by.endswith("Γ") else f", judged here by {by} and in the paper by Γ"
    counts = f"these results agree with {holds} and disagree with {fails}{which}; {untold} cannot be told{note}"
    return [f"Of {len(judged)} findings of Haveliwala et al. (2002), {counts}."]


def _sparse(evaluation: Evaluation) -> list[str]:
    """Warnings of strategies whose Γ is high because they leave most pairs tied."""
    measures = figure_measures(evaluation)
    if len(measures) < 2:
        return []
    gamma, cautious = measures
    both = [o for o in evaluation.outcomes if gamma.key in o.measures and cautious.key in o.measures]
    pairs = [(o, _value(o, gamma.key), _value(o, cautious.key)) for o in both]
    sparse = [(o, g, d) for o, g, d in pairs if g - d > MUCH_HIGHER and d < FEW_PAIRS * g]
    sparse.sort(key=lambda entry: entry[2] - entry[1])
    sentences = [_warning(gamma, cautious, *entry) for entry in sparse[:MOST_WARNINGS]]
    more = len(sparse) - len(sentences)
    return sentences + ([f"The same is true of {more} more: compare their Γ and D in the table."] if more else [])


def _warning(gamma: Measure, cautious: Measure, outcome: Outcome, g: float, d: float) -> str:
    share = d / g  # both have the same pairs above the line, D has all pairs below it and Γ those that are not tied
    orders = f"orders only {share:.0%} of the pairs" if share >= 0.01 else "orders hardly any pairs"
    values = f"{gamma.title} {number(g)}, {cautious.title} {number(d)}"
    return f"“{outcome.contender.name}” looks better than it is by Γ, because it {orders}: {values}."


def _listed(changes: Sequence[str]) -> str:
    return "; ".join(change[0].lower() + change[1:] for change in changes)
