"""Bounds hold at every moment, whatever is asked in whatever order."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.query.top_k.gathering import Gathering

from .random_queries import Asked, queries, sorted_answer


def ask_something(gathering: Gathering, random: Random) -> None:
    """Read on in a list, or ask for a score that is missing."""
    standing = gathering.standing()
    candidates = gathering.candidates(standing).tolist()
    if candidates and (not gathering.unfinished or random.random() < 0.5):
        row = random.choice(candidates)
        gathering.probe(random.choice(gathering.can_probe(standing, row)), int(standing.documents[row]))
    elif gathering.unfinished:
        gathering.read(random.choice(gathering.unfinished), random.randint(1, 3))


@settings(max_examples=200, deadline=None)
@given(queries, st.randoms(use_true_random=False))
def test_scores_lie_between_their_bounds_and_no_answer_is_dropped(asked: Asked, random: Random) -> None:
    wholes = dict(sorted_answer(replace(asked, query=replace(asked.query, k=1000))))
    answer = [document for document, _ in sorted_answer(asked)]
    gathering = Gathering(asked.query, asked.sources())
    shown: set[int] = set()
    for _ in range(20):
        ask_something(gathering, random)
        standing = gathering.standing()
        known = standing.documents.tolist()
        shown |= set(known)
        for document, worst, best in zip(known, standing.worst.tolist(), standing.best.tolist(), strict=True):
            if document in wholes:
                assert worst <= wholes[document] <= best
        assert shown & set(answer) <= set(known)
        most = max(standing.unseen, standing.dropped)
        assert all(wholes[document] <= most for document in wholes.keys() - shown)


@settings(max_examples=200, deadline=None)
@given(queries, st.randoms(use_true_random=False))
def test_an_answer_that_is_called_certain_is_right(asked: Asked, random: Random) -> None:
    gathering = Gathering(asked.query, asked.sources())
    found = None
    for _ in range(200):
        if (found := gathering.answer(gathering.standing())) is not None:
            break
        ask_something(gathering, random)
    assert found is not None
    assert found.documents.tolist() == [document for document, _ in sorted_answer(asked)]
