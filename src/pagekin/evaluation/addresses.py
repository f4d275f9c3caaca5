"""Files of truth, and which pages of a crawl they speak of.

People write addresses down as they see fit: with a scheme or without, `http` for what was crawled as `https`, the
address from before a page moved, or the path of a file. `Addresses` takes each for the page that it means.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pagekin.crawl.folder import file_url
from pagekin.crawl.urls import canonical_url, page_id
from pagekin.errors import TruthError

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_LINE_BYTES = 1 << 20  # two addresses are far shorter; what is longer is no text, and could fill the memory
_GZIP = b"\x1f\x8b"


class Addresses:
    """The pages that a crawl knows, fetched or only linked to, by any address.

    `urls` has the columns page, ascending, url and fetched; `aliases` has page and target. `folders` are the base
    URLs of the folders that were built.

    >>> urls = pa.table({"page": [page_id("http://docs/a%20b.html")], "url": ["http://docs/a%20b.html"],
    ...                  "fetched": [True]})
    >>> aliases = pa.table({"page": pa.array([], pa.int64()), "target": pa.array([], pa.int64())})
    >>> known = Addresses(urls, aliases, ["http://docs/"])
    >>> {known.page(a) for a in ("a b.html", "docs/a%20b.html", "https://docs/a%20b.html#top")} == {known.pages[0]}
    True
    """

    def __init__(self, urls: pa.Table, aliases: pa.Table, folders: Sequence[str]) -> None:
        self.pages: NDArray[np.int64] = urls["page"].to_numpy()
        self.fetched: NDArray[np.bool_] = urls["fetched"].to_numpy()
        moved = aliases["page"].to_numpy()
        order = np.argsort(moved)
        self._moved: NDArray[np.int64] = moved[order]
        self._targets: NDArray[np.int64] = aliases["target"].to_numpy()[order]
        self._urls = urls["url"]
        self._folders = tuple(folders)

    def page(self, address: str) -> int | None:
        """The page that an address means; None if the crawl has never heard of it."""
        for url in self._readings(address):
            page = self._known(canonical_url(url))
            if page is not None:
                return page
        return None

    def url(self, page: int) -> str:
        """The canonical URL of a page of the crawl."""
        row = _row(self.pages, page)
        assert row is not None, f"{page} is no page of the crawl"
        return str(self._urls[row].as_py())

    def is_fetched(self, pages: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of some pages of the crawl were fetched."""
        return self.fetched[np.searchsorted(self.pages, pages)]

    def _readings(self, address: str) -> Iterator[str]:
        """The URLs that an address may stand for, the likeliest first."""
        if "://" in address:
            yield address
            return
        for base in self._folders:
            yield file_url(base, address)
        yield f"http://{address}"

    def _known(self, canonical: str) -> int | None:
        if not canonical:
            return None
        page = page_id(canonical)
        move = _row(self._moved, page)
        page = page if move is None else int(self._targets[move])
        return None if _row(self.pages, page) is None else page


def _row(ids: NDArray[np.int64], wanted: int) -> int | None:
    row = int(ids.searchsorted(wanted))
    return row if row < len(ids) and ids[row] == wanted else None


def nothing_in_common(truth: str, rows: int, missing: str, addresses: Addresses) -> TruthError:
    """The error for a truth that speaks of other pages than the crawl has; `missing` is an address of those."""
    if not len(addresses.pages):
        return TruthError(f"the crawl has no pages that the {rows:,} rows of the {truth} could speak of")
    page = int(addresses.pages[np.argmax(addresses.fetched)])
    return TruthError(
        f"none of the {rows:,} rows of the {truth} speaks of pages of this crawl: {missing or 'no address'} is not "
        f"in it, while {addresses.url(page)} is. Expected URLs, or paths in a folder that was built; look at what "
        f"the folder was built from and with which --base-url"
    )


# --- files of truth -----------------------------------------------------------------------------------------


@contextmanager
def open_truth(path: Path) -> Iterator[io.BufferedReader]:
    """Opens a file, packed by gzip or not; whatever keeps it from being read is a TruthError."""
    try:
        with open(path, "rb") as file:
            packed = file.peek(len(_GZIP)).startswith(_GZIP)
            yield io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise TruthError(f"{path} cannot be read: {reason}; expected a text file, plain or packed by gzip") from error


def read_rows(file: BinaryIO | io.BufferedReader, path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text in UTF-8 with their numbers, but for blank ones and those that start with `#`."""
    lines = iter(lambda: file.readline(MAX_LINE_BYTES), b"")
    empty = True
    for number, line in enumerate(lines, 1):
        text = _text(line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line, f"{path}:{number}")
        if text.strip() and not text.startswith("#"):
            empty = False
            yield number, text
    if empty:
        raise TruthError(f"{path} has no rows; expected one row a line, its columns separated by tabs")


def _text(line: bytes, where: str) -> str:
    if len(line) >= MAX_LINE_BYTES:
        raise TruthError(f"{where}: a line of more than {MAX_LINE_BYTES:,} bytes; expected a row of a table of text")
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        found = f"byte 0x{line[error.start]:02x} at column {error.start + 1}"
        raise TruthError(f"{where}: {found} is not UTF-8; convert the file, for example with iconv") from error
