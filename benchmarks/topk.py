"""What do the algorithms for top-k queries ask of their sources, and how long do they wait for sources that are slow?

    python benchmarks/topk.py
    python benchmarks/topk.py --plot docs/images
    python benchmarks/topk.py --quick

*Costs*: NRA, TA and CA over lists in memory, where a random access costs 1 to 1,000 times as much as a sorted one.
*Schedules*: other orders of accesses, beside round robin and the best candidate. *Hindsight*: what CA costs beside the
best schedule, which knows the scores before it starts; it must stay below 4m + k times as much. *Web*: TA, Upper and
their parallel forms over one source that lists documents and five that only answer, with 10 to 500 ms an answer.
*Risk*: what is saved, and what is missed, by answers that need not be certain.

All numbers are counts, or seconds of a clock that never waits: when all tasks sleep, it jumps to the next that wakes.
For algorithms that ask one question after the other, every answer takes the mean time of its source. Nothing depends on
the machine. Scores are made up; what is shown is the median of several draws, if nothing else is said. Every exact
answer is compared with that of sorting all documents; the first that differs ends the run.
"""

from __future__ import annotations

import argparse
import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, tostring

import numpy as np

from pagekin.query.top_k.algorithms import ALGORITHMS, PARALLEL_ALGORITHMS
from pagekin.query.top_k.combined import combined_algorithm
from pagekin.query.top_k.memory import MemorySource
from pagekin.query.top_k.no_random_access import no_random_access
from pagekin.query.top_k.protocol import SUM, Aggregation, Floats, Numbers, TopK, TopKQuery
from pagekin.query.top_k.random_schedules import RANDOM_SCHEDULES, two_phase_probing
from pagekin.query.top_k.remote import DelayedSource
from pagekin.query.top_k.sorted_schedules import SORTED_SCHEDULES
from pagekin.query.top_k.threshold import threshold_algorithm

K = 10
RATIOS = (1, 10, 100, 1000)
LISTS = (3, 5)


class Size(NamedTuple):
    """How much is tried."""

    documents: int
    web_documents: int
    draws: int


WHOLE, QUICK = Size(10_000, 300, 3), Size(1_000, 50, 1)


# --- scores -------------------------------------------------------------------------------------------------

Drawing = Callable[[np.random.Generator, int, int], Floats]  # [document, list]


def uniform(generator: np.random.Generator, documents: int, lists: int) -> Floats:
    """All scores alike, from 0 to 1."""
    return generator.random((documents, lists))


def gaussian(generator: np.random.Generator, documents: int, lists: int) -> Floats:
    """Most scores in the middle."""
    return np.clip(generator.normal(0.5, 0.15, (documents, lists)), 0.0, 1.0)


def falling(generator: np.random.Generator, documents: int, exponents: Sequence[float]) -> Floats:
    """One over a power of the rank, for each list another one."""
    columns = [(1.0 + generator.permutation(documents)) ** -exponent for exponent in exponents]
    return np.stack(columns, axis=1)


def zipf(generator: np.random.Generator, documents: int, lists: int) -> Floats:
    """One over the rank: few have much."""
    return falling(generator, documents, [1.0] * lists)


def correlated(generator: np.random.Generator, documents: int, lists: int) -> Floats:
    """All scores alike, but what one list has on top the others have there too (a correlation of 0.8)."""
    common, own = generator.normal(size=(documents, 1)), generator.normal(size=(documents, lists))
    ranks = (np.sqrt(0.8) * common + np.sqrt(0.2) * own).argsort(axis=0).argsort(axis=0)
    return np.asarray((ranks + 1) / documents)


def unlike(generator: np.random.Generator, documents: int, lists: int) -> Floats:
    """One over powers of the rank: the first list hardly falls, the last one fast."""
    return falling(generator, documents, np.linspace(0.2, 1.2, lists).tolist())


def mixed(generator: np.random.Generator, documents: int, lists: int) -> Floats:
    """A uniform, a Gaussian and a Zipf list in turns."""
    kinds = (uniform, gaussian, zipf)
    return np.hstack([kinds[place % 3](generator, documents, 1) for place in range(lists)])


class Distribution(NamedTuple):
    """How scores are drawn, and how many documents are read of each list at once."""

    drawing: Drawing
    batch: int


