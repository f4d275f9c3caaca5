from __future__ import annotations

from collections import Counter

from pagekin.sample.dice import Dice


def test_draws_are_the_same_everywhere() -> None:
    dice = Dice("1/anything")
    assert [dice.below(1000) for _ in range(4)] == [942, 367, 604, 85]


def test_other_names_give_other_draws() -> None:
    assert Dice("1/a").draw() != Dice("1/b").draw()


def test_draws_go_on_beyond_the_first_round() -> None:
    dice = Dice("1/long", size=4)
    assert len({dice.draw() for _ in range(100)}) == 100


def test_below_is_even() -> None:
    dice = Dice("1/even")
    counts = Counter(dice.below(6) for _ in range(6000))
    assert sorted(counts) == [0, 1, 2, 3, 4, 5]
    assert all(850 < count < 1150 for count in counts.values())


def test_shuffled_keeps_every_choice() -> None:
    assert sorted(Dice("1/shuffle").shuffled(range(50))) == list(range(50))
