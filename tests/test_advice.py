"""What the owner of a site is told, on sites made so that it is known."""

from __future__ import annotations

import numpy as np
import pytest

import pagekin
from pagekin.advice import Advice, _Crawled, advise
from pagekin.engines.local import LocalEngine
from pagekin.errors import UnknownPage
from pagekin.sample import write_sample

BEES = "swarm hive comb nectar pollen brood queen drone honey wax smoker frame"
BOATS = "hull keel mast rudder anchor sail deck rigging harbour tiller boom cleat"
HOST = "http://site.test"


def long_text(subject: str, own: str) -> str:
    """A page of its own about a subject."""
    return f"<p>{subject} {' '.join(f'{own}{number}' for number in range(30))}"


def pages_of_a_site() -> dict[str, str]:
    """Twelve pages by their names, without the menu."""
    copy = f"<p>{BOATS} {' '.join(f'word{number}' for number in range(100))}"
    others = {f"p{number}.html": long_text(f"topic{number} matter{number}", f"p{number}x") for number in range(4)}
    others["p0.html"] += '<a href="boat.html">boat</a> <a href="linked.html">linked</a>'
    return others | {
        "index.html": long_text(BEES, "front") + "".join(f'<a href="p{n}.html">page {n}</a> ' for n in range(5)),
        "hives.html": long_text(BEES, "hives"),
        "honey.html": long_text(BEES, "honey"),
        "linked.html": f'{long_text(BEES, "linked")} <a href="honey.html">see</a>',
        "self.html": f'{long_text(BOATS, "self")} <a href="self.html">this page</a>',
        "boat.html": copy,
        "boat-print.html": copy,
        "p4.html": "<p>soon",
    }


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Index:
    """The index of such a site, whose menu leads to the front page and to hives.html."""
    folder = tmp_path_factory.mktemp("advice") / "site.test"
    folder.mkdir()
    menu = '<ul><li><a href="index.html">Home</a></li><li><a href="hives.html">Hives</a></li></ul>'
    for name, html in pages_of_a_site().items():
        (folder / name).write_text(f"<title>{name}</title>{menu * (name != 'p4.html')}{html}", "utf-8")
    pagekin.build(folder, folder.with_name("site.kin"), engine=LocalEngine(1))
    return pagekin.open(folder.with_name("site.kin"))


@pytest.fixture(scope="module")
def advice(index: pagekin.Index) -> Advice:
    """Advice on that site."""
    return advise(index)


def pairs(advice: Advice) -> set[frozenset[str]]:
    return {frozenset(url.rpartition("/")[2] for url in (link.url, link.other_url)) for link in advice.missing_links}


def test_related_pages_without_a_link_are_named(advice: Advice) -> None:
    assert frozenset({"hives.html", "honey.html"}) in pairs(advice)


def test_a_link_in_either_direction_is_enough(advice: Advice) -> None:
    assert frozenset({"honey.html", "linked.html"}) not in pairs(advice)


def test_a_pair_is_named_once_and_the_most_related_first(advice: Advice) -> None:
    assert len(pairs(advice)) == len(advice.missing_links)
    scores = [link.score for link in advice.missing_links]
    assert scores == sorted(scores, reverse=True)


def test_a_link_of_the_menu_is_no_link_between_subjects_but_is_told(advice: Advice) -> None:
    told = {frozenset((link.url, link.other_url)): link.in_template for link in advice.missing_links}
    assert told[frozenset((f"{HOST}/hives.html", f"{HOST}/honey.html"))]
    assert not told[frozenset((f"{HOST}/boat.html", f"{HOST}/self.html"))]


def test_copies_are_not_to_be_linked(advice: Advice) -> None:
    assert not any("boat-print.html" in pair for pair in pairs(advice))


def test_the_front_page_is_about_no_subject(advice: Advice, index: pagekin.Index) -> None:
    assert f"{HOST}/honey.html" in [found.url for found in index.related(f"{HOST}/").results]
    assert not any(url in (link.url, link.other_url) for link in advice.missing_links for url in (HOST, f"{HOST}/"))


def test_an_orphan_has_no_link_but_from_itself(advice: Advice) -> None:
    assert [orphan.url for orphan in advice.orphans] == [f"{HOST}/self.html"]


def test_an_orphan_comes_with_pages_that_could_link_to_it(advice: Advice) -> None:
    assert advice.orphans[0].link_from[0] == f"{HOST}/boat.html"


def test_copies_are_grouped_under_the_one_to_keep(advice: Advice) -> None:
    assert [(group.keep, group.copies) for group in advice.copies] == [
        (f"{HOST}/boat.html", (f"{HOST}/boat-print.html",))
    ]


def test_pages_of_hardly_a_word_are_named(advice: Advice) -> None:
    assert [(page.url, page.words) for page in advice.bare] == [(f"{HOST}/p4.html", 1)]


# --- on the sample web


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Index:
    """The index of a sample web."""
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder, 200)
    pagekin.build(folder / "sample.warc.gz", folder / "sample.kin", engine=LocalEngine(1))
    return pagekin.open(folder / "sample.kin")


def test_links_are_those_of_the_pages_one_by_one(sample: pagekin.Index) -> None:
    crawled = _Crawled(sample)
    stands = dict(zip(crawled.pages.tolist(), crawled.pages[crawled.stands_for].tolist(), strict=True))
    wanted = set()
    for url in crawled.urls:
        row, _ = sample.scanned(url)
        for link, address in zip(row["link_page"], row["link_url"], strict=True):
            target = stands.get(sample.page(address), link)
            if target in stands and target != stands[row["page"]]:
                wanted.add((stands[row["page"]], target))
    assert (
        set(zip(*(crawled.pages[side].tolist() for side in (crawled.sources, crawled.targets)), strict=True)) == wanted
    )


def test_template_links_are_those_that_half_of_a_host_has(sample: pagekin.Index) -> None:
    crawled = _Crawled(sample)
    content, template = crawled.links
    assert len(content) and len(template)
    standing = [crawled.hosts[number] for number in np.unique(crawled.stands_for)]
    linking: dict[tuple[str, int], set[int]] = {}
    for source, target in zip(crawled.sources.tolist(), crawled.targets.tolist(), strict=True):
        linking.setdefault((crawled.hosts[source], target), set()).add(source)
    for pair in [*content.tolist(), *template.tolist()]:
        host, target = crawled.hosts[pair // len(crawled)], pair % len(crawled)
        is_template = 2 * len(linking[host, target]) > standing.count(host) >= 10
        assert (pair in template) == is_template


def test_a_site_is_looked_at_alone(sample: pagekin.Index) -> None:
    host = _Crawled(sample).hosts[0]
    found = advise(sample, host)
    assert found.pages == _Crawled(sample).hosts.count(host)
    assert all(link.url.startswith(f"http://{host}/") for link in found.missing_links)


def test_progress_is_told_to_the_end(sample: pagekin.Index) -> None:
    told: list[tuple[int, int]] = []
    advise(sample, _Crawled(sample).hosts[0], lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, told[0][1] + 1))


def test_a_host_that_was_not_fetched_is_a_no(sample: pagekin.Index) -> None:
    with pytest.raises(UnknownPage, match="no page of nowhere"):
        advise(sample, "nowhere.test")