# Where thousands are read of a list, ten at once change nothing that is told, and save most of the time.
DISTRIBUTIONS = {
    "uniform": Distribution(uniform, 10),
    "Gaussian": Distribution(gaussian, 10),
    "Zipf": Distribution(zipf, 1),
    "correlated": Distribution(correlated, 1),
}
SCHEDULED = {**{name: each.drawing for name, each in DISTRIBUTIONS.items()}, "unlike": unlike, "mixed": mixed}


# --- one query ----------------------------------------------------------------------------------------------


class Spent(NamedTuple):
    """What an answer took."""

    by_order: int
    at_random: int

    def cost(self, ratio: float) -> float:
        """With sorted accesses at 1 each."""
        return self.by_order + ratio * self.at_random


class Trial(NamedTuple):
    """A query and the scores of all documents."""

    query: TopKQuery
    scores: Floats

    def sources(self, ratio: float = 1.0) -> list[MemorySource]:
        """The lists, each of which can be read and asked."""
        columns = self.scores.T.tolist()
        return [MemorySource(f"list {n}", dict(enumerate(column)), 1.0, ratio) for n, column in enumerate(columns)]

    @property
    def best(self) -> Numbers:
        """The right answer, by sorting everything."""
        wholes = self.query.whole(self.scores)
        return np.lexsort((np.arange(len(wholes)), -wholes))[: self.query.k]

    def spent(self, found: TopK) -> Spent:
        """What an answer took, which must be the right one."""
        if found.documents.tolist() != self.best.tolist():
            raise SystemExit(f"wrong: {found.documents.tolist()} was found, {self.best.tolist()} is right")
        return spent(found)


def spent(found: TopK) -> Spent:
    """What an answer took."""
    return Spent(
        sum(accesses.by_order for accesses in found.accesses), sum(accesses.at_random for accesses in found.accesses)
    )


def trials(drawing: Drawing, lists: int, batch: int, size: Size, risk: float = 0.0) -> list[Trial]:
    """Several draws of the same kind."""
    query = TopKQuery(Aggregation(SUM, np.ones(lists)), K, batch=batch, risk=risk)
    return [Trial(query, drawing(np.random.default_rng(draw), size.documents, lists)) for draw in range(size.draws)]


# --- what is shown ------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """Rows of cells with a head."""

    title: str
    heads: Sequence[str]
    rows: list[list[str]]


class Panel(NamedTuple):
    """One diagram of a picture."""

    title: str
    across: str
    lines: dict[str, list[tuple[float, float]]]
    is_log_across: bool = True
    is_log_up: bool = True


class Report(NamedTuple):
    """What one question comes to."""

    name: str
    title: str
    tables: list[Table]
    panels: list[Panel]
    columns: int = 2  # of panels


def whole_number(value: float) -> str:
    """A number as a cell."""
    return f"{value:,.0f}"


def best_marked(values: Sequence[float], form: Callable[[float], str]) -> list[str]:
    """Cells, the least of them bold."""
    return [f"**{form(value)}**" if value == min(values) else form(value) for value in values]


# --- costs and hindsight ------------------------------------------------------------------------------------


class Compared(NamedTuple):
    """What the algorithms took in one trial, and what the best schedule would have cost, by cost ratio."""

    threshold: Spent
    no_random: Spent
    combined: dict[int, Spent]
    hindsight: dict[int, float]

    def costs(self, ratio: int) -> dict[str, float]:
        """What each algorithm costs."""
        return {
            "NRA": self.no_random.cost(ratio),
            "TA": self.threshold.cost(ratio),
            "CA": self.combined[ratio].cost(ratio),
        }


Comparison = dict[tuple[str, int], list[Compared]]  # by distribution and number of lists


def compared(trial: Trial) -> Compared:
    """All algorithms and the best schedule on one trial."""
    depths, probes = hindsight(trial.scores, trial.query.k)
    lists = trial.scores.shape[1]
    return Compared(
        trial.spent(threshold_algorithm(trial.query, trial.sources())),
        trial.spent(no_random_access(trial.query, trial.sources())),
        {ratio: trial.spent(combined_algorithm(trial.query, trial.sources(ratio))) for ratio in RATIOS},
        {ratio: float((lists * depths + ratio * probes).min()) for ratio in RATIOS},
    )


