"""pagekin demo: the sample web, its index, and what can be asked of it."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click

from pagekin.settings import SimilaritySettings

# What people use elsewhere, the parts of what pagekin does, and the default.
STRATEGIES = """\
[[strategy]]
anchors = 0.0
frequency = "tf-idf"
metric = "cosine"
bag_size = 0

[[strategy]]
anchors = 0.0

[[strategy]]
content = 0.0

[[strategy]]
cocitation = 1.0

[[strategy]]
cosine = {cosine}
concepts = {concepts}
cocitation = {cocitation}
linked = {linked}
"""


@click.command()
@click.argument("directory", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path), required=False)
@click.option("--pages", type=click.IntRange(min=400), default=2000, show_default=True, help="How many pages.")
def demo(directory: Path | None, pages: int) -> None:
    """Write the sample web to DIR, build its index, show related pages and why they are, and how good that is.

    Without DIR it is done in a folder that is removed at the end.

    \b
    Example:
      pagekin demo
      pagekin demo demo/
    """
    if directory is not None:
        _show(directory, pages)
        click.secho("\nSee it in a browser: this serves it at http://127.0.0.1:8000/ until you press Ctrl-C", bold=True)
        click.echo(f"$ {_own_name()} serve {shlex.quote(str(directory / 'web.kin'))}")
        return
    temporary = Path(tempfile.mkdtemp(prefix="pagekin-demo-"))
    try:
        _show(temporary, pages)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    click.echo(f"\nTo see it in a browser: {_own_name()} demo DIR keeps it, and says how to serve it.")


def _own_name() -> str:
    """How this command is called here."""
    return "pagekin" if shutil.which("pagekin") else shlex.quote(sys.argv[0])


def _show(directory: Path, pages: int) -> None:
    _run(["sample", str(directory / "web"), "--pages", str(pages)])
    index = str(directory / "web.kin")
    warcs = [str(path) for path in sorted((directory / "web").glob("sample*.warc.gz"))]
    _run(["build", *warcs, "-o", index, "--force"])
    _run(["info", index, "--check"])
    examples = _examples(directory / "web" / "directory.tsv")
    _run(["terms", index, examples[0]])
    for url in examples:
        _run(["related", index, url, "-k", "3", "--explain"])
    default = SimilaritySettings()
    shares = {name: getattr(default, name) for name in ("cosine", "concepts", "cocitation", "linked")}
    text = STRATEGIES.format(**shares)
    (directory / "strategies.toml").write_text(text, "utf-8")
    truth, strategies = str(directory / "web" / "directory.tsv"), str(directory / "strategies.toml")
    _run(["evaluate", index, "--directory", truth, "--sources", "500", "--strategies", strategies])


def _examples(truth: Path) -> list[str]:
    """Five pages of different topics: the first of each fifth of the directory."""
    urls = [line.split("\t")[0] for line in truth.read_text("utf-8").splitlines()]
    return urls[:: -(-len(urls) // 5)]


def _run(arguments: list[str]) -> None:
    """Show a command as a person would type it, and run it."""
    from pagekin.cli import commands

    click.secho(f"\n$ pagekin {shlex.join(arguments)}", bold=True)
    commands.main(arguments, standalone_mode=False)
