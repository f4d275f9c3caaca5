"""The search for a strategy: what it finds, what it writes, and what is left when it is interrupted."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pagekin.builder import build
from pagekin.engines.local import LocalEngine
from pagekin.engines.protocol import Silent
from pagekin.errors import SettingsError, TruthError
from pagekin.evaluation.search import Axis, part_of
from pagekin.evaluation.strategies import Contender, settled_contender
from pagekin.evaluation.uncertainty import value
from pagekin.settings import ConceptSettings, LinkSettings, Settings, SimilaritySettings, Strategy, read_settings
from pagekin.stores.manifest import described_files, read_manifest
from pagekin.trials.crawl_tables import index_tables
from pagekin.trials.evaluate import BAG_UNITS, Truth, opened_trial
from pagekin.trials.tune import Tuned, tune, write_settings

BAD = Contender(Strategy(content=0.0, anchors=1.0, window="0"))  # much can be better
AXES = (
    Axis("terms from", ({"content": 0.0, "anchors": 1.0}, {"content": 1.0, "anchors": 1.0})),
    Axis("frequency", ({"frequency": "none"}, {"frequency": "nmdf"})),
    Axis("cosine", ({"cosine": 0.0}, {"cosine": 0.5})),
)


@pytest.fixture(autouse=True)
def short_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search along three axes of two values."""
    monkeypatch.setattr("pagekin.trials.tune.axes", lambda mu, sigma, **_: AXES)


def text_settings(index: Path, strategy: Strategy) -> Settings:
    """Those of an index with another strategy, and the Jaccard coefficient alone as the score."""
    similarity = SimilaritySettings(cosine=0.0, concepts=0.0, cocitation=0.0, linked=0.0, authority=0.0)
    return replace(index_tables(index).settings, strategy=strategy, similarity=similarity)


def bad_settings(index: Path) -> Settings:
    return text_settings(index, BAD.strategy)


def tuned_from_bad(index: Path, truth: Truth, out: Path | None = None, **options: Any) -> Tuned:
    options.setdefault("engine", LocalEngine(1))
    return tune(index, truth, out, bad_settings(index), **options)


class Interrupting(Silent):
    """An observer that is interrupted once, when the work on strategies begins for the n-th time."""

    def __init__(self, n: int) -> None:
        self.left = n

    def begin(self, step: str, total: int) -> None:
        self.left -= step == "strategies" and total > 0
        if self.left == 0:
            self.left = -1
            raise KeyboardInterrupt


# --- what is found ------------------------------------------------------------------------------------------


def chosen_by(index: Path, truth: Truth, contender: Contender, measure: str) -> float:
    """The measure on the half of the sources that chooses."""
    with opened_trial(index, truth, engine=LocalEngine(1)) as trial:
        found = value(part_of(trial.outcomes([contender])[0].tally, truth.seed, chooses=True)[measure])
    assert found is not None
    return found


def test_the_best_is_better_than_the_start_for_those_who_choose(index: Path, directory: Path) -> None:
    truth = Truth(directory, sources=60)
    tuned = tuned_from_bad(index, truth)
    best, start = (chosen_by(index, truth, each, "sibling_somers_d") for each in (tuned.best, tuned.start))
    assert tuned.start == BAD
    assert best > start
    assert tuned.tried[0] == (tuned.best, pytest.approx(best / start))


def test_it_is_the_best_of_all_along_its_axes(index: Path, directory: Path) -> None:
    tuned = tuned_from_bad(index, Truth(directory, sources=60))
    tried = dict(tuned.tried)
    assert len(tried) == len(tuned.tried) <= 8
    assert tried[tuned.best] == max(tried.values())
    assert tried[BAD] == pytest.approx(1.0)
    assert {variant for axis in AXES for variant in axis.variants(tuned.best)} <= tried.keys()


def test_the_value_is_that_of_those_who_did_not_choose(index: Path, directory: Path) -> None:
    truth = Truth(directory, sources=60)
    tuned = tuned_from_bad(index, truth)
    with opened_trial(index, truth, engine=LocalEngine(1)) as trial:
        tally = part_of(trial.outcomes([tuned.best])[0].tally, truth.seed, chooses=False)
    assert tuned.values["sibling_somers_d"].value == value(tally["sibling_somers_d"])
    assert len(tally["sibling_somers_d"].above) == 30


def test_the_gain_is_against_the_start(index: Path, directory: Path) -> None:
    (gain,) = tuned_from_bad(index, Truth(directory, sources=60)).gains
    assert (gain.second, gain.measure) == (BAD.name, "sibling_somers_d")
    assert gain.difference.value > 0.1 > gain.p_value


def test_both_truths_are_aimed_at_together(index: Path, directory: Path, related: Path) -> None:
    tuned = tuned_from_bad(index, Truth(directory, related, sources=40))
    assert tuned.aims == ("sibling_somers_d", "ndcg_at_10")
    assert [gain.measure for gain in tuned.gains] == list(tuned.aims)