def hindsight(scores: Floats, k: int) -> tuple[Numbers, Numbers]:
    """To which depths all lists can be read, and how many random accesses then make the answer certain.

    A depth will do if no document that was not seen can be better than the k-th best; asked for are all missing scores
    of those that could be. Deeper lists show no others that could be, so that these only become fewer.
    """
    least = np.sort(scores.sum(axis=1))[-k]
    highs = -np.sort(-scores, axis=0)
    places = (-scores).argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    rows = np.arange(len(scores))
    depths, probes = [], []
    for depth in range(int((highs.sum(axis=1) <= least).argmax()) + 1, len(scores) + 1):
        known = places[rows] < depth
        best = np.where(known, scores[rows], highs[depth - 1]).sum(axis=1)
        is_open = known.any(axis=1) & (best > least)
        depths.append(depth)
        probes.append(int((~known[is_open]).sum()))
        rows = rows[is_open]
        if probes[-1] == 0:
            break
    return np.array(depths), np.array(probes)


def comparison(size: Size) -> Comparison:
    """All algorithms on all kinds of lists."""
    return {
        (name, lists): [compared(trial) for trial in trials(each.drawing, lists, each.batch, size)]
        for (name, each), lists in product(DISTRIBUTIONS.items(), LISTS)
    }


def cost_report(found: Comparison) -> Report:
    """Accesses and costs."""
    return Report("topk-costs", "Costs", [_access_table(found), _cost_table(found)], _cost_panels(found), 4)


def _access_table(found: Comparison) -> Table:
    heads = ["scores", "m", "TA", "NRA", *(f"CA, r = {ratio:,}" for ratio in RATIOS)]
    rows = []
    for (name, lists), draws in found.items():
        kinds = [[draw.threshold for draw in draws], [draw.no_random for draw in draws]]
        kinds += [[draw.combined[ratio] for draw in draws] for ratio in RATIOS]
        rows.append([name, str(lists), *map(_accesses, kinds)])
    return Table("Sorted + random accesses", heads, rows)


def _accesses(draws: list[Spent]) -> str:
    by_order, at_random = (median(column) for column in zip(*draws, strict=True))
    return f"{by_order:,.0f} + {at_random:,.0f}"


def _median_costs(draws: list[Compared], ratio: int) -> dict[str, float]:
    costs = [draw.costs(ratio) for draw in draws]
    return {name: median(each[name] for each in costs) for name in costs[0]}


def _cost_table(found: Comparison) -> Table:
    rows = []
    for ((name, lists), draws), ratio in product(found.items(), RATIOS):
        costs = list(_median_costs(draws, ratio).values())
        rows.append([name, str(lists), f"{ratio:,}", *best_marked(costs, whole_number)])
    return Table("Costs, the lowest in bold", ["scores", "m", "r", "NRA", "TA", "CA"], rows)


def _cost_panels(found: Comparison) -> list[Panel]:
    panels = []
    for lists, (key, draws) in product(LISTS, found.items()):
        if key[1] == lists:
            costs = {ratio: _median_costs(draws, ratio) for ratio in RATIOS}
            lines = {name: [(float(r), costs[r][name]) for r in RATIOS] for name in costs[1]}
            panels.append(Panel(f"{key[0]}, m = {lists}: cost", "cost ratio", lines))
    return panels


def hindsight_report(found: Comparison) -> Report:
    """What CA costs at the most, beside the best schedule."""
    most = {
        key: [max(draw.costs(ratio)["CA"] / draw.hindsight[ratio] for draw in draws) for ratio in RATIOS]
        for key, draws in found.items()
    }
    rows = [
        [name, str(lists), *(f"{value:.2f}" for value in values), str(4 * lists + K)]
        for (name, lists), values in most.items()
    ]
    heads = ["scores", "m", *(f"r = {ratio:,}" for ratio in RATIOS), "bound"]
    panels = []
    for lists in LISTS:
        lines = {name: list(zip(map(float, RATIOS), most[name, lists], strict=True)) for name, m in most if m == lists}
        lines["bound"] = [(float(ratio), 4.0 * lists + K) for ratio in RATIOS]
        panels.append(Panel(f"m = {lists}: cost of CA / best in hindsight", "cost ratio", lines))
    title = "The cost of CA by that of the best schedule in hindsight, the most of all draws"
    return Report("topk-hindsight", "Hindsight", [Table(title, heads, rows)], panels)


