"""Synonyms from a file, and a query with the synonyms of its words beside them.

A thesaurus is also a dictionary of phrases: words of a query that together are an entry of it mean that entry first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pagekin.errors import ThesaurusError
from pagekin.query_language.nodes import Boost, Either, InField, Node, Phrase, Together, Word
from pagekin.query_language.words import page_words

MOST_SYNONYMS = 8  # of one entry
LONGEST_ENTRY = 8  # words; longer entries are passed over
MOST_ENTRIES = 1_000_000
MOST_BYTES = 64 << 20
SYNONYM_FACTOR = 0.5

Entry = tuple[str, ...]  # the words of it

# Of the WordNet database (wndb): offset, number of the lexicographer file, part of speech, count of words in hex.
_SYNSET = re.compile(r"[0-9]{8} [0-9]{2} [nvasr] ([0-9a-f]{2}) (.*)")
_SYNTACTIC_MARKER = re.compile(r"\((?:a|p|ip)\)$")


@dataclass(frozen=True)
class Thesaurus:
    """Entries with their synonyms; `longest` is how many words the longest entry has."""

    synonyms: Mapping[Entry, tuple[Entry, ...]]
    longest: int

    def of(self, entry: Entry) -> tuple[Entry, ...]:
        """The synonyms of an entry, none if it is not known."""
        return self.synonyms.get(entry, ())


# --- files ---------------------------------------------------------------------------------------------------


def read_thesaurus(path: Path) -> Thesaurus:
    """The thesaurus in a file: lines of tab-separated synonyms, or a data file of WordNet."""
    lines = _lines(path)
    is_wordnet = any(_SYNSET.match(line) for _, line in lines[:1])
    rows = _synsets(path, lines) if is_wordnet else _rows(path, lines)
    found: dict[Entry, dict[Entry, None]] = {}
    for entry, synonyms in rows:
        known = found.setdefault(entry, {})
        if len(found) > MOST_ENTRIES:
            raise ThesaurusError(f"{path} has more than {MOST_ENTRIES:,} entries; give a smaller thesaurus")
        for synonym in synonyms:
            if len(known) == MOST_SYNONYMS:
                break
            if synonym != entry:
                known[synonym] = None
    if not found:
        raise ThesaurusError(f"{path} has no entry; expected lines of a word, a tab and a synonym, or those of WordNet")
    return Thesaurus({entry: tuple(known) for entry, known in found.items()}, max(map(len, found)))


def _lines(path: Path) -> list[tuple[int, str]]:
    """The numbered lines of a file that are not empty and no comments."""
    try:
        if not path.is_file():
            raise ThesaurusError(f"there is no thesaurus {path}; expected a file")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ThesaurusError(f"the thesaurus {path} cannot be read: {error.strerror or error}") from None
    if len(data) > MOST_BYTES:
        raise ThesaurusError(f"the thesaurus {path} is larger than {MOST_BYTES >> 20} MB; give a smaller one")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ThesaurusError(f"line {line} of the thesaurus {path} is not UTF-8; save the file as UTF-8") from None
    numbered = ((number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1))
    return [(number, line) for number, line in numbered if line.strip() and not line.startswith(("#", "  "))]


def _rows(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[Entry, list[Entry]]]:
    """The entries of a tab-separated file; a row speaks for its first column only."""
    for number, line in lines:
        first, *others = line.split("\t")
        synonyms = _entries(others[: 4 * MOST_SYNONYMS])
        if not synonyms:
            message = f"line {number} of the thesaurus {path} is {line[:40]!r}; expected a word, a tab and a synonym"
            raise ThesaurusError(message)
        yield from ((entry, synonyms) for entry in _entries([first]))


def _synsets(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[Entry, list[Entry]]]:
    """The entries of a data file of WordNet: the words of a synset are synonyms of one another."""
    for number, line in lines:
        found = _SYNSET.match(line)
        columns = found[2].split(" ") if found else []
        count = int(found[1], 16) if found else 0
        if count == 0 or len(columns) < 2 * count:
            message = f"line {number} of the thesaurus {path} is {line[:40]!r}; expected a synset as in WordNet's files"
            raise ThesaurusError(message)
        entries = _entries(_SYNTACTIC_MARKER.sub("", word).replace("_", " ") for word in columns[: 2 * count : 2])
        yield from ((entry, entries) for entry in entries)


def _entries(texts: Iterable[str]) -> list[Entry]:
    entries = (tuple(page_words(text)) for text in texts)
    return [entry for entry in entries if 0 < len(entry) <= LONGEST_ENTRY]


# --- queries -------------------------------------------------------------------------------------------------


def expanded(node: Node, thesaurus: Thesaurus) -> Node:
    """A query in which synonyms count too, by half; exact words and what is excluded stay as they are.

    >>> car = Thesaurus({("car",): (("auto",), ("motor", "car"))}, 1)
    >>> from pagekin.query_language.printing import query_text
    >>> query_text(expanded(Word("car"), car))
    'car OR auto^0.5 OR "motor car"^0.5'
    """
    match node:
        case Word(text, exact=False):
            return _with_synonyms((text,), thesaurus)
        case Phrase(words, slop=0):
            return _with_synonyms(words, thesaurus)
        case InField(field, inner):
            return InField(field, expanded(inner, thesaurus))
        case Boost(inner, factor):
            return Boost(expanded(inner, thesaurus), factor)
        case Either(nodes):
            return Either(tuple(expanded(inner, thesaurus) for inner in nodes))
        case Together(required, optional, excluded):
            wishes = tuple(_expanded_run(optional, thesaurus))
            return Together(tuple(expanded(inner, thesaurus) for inner in required), wishes, excluded)
        case _:
            return node


def _with_synonyms(entry: Entry, thesaurus: Thesaurus) -> Node:
    synonyms = [Boost(_node(synonym), SYNONYM_FACTOR) for synonym in thesaurus.of(entry)]
    return Either((_node(entry), *synonyms)) if synonyms else _node(entry)


def _node(entry: Entry) -> Word | Phrase:
    return Word(entry[0]) if len(entry) == 1 else Phrase(entry)


def _expanded_run(nodes: tuple[Node, ...], thesaurus: Thesaurus) -> Iterator[Node]:
    """The nodes of a run; words that together are an entry stay, without synonyms, and are followed by its phrase."""
    at = 0
    while at < len(nodes):
        entry = _longest_entry(nodes[at : at + thesaurus.longest], thesaurus)
        if len(entry) > 1:
            yield from nodes[at : at + len(entry)]
            yield _with_synonyms(entry, thesaurus)
        else:
            yield expanded(nodes[at], thesaurus)
        at += max(len(entry), 1)


def _longest_entry(nodes: tuple[Node, ...], thesaurus: Thesaurus) -> Entry:
    """The most words at the beginning of a run that together are an entry."""
    words = []
    for node in nodes:
        if not isinstance(node, Word) or node.exact:
            break
        words.append(node.text)
    while words and tuple(words) not in thesaurus.synonyms:
        words.pop()
    return tuple(words)
