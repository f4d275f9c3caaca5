"""pagekin blocks: what a person sees of the blocks of a page."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pagekin
from pagekin.cli import commands, main
from pagekin.engines.local import LocalEngine
from pagekin.settings import CocitationSettings, Settings

PAGE = b"""<title>[bold]Links[/bold] \x1b[31m</title><h2>Trains</h2>
<ul><li><a href="http://steam.example/">Steam trains</a><li><a href="http://night.example/">Night trains</a></ul>
<p>And <a href="http://alone.example/">one alone</a>.</p>"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "site" / "links.html"
    path.parent.mkdir()
    path.write_bytes(PAGE)
    return path


def blocks(*arguments: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(commands, ["blocks", *arguments], input=given)


def test_each_block_has_a_frame_with_its_heading(page: Path) -> None:
    done = blocks(str(page))
    assert done.exit_code == 0
    assert "block 1: trains" in done.output and "no block: each alone" in done.output
    assert "steam trains  http://steam.example/" in done.output
    assert done.output.endswith("3 links in 1 blocks and 1 alone\n")
    assert "http://site/links.html" in done.output
    assert "[bold]Links[/bold]" in done.output and "\x1b" not in done.output


def test_as_json(page: Path) -> None:
    found = json.loads(blocks(str(page), "--json").output)
    assert found["url"] == "http://site/links.html"
    assert [(block["heading"], block["is_block"], len(block["links"])) for block in found["blocks"]] == [
        ("trains", True, 2), ("", False, 1),
    ]  # fmt: skip
    assert found["blocks"][0]["links"][0] == {"url": "http://steam.example/", "anchor": "steam trains"}


def test_from_standard_input(page: Path) -> None:
    assert "2 links in 1 blocks" not in blocks("-", given=b"<p>nothing").output
    assert "3 links in 1 blocks and 1 alone" in blocks("-", given=PAGE).output


def test_settings_and_sections_change_what_is_shown(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    page.write_text('<p>One <a href="/1">a</a> here.<p>Two <a href="/2">b</a> there.', "utf-8")
    assert "2 links in 1 blocks and 0 alone" in blocks(str(page)).output
    assert "2 links in 0 blocks and 2 alone" in blocks(str(page), "--set", "cocitation.edges=false").output
    assert "2 links in 0 blocks and 2 alone" in blocks(str(page), "--sections").output


def test_a_page_of_an_index(index: Path, sample: Path) -> None:
    url = sample.with_name("blocks.tsv").read_text("utf-8").split("\t")[0]
    found = json.loads(blocks(url, "--index", str(index), "--json").output)
    assert found["url"] == url
    assert sum(block["is_block"] for block in found["blocks"]) >= 3


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the page."""

    def do_GET(self) -> None:
        if self.path == "/broken":
            self.wfile.write(b"no status line at all")
            return
        self.send_response({"/links": 200, "/new/links": 200, "/old": 301}.get(self.path, 404))
        if self.path == "/old":
            self.send_header("Location", "/new/links")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


def test_a_page_from_the_web(server: str) -> None:
    done = blocks(f"{server}/links")
    assert "3 links in 1 blocks and 1 alone" in done.output


def test_links_are_read_against_where_a_page_was_found(server: str) -> None:
    assert json.loads(blocks(f"{server}/old", "--json").output)["url"] == f"{server}/new/links"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ftp://a.example/x"], "only pages at http and https addresses can be read"),
        (["http://127.0.0.1:1/x"], "cannot be read"),
        (["nowhere.html"], "No such file"),
        (["x.html", "--set", "cocitation.nothing=1"], "there is no cocitation.nothing"),
    ],
)
def test_wrong_input_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.html").write_text("<a href=/a>a</a>", "utf-8")
    monkeypatch.setattr("sys.argv", ["pagekin", "blocks", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    error = capsys.readouterr().err
    assert end.value.code == 2
    assert said in error and "Traceback" not in error


@pytest.mark.parametrize(("path", "said"), [("none", "404 Not Found"), ("broken", "cannot be read"), ("a b/ü", "404")])
def test_what_cannot_be_fetched_is_named(
    server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: str, said: str
) -> None:
    monkeypatch.setattr("sys.argv", ["pagekin", "blocks", f"{server}/{path}"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2 and said in capsys.readouterr().err


def test_an_index_is_drawn_by_its_own_settings(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "p.html").write_text('<p>One <a href="/1">a</a> here.<p>Two <a href="/2">b</a>.', "utf-8")
    settings = Settings(cocitation=CocitationSettings(edges=False))
    pagekin.build(tmp_path / "site", tmp_path / "site.kin", settings, engine=LocalEngine(1))
    assert "0 blocks and 2 alone" in blocks("http://site/p.html", "--index", str(tmp_path / "site.kin")).output


def test_a_folder_whose_name_is_no_host(tmp_path: Path) -> None:
    page = tmp_path / "1.2.3.4.5" / "p.html"
    page.parent.mkdir()
    page.write_bytes(PAGE)
    assert "is no web address" in str(blocks(str(page)).exception)


def test_a_page_of_a_thousand_headings_is_read_at_once(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    lists = (f"<h2>Part {n}</h2><ul><li><a href=/{n}a>a</a><li><a href=/{n}b>b</a></ul>" for n in range(1000))
    page.write_text("".join(lists), "utf-8")
    found = json.loads(blocks(str(page), "--json").output)["blocks"]
    assert [block["heading"] for block in found] == [f"part {n}" for n in range(1000)]


def test_a_page_without_links_is_a_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.html").write_text("<p>no link", "utf-8")
    monkeypatch.setattr("sys.argv", ["pagekin", "blocks", str(tmp_path / "x.html")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1 and "has no link" in capsys.readouterr().err
