from __future__ import annotations

import gc
import re
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pagekin.sample import web as web_module
from pagekin.sample import write_sample
from pagekin.sample.captures import fetched_url
from pagekin.sample.documents import document
from pagekin.sample.sites import COPYRIGHT_URL, SPAM_TARGET_URL, Web

Captures = list[Any]
Pages = dict[str, Any]
FILES = ("sample.warc.gz", "directory.tsv", "duplicates.tsv", "blocks.tsv")


def test_same_seed_same_bytes(web: Path, tmp_path: Path) -> None:
    write_sample(tmp_path, 600, seed=1)
    assert all((tmp_path / name).read_bytes() == (web / name).read_bytes() for name in FILES)


def test_other_seed_other_web(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_sample(tmp_path / str(seed), 40, seed)
    first, second = ((tmp_path / seed / "directory.tsv").read_text("utf-8") for seed in "12")
    assert not set(first.splitlines()) & set(second.splitlines())


def test_a_page_does_not_depend_on_those_made_before() -> None:
    forwards = [document(Web(800, 3).page(number)) for number in range(300, 340)]
    backwards = [document(Web(800, 3).page(number)) for number in reversed(range(300, 340))]
    assert forwards == backwards[::-1]


def test_summary_counts_what_was_written(tmp_path: Path, captures: Captures, pages: Pages) -> None:
    summary = write_sample(tmp_path, 600, seed=1)
    assert (summary.pages, summary.records) == (len(pages), len(captures)) == (600, summary.records)
    assert summary.files == tuple(tmp_path / name for name in FILES)


def test_a_large_web_has_several_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_module, "PAGES_PER_FILE", 20)
    summary = write_sample(tmp_path, 50)
    assert [path.name for path in summary.files[:3]] == [f"sample-0000{part}.warc.gz" for part in range(3)]


def test_an_earlier_sample_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "sample-00007.warc.gz").write_bytes(b"old")
    (tmp_path / "mine.tsv").write_text("keep")
    write_sample(tmp_path, 10)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*FILES, "mine.tsv"])


def test_a_fault_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_sample(tmp_path, 100, progress=fail)
    assert list(tmp_path.iterdir()) == []


def test_progress_ends_at_the_last_page(tmp_path: Path) -> None:
    told: list[int] = []
    write_sample(tmp_path, 120, progress=told.append)
    assert told == [50, 100, 120]


def test_no_pages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least one page, not 0"):
        write_sample(tmp_path, 0)


def test_memory_does_not_grow_with_pages(tmp_path: Path) -> None:
    held: dict[int, int] = {}

    def note_memory(done: int) -> None:
        if done % 250 == 0:
            gc.collect()
            held[done] = tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    write_sample(tmp_path, 1750, seed=4, progress=note_memory)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held[1750] < 1.3 * max(held[250], held[500])
    assert peak < 16 << 20


# Every kind of trouble is in a web of 600 pages.


def test_kinds_of_records(captures: Captures) -> None:
    assert {"warcinfo", "request", "response", "revisit"} == {capture.kind for capture in captures}
    assert {200, 301, 302, 404} <= {capture.status for capture in captures}


def test_ways_of_transfer(captures: Captures) -> None:
    assert {"gzip", "deflate"} <= {capture.http.get("Content-Encoding") for capture in captures}
    assert "chunked" in {capture.http.get("Transfer-Encoding") for capture in captures}


def test_encodings_in_the_header(pages: Pages) -> None:
    declared = Counter(page.http.get("Content-Type") for page in pages.values())
    expected = ("utf-8", "windows-1252", "shift_jis", "koi8-r")
    assert {f"text/html; charset={codec}" for codec in expected} | {"text/html", None} <= set(declared)


def test_encodings_in_the_page(pages: Pages) -> None:
    declared = {codec for page in pages.values() for codec in re.findall(rb"charset=([\w-]+)\">", page.body)}
    assert {b"utf-8", b"iso-8859-1", b"euc-jp", b"windows-1251"} <= declared
    assert any(page.body.startswith(b"\xff\xfe") for page in pages.values())


def test_bodies_that_are_no_pages(pages: Pages) -> None:
    bodies = [page.body for page in pages.values()]
    assert b"" in bodies
    assert any(body.startswith(b"\x89PNG") for body in bodies)


def test_an_address_captured_twice(captures: Captures) -> None:
    good = [capture for capture in captures if capture.kind == "response" and capture.status == 200]
    assert max(Counter(capture.url for capture in good).values()) == 2


@pytest.mark.parametrize(
    "trouble",
    [
        b'rel="nofollow"', b'rel="canonical"', b"<base href=", b"utm_source=", b"#comments", b"href=http:",
        b'content="noindex, nofollow"', b"http-equiv=\"refresh\"", b"<b>", b" && b > c", b"/old/",
    ],
)  # fmt: skip
def test_trouble_in_the_html(trouble: bytes, pages: Pages) -> None:
    assert any(trouble in page.body for page in pages.values())


def test_old_addresses_redirect_to_pages(captures: Captures, pages: Pages) -> None:
    moved = [capture for capture in captures if capture.status in (301, 302)]
    root = re.compile(r"http://[^/]+")
    targets = [capture.http["Location"] for capture in moved]
    assert all(
        (target if target[0] == "h" else root.match(capture.url)[0] + target) in pages
        for capture, target in zip(moved, targets, strict=True)
    )
    linked = {link for url, page in pages.items() if "curious" not in url for link in page.links}
    assert len({capture.url for capture in moved} & linked) > len(moved) // 2


def test_most_pages_link_to_the_copyright_page(pages: Pages) -> None:
    footers = sum(COPYRIGHT_URL.encode() in page.body for page in pages.values())
    assert COPYRIGHT_URL in pages
    assert footers > 0.8 * len(pages)


def test_the_farm_links_to_its_target(pages: Pages) -> None:
    web = Web(600, 1)
    farm = [fetched_url(page) for page in map(web.page, range(600)) if page.site.kind == "spam"]
    assert len(farm) >= 20
    assert all(SPAM_TARGET_URL.encode() in pages[url].body.replace(b"\0", b"") for url in farm)


def test_a_variant_names_its_preferred_address(pages: Pages) -> None:
    variants = [page for url, page in pages.items() if "view=plain" in url]
    assert variants
    assert all(re.search(r'rel="canonical" href="[^"]*page=3"', page.text) for page in variants)
