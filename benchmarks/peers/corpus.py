"""The pages that all ways of ranking get, and the questions that all are asked.

    python -m peers.corpus scikit-learn            (in the folder benchmarks)

Builds the index of a set (its cost is pagekin's row in the table), and writes a corpus beside it: one row for each
page that was fetched, in the order of its id, with its title, its *whole* text as a parser gives it, and its *own*
text, without the lines that stand on more than three pages of the site. That is pagekin's own rule for templates
(`template_pages`), so that a reader can see what is due to the rule and what to the ranking. The lines are those of
blocks, with their capitals and stops, because models of language read them.
"""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from resiliparse.extract.html2text import extract_plain_text

from build import measured
from measuring import CACHE, circumstances, processor_time, real_pages, write_result
from pagekin.crawl.captures import read_captures
from pagekin.crawl.inputs import find_splits
from pagekin.evaluation.addresses import Addresses
from pagekin.sample import write_sample
from pagekin.settings import Settings, Strategy
from pagekin.trials.crawl_tables import index_tables
from pagekin.trials.evaluate import Truth, opened_trial

SAMPLE_PAGES = 1000


@dataclass(frozen=True)
class PageSet:
    """Some pages and what people say of them."""

    name: str
    title: str
    crawl: Path
    truth: Truth


def page_set(name: str) -> PageSet | None:
    """A set by its name; None if its pages are not at hand."""
    if name == "sample":
        return _sample()
    if name == "encyclopedia":
        folder = real_pages("schools-wikipedia")
        truth = folder and Truth(directory=folder / "directory.tsv", depth=2, sources=0)
        return folder and PageSet(name, "the school encyclopedia", folder, truth)
    folder = real_pages("see-also-docs")
    crawl = folder and folder / {"scipy": "scipy-docs", "scikit-learn": "sklearn-docs"}[name]
    titles = {"scipy": "the documentation of SciPy", "scikit-learn": "the documentation of scikit-learn"}
    return crawl and PageSet(name, titles[name], crawl, Truth(related=crawl / "related.tsv", sources=0))


def _sample() -> PageSet:
    folder = CACHE / "sample-web"
    if not (folder / "directory.tsv").exists():
        write_sample(folder, SAMPLE_PAGES)
    truth = Truth(directory=folder / "directory.tsv", sources=0)
    return PageSet("sample", "the sample web", folder / "sample.warc.gz", truth)


# --- texts --------------------------------------------------------------------------------------------------


def texts(pages: PageSet, addresses: Addresses) -> Iterator[tuple[int, str]]:
    """The id and the whole text of every page, its blocks in lines."""
    settings = Settings().crawl
    for split in find_splits([str(pages.crawl)], settings)[0]:
        for name, batch in read_captures(split, settings):
            if name == "captures":
                for url, html in zip(batch["url"].to_pylist(), batch["html"].to_pylist(), strict=True):
                    page = addresses.page(url)
                    if page is not None and html:
                        yield page, visible_text(html.decode("utf-8", "replace"))


def visible_text(html: str) -> str:
    """What a person sees of a page, its blocks in lines."""
    text = extract_plain_text(html, main_content=False, alt_texts=False, links=False, form_fields=False, noscript=False)
    return str(text)


def own_lines(whole: list[str], template_pages: int) -> list[str]:
    """The texts without the lines that stand on more pages than that."""
    lines = [[" ".join(line.split()) for line in text.splitlines()] for text in whole]
    pages = Counter(line for page in lines for line in set(page))
    return ["\n".join(line for line in page if line and pages[line] <= template_pages) for page in lines]


# --- the corpus ---------------------------------------------------------------------------------------------


def write_corpus(pages: PageSet, folder: Path) -> None:
    """Build the index and write the corpus, whole or not at all."""
    beside = folder.with_name(folder.name + ".writing")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    index = beside / "index.kin"
    costs = build_costs(pages, beside)
    tables = index_tables(index)
    addresses = Addresses(tables.table("urls", ["page", "url", "fetched"]), tables.table("aliases"), tables.base_urls)
    extracting, found = processor_time(lambda: dict(texts(pages, addresses)))
    rows = tables.table("pages", ["page", "title"]).sort_by("page")
    ids = rows["page"].to_pylist()
    whole = [found.get(page, "") for page in ids]
    table = {"page": ids, "title": rows["title"], "whole": whole, "own": own_lines(whole, Strategy().template_pages)}
    pq.write_table(pa.table(table), beside / "pages.parquet", compression="zstd")
    with opened_trial(index, pages.truth) as trial:
        asked = trial.judges[0].pages[trial.judges[0].sources]
    # A page that was never fetched can be a source too, by what links say of it; who has but texts cannot be asked.
    np.save(beside / "asked.npy", np.flatnonzero(np.isin(rows["page"].to_numpy(), asked)))
    write_result(beside / "costs.json", costs | {"extract_seconds": round(extracting, 3), "pages": len(ids)})
    shutil.rmtree(folder, ignore_errors=True)
    beside.rename(folder)


def build_costs(pages: PageSet, folder: Path) -> dict[str, Any]:
    """What a build by default takes, and one of texts alone, one worker, kernels compiled before."""
    measured([pages.crawl], folder / "text.kin", 1, "text only")
    text = measured([pages.crawl], folder / "text.kin", 1, "text only")
    whole = measured([pages.crawl], folder / "index.kin", 1, "default")
    return {
        "build_seconds": whole["cpu_seconds"],
        "index_bytes": whole["bytes"],
        "text_build_seconds": text["cpu_seconds"],
        "text_index_bytes": text["bytes"],
    } | circumstances()


def main() -> None:
    """Write the corpora that are named, or all."""
    for name in sys.argv[1:] or ("scikit-learn", "scipy", "encyclopedia"):
        pages = page_set(name)
        if pages is None:
            print(f"{name}: its pages are not here (no ../shared/data next to the repository); left out")
            continue
        write_corpus(pages, CACHE / "corpora" / name)


if __name__ == "__main__":
    main()