def test_without_siblings_unrelated_pages_are_told_apart(index: Path, directory: Path) -> None:
    assert tuned_from_bad(index, Truth(directory, depth=1, sources=40)).aims == ("unrelated_somers_d",)


def test_another_aim_may_be_given(index: Path, directory: Path, related: Path) -> None:
    truth = Truth(directory, related, sources=40)
    tuned = tuned_from_bad(index, truth, aims=["precision_at_10"])
    assert tuned.aims == ("precision_at_10",)
    best, start = (chosen_by(index, truth, each, "precision_at_10") for each in (tuned.best, tuned.start))
    assert best > start


def test_orthogonality_is_lowered(index: Path, directory: Path) -> None:
    truth = Truth(directory, sources=40)
    best = tuned_from_bad(index, truth, aims=["orthogonality"]).best
    assert chosen_by(index, truth, best, "orthogonality") < chosen_by(index, truth, BAD, "orthogonality")


def test_the_search_is_the_same_each_time(index: Path, directory: Path) -> None:
    truth = Truth(directory, sources=40)
    assert tuned_from_bad(index, truth) == tuned_from_bad(index, truth, engine=LocalEngine(2))


def test_an_index_is_not_changed_and_nothing_is_left_behind(index: Path, directory: Path, temporary: Path) -> None:
    before = described_files(index)
    tuned_from_bad(index, Truth(directory, sources=20))
    assert described_files(index) == before
    assert list(temporary.iterdir()) == []


# --- mistakes -----------------------------------------------------------------------------------------------


def test_a_measure_that_does_not_exist_is_refused(index: Path, directory: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--aim speed: there is no such measure; there are sibling_gamma"):
        tuned_from_bad(index, Truth(directory), tmp_path / "s.toml", aims=["speed"])
    assert list(tmp_path.iterdir()) == []


def test_a_measure_of_another_truth_is_refused(index: Path, directory: Path) -> None:
    with pytest.raises(SettingsError, match="--aim mrr: this truth has no such measure; it has sibling_gamma"):
        tuned_from_bad(index, Truth(directory, sources=10), aims=["mrr"])


def test_too_few_sources_are_refused(index: Path, directory: Path, tmp_path: Path) -> None:
    with pytest.raises(TruthError, match="the truth has 1 source page"):
        tuned_from_bad(index, Truth(directory, sources=1), tmp_path / "s.toml")
    assert list(tmp_path.iterdir()) == []


# --- what is written ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "contender",
    [
        Contender(),
        BAD,
        Contender(Strategy(window="topical", mu=3.1, sigma=0.25, numbers=True, bag_size=0), 0.15),
        Contender(Strategy(stop_words='/tmp/my "own" wörds\\.txt'), 1.0),
        Contender(Strategy(), 0.15, concepts=0.3),
        Contender(Strategy(), 0.15, concepts=0.5, words=0.1, vectors=ConceptSettings(dimensions=50, frequency="log")),
        Contender(Strategy(), linked=0.25, authority=0.1, linking=LinkSettings(neighbours=50, itself=0.5)),
        pytest.param(
            Contender(Strategy(stop_words="/tmp/😀.txt")),
        ),
    ],
)
def test_what_is_written_is_read_by_settings(contender: Contender, tmp_path: Path) -> None:
    write_settings(tmp_path / "s.toml", contender, "a comment")
    assert settled_contender(read_settings(tmp_path / "s.toml")) == contender


@pytest.mark.parametrize(
    "comment",
    [
        "from web.kin",
        pytest.param(
            "from \udcff.kin",
        ),
        pytest.param(
            "from a\nb.kin",
        ),
    ],
)
def test_a_comment_stays_a_comment(comment: str, tmp_path: Path) -> None:
    write_settings(tmp_path / "s.toml", BAD, comment)
    assert read_settings(tmp_path / "s.toml").strategy == BAD.strategy


def test_the_best_is_written_with_what_is_known_of_it(index: Path, directory: Path, tmp_path: Path) -> None:
    tuned = tuned_from_bad(index, Truth(directory, sources=40), tmp_path / "s.toml")
    assert settled_contender(read_settings(tmp_path / "s.toml")) == tuned.best
    comments = [line for line in (tmp_path / "s.toml").read_text("utf-8").splitlines() if line.startswith("#")]
    assert comments[0] == f"# {tuned.best.name}"
    assert f"the best of {len(tuned.tried)} strategies" in comments[1]
    assert BAD.name in comments[2]


def test_what_is_written_can_be_built(web: Path, index: Path, directory: Path, tmp_path: Path) -> None:
    tuned = tuned_from_bad(index, Truth(directory, sources=20), tmp_path / "s.toml")
    settings = read_settings(tmp_path / "s.toml")
    build(web / "sample.warc.gz", tmp_path / "a.kin", settings, engine=LocalEngine(1))
    assert read_manifest(tmp_path / "a.kin").strategy_name == tuned.best.strategy.name


