"""A directory of the web as truth: pages of one class are alike, those of sibling classes a little less.

Haveliwala et al. (2002, section 2.1) take the Open Directory for a user study that has been made already. Classes
below a fixed depth are folded into their ancestor there, pages above it are left out, and soft links (`@`) are ignored.
Read are tables of text, the dumps of the Open Directory (`content.rdf.u8`), and the folders of the URLs themselves.
"""

from __future__ import annotations

import codecs
import io
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import TruthError
from pagekin.evaluation.addresses import BYTE_ORDER_MARK, Addresses, nothing_in_common, open_truth, read_rows
from pagekin.hashing import hash_text
from pagekin.kernels import kernel

MAX_DEPTH = 100  # a distance is one signed byte

Numbers = NDArray[np.int64]
Classes = NDArray[np.int32]
Distances = NDArray[np.int8]


class Entry(NamedTuple):
    """A row of a directory: an address, and the names of its category from the root down."""

    address: str
    category: tuple[str, ...]


# --- reading ------------------------------------------------------------------------------------------------


def read_entries(path: Path) -> Iterator[Entry]:
    """The rows of a directory: a table `address TAB category/path`, or a dump of the Open Directory in RDF."""
    with open_truth(path) as file:
        start = file.peek(len(BYTE_ORDER_MARK)).removeprefix(BYTE_ORDER_MARK)
        yield from _read_rdf(file, path) if start.lstrip().startswith(b"<") else _read_table(file, path)


def url_entries(urls: Iterable[str]) -> Iterator[Entry]:
    """A directory of canonical URLs by the folders that they lie in, below their host if there is more than one.

    >>> [entry.category for entry in url_entries(["http://site/guide/api/x.html", "http://site/guide/y.html"])]
    [('guide', 'api'), ('guide',)]
    """
    split = [(url, url.partition("://")[2].partition("?")[0].split("/")) for url in urls]
    first = 0 if len({parts[0] for _, parts in split}) > 1 else 1
    for url, (host, *rest) in split:
        yield Entry(url, (host, *rest[:-1])[first:])


def _names(path: str) -> tuple[str, ...]:
    """The names in a path of categories.

    >>> _names("/Top/Arts/ ")
    ('Top', 'Arts')
    """
    return tuple(name.strip() for name in path.split("/") if name.strip())


def _read_table(file: io.BufferedReader, path: Path) -> Iterator[Entry]:
    for number, row in read_rows(file, path):
        columns = row.split("\t")
        if len(columns) != 2 or not columns[0].strip():
            found = f"{len(columns)} column{'s'[: len(columns) != 1]}" if columns[0].strip() else "no address"
            raise TruthError(
                f"{path}:{number}: found {found} in {row[:80]!r}; expected an address, a tab and a category such as "
                f"Science/Biology, or an RDF file of the Open Directory"
            )
        yield Entry(columns[0].strip(), _names(columns[1]))


# --- the dumps of the Open Directory ------------------------------------------------------------------------

_CHUNK_BYTES = 1 << 18
_MAX_TOKEN_BYTES = 1 << 23  # expat holds a tag or a comment in memory until it ends
_MAX_OPEN = 100
_MAX_TOPIC = 1 << 16
_LINKS = frozenset({"link", "link1", "pdf", "pdf1", "rss", "rss1", "atom", "atom1"})
# What XML 1.0 does not allow and real dumps have; beyond these there are U+FFFE and U+FFFF.
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r")


def _read_rdf(file: io.BufferedReader, path: Path) -> Iterator[Entry]:
    found = False
    for entry in _dump_entries(file, _Dump(path)):
        found = True
        yield entry
    if not found:
        raise TruthError(
            f"{path} is XML, but no <ExternalPage> or <Topic> in it has a page and its category; expected the "
            f"content.rdf.u8 of the Open Directory (structure.rdf.u8 lists no pages), or rows `address TAB category`"
        )


def _dump_entries(file: io.BufferedReader, dump: _Dump) -> Iterator[Entry]:
    for text in _legal_text(file):
        yield from dump.feed(text)
    yield from dump.feed("", last=True)


