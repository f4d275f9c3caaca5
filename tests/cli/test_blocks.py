"""pagekin blocks: what a person sees of the blocks of a page."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pagekin.cli import commands, main

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
        self.send_response(200 if self.path == "/links" else 404)
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


def test_a_page_that_is_not_there_is_named(
    server: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["pagekin", "blocks", f"{server}/none"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2 and "Not Found" in capsys.readouterr().err


def test_a_page_without_links_is_a_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.html").write_text("<p>no link", "utf-8")
    monkeypatch.setattr("sys.argv", ["pagekin", "blocks", str(tmp_path / "x.html")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1 and "has no link" in capsys.readouterr().err
