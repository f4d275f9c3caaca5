"""The keyword index on disk: a tantivy index of pages, title, body, anchors and address each by stems and by forms."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tantivy
from numpy.typing import NDArray

from pagekin.query_language.nodes import FIELDS
from pagekin.stores.verified import readable
from pagekin.tables import LEXICON

if TYPE_CHECKING:
    from pagekin.keywords.documents import KeywordDocument

HEAP_BYTES = 256 << 20  # of what is not written yet
BATCH_ROWS = 256
PAGE, SITE, LANGUAGE, CAPTURED = "page", "site", "language", "captured_at"
STORED = ("body", "anchor")  # the fields whose words are kept for snippets
WORDS = "words.arrow"  # the words of the lexicon, the commonest first
MOST_REMOVALS = 100  # before something is wrong
META, MANAGED = "meta.json", ".managed.json"  # what tantivy says of an index, and of its files


def forms_of(field: str) -> str:
    """The field that has the word forms of a field; the field itself has stems.

    >>> forms_of("title")
    'title_forms'
    """
    return f"{field}_forms"


def words_of(field: str) -> str:
    """The field that keeps the words of a field as codes, to be read again.

    >>> words_of("body")
    'body_words'
    """
    return f"{field}_words"


def keyword_schema() -> tantivy.Schema:
    """The fields of a keyword index.

    Forms are asked for one by one, never in phrases: without positions and frequencies they take a quarter of the
    room of the stems.
    """
    builder = tantivy.SchemaBuilder()
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(forms_of(field), tokenizer_name="whitespace", index_option="basic")
    for field in STORED:
        builder.add_bytes_field(words_of(field), stored=True)
    builder.add_text_field(SITE, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(LANGUAGE, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field(CAPTURED, fast=True)
    builder.add_integer_field(PAGE, fast=True)
    return builder.build()


# --- reading ------------------------------------------------------------------------------------------------


class Ranked(NamedTuple):
    """A page that was found, and where its document is."""

    page: int
    score: float
    address: tantivy.DocAddress


class StoredWords(NamedTuple):
    """What is kept of a page: its language, the texts of its body, and what links say of it, as numbers of words."""

    language: str
    body: list[NDArray[np.int64]]
    anchor: list[NDArray[np.int64]]


class KeywordIndex:
    """A keyword index that is open; it may be asked from several threads and nothing is written where it lies."""

    def __init__(self, folder: Path) -> None:
        with readable(folder):
            self.index = _opened(folder)
            self.searcher = self.index.searcher()
            self._words: pa.StringArray = _mapped_words(folder / WORDS)
        self.schema = self.index.schema
        self.words = len(self._words)  # how many different words there are; they are numbered from 1

    def check_words(self) -> None:
        """ArrowInvalid if a word does not lie where the file says, or is none."""
        self._words.validate(full=True)

    def __len__(self) -> int:
        return int(self.searcher.num_docs)

    def best(self, query: tantivy.Query, k: int) -> tuple[int, list[Ranked]]:
        """How many pages a query matches, and the k best of them; of equal ones that of the least id is first."""
        result = self.searcher.search(query, max(k, 1))
        hits = result.hits[:k]
        addresses = [address for _, address in hits]
        pages = cast(list[int], self.searcher.fast_field_values(PAGE, addresses))
        ranked = [Ranked(page, score, at) for page, (score, at) in zip(pages, hits, strict=True)]
        count: int = result.count  # type: ignore[attr-defined]  # which its stubs do not know
        if len({score for score, _ in hits}) < len(hits):
            ranked.sort(key=itemgetter(0))
            ranked.sort(key=itemgetter(1), reverse=True)
        return count, ranked

    def stored(self, address: tantivy.DocAddress) -> StoredWords:
        """The words of a page that was found."""
        document = self.searcher.doc(address)
        body, anchor = (_texts(document.get_first(words_of(field)) or b"") for field in STORED)
        return StoredWords(document.get_first(LANGUAGE) or "", body, anchor)

    def spelt(self, numbers: NDArray[np.int64]) -> list[str]:
        """The words that have these numbers."""
        words: list[str] = self._words.take(pa.array(numbers - 1)).to_pylist()
        return words


def _texts(codes: bytes) -> list[NDArray[np.int64]]:
    """The numbers of the words of each text that codes stand for."""
    numbers = decoded(codes)
    breaks = np.flatnonzero(numbers == 0)
    return [text[text > 0] for text in np.split(numbers, breaks)] if len(numbers) else []


def decoded(codes: bytes) -> NDArray[np.int64]:
    """The numbers that are written in groups of seven bits, the low ones first.

    >>> decoded(bytes([5, 0x80 | 1, 2])).tolist()
    [5, 257]
    """
    groups = np.frombuffer(codes, np.uint8)
    ends = np.flatnonzero(groups < 128)
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    numbers: NDArray[np.int64] = (groups[starts] & 127).astype(np.int64)
    longer, place = np.flatnonzero(ends > starts), 1
    while len(longer):
        at = starts[longer] + place
        numbers[longer] |= (groups[at] & 127).astype(np.int64) << (7 * place)
        longer, place = longer[ends[longer] > at], place + 1
    return numbers


def _mapped_words(path: Path) -> pa.StringArray:
    column = pa.ipc.open_file(pa.memory_map(str(path))).read_all()["text"]
    return column.combine_chunks()


def _opened(folder: Path) -> tantivy.Index:
    """The index of a folder, opened through links to its files.

    tantivy makes a file for a lock beside the files that it opens; what is opened here may not be writable, and
    should stay as it was. The files are open when the links go.
    """
    links = Path(tempfile.mkdtemp(prefix="pagekin-"))
    try:
        for path in folder.absolute().iterdir():
            os.symlink(path, links / path.name)
        index = tantivy.Index.open(str(links))
        index.config_reader("manual")
    finally:
        _remove_links(links)
    return index


def _remove_links(links: Path) -> None:
    """Remove the folder; a thread that tantivy started may put a lock back into it once while it is being emptied."""
    for _ in range(MOST_REMOVALS):
        shutil.rmtree(links, ignore_errors=True)
        if not links.exists():
            return
    raise OSError(f"{links} is filled as often as it is emptied")


# --- writing ------------------------------------------------------------------------------------------------


def write_keywords(
    folder: Path, pages: Sequence[Path], anchors: Sequence[Path], lexicon: Sequence[Path], languages: Sequence[str]
) -> int:
    """Write the index of PAGES and ANCHOR_TEXTS, given by their parts in order; returns how many documents it has."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        part = Path(beside) / "part"
        count = write_keyword_part(part, keyword_rows(pages), keyword_rows(anchors), lexicon, languages)
        join_keyword_parts(folder, [part], lexicon)
    return count


