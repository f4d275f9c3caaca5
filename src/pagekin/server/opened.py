"""The index that answers now, and how another takes its place without a request being lost.

A request leases what is open when it begins and sees nothing else until it ends. What was replaced is closed when the
last of its requests has ended.
"""

from __future__ import annotations

import gc
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pagekin.errors import IndexUnusable, PagekinError
from pagekin.index import Index, open_index
from pagekin.query.suggest import Suggestions
from pagekin.server.held import Held
from pagekin.stores.documents import Documents
from pagekin.stores.manifest import NAME
from pagekin.version import VERSION

if TYPE_CHECKING:
    from pagekin.trials.duplicates import Duplicates

Key = tuple[str, bytes]


class Remembered:
    """Answers that were given, the latest, up to a number of bytes; used by one thread."""

    def __init__(self, most_bytes: int) -> None:
        self._answers: OrderedDict[Key, bytes] = OrderedDict()
        self._most, self._bytes = most_bytes, 0

    def get(self, key: Key) -> bytes | None:
        """The answer to a question, if it is still known."""
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def keep(self, key: Key, answer: bytes) -> None:
        """Remember an answer, and forget those that were not asked for longest."""
        self._bytes -= _size(key, self._answers.pop(key, b""))
        self._answers[key] = answer
        self._bytes += _size(key, answer)
        while self._bytes > self._most:
            self._bytes -= _size(*self._answers.popitem(last=False))


def _size(key: Key, answer: bytes) -> int:
    return len(key[1]) + len(answer) if answer else 0


class Served:
    """One open index, with what is made from it for the service alone."""

    def __init__(self, path: Path, remembered_bytes: int) -> None:
        self._path = path
        self._held = Held(path.resolve())
        try:
            self.index = open_index(self._held.folder)
            self.digest = _digest(self._held.folder)
        except IndexUnusable as fault:
            self._held.let_go()
            raise IndexUnusable(str(fault).replace(str(self._held.folder), str(path))) from None
        self.remembered = Remembered(remembered_bytes)
        self.users = 1  # that it is the one that is open counts as one

    @cached_property
    def suggestions(self) -> Suggestions:
        """The addresses and titles to be offered while typing."""
        return Suggestions(Documents(self.index.path / "documents"))

    @cached_property
    def duplicates(self) -> Duplicates:
        """Which pages are copies of others."""
        from pagekin.trials.crawl_tables import index_tables
        from pagekin.trials.duplicates import read_duplicates

        return read_duplicates(index_tables(self.index.path))

    def told(self, fault: object) -> str:
        """What a fault says, with the name of the index in place of where it lies."""
        return without_place(str(fault).replace(str(self.index.path), self._path.name), self._path)

    def warm(self) -> None:
        """Ask a question of each kind: the first of each reads columns and compiled code."""
        url = self.suggestions.likeliest
        with suppress(PagekinError):
            if url is not None:
                self.index.related(url, explain=True)
                self.index.related(text=url)
            self.index.search("a", 1)

    def close(self) -> None:
        """Give back its files and its memory."""
        self._held.let_go()
        for name in ("index", "suggestions", "duplicates"):
            self.__dict__.pop(name, None)
        gc.collect()  # an index refers to itself in circles


def without_place(said: str, path: Path) -> str:
    """A sentence with the name of a path in place of the whole.

    >>> without_place("/data/site.kin is damaged", Path("/data/site.kin"))
    'site.kin is damaged'
    """
    for place in (str(path.resolve()), str(path)) if path.name else ():
        said = said.replace(place, path.name)
    return said


def _digest(folder: Path) -> str:
    """What tells this index from all others: the manifest has the settings and the checksums of all files."""
    manifest = (folder / NAME).read_bytes()
    return hashlib.blake2b(manifest + VERSION.encode(), digest_size=12).hexdigest()


class NotOpen(PagekinError):
    """No index is open yet."""


class Opened:
    """Holds the index of a path, and opens it anew when told to."""

    def __init__(self, path: Path, remembered_bytes: int = 0) -> None:
        self.path = path
        self._remembered_bytes = remembered_bytes
        self._served: Served | None = None
        self._lock, self._reloading = threading.Lock(), threading.Lock()
        self._leased: ContextVar[Served | None] = ContextVar("leased", default=None)

    @property
    def is_open(self) -> bool:
        """Whether there is an index to ask."""
        return self._served is not None

    @property
    def served(self) -> Served:
        """What the request at hand has leased, or what is open now; NotOpen before the first was opened."""
        served = self._leased.get() or self._served
        if served is None:
            raise NotOpen(f"{self.path.name} is being opened; ask again in a moment")
        return served

    @property
    def current_digest(self) -> str:
        """That of the index that is open now, whatever the request at hand has leased."""
        return self._served.digest if self._served else ""

    @property
    def index(self) -> Index:
        """The index of the request at hand."""
        return self.served.index

    def told(self, fault: object) -> str:
        """What a fault says, with the name of the index in place of where it lies."""
        return self.served.told(fault) if self.is_open else without_place(str(fault), self.path)

    @contextmanager
    def lease(self, served: Served | None = None) -> Iterator[Served]:
        """What is open now, which stays open until the end; or something that is leased already, once more."""
        with self._lock:
            served = served or self.served
            served.users += 1
        token = self._leased.set(served)
        try:
            yield served
        finally:
            self._leased.reset(token)
            self._give_back(served)

    def _give_back(self, served: Served) -> None:
        with self._lock:
            served.users -= 1
            is_last = served.users == 0
        if is_last:
            served.close()

    def reload(self) -> bool:
        """Open what stands at the path now; False if it is what is open. IndexUnusable changes nothing."""
        with self._reloading:
            new = Served(self.path, self._remembered_bytes)
            old = self._served
            if old is not None and old.digest == new.digest:
                new.close()
                return False
            new.warm()
            with self._lock:
                self._served = new
            if old is not None:
                self._give_back(old)
        return True

    def close(self) -> None:
        """Let go of what is open."""
        with self._lock:
            served, self._served = self._served, None
        if served is not None:
            self._give_back(served)
