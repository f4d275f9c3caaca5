"""What is true of the sample web, written as the pages are: topics, copies and link blocks."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from pagekin.sample.documents import Document
from pagekin.sample.sites import Page

TRUTH_FILES = ("directory.tsv", "duplicates.tsv", "blocks.tsv")


class TruthWriter:
    """The three files of truth, open for writing."""

    def __init__(self, directory: Path) -> None:
        self.never_fetched = 0
        self._stack = ExitStack()
        self._directory, self._duplicates, self._blocks = (
            self._stack.enter_context((directory / name).open("w", encoding="utf-8", newline="\n"))
            for name in TRUTH_FILES
        )

    def __enter__(self) -> TruthWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def write(self, page: Page, document: Document, url: str) -> None:
        """Add what is true of one fetched page."""
        self._write_topics(page)
        if page.original and page.original.number < page.site.web.pages:
            self._duplicates.write(f"{page.original.url}\t{url}\t{page.copied_as}\n")
        for number, links in enumerate(document.blocks):
            self._blocks.writelines(f"{url}\t{number}\t{link}\n" for link in links)

    def _write_topics(self, page: Page) -> None:
        """The topic of the page and, with a home page, of those it links to that were never fetched."""
        unseen = page.site.all_pages[page.site.size :] if page.role == "home" else ()
        self.never_fetched += len(unseen)
        for known in (page, *unseen):
            if known.in_directory:
                self._directory.write(f"{known.url}\t{known.leaf.path}\n")
