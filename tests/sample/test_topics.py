from __future__ import annotations

from collections import Counter

from pagekin.sample.dice import Dice
from pagekin.sample.topics import directory


def test_three_levels_of_four() -> None:
    tops, middles, leaves = directory().tops, directory().middles, directory().leaves
    assert (len(tops), len(middles), len(leaves)) == (4, 16, 64)
    assert all(len(topic.below) == 4 for topic in (*tops, *middles))


def test_each_leaf_has_words_of_its_own() -> None:
    for leaf in directory().leaves:
        assert len({*leaf.things, *leaf.acts, *leaf.kinds}) >= 25


def test_some_words_belong_to_several_topics() -> None:
    topics = (*directory().leaves, *directory().middles)
    counts = Counter(word for topic in topics for thing in topic.things for word in thing.split())
    assert {"grain", "varnish", "brine", "tannin"} <= {word for word, count in counts.items() if count > 1}


def test_leaf_names_are_unique() -> None:
    assert len({leaf.slug for leaf in directory().leaves}) == 64


def test_path_names_the_classes_above() -> None:
    assert directory().leaves[0].path == "Food/Baking/Sourdough"


def test_most_links_stay_in_their_leaf() -> None:
    dice, leaf = Dice("1/near"), directory().leaves[7]
    near = Counter(directory().leaf_near(leaf, dice).name for _ in range(1000))
    assert near[leaf.name] > 650
    assert len(near) > 10
