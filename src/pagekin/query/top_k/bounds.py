"""What is known of each document seen so far: the least and the most that its whole score can be.

A score that is not known lies between 0 and the `high` of its source. A document whose most is below the k-th best
least (min-k) is dropped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pagekin.query.top_k.protocol import Floats, Mask, Numbers, TopKQuery

NEVER = -np.inf


class Standing(NamedTuple):
    """The documents that may be in the answer, as far as they are known."""

    documents: Numbers
    known: Mask  # [document, source]
    parts: Floats  # the scores that are known, 0 for the others
    worst: Floats
    best: Floats
    sure: Mask  # which meet for certain what is required and excluded
    least: float  # min-k: the k-th highest worst score of those that are sure; minus infinity if there are fewer
    unseen: float  # what no document exceeds that no list has shown; minus infinity if there is none
    dropped: float  # what no document exceeds that was dropped

    @property
    def open_to_others(self) -> bool:
        """Whether a document that no list has shown may still be in the answer."""
        return self.unseen > NEVER and self.unseen >= self.least

    @property
    def incomplete(self) -> Numbers:
        """The rows of documents that lack a score, the highest best score first."""
        return self.by_best(np.flatnonzero(~self.known.all(axis=1)))

    @property
    def by_worst(self) -> Numbers:
        """All rows in the order of their worst scores; those that are not sure come last."""
        return np.lexsort((self.documents, -np.where(self.sure, self.worst, NEVER)))

    def by_best(self, rows: Numbers) -> Numbers:
        """Rows in the order of their best scores, then of their worst."""
        return rows[np.lexsort((self.documents[rows], -self.worst[rows], -self.best[rows]))]


class Bounds:
    """The scores that are known of the documents that lists have shown."""

    def __init__(self, query: TopKQuery, sources: int, dropping: bool = True) -> None:
        self._query, self._dropping = query, dropping
        self._rows: dict[int, int] = {}  # the row of each document; no row for one that is not admitted
        self._documents = np.empty(64, np.int64)
        self._parts, self._known = np.zeros((64, sources)), np.zeros((64, sources), np.bool_)
        self._used = 0
        self._alive = np.empty(0, np.int64)  # the rows of documents that may be in the answer
        self._dropped = NEVER
        self._constraints = sorted(query.required), sorted(query.excluded)

    def note_listed(self, place: int, documents: Numbers, scores: Floats) -> None:
        """Note what a list shows; a document may be new."""
        if place in self._query.excluded:
            documents, scores = documents[scores > 0], scores[scores > 0]
        self._add(np.array([d for d in documents.tolist() if d not in self._rows], np.int64))
        self.note_scores(place, documents, scores)

    def note_scores(self, place: int, documents: Numbers, scores: Floats) -> None:
        """Note scores; those of documents that no list has shown are ignored."""
        rows = np.array([self._rows.get(document, -1) for document in documents.tolist()], np.int64)
        has_row = rows >= 0
        self._parts[rows[has_row], place] = scores[has_row]
        self._known[rows[has_row], place] = True

    def _add(self, documents: Numbers) -> None:
        admitted = self._query.admitted(documents)
        self._rows.update(dict.fromkeys(documents[~admitted].tolist(), -1))
        documents = documents[admitted]
        self._make_room(len(documents))
        rows = np.arange(self._used, self._used + len(documents))
        self._documents[rows] = documents
        self._rows.update(zip(documents.tolist(), rows.tolist(), strict=True))
        self._alive = np.concatenate((self._alive, rows))
        self._used += len(documents)

    def _make_room(self, count: int) -> None:
        while self._used + count > len(self._documents):
            self._documents = np.concatenate((self._documents, np.empty_like(self._documents)))
            self._parts = np.concatenate((self._parts, np.zeros_like(self._parts)))
            self._known = np.concatenate((self._known, np.zeros_like(self._known)))

    def standing(self, highs: Floats, more: bool) -> Standing:
        """What the scores come to with these highs; `more` says whether a list may still show other documents.

        The highs never rise, so that what is dropped can never come back.
        """
        known = self._known[self._alive] | (highs <= 0)
        parts = np.where(known, self._parts[self._alive], 0.0)
        sure, lost = self._judged(known, parts)
        worst, best = self._query.whole(parts), self._query.whole(np.where(known, parts, highs))
        least = _least(worst[sure & ~lost], self._query.k)
        low = ~lost & (best < least) & self._dropping
        self._dropped = max(self._dropped, float(best[low].max(initial=NEVER)))
        kept = ~lost & ~low
        self._alive = self._alive[kept]
        unseen = float(self._query.whole(highs)) if more else NEVER
        documents = self._documents[self._alive]
        columns = known[kept], parts[kept], worst[kept], best[kept], sure[kept]
        return Standing(documents, *columns, least, unseen, self._dropped)

    def _judged(self, known: Mask, parts: Floats) -> tuple[Mask, Mask]:
        """Which documents meet all constraints, and which break one."""
        required, excluded = self._constraints
        has, has_not = parts > 0, known & (parts <= 0)
        sure: Mask = np.all(has[:, required], axis=1) & np.all(has_not[:, excluded], axis=1)
        lost: Mask = np.any(has_not[:, required], axis=1) | np.any(has[:, excluded], axis=1)
        return sure, lost


def _least(worst: Floats, k: int) -> float:
    return NEVER if len(worst) < k else float(np.partition(worst, len(worst) - k)[len(worst) - k])


def certain_answer(standing: Standing, k: int) -> Numbers | None:
    """The rows of the answer in order, if both the set and the order are certain; None if they are not yet."""
    if standing.open_to_others:
        return None
    order = standing.by_worst
    answer = order[:k]
    if not standing.sure[answer].all():
        return None
    earlier, later = order[: len(answer) - 1], order[1 : len(answer)]
    if not surely_before(standing, earlier, later).all():
        return None
    return answer if surely_before(standing, answer[-1:], order[k:]).all() else None


def surely_before(standing: Standing, earlier: Numbers, later: Numbers) -> Mask:
    """Whether documents rank before others, whatever the scores are that are not known."""
    worst, best = standing.worst[earlier], standing.best[later]
    is_before: Mask = (worst > best) | ((worst == best) & (standing.documents[earlier] < standing.documents[later]))
    return is_before
