"""The best strategy for a crawl, found by itself, and how sure that is."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pagekin.engines.local import LocalEngine
from pagekin.errors import SettingsError, TruthError
from pagekin.evaluation.results import MEASURES, Comparison, Estimate, Outcome
from pagekin.evaluation.search import LEAST_GAIN, axes, coordinate_search, part_of
from pagekin.evaluation.strategies import SHARES, Contender, settled_contender
from pagekin.evaluation.uncertainty import comparison, estimates, value
from pagekin.settings import Settings
from pagekin.trials.bag_maker import WORD_DIMENSIONS
from pagekin.trials.evaluate import Trial, Truth, opened_trial
from pagekin.trials.outputs import check_writable

FEWEST_SOURCES = 10
LESS_IS_BETTER = frozenset({"orthogonality"})


@dataclass(frozen=True)
class Tuned:
    """What a search found: the best, where it began, and how the two compare on sources that chose nothing."""

    best: Contender
    start: Contender
    aims: tuple[str, ...]
    values: dict[str, Estimate]  # of the best, by the key of the measure
    gains: tuple[Comparison, ...]  # of the best over the start, one for each aim
    tried: tuple[tuple[Contender, float], ...]  # with what chose, the best first
    interrupted: bool

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "best": {"name": self.best.name, **asdict(self.best)},
            "start": self.start.name,
            "measures": {key: asdict(estimate) for key, estimate in self.values.items()},
            "gains": [asdict(gain) for gain in self.gains],
            "tried": [{"name": contender.name, "value": round(chose, 6)} for contender, chose in self.tried],
            "interrupted": self.interrupted,
        }


class _Search:
    """A search in progress: what was tried, and the best of it."""

    def __init__(self, trial: Trial, aims: Sequence[str], found: Callable[[Contender], None]) -> None:
        self.trial, self.seed, self._found = trial, trial.truth.seed, found
        fewest = min(len(judge.sources) for judge in trial.judges)
        if fewest < FEWEST_SOURCES:
            raise TruthError(
                f"the truth has {fewest} source pages in this crawl; one half chooses, the other reports: that takes "
                f"at least {FEWEST_SOURCES}"
            )
        self.start = settled_contender(trial.settings)
        self.best = self.start
        self.tried: dict[Contender, float] = {}
        self.aims = tuple(aims) or _usual_aims(self._outcome(self.start))
        self._bases = {aim: self._chosen_by(self.start, aim) for aim in self.aims}

    def _outcome(self, contender: Contender) -> Outcome:
        return self.trial.outcomes([contender])[0]

    def _chosen_by(self, contender: Contender, aim: str) -> float:
        ratio = part_of(self._outcome(contender).tally, self.seed, chooses=True).get(aim)
        if ratio is None:
            known = ", ".join(self._outcome(contender).tally)
            raise SettingsError(f"--aim {aim}: this truth has no such measure; it has {known}")
        return value(ratio) or 0.0

    def values(self, contenders: Sequence[Contender]) -> list[float]:
        """What the search maximises: the average of the aims, each by its value at the start."""
        try:
            self.trial.outcomes(contenders)
        finally:  # of an interrupted axis, what was tried is kept
            for contender in self.trial.known(contenders):
                gains = [self._gain(contender, aim, base) for aim, base in self._bases.items()]
                self.tried[contender] = float(np.mean(gains))
        return [self.tried[contender] for contender in contenders]

    def _gain(self, contender: Contender, aim: str, base: float) -> float:
        sign = -1.0 if aim in LESS_IS_BETTER else 1.0
        return sign * self._chosen_by(contender, aim) / (abs(base) or 1.0)

    def found(self, contender: Contender) -> None:
        """Keep a contender that is better than all before."""
        self.best = contender
        self._found(contender)

    def tuned(self, interrupted: bool) -> Tuned:
        """What is known now, by the half of the sources that chose nothing."""
        best_tried = max(self.tried, key=lambda contender: self.tried[contender], default=self.best)
        if interrupted and self.tried.get(best_tried, 0.0) >= self.tried.get(self.best, 0.0) + LEAST_GAIN:
            self.best = best_tried  # of an axis that was not gone to its end
        outcomes = self._outcome(self.best), self._outcome(self.start)
        best, start = (part_of(outcome.tally, self.seed, chooses=False) for outcome in outcomes)
        names = (self.best.name, self.start.name)
        gains = tuple(comparison(names, aim, (best, start), self.seed) for aim in self.aims)
        tried = tuple(sorted(self.tried.items(), key=lambda pair: -pair[1]))
        return Tuned(self.best, self.start, self.aims, estimates(best, self.seed), gains, tried, interrupted)


def _usual_aims(outcome: Outcome) -> tuple[str, ...]:
    """What people want of each truth that was given: sibling D, or unrelated D if there are no siblings; nDCG."""
    wanted = (("sibling_somers_d", "unrelated_somers_d"), ("ndcg_at_10",))
    return tuple(next(key for key in keys if key in outcome.tally) for keys in wanted if set(keys) & set(outcome.tally))


def tune(
    crawl: str | Path | Sequence[str | Path],
    truth: Truth,
    out: str | Path | None = None,
    settings: Settings | None = None,
    *,
    aims: Sequence[str] = (),
    engine: LocalEngine | None = None,
) -> Tuned:
    """Search the best strategy; each that is better than all before is written to `out` at once."""
    unknown = sorted(set(aims) - {measure.key for measure in MEASURES})
    if unknown:
        known = ", ".join(measure.key for measure in MEASURES)
        raise SettingsError(f"--aim {unknown[0]}: there is no such measure; there are {known}")

    def keep(contender: Contender) -> None:
        if out is not None:
            write_settings(Path(out), contender, f"the best of those tried so far, from {trial.name}")

    if out is not None:
        check_writable(Path(out))
    with opened_trial(crawl, truth, settings, engine) as trial:
        search = _Search(trial, aims, keep)
        has_words = trial.settings.words.dimensions > 0
        along = axes(*trial.maker.mu_and_sigma(search.start.strategy), has_words=has_words)
        interrupted = False
        try:
            coordinate_search(search.start, along, search.values, search.found)
        except KeyboardInterrupt:
            interrupted = True
        tuned = search.tuned(interrupted)
    if out is not None:
        write_settings(Path(out), tuned.best, *_said(tuned))
    return tuned


def _said(tuned: Tuned) -> list[str]:
    """What a person who opens the settings file may want to know."""
    lines = [tuned.best.name, f"the best of {len(tuned.tried)} strategies, on sources that chose nothing:"]
    for gain in tuned.gains:
        best, more = tuned.values[gain.measure], gain.difference
        lines.append(
            f"{gain.measure} {best.value:.4f} ({best.low:.4f} to {best.high:.4f}), which is {more.value:+.4f} "
            f"({more.low:+.4f} to {more.high:+.4f}) against {gain.second}, p = {gain.p_value:.4f}"
        )
    return lines


def write_settings(path: Path, contender: Contender, *comments: str) -> None:
    """Write a file that `build --settings` takes, whole or not at all."""
    sections = {
        "strategy": asdict(contender.strategy),
        "similarity": {name: getattr(contender, name) for name in SHARES},
        "concepts": asdict(contender.vectors),
        "cocitation": asdict(contender.citing),
        "links": asdict(contender.linking),
        "words": {"dimensions": WORD_DIMENSIONS if contender.words else 0},
    }
    lines = [f"# {' '.join(comment.split())}" for comment in comments]
    for section, values in sections.items():
        lines += ["", f"[{section}]", *(f"{name} = {_toml(given)}" for name, given in values.items())]
    lines.append("")
    beside = path.with_name(path.name + ".tmp")
    beside.write_text("\n".join(lines), "utf-8", errors="replace")
    beside.rename(path)


def _toml(value: str | float | bool) -> str:
    """A value of a setting; what JSON writes is TOML too, but for the pairs it makes of rare characters."""
    return json.dumps(value, ensure_ascii=False)