def keyword_rows(parts: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    """What is needed of PAGES or ANCHOR_TEXTS, a few rows at a time."""
    from pagekin.keywords.documents import PAGE_COLUMNS

    for part in parts:
        with pq.ParquetFile(part) as file:
            columns = PAGE_COLUMNS if "title" in file.schema_arrow.names else None
            yield from file.iter_batches(BATCH_ROWS, columns=columns)


def write_keyword_part(
    folder: Path,
    pages: Iterator[pa.RecordBatch],
    anchors: Iterator[pa.RecordBatch],
    lexicon: Sequence[Path],
    languages: Sequence[str],
) -> int:
    """Write some rows of PAGES and ANCHOR_TEXTS, in order and of the same keys, as an index of their own."""
    from pagekin.keywords.documents import keyword_documents
    from pagekin.keywords.spelling import Spelling

    folder.mkdir(parents=True)
    index = tantivy.Index(keyword_schema(), str(folder), reuse=False)
    writer = index.writer(HEAP_BYTES, 1)
    count = 0
    for document in keyword_documents(pages, anchors, Spelling(_lexicon(lexicon), languages)):
        writer.add_document(_tantivy_document(document))
        count += 1
    writer.commit()
    writer.wait_merging_threads()
    return count


def _lexicon(parts: Sequence[Path]) -> pa.Table:
    return pa.concat_tables([LEXICON.empty_table(), *map(pq.read_table, parts)]).combine_chunks()


def join_keyword_parts(folder: Path, parts: Sequence[Path], lexicon: Sequence[Path]) -> None:
    """Make one index of several by moving their segments together; a search weighs words by all of them.

    The list of segments comes last: until then nothing is there that could be opened. An attempt that was ended early
    may have moved some files.
    """
    from pagekin.keywords.spelling import by_rank

    folder.mkdir(parents=True, exist_ok=True)
    metas = [json.loads((part / META).read_text("utf-8")) for part in parts]
    segments = [segment for meta in metas for segment in meta["segments"]]
    for part in parts:
        for path in part.iterdir():
            if path.name not in (META, MANAGED) and path.suffix != ".lock":
                path.rename(folder / path.name)
    _write_words(folder / WORDS, by_rank(_lexicon(lexicon)))
    beside = folder / f"{META}.tmp"
    beside.write_text(json.dumps(metas[0] | {"segments": segments, "opstamp": 0}), "utf-8")
    beside.rename(folder / META)


def _write_words(path: Path, words: pa.ChunkedArray) -> None:
    table = pa.table({"text": words}).combine_chunks()
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _tantivy_document(document: KeywordDocument) -> tantivy.Document:
    new = tantivy.Document()
    new.add_integer(PAGE, document.page)
    for name in document.names:
        new.add_text(SITE, name)
    if document.captured_at is not None:
        new.add_integer(CAPTURED, document.captured_at)
        new.add_text(LANGUAGE, document.language)
    for name, field in zip(FIELDS, (document.title, document.body, document.anchor, document.url), strict=True):
        for stems in field.stems:
            new.add_text(name, stems)
        new.add_text(forms_of(name), field.forms)
        if field.codes and name in STORED:
            new.add_bytes(words_of(name), field.codes)
    return new
