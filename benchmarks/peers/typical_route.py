"""The route from a WARC to related pages that people write first: BeautifulSoup, then tf-idf or embeddings.

    python -m peers.typical_route CRAWL.warc.gz tf_idf 1000
    python -m peers.typical_route CRAWL.warc.gz embeddings 100

Prints, as JSON, how many pages were taken and the processor time from reading them to a matrix that can be asked.
Libraries and the model are loaded before.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup
from fastwarc.warc import ArchiveIterator, WarcRecordType

from measuring import processor_time
from peers import protocol


def texts(crawl: Path, most: int) -> Iterator[str]:
    """The visible text of the first pages."""
    for record in ArchiveIterator(str(crawl), record_types=WarcRecordType.response):
        if "html" not in (record.http_content_type or ""):
            continue
        soup = BeautifulSoup(record.reader.read(), "lxml")
        for hidden in soup(["script", "style"]):
            hidden.decompose()
        yield soup.get_text(" ", strip=True)
        most -= 1
        if not most:
            return


def peer_of(kind: str) -> protocol.Peer:
    """What is made of the texts."""
    if kind == "tf_idf":
        from peers.tf_idf import TfIdf

        return TfIdf()
    from peers.embeddings import Embeddings

    return Embeddings()


def main() -> None:
    """Measure and print."""
    crawl, kind, most = sys.argv[1:]
    warnings.simplefilter("ignore")
    peer = peer_of(kind)
    next(texts(Path(crawl), 1))
    with tempfile.TemporaryDirectory() as folder:
        read_seconds, found = processor_time(lambda: list(texts(Path(crawl), int(most))))
        seconds, _ = processor_time(lambda: peer.build(found, Path(folder)))
    print(json.dumps({"kind": kind, "pages": len(found), "seconds": read_seconds + seconds, "reading": read_seconds}))


if __name__ == "__main__":
    main()
