"""What it costs to verify an index before it is used: the first opening on a machine, and those that follow.

python benchmarks/verifying.py [INDEX]

Without an index, that of a sample web is built.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from pagekin.builder import build
from pagekin.index import Index
from pagekin.sample import write_sample
from pagekin.stores.manifest import read_manifest
from pagekin.stores.verified import Verified

PAGES = 3000
PARTS = ("documents", "shards", "urls", "aliases", "bags", "terms", "term_counts", "duplicates", "concepts", "basis",
         "cocited", "links", "pages", "lexicon", "keywords", "vocabulary")  # fmt: skip


def asked(path: Path) -> tuple[float, float]:
    """Seconds of the processor for opening an index and asking one question of each kind."""
    begun = time.process_time()
    index = Index(path)
    opened = time.process_time() - begun
    url = index._documents.text("url", len(index) // 2)
    index.related(url, explain=True)
    index.search("a", 1)
    return opened, time.process_time() - begun


def main() -> None:
    """Verify the index that is given, or one that is made for it."""
    if len(sys.argv) > 1:
        verify(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        write_sample(Path(folder), PAGES)
        build(Path(folder) / "sample.warc.gz", Path(folder) / "sample.kin")
        verify(Path(folder) / "sample.kin")


def verify(path: Path) -> None:
    """Print a line for each way."""
    manifest = read_manifest(path)
    asked(path)  # what was compiled is loaded
    memory = Verified(path, manifest)._memory
    memory.unlink(missing_ok=True)
    first = asked(path)
    later = asked(path)
    begun = time.process_time()
    memory.unlink(missing_ok=True)
    Verified(path, manifest).check(*PARTS)
    sums = time.process_time() - begun
    print(f"{path.name}: {manifest.bytes / 1e6:.0f} MB, {manifest.counts['bags']:,} documents")
    print(f"checksums of all parts: {sums:.2f} s of processor, {manifest.bytes / 1e6 / sums:.0f} MB/s")
    print(
        f"open, first time {first[0]:.2f} s, later {later[0]:.2f} s; with questions {first[1]:.2f} s, {later[1]:.2f} s"
    )


if __name__ == "__main__":
    main()