# --- schedules ----------------------------------------------------------------------------------------------

SCHEDULE_BATCH = 20
SCHEDULE_RATIO = 100
UNLIKE = ("uniform", "unlike", "mixed")


def schedule_report(size: Size) -> Report:
    """Schedules of sorted and of random accesses."""
    return Report("topk-schedules", "Schedules", [_sorted_table(size), _random_table(size)], [])


def _sorted_table(size: Size) -> Table:
    """Every schedule of sorted accesses, without random ones and with those of two phases."""
    made = {name: trials(SCHEDULED[name], 5, SCHEDULE_BATCH, size) for name in UNLIKE}
    costs = {
        schedule: [_no_random_cost(made[name], schedule) for name in UNLIKE]
        + [_two_phase_cost(made[name], schedule) for name in UNLIKE]
        for schedule in SORTED_SCHEDULES
    }
    title = f"Costs by the schedule of sorted accesses, m = 5; with random ones r = {SCHEDULE_RATIO}"
    heads = ["schedule", *(f"NRA, {name}" for name in UNLIKE), *(f"two-phase, {name}" for name in UNLIKE)]
    return Table(title, heads, _beside_the_first(costs))


def _no_random_cost(made: list[Trial], schedule: str) -> float:
    ways = SORTED_SCHEDULES[schedule]
    return median(trial.spent(no_random_access(trial.query, trial.sources(), ways)).cost(1) for trial in made)


def _two_phase_cost(made: list[Trial], schedule: str) -> float:
    ask = partial(combined_algorithm, sorted_schedule=SORTED_SCHEDULES[schedule], random_schedule=two_phase_probing)
    ratio = SCHEDULE_RATIO
    return median(trial.spent(ask(trial.query, trial.sources(ratio))).cost(ratio) for trial in made)


def _random_table(size: Size) -> Table:
    """Every schedule of random accesses, the lists read by round robin."""
    costs = {
        f"r = {ratio:,}, {schedule}": [
            _random_cost(trials(drawing, 5, SCHEDULE_BATCH, size), schedule, ratio) for drawing in SCHEDULED.values()
        ]
        for ratio, schedule in product(RATIOS[1:], RANDOM_SCHEDULES)
    }
    rows: list[list[str]] = []
    for start in range(0, len(costs), len(RANDOM_SCHEDULES)):
        rows += _beside_the_first(dict(list(costs.items())[start : start + len(RANDOM_SCHEDULES)]))
    return Table("Costs by the schedule of random accesses, m = 5", ["schedule", *SCHEDULED], rows)


def _random_cost(made: list[Trial], schedule: str, ratio: int) -> float:
    ask = partial(combined_algorithm, random_schedule=RANDOM_SCHEDULES[schedule])
    return median(trial.spent(ask(trial.query, trial.sources(ratio))).cost(ratio) for trial in made)


def _beside_the_first(costs: dict[str, list[float]]) -> list[list[str]]:
    """The first row as it is, the others as parts of it."""
    (first, base), *others = costs.items()
    rows = [[first, *map(whole_number, base)]]
    for name, values in others:
        rows.append([name, *(f"× {value / least:.2f}" for value, least in zip(values, base, strict=True))])
    return rows


# --- sources on the web -------------------------------------------------------------------------------------

ASKED_ONLY = 5  # sources without a list
MEAN_SECONDS = (0.02, 0.333)  # an answer takes from half as long to half as long again
WEB_K, WEB_AT_ONCE = 5, 2
WEB_KS, WEB_PROBES = (1, 5, 10, 25, 50), (1, 2, 5, 10, 20)
ONE_BY_ONE = ("TA", "typed TA", "Upper")
ON_THE_WEB = (*ONE_BY_ONE, *PARALLEL_ALGORITHMS)


class JumpingSelector(selectors.SelectSelector):
    """Waits for nobody: the time that an event loop would wait is added to a clock."""

    seconds = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is there already."""
        self.seconds += max(timeout or 0.0, 0.0)
        return super().select(0)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next task that wakes."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds by that clock."""
        return self._jumping.seconds