def _legal_text(file: io.BufferedReader) -> Iterator[str]:
    """The text without what XML forbids; U+FFFD stands where it is not UTF-8, as descriptions of real dumps are."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    while chunk := file.read(_CHUNK_BYTES):
        text = decoder.decode(chunk.translate(None, _CONTROLS))
        yield text.replace("\ufffe", "").replace("\uffff", "")
    yield decoder.decode(b"", True)


class _Dump:
    """Listens to expat, and writes down the pages of a dump.

    A page names its `topic`; in older dumps only the topic names its pages, by `link`, and in most dumps both do. All
    that is said of a topic stands together, so what was given before need be remembered for one topic only.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fed = self._open = 0
        self._address = self._topic = self._text = ""
        self._latest: tuple[str, ...] = ()
        self._given: set[str] = set()
        self._entries: list[Entry] = []
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse

    def feed(self, text: str, last: bool = False) -> list[Entry]:
        """The entries that end in the next piece of text."""
        data = text.encode("utf-8", "replace")
        self._fed += len(data)
        try:
            self._parser.Parse(data, last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            what = "the file ends too early" if last else "this is not XML"
            raise self._error(f"{what} ({reason}, column {error.offset + 1}); expected a whole RDF dump") from error
        if self._fed - self._parser.CurrentByteIndex > _MAX_TOKEN_BYTES:
            raise self._error(f"a tag or comment of more than {_MAX_TOKEN_BYTES:,} bytes; this is no RDF dump")
        entries, self._entries = self._entries, []
        return entries

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open += 1
        if self._open > _MAX_OPEN:
            raise self._error(f"more than {_MAX_OPEN} elements within each other; this is no RDF dump")
        name = _local(name)
        if name == "ExternalPage":
            self._address = _attribute(attributes, "about")
        elif name == "Topic":
            self._topic = _attribute(attributes, "id")
        elif name in _LINKS:
            self._add(_attribute(attributes, "resource"), self._topic)
        elif name == "topic":
            self._text = ""
            # Only here: to be told of the text of every description takes most of the time.
            self._parser.CharacterDataHandler = self._characters

    def _characters(self, data: str) -> None:
        if len(self._text) < _MAX_TOPIC:
            self._text += data

    def _end(self, name: str) -> None:
        self._open -= 1
        name = _local(name)
        if name == "ExternalPage":
            self._address = ""
        elif name == "Topic":
            self._topic = ""
        elif name == "topic":
            self._parser.CharacterDataHandler = None
            self._add(self._address, self._text)

    def _add(self, address: str, topic: str) -> None:
        names = _names(topic)
        address = address.strip()
        if not address or not names or names[-1].endswith("@"):
            return
        if names != self._latest:
            self._latest, self._given = names, set()
        if address not in self._given:
            self._given.add(address)
            self._entries.append(Entry(address, names[names[0] == "Top" :]))

    def _refuse(self, *declaration: object) -> None:
        raise self._error(f"it declares an entity, {declaration[0]}; no dump does, and it could be made to harm")

    def _error(self, what: str) -> TruthError:
        return TruthError(f"{self._path}:{self._parser.CurrentLineNumber}: {what}")


def _local(name: str) -> str:
    """A name without its prefix: dumps of different years bind different ones."""
    return name.rpartition(":")[2]


def _attribute(attributes: Mapping[str, str], wanted: str) -> str:
    return next((value for name, value in attributes.items() if _local(name) == wanted), "")


# --- the directory of a crawl -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Directory:
    """The pages of a crawl that a directory has, each with the classes that it is in."""

    pages: Numbers  # ascending
    class_ends: Numbers  # the classes of page i are classes[class_ends[i] : class_ends[i + 1]], ascending
    classes: Classes
    paths: Classes  # a row a class: at each level the number of its category, the same only below the same ancestors
    names: tuple[str, ...]  # of the classes, such as Science/Biology
    facts: dict[str, int | str]

    @property
    def depth(self) -> int:
        """How many levels a class has."""
        return int(self.paths.shape[1])

    def category(self, i: int) -> str:
        """The names of all classes of page i, for a person."""
        return "; ".join(self.names[c] for c in self.classes[self.class_ends[i] : self.class_ends[i + 1]])


# What became of a row, the better the higher: an address counts for the best of its rows.
_NOT_IN_CRAWL, _EXCLUDED, _TOO_SHALLOW, _USED = range(4)


class _Rows:
    """What became of each row: millions, of which most are of pages that are not in the crawl."""

    def __init__(self) -> None:
        self.addresses, self.pages = array("q"), array("q")
        self.states = array("b")
        self.classes = array("i")
        self.numbers: dict[tuple[str, ...], int] = {}
        self.missing = ""

    def add(self, entry: Entry, page: int | None, state: int, depth: int) -> None:
        self.addresses.append(hash_text(entry.address))
        self.pages.append(page or 0)
        self.states.append(state)
        known = self.numbers.setdefault(entry.category[:depth], len(self.numbers)) if state == _USED else -1
        self.classes.append(known)
        if page is None and not self.missing:
            self.missing = entry.address


def placed(entries: Iterable[Entry], addresses: Addresses, depth: int, excluded: Callable[[str], bool]) -> Directory:
    """The directory of a crawl with classes of one depth; `excluded` says which URLs are pages of the directory itself.

    Deeper classes are folded into their ancestor at that depth, rows of shallower ones are left out.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise TruthError(f"classes of a directory cannot be {depth} levels deep; pass a --depth from 1 to {MAX_DEPTH}")
    rows = _Rows()
    for entry in entries:
        page = addresses.page(entry.address)
        rows.add(entry, page, _state(entry, page, addresses, depth, excluded), depth)
    if len(rows.numbers) < 2:
        raise _too_little(rows, addresses, depth)
    return _directory(rows, addresses, depth)


def _state(entry: Entry, page: int | None, addresses: Addresses, depth: int, excluded: Callable[[str], bool]) -> int:
    if page is None:
        return _NOT_IN_CRAWL
    if excluded(addresses.url(page)):
        return _EXCLUDED
    return _USED if len(entry.category) >= depth else _TOO_SHALLOW


def _too_little(rows: _Rows, addresses: Addresses, depth: int) -> TruthError:
    count, shallow = len(rows.states), rows.states.count(_TOO_SHALLOW)
    if rows.states.count(_NOT_IN_CRAWL) == count:
        return nothing_in_common("directory", count, rows.missing, addresses)
    found = "/".join(next(iter(rows.numbers))) if rows.numbers else "none"
    return TruthError(
        f"the directory has too few classes at depth {depth}: of its {count:,} rows "
        f"{rows.states.count(_NOT_IN_CRAWL):,} are not in the crawl{_example(rows.missing)}, "
        f"{rows.states.count(_EXCLUDED):,} are excluded, {shallow:,} are not that deep, and the classes of the others "
        f"are: {found}. Expected two or more; pass {'a smaller' if shallow else 'another'} --depth"
    )


def _example(missing: str) -> str:
    return f" (such as {missing})" if missing else ""


def _directory(rows: _Rows, addresses: Addresses, depth: int) -> Directory:
    ordered = sorted(rows.numbers)
    ranks = np.empty(len(ordered), np.int32)
    ranks[[rows.numbers[path] for path in ordered]] = np.arange(len(ordered), dtype=np.int32)
    used = np.array(rows.states, np.int8) == _USED
    page = np.array(rows.pages, np.int64)[used]
    class_ = ranks[np.array(rows.classes, np.int32)[used]]
    order = np.lexsort((class_, page))
    page, class_ = page[order], class_[order]
    first = np.ones(len(page), np.bool_)
    first[1:] = (page[1:] != page[:-1]) | (class_[1:] != class_[:-1])
    page, class_ = page[first], class_[first]
    pages, starts = np.unique(page, return_index=True)
    ends = np.append(starts, len(page)).astype(np.int64)
    facts = _facts(rows, pages, addresses, depth)
    return Directory(pages, ends, class_, _paths(ordered, depth), tuple(map("/".join, ordered)), facts)


def _paths(ordered: list[tuple[str, ...]], depth: int) -> Classes:
    """The numbers of categories by level, counted in the order of the classes."""
    paths = np.zeros((len(ordered), depth), np.int32)
    for c in range(1, len(ordered)):
        above, here = ordered[c - 1], ordered[c]
        for level in range(depth):
            paths[c, level] = paths[c - 1, level] + (above[: level + 1] != here[: level + 1])
    return paths


def _facts(rows: _Rows, pages: Numbers, addresses: Addresses, depth: int) -> dict[str, int | str]:
    """Numbers for a person: of addresses, each counted once, but for `rows`, `classes` and the pages of the crawl."""
    address, state = np.array(rows.addresses, np.int64), np.array(rows.states, np.int8)
    order = np.lexsort((state, address))
    last = np.append(address[order][1:] != address[order][:-1], True)
    counts = np.bincount(state[order][last], minlength=4)
    in_directory = np.array(rows.pages, np.int64)[state != _NOT_IN_CRAWL]
    return {
        "depth": depth,
        "rows": len(state),
        "pages": int(last.sum()),
        "classes": len(rows.numbers),
        "used": len(pages),
        "not_in_crawl": int(counts[_NOT_IN_CRAWL]),
        "too_shallow": int(counts[_TOO_SHALLOW]),
        "excluded": int(counts[_EXCLUDED]),
        "not_in_directory": int((~np.isin(addresses.pages[addresses.fetched], in_directory)).sum()),
        "only_linked": int((~addresses.is_fetched(pages)).sum()),
    }


# --- distances ----------------------------------------------------------------------------------------------


@kernel
def familial_distance(a: Classes, b: Classes) -> int:
    """How far up from class `a` the most specific class above both lies (Haveliwala et al. 2002, Definition 1).

    >>> familial_distance(np.array([4, 7, 9], np.int32), np.array([4, 8, 11], np.int32))
    2
    """
    for level in range(len(a)):
        if a[level] != b[level]:
            return len(a) - level
    return 0


def familial_distances(directory: Directory, source: int) -> Distances:
    """The distance from page number `source` to each page of a directory, between the nearest classes of the two."""
    own = directory.classes[directory.class_ends[source] : directory.class_ends[source + 1]]
    of_classes = np.empty(len(directory.paths), np.int8)
    of_pages = np.empty(len(directory.pages), np.int8)
    _class_distances(directory.paths, own, of_classes)
    _page_distances(directory.class_ends, directory.classes, of_classes, of_pages)
    return of_pages


@kernel
def _class_distances(paths: Classes, own: Classes, out: Distances) -> None:
    for c in range(len(paths)):
        nearest = paths.shape[1]
        for k in range(len(own)):
            nearest = min(nearest, familial_distance(paths[own[k]], paths[c]))
        out[c] = nearest


@kernel
def _page_distances(ends: Numbers, classes: Classes, class_distances: Distances, out: Distances) -> None:
    for i in range(len(ends) - 1):
        nearest = class_distances[classes[ends[i]]]
        for k in range(ends[i] + 1, ends[i + 1]):
            nearest = min(nearest, class_distances[classes[k]])
        out[i] = nearest
