"""Peers are judged as pagekin is, and never by sources that chose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.engines.local import LocalEngine
from pagekin.evaluation.strategies import Contender
from pagekin.evaluation.uncertainty import value
from pagekin.sample import write_sample
from pagekin.trials.evaluate import Trial, Truth, opened_trial
from peers import own
from peers.judging import WEIGHTS, Judged, against, fused, gain, half_of, peer_scores, scaled


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    folder = tmp_path_factory.mktemp("web")
    write_sample(folder, 300)
    truth = Truth(directory=folder / "directory.tsv", sources=0)
    with opened_trial(folder / "sample.warc.gz", truth, engine=LocalEngine(1)) as found:
        yield found


def test_a_table_of_scores_is_judged_as_the_strategy_is(trial: Trial) -> None:
    judged, contender = Judged(trial.judges[0]), Contender()
    scores, _ = own.table_of(trial, judged, contender)
    found, known = judged.tally(scores), trial.outcomes([contender])[0].tally
    assert {key: value(ratio) for key, ratio in found.items()} == {key: value(ratio) for key, ratio in known.items()}


def test_the_halves_are_apart_and_make_the_whole(trial: Trial) -> None:
    judged = Judged(trial.judges[0])
    assert np.array_equal(judged.half(chooses=True), ~judged.half(chooses=False))
    scores, _ = own.table_of(trial, judged, Contender())
    reporting, whole = judged.tally(scores, chooses=False), half_of(judged.tally(scores))
    assert all(np.array_equal(reporting[key].above, whole[key].above) for key in whole)


def test_sources_are_put_back(trial: Trial) -> None:
    judged = Judged(trial.judges[0])
    before = judged.judge.sources.copy()
    judged.tally(np.zeros((len(before), len(judged.judge.pages)), np.float32), chooses=True)
    assert np.array_equal(judged.judge.sources, before)


def test_a_peer_that_knows_the_truth_gets_a_share(trial: Trial) -> None:
    judged = Judged(trial.judges[0])
    blend, _ = own.table_of(trial, judged, Contender())
    noise = np.random.default_rng(1).random(blend.shape, np.float32) * 0.01
    found = fused(judged, noise, blend)
    assert found["share"] == max(WEIGHTS)
    assert found["against_blend"]["precision_at_10"]["value"] > 0.1


def test_a_peer_that_knows_nothing_gets_none(trial: Trial) -> None:
    judged = Judged(trial.judges[0])
    blend, _ = own.table_of(trial, judged, Contender())
    found = fused(judged, blend, np.random.default_rng(1).random(blend.shape, np.float32))
    assert found["share"] == 0.0
    assert found["against_blend"]["sibling_somers_d"]["value"] == 0.0


def test_the_same_ranking_gains_nothing(trial: Trial) -> None:
    judged = Judged(trial.judges[0])
    tally = judged.tally(own.table_of(trial, judged, Contender())[0])
    assert gain(tally, tally) == pytest.approx(1.0)
    assert against(tally, tally)["sibling_gamma"] == {"value": 0.0, "low": 0.0, "high": 0.0, "p": 1.0}


def test_scores_above_one_are_divided_by_the_best_of_their_row() -> None:
    scores = np.array([[10.0, 5.0], [0.5, 0.2]], np.float32)
    assert scaled(scores).tolist() == [[1.0, 0.5], [0.5, pytest.approx(0.2)]]


def test_scores_of_a_peer_are_put_to_the_pages_that_are_judged(tmp_path: Path, trial: Trial) -> None:
    judge = trial.judges[0]
    pages = np.concatenate([judge.pages[1:], [judge.pages[-1] + 1]])  # the first is unknown to the peer
    pq.write_table(pa.table({"page": pages}), tmp_path / "pages.parquet")
    asked = np.searchsorted(pages, np.setdiff1d(judge.pages[judge.sources], judge.pages[:1]))
    np.save(tmp_path / "asked.npy", asked)
    np.save(tmp_path / "scores.npy", asked[:, None] * 1000 + np.arange(len(pages), dtype=np.float32) - 1)
    every = judge.sources
    try:
        judge.sources = np.array([0, every[-2]])  # the first was not asked for: the peer has no text of it
        found = peer_scores(tmp_path, tmp_path, judge)
    finally:
        judge.sources = every
    first = np.searchsorted(pages, judge.pages[every[-2]]) * 1000
    assert found.shape == (2, len(judge.pages))
    assert not found[0].any()
    assert found[1, 0] == 0.0
    assert found[1, 1:].tolist() == [max(first + column - 1, 0) for column in range(len(judge.pages) - 1)]