def timed(asking: Coroutine[object, object, TopK]) -> tuple[TopK, float]:
    """An answer, and how many seconds it took by the clock that jumps."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        found = runner.run(asking)
        return found, runner.get_loop().time()


class Web(NamedTuple):
    """What is asked of which sources."""

    drawing: Drawing = uniform
    k: int = WEB_K
    at_once: int = WEB_AT_ONCE
    list_weight: float = 0.5  # of the source that lists documents; the others share the rest
    is_list_slow: bool = False  # it is the fastest of all sources, or the slowest


class WebTrial(NamedTuple):
    """A query of sources that take their time; the first one lists documents."""

    trial: Trial
    mean_seconds: Floats
    draw: int

    def sources(self) -> list[MemorySource]:
        """The sources, whose costs are milliseconds."""
        costs = (1000 * self.mean_seconds).tolist()
        columns = [dict(enumerate(column)) for column in self.trial.scores.T.tolist()]
        first = MemorySource("listing", columns[0], costs[0], costs[0])
        return [first, *(MemorySource(f"asked {n}", columns[n], None, costs[n]) for n in range(1, len(costs)))]

    def remote_sources(self, at_once: int) -> list[DelayedSource]:
        """The same behind a line."""
        waits = np.random.default_rng(self.draw)

        def seconds(mean: float) -> float:
            return mean * float(waits.uniform(0.5, 1.5))

        means = self.mean_seconds.tolist()
        delayed = zip(self.sources(), means, strict=True)
        return [DelayedSource(source, at_once, partial(seconds, mean)) for source, mean in delayed]

    def seconds_and_accesses(self, algorithm: str, at_once: int) -> tuple[float, int]:
        """How long an answer takes, and for how many accesses."""
        query = self.trial.query
        if algorithm in ONE_BY_ONE:
            found = ALGORITHMS[algorithm](query, self.sources())
            seconds = found.cost / 1000
        else:
            found, seconds = timed(PARALLEL_ALGORITHMS[algorithm](query, self.remote_sources(at_once)))
        return seconds, sum(self.trial.spent(found))


def web_trials(web: Web, size: Size) -> Iterator[WebTrial]:
    """Several draws of scores."""
    weights = np.array([web.list_weight, *[(1 - web.list_weight) / ASKED_ONLY] * ASKED_ONLY])
    query = TopKQuery(Aggregation(SUM, weights), web.k)
    seconds = np.geomspace(*MEAN_SECONDS, 1 + ASKED_ONLY)[:: -1 if web.is_list_slow else 1]
    for draw in range(size.draws):
        scores = web.drawing(np.random.default_rng(draw), size.web_documents, 1 + ASKED_ONLY)
        yield WebTrial(Trial(query, scores), seconds, draw)


Times = dict[str, tuple[float, float]]  # seconds and accesses, by algorithm


@cache
def web_times(web: Web, size: Size) -> Times:
    """The medians of all algorithms."""
    made = list(web_trials(web, size))
    times = {}
    for name in ON_THE_WEB:
        seconds, accesses = zip(*(each.seconds_and_accesses(name, web.at_once) for each in made), strict=True)
        times[name] = median(seconds), median(accesses)
    return times


LISTING = {
    "fast, half of the weight": Web(),
    "slow, half of the weight": Web(is_list_slow=True),
    "fast, a sixth of the weight": Web(list_weight=1 / (1 + ASKED_ONLY)),
    "slow, a sixth of the weight": Web(list_weight=1 / (1 + ASKED_ONLY), is_list_slow=True),
}


def web_report(size: Size) -> Report:
    """Seconds by k, by the number of questions at once, by the scores, and by the source that lists."""
    by_k = {k: web_times(Web(k=k), size) for k in WEB_KS}
    by_probes = {at_once: web_times(Web(at_once=at_once), size) for at_once in WEB_PROBES}
    by_scores = {name: web_times(Web(each.drawing), size) for name, each in DISTRIBUTIONS.items()}
    by_list = {name: web_times(web, size) for name, web in LISTING.items()}
    probes, k = f"{WEB_AT_ONCE} questions at once", f"k = {WEB_K}"
    tables = [
        _web_table(f"Seconds (accesses) by k, {probes}", "k", by_k),
        _web_table(f"Seconds (accesses) by questions at once, {k}", "at once", by_probes),
        _web_table(f"Seconds (accesses) by scores, {k}, {probes}", "scores", by_scores),
        _web_table(f"Seconds (accesses) by the source that lists, {k}, {probes}", "list", by_list),
    ]
    panels = [
        Panel(f"Seconds, {probes}", "k", _web_lines(by_k)),
        Panel(f"Seconds, {k}", "questions at once", _web_lines(by_probes)),
    ]
    return Report("topk-web", "Web", tables, panels)


def _web_table(title: str, what: str, times: Mapping[int, Times] | Mapping[str, Times]) -> Table:
    rows = [
        [str(key), *(f"{seconds:,.1f} ({accesses:,.0f})" for seconds, accesses in row.values())]
        for key, row in times.items()
    ]
    return Table(title, [what, *ON_THE_WEB], rows)


def _web_lines(times: dict[int, Times]) -> dict[str, list[tuple[float, float]]]:
    return {name: [(float(key), row[name][0]) for key, row in times.items()] for name in ON_THE_WEB}


# --- answers that need not be certain -----------------------------------------------------------------------

RISKS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
RISK_BATCH, RISK_RATIO, RISK_LISTS = 10, 100, 3
RISKY = ("NRA", "CA")


class Risked(NamedTuple):
    """What an answer costs, and how much of the exact one it has, in the mean of all draws."""

    cost: float
    recall: float


def risked(drawing: Drawing, algorithm: str, risk: float, size: Size) -> Risked:
    """The answers of one risk."""
    costs, recalls = [], []
    for trial in trials(drawing, RISK_LISTS, RISK_BATCH, size, risk):
        found = ALGORITHMS[algorithm](trial.query, trial.sources(RISK_RATIO))
        costs.append(spent(found).cost(RISK_RATIO))
        recalls.append(len(np.intersect1d(found.documents, trial.best)) / K)
    return Risked(mean(costs), mean(recalls))


def risk_report(size: Size) -> Report:
    """Costs and recall by risk."""
    size = size._replace(documents=size.documents // 5, draws=5 * size.draws)
    found = {
        (name, algorithm): [risked(each.drawing, algorithm, risk, size) for risk in RISKS]
        for (name, each), algorithm in product(DISTRIBUTIONS.items(), RISKY)
    }
    rows = [
        [name, algorithm, *(f"{row.cost / row_0.cost:.2f} / {row.recall:.2f}" for row in rows)]
        for (name, algorithm), rows in found.items()
        for row_0 in rows[:1]
    ]
    heads = ["scores", "algorithm", *(f"risk {risk:g}" for risk in RISKS)]
    title = f"Cost by that of an exact answer / recall, m = {RISK_LISTS}, r = {RISK_RATIO}, means"
    return Report("topk-risk", "Risk", [Table(title, heads, rows)], _risk_panels(found))


def _risk_panels(found: dict[tuple[str, str], list[Risked]]) -> list[Panel]:
    panels = []
    for algorithm in RISKY:
        lines = {
            name: [(row.cost / found[name, algorithm][0].cost, row.recall) for row in found[name, algorithm]]
            for name in DISTRIBUTIONS
        }
        panels.append(Panel(f"{algorithm}: recall", "cost / that of an exact answer", lines, False, False))
    return panels


# --- print and draw -----------------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, MARGIN = 300, 230, 52, 36
COLOURS = ("#06c", "#c60", "#393", "#909", "#666")


def print_report(report: Report) -> None:
    """The tables in Markdown."""
    print(f"## {report.title}\n")
    for table in report.tables:
        print(f"{table.title}:\n")
        for row in (table.heads, ["---"] * len(table.heads), *table.rows):
            print(f"| {' | '.join(row)} |")
        print(flush=True)


def picture(report: Report) -> str:
    """The panels of a report side by side, as SVG."""
    across = min(report.columns, len(report.panels))
    down = -(-len(report.panels) // across)
    names = list(report.panels[0].lines)
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg"})
    svg.attrib |= {"viewBox": f"0 0 {across * WIDTH} {down * HEIGHT + 24}"}
    svg.attrib |= {"font-family": "sans-serif", "font-size": "11", "fill": "#333"}
    _add(svg, "rect", width="100%", height="100%", fill="white")
    for number, name in enumerate(names):
        x = LEFT + 90 * number
        _add(svg, "line", x1=x, x2=x + 16, y1=14, y2=14, stroke=COLOURS[number], stroke_width=2)
        _add(svg, "text", name, x=x + 21, y=18, fill=COLOURS[number])
    for number, panel in enumerate(report.panels):
        shift = f"translate({number % across * WIDTH},{number // across * HEIGHT + 24})"
        _draw(SubElement(svg, "g", {"transform": shift}), panel)
    return tostring(svg, "unicode")


def _add(parent: Element, tag: str, text: str = "", **attributes: str | float) -> None:
    named = {
        name.replace("_", "-"): f"{value:.1f}" if isinstance(value, float) else str(value)
        for name, value in attributes.items()
    }
    SubElement(parent, tag, named).text = text


class Axis(NamedTuple):
    """Where a value stands between two ends of a line."""

    ticks: list[float]
    is_log: bool
    start: float
    end: float

    def place(self, value: float) -> float:
        """Where a value stands."""
        low, high = self._scaled(self.ticks[0]), self._scaled(self.ticks[-1])
        return self.start + (self.end - self.start) * (self._scaled(value) - low) / (high - low)

    def _scaled(self, value: float) -> float:
        return float(np.log10(value)) if self.is_log else value


def _powers(values: list[float]) -> list[float]:
    """Powers of ten around values."""
    low, high = np.floor(np.log10(min(values))), np.ceil(np.log10(max(values)))
    return [10.0**power for power in range(int(low), int(high) + 1)]


def _tenths(values: list[float]) -> list[float]:
    """Every second tenth around values."""
    low, high = np.floor(5 * min(values)), np.ceil(5 * max(values))
    return [step / 5 for step in range(int(low), int(high) + 1)]


def _label(tick: float) -> str:
    return f"{tick / 1e6:g} M" if tick >= 1e6 else f"{tick:,.10g}"


def _draw(group: Element, panel: Panel) -> None:
    points = [point for line in panel.lines.values() for point in line]
    xs, ys = ([point[axis] for point in points] for axis in (0, 1))
    across = Axis(sorted(set(xs)) if panel.is_log_across else _tenths(xs), panel.is_log_across, LEFT, WIDTH - 18)
    up = Axis(_powers(ys) if panel.is_log_up else _tenths(ys), panel.is_log_up, HEIGHT - MARGIN, 26)
    _add(group, "text", panel.title, x=LEFT, y=16, font_size=12)
    _add(group, "text", panel.across, x=across.end, y=HEIGHT - 6, text_anchor="end")
    for tick in up.ticks:
        y = up.place(tick)
        _add(group, "line", x1=LEFT, x2=across.end, y1=y, y2=y, stroke="#ddd")
        _add(group, "text", _label(tick), x=LEFT - 5, y=y + 4, text_anchor="end")
    for tick in across.ticks:
        _add(group, "text", _label(tick), x=across.place(tick), y=HEIGHT - MARGIN + 15, text_anchor="middle")
    for colour, line in zip(COLOURS, panel.lines.values(), strict=False):
        places = [(across.place(x), up.place(y)) for x, y in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        _add(group, "polyline", points=path, fill="none", stroke=colour, stroke_width=1.5)
        for x, y in places:
            _add(group, "circle", cx=x, cy=y, r=2.5, fill=colour)


def reports(size: Size) -> Iterator[Report]:
    """All that is asked, one after the other."""
    found = comparison(size)
    yield cost_report(found)
    yield hindsight_report(found)
    yield schedule_report(size)
    yield web_report(size)
    yield risk_report(size)


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer documents and draws: a few seconds")
    parser.add_argument("--plot", type=Path, metavar="FOLDER", help="write topk-*.svg there")
    options = parser.parse_args()
    for report in reports(QUICK if options.quick else WHOLE):
        print_report(report)
        if options.plot and report.panels:
            (options.plot / f"{report.name}.svg").write_text(picture(report), "utf-8")


if __name__ == "__main__":
    main()
