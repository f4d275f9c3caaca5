"""The files for makers of sites, rendered by those makers where they are installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pagekin.errors import TargetExists
from pagekin.exports.destinations import SITES, ToSite
from pagekin.exports.rows import Neighbour, PageRow

SITE = "https://www.example.org/blog"
EVIL = '<script>alert("1")</script>'
NEAR_A = (Neighbour(1, f"{SITE}/posts/b", "B", 0.5), Neighbour(2, f"{SITE}/x?a=1&b=2", "", 0.4))
ROWS = [
    PageRow(SITE, "Home", (Neighbour(1, f"{SITE}/posts/a", EVIL, 0.5),)),
    PageRow(f"{SITE}/posts/a", "A", NEAR_A),
    PageRow(f"{SITE}/posts/b", "B", ()),
]


def written(maker: str, folder: Path) -> Any:
    ToSite(maker, folder).write(ROWS)
    return json.loads((folder / SITES[maker].data).read_text("utf-8"))


@pytest.mark.parametrize("maker", ["hugo", "jekyll"])
def test_boxes_are_found_by_addresses_within_the_host(tmp_path: Path, maker: str) -> None:
    boxes = written(maker, tmp_path)
    assert list(boxes) == ["/blog", "/blog/posts/a"]
    assert boxes["/blog/posts/a"][0] == {"url": "/blog/posts/b", "title": "B", "score": 0.5}


def test_a_page_without_a_title_is_named_by_its_address(tmp_path: Path) -> None:
    assert written("hugo", tmp_path)["/blog/posts/a"][1]["title"] == f"{SITE}/x?a=1&b=2"


def test_sphinx_is_told_where_the_documentation_stands(tmp_path: Path) -> None:
    assert written("sphinx", tmp_path)["base"] == "/blog/"


@pytest.mark.parametrize("maker", SITES)
def test_data_are_replaced_only_with_force_and_a_template_never(tmp_path: Path, maker: str) -> None:
    ToSite(maker, tmp_path).write(ROWS)
    (tmp_path / SITES[maker].template).write_text("my own", "utf-8")
    with pytest.raises(TargetExists, match="give --force"):
        ToSite(maker, tmp_path).write(ROWS[:1])
    ToSite(maker, tmp_path, force=True).write(ROWS[:1])
    assert "posts/b" not in (tmp_path / SITES[maker].data).read_text("utf-8")
    assert (tmp_path / SITES[maker].template).read_text("utf-8") == "my own"


# --- rendered


@pytest.fixture(scope="module")
def hugo_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that Hugo has made, with the box in its layouts."""
    hugo = shutil.which("hugo")
    if hugo is None:
        pytest.skip("Hugo is not installed, so its partial is not rendered")
    folder = tmp_path_factory.mktemp("hugo")
    (folder / "hugo.toml").write_text(f'baseURL = "{SITE}/"\ndisableKinds = ["taxonomy", "term", "rss"]\n', "utf-8")
    for name in ("_index", "posts/a", "posts/b"):
        (folder / "content" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "content" / f"{name}.md").write_text("---\ntitle: T\n---\ntext\n", "utf-8")
    (folder / "layouts" / "_default").mkdir(parents=True)
    for layout in ("single", "list"):
        text = '<body>{{ .Content }}{{ partial "related-pages.html" . }}</body>'
        (folder / "layouts" / "_default" / f"{layout}.html").write_text(text, "utf-8")
    ToSite("hugo", folder).write(ROWS)
    subprocess.run([hugo, "--quiet", "--panicOnWarning"], cwd=folder, check=True)
    return folder / "public"


def test_hugo_shows_the_box(hugo_site: Path) -> None:
    page = (hugo_site / "posts" / "a" / "index.html").read_text("utf-8")
    assert '<li><a href="/blog/posts/b">B</a></li>' in page
    assert '<a href="/blog/x?a=1&amp;b=2">' in page


def test_hugo_escapes_titles(hugo_site: Path) -> None:
    page = (hugo_site / "index.html").read_text("utf-8")
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_hugo_shows_no_box_on_a_page_without_relatives(hugo_site: Path) -> None:
    assert "related-pages" not in (hugo_site / "posts" / "b" / "index.html").read_text("utf-8")


def jekyll_box(folder: Path, url: str) -> str:
    """The include as Liquid renders it, on a site that stands in /blog."""
    liquid = pytest.importorskip("liquid", reason="python-liquid is not installed, so the include is not rendered")
    boxes = written("jekyll", folder)
    environment = liquid.Environment()
    environment.add_filter("relative_url", lambda address: f"/blog{address}")
    template = environment.from_string((folder / SITES["jekyll"].template).read_text("utf-8"))
    return str(template.render(page={"url": url}, site={"data": {"related_pages": boxes}}))


@pytest.mark.parametrize("url", ["/posts/a", "/posts/a/", "/posts/a/index.html"])
def test_liquid_shows_the_box_however_the_address_is_spelled(tmp_path: Path, url: str) -> None:
    assert '<li><a href="/blog/posts/b">B</a></li>' in jekyll_box(tmp_path, url)


def test_liquid_escapes_titles(tmp_path: Path) -> None:
    box = jekyll_box(tmp_path, "/index.html")
    assert "&lt;script&gt;" in box
    assert "<script>" not in box


def test_liquid_shows_no_box_on_a_page_without_relatives(tmp_path: Path) -> None:
    assert jekyll_box(tmp_path, "/posts/b").strip() == ""


@pytest.fixture(scope="module")
def sphinx_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documentation that Sphinx has made."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed, so its extension is not run")
    folder = tmp_path_factory.mktemp("sphinx")
    base = "https://docs.example.org/3"
    rows = [
        PageRow(base, "Home", (Neighbour(1, f"{base}/a.html", EVIL, 0.5),)),
        PageRow(f"{base}/a.html", "A", (Neighbour(1, f"{base}/library/b.html", "B", 0.5),)),
        PageRow(f"{base}/library/b.html", "B", (Neighbour(1, base, "Home", 0.5),)),
    ]
    ToSite("sphinx", folder / "_ext").write(rows)
    pages = {
        "index": ".. toctree::\n\n   a\n   library/b\n",
        "a": ".. related-pages::\n\nbehind\n",
        "library/b": "text\n",
    }
    for name, text in pages.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / f"{name}.rst").write_text(f"Title\n=====\n\n{text}", "utf-8")
    conf = f'import sys\nsys.path.insert(0, {str(folder / "_ext")!r})\nextensions = ["pagekin_related"]\n'
    (folder / "conf.py").write_text(conf, "utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(folder), str(folder / "out")]
    subprocess.run(command, check=True)
    return folder / "out"


def test_sphinx_puts_the_box_where_the_directive_stands(sphinx_site: Path) -> None:
    page = (sphinx_site / "a.html").read_text("utf-8")
    assert 'href="library/b.html">B</a>' in page
    assert page.index("Related pages") < page.index("<p>behind</p>")


def test_sphinx_puts_the_box_at_the_end_elsewhere(sphinx_site: Path) -> None:
    page = (sphinx_site / "library" / "b.html").read_text("utf-8")
    assert '<a class="reference internal" href="../index.html">Home</a>' in page.partition("<p>text</p>")[2]


def test_sphinx_escapes_titles(sphinx_site: Path) -> None:
    page = (sphinx_site / "index.html").read_text("utf-8")
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
