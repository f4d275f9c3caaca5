"""TA for sources of different types (lecture chapter, section 3.3): some only list, some only answer, some do both.

A sorted access and a random access take turns. The list that is read promises the highest weighted score for its
cost; the random access goes to the candidate of the highest best score, and to the source that promises most for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.query.top_k.bounds import Standing
from pagekin.query.top_k.choosing import lists_needed, mandatory, next_to_probe, next_to_read
from pagekin.query.top_k.gathering import Gathering
from pagekin.query.top_k.protocol import Source, TopK, TopKQuery


def typed_threshold_algorithm(query: TopKQuery, sources: Sequence[Source]) -> TopK:
    """The best documents by the source-type-aware TA; at least one source must list documents."""
    gathering = Gathering(query, sources)
    standing = gathering.standing()
    while (answer := gathering.answer(standing)) is None:
        _read_best_list(gathering, standing)
        _probe_best_candidate(gathering, gathering.standing())
        standing = gathering.standing()
    return answer


def _read_best_list(gathering: Gathering, standing: Standing) -> None:
    """Read on, where a list may show other documents, or is the only one to tell a score."""
    wanted = set(lists_needed(standing, np.arange(len(standing.documents)), gathering.readers))
    if standing.open_to_others:
        wanted |= set(gathering.showing)
    if wanted:
        gathering.read(next_to_read(gathering, sorted(wanted)), gathering.query.batch)


def _probe_best_candidate(gathering: Gathering, standing: Standing) -> None:
    for row in gathering.candidates(standing)[:1].tolist():
        places = mandatory(gathering.query, gathering.can_probe(standing, row))
        gathering.probe(next_to_probe(gathering, places), int(standing.documents[row]))
