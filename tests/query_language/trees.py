"""Trees of queries: such as texts have, and any others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from pagekin.query_language.nodes import (
    FIELDS,
    Boost,
    Date,
    Editex,
    Either,
    Fuzzy,
    InField,
    Language,
    Like,
    Near,
    Node,
    Phrase,
    Site,
    Sounds,
    Together,
    Wildcard,
    Word,
)

WORDS = ("native", "music", "musics", "and", "near", "x", "7", "straße", "東京", "京", "naïve")
Nodes = st.SearchStrategy[Node]


def tuples(nodes: Nodes, least: int, most: int = 3) -> st.SearchStrategy[tuple[Node, ...]]:
    """Tuples of some of the nodes."""
    return st.lists(nodes, min_size=least, max_size=most).map(tuple)


def words(texts: Sequence[str] = WORDS) -> Nodes:
    """What looks for words."""
    word = st.sampled_from(texts)
    return st.one_of(
        st.builds(Word, word, st.booleans()),
        st.builds(Phrase, st.lists(word, min_size=2, max_size=3).map(tuple), st.integers(0, 4)),
        st.builds(Near, word, word, st.integers(1, 5)),
        st.builds(Wildcard, st.sampled_from(["mus*", "*ive", "n?tive", "*a*", "東?"])),
        st.builds(Fuzzy, word, st.integers(1, 3)),
        st.builds(Sounds, word),
        st.builds(Editex, word, st.integers(0, 6)),
        st.builds(Like, word),
    )


def filters() -> Nodes:
    """What says nothing of words."""
    return st.one_of(
        st.builds(Site, st.sampled_from(["example.org", "www.example.org"])),
        st.builds(Language, st.sampled_from(["en", "de"])),
        dates(),
    )


@st.composite
def dates(draw: st.DrawFn) -> Date:
    """Periods of whole days with a bound at least."""
    first = datetime(
        draw(st.integers(1998, 2030)), draw(st.sampled_from([1, 2, 12])), draw(st.integers(1, 3)), tzinfo=UTC
    )
    end = first + timedelta(days=draw(st.sampled_from([1, 27, 28, 31, 365, 366, 1000])))
    return draw(st.sampled_from([Date(first, end), Date(first, None), Date(None, end)]))


def any_trees(leaves: Nodes) -> Nodes:
    """Trees that may say a thing twice, or nothing."""

    def inner(nodes: Nodes) -> Nodes:
        return st.one_of(
            st.builds(Together, tuples(nodes, 0), tuples(nodes, 0), tuples(nodes, 0, 2)),
            st.builds(Either, tuples(nodes, 0)),
            st.builds(InField, st.sampled_from(FIELDS), nodes),
            st.builds(Boost, nodes, st.sampled_from([0.5, 1.0, 2.0])),
        )

    return st.recursive(leaves, inner, max_leaves=12)


def canonical_trees() -> Nodes:
    """Trees that texts have."""
    return st.recursive(st.one_of(words(), filters()), _canonical_inner, max_leaves=12)


def _canonical_inner(nodes: Nodes) -> Nodes:
    wishes = nodes.map(lambda node: Boost(node, 2.0) if is_filter(node) else node)
    return st.one_of(
        st.builds(Together, tuples(nodes, 1), tuples(wishes, 1)),
        st.builds(Together, tuples(nodes, 2)),
        st.builds(Together, tuples(nodes, 1), st.just(()), tuples(nodes, 1, 2)),
        st.builds(Together, st.just(()), tuples(wishes, 0), tuples(nodes, 1, 2)),
        st.builds(Together, tuples(nodes, 1), tuples(wishes, 1), tuples(nodes, 1, 2)),
        st.builds(Together, st.just(()), tuples(wishes, 2)),
        st.builds(Either, tuples(nodes, 2)),
        st.builds(InField, st.sampled_from(FIELDS), nodes),
        st.builds(Boost, nodes, st.sampled_from([0.001, 0.1 + 0.2, 1.0, 3.0, 1000.0])),
    )


def is_filter(node: Node) -> bool:
    """Whether a node is required without a sign in front."""
    match node:
        case Site() | Language() | Date():
            return True
        case InField(_, inner):
            return is_filter(inner)
        case Either(nodes):
            return all(map(is_filter, nodes))
        case Together(required, optional, _):
            return not required and not optional
    return False