def test_if_nothing_is_better_the_start_is_written(
    index: Path, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagekin.trials.tune.axes", lambda mu, sigma, **_: ())
    tuned = tuned_from_bad(index, Truth(directory, sources=20), tmp_path / "s.toml")
    assert tuned.best == tuned.start == BAD
    assert read_settings(tmp_path / "s.toml").strategy == BAD.strategy
    assert tuned.gains[0].difference.value == 0


def test_the_file_is_whole_at_every_moment(
    index: Path, directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, seen = tmp_path / "s.toml", []
    original = Path.write_text

    def write(path: Path, text: str, *options: Any, **named: Any) -> int:
        assert path != out
        seen.append(out.exists() and tomllib.loads(out.read_text("utf-8"))["similarity"])
        return original(path, text, *options, **named)

    monkeypatch.setattr(Path, "write_text", write)
    tuned_from_bad(index, Truth(directory, sources=20), out)
    assert len(seen) >= 2  # each that was better than all before, and the best at the end
    assert list(tmp_path.iterdir()) == [out]


def test_an_older_file_stays_if_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_settings(tmp_path / "s.toml", BAD)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="No space"):
        write_settings(tmp_path / "s.toml", Contender())
    assert read_settings(tmp_path / "s.toml").strategy == BAD.strategy


# --- interrupted --------------------------------------------------------------------------------------------


def test_interrupted_it_keeps_the_best_so_far(index: Path, directory: Path, tmp_path: Path) -> None:
    out, engine = tmp_path / "s.toml", LocalEngine(1, observer=Interrupting(3))
    tuned = tuned_from_bad(index, Truth(directory, sources=60), out, engine=engine)
    assert tuned.interrupted
    assert tuned.best == Contender(replace(BAD.strategy, content=1.0))  # what the first axis gave
    assert read_settings(out).strategy == tuned.best.strategy
    assert [path.name for path in tmp_path.iterdir()] == ["s.toml"]


class InterruptingAtBags(Silent):
    """An observer that is interrupted when the bags of the n-th strategy are made."""

    def __init__(self, n: int) -> None:
        self.left = n

    def advance(self, units: int) -> None:
        self.left -= units == BAG_UNITS
        if self.left == 0:
            self.left = -1
            raise KeyboardInterrupt


def test_interrupted_within_an_axis_it_keeps_what_was_better_there(
    index: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    axis = Axis("frequency", ({"frequency": "none"}, {"frequency": "nmdf"}, {"frequency": "log"}))
    monkeypatch.setattr("pagekin.trials.tune.axes", lambda mu, sigma, **_: (axis,))
    settings = text_settings(index, Strategy(frequency="none"))
    engine = LocalEngine(1, observer=InterruptingAtBags(3))
    tuned = tune(index, Truth(directory, sources=60), None, settings, engine=engine)
    assert tuned.interrupted
    assert tuned.best == Contender(Strategy(frequency="nmdf"))


def test_interrupted_at_once_it_keeps_the_start(index: Path, directory: Path, tmp_path: Path) -> None:
    out, engine = tmp_path / "s.toml", LocalEngine(1, observer=Interrupting(2))
    tuned = tuned_from_bad(index, Truth(directory, sources=20), out, engine=engine)
    assert (tuned.interrupted, tuned.best, len(tuned.tried)) == (True, BAD, 1)
    assert read_settings(out).strategy == BAD.strategy


def test_interrupted_before_anything_was_tried_it_writes_nothing(index: Path, directory: Path, tmp_path: Path) -> None:
    engine = LocalEngine(1, observer=Interrupting(1))
    with pytest.raises(KeyboardInterrupt):
        tuned_from_bad(index, Truth(directory, sources=20), tmp_path / "s.toml", engine=engine)
    assert list(tmp_path.iterdir()) == []


def test_it_is_not_interrupted_otherwise(index: Path, directory: Path) -> None:
    assert not tuned_from_bad(index, Truth(directory, sources=20)).interrupted


def test_an_interrupted_search_leaves_nothing_behind(index: Path, directory: Path, temporary: Path) -> None:
    tuned_from_bad(index, Truth(directory, sources=20), engine=LocalEngine(1, observer=Interrupting(3)))
    assert list(temporary.iterdir()) == []


class Bars(Silent):
    """Counts the bars that a person would see."""

    def __init__(self) -> None:
        self.drawn = 0

    def begin(self, step: str, total: int) -> None:
        self.drawn += 1


def test_there_is_a_bar_only_for_work(index: Path, directory: Path) -> None:
    bars = Bars()
    tuned = tuned_from_bad(index, Truth(directory, sources=20), engine=LocalEngine(1, observer=bars))
    assert bars.drawn <= len(tuned.tried)
