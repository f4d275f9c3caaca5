"""pagekin serve: the answers of an index over HTTP."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import click

from pagekin.cli.options import FILE, SIZE
from pagekin.errors import SettingsError
from pagekin.stores.manifest import read_manifest

TOKEN = "PAGEKIN_TOKEN"


@click.command(no_args_is_help=True)
@click.argument("index", type=click.Path(path_type=Path), required=False)
@click.option("--join", metavar="URL,…", help="Other servers, to be asked as one in place of an index.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; 0.0.0.0 for everywhere.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 for one that is free.")
@click.option(
    "--workers", metavar="N", type=click.IntRange(1, 256), default=1, show_default=True,
    help="Processes; they share the files of the index in memory.",
)  # fmt: skip
@click.option(
    "--timeout", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True), default=10.0, show_default=True,
    help="What a request may take.",
)  # fmt: skip
@click.option("--max-body", metavar="SIZE", type=SIZE, default="4M", show_default=True, help="Of a request.")
@click.option("--cache", metavar="SIZE", type=SIZE, default="64M", show_default=True, help="Of answers kept.")
@click.option("--cors", metavar="ORIGIN", multiple=True, help="A web site whose scripts may ask, or *.")
@click.option("--token-file", metavar="FILE", type=FILE, help=f"The token for /admin; else in {TOKEN}.")
@click.option("--report", metavar="DIR", type=FILE, help="An evaluation's report, to be shown.")
@click.option("--plain-logs", is_flag=True, help="Lines for a person in place of JSON.")
@click.option("--root-path", metavar="PATH", default="", help="Under which a proxy shows the service.")
@click.option("--proxies", metavar="IP,…", default="127.0.0.1", show_default=True, help="Believed on who asks.")
def serve(
    index: Path | None,
    join: str | None,
    host: str,
    port: int,
    workers: int,
    timeout: float,
    max_body: int,
    cache: int,
    cors: tuple[str, ...],
    token_file: Path | None,
    report: Path | None,
    plain_logs: bool,
    root_path: str,
    proxies: str,
) -> None:
    """Answer questions to INDEX over HTTP, as web pages and as JSON, until stopped.

    SIGHUP, or POST /admin/reload with a token, puts an index that was built anew in place of the old one.

    \b
    Example:
      pagekin serve site.kin
      pagekin serve site.kin --port 0 --workers 4
      pagekin serve --join http://127.0.0.1:8001,http://127.0.0.1:8002
    """
    if (index is None) == (join is None):
        raise click.UsageError("give either INDEX or --join URL,URL")
    servers = () if join is None else _servers(join)
    if index is not None:
        read_manifest(index)  # so that what is no index is told before anything listens
    token = _token(token_file)
    from pagekin.server.options import ServeOptions
    from pagekin.server.run import serve as run

    options = ServeOptions(
        host=host,
        port=port,
        workers=workers,
        timeout_seconds=timeout,
        most_bytes=max_body,
        remembered_bytes=cache,
        origins=cors,
        token=token,
        plain_logs=plain_logs,
        report=report,
        root_path=root_path.rstrip("/"),
        proxies=proxies,
        join=servers,
    )
    name = f"{len(servers)} joined" if index is None else f"{index.name} is"
    with suppress(KeyboardInterrupt):
        run(index or Path("joined"), options, lambda address: click.echo(f"{name} served at {address}"))


def _servers(join: str) -> tuple[str, ...]:
    """The addresses of other servers."""
    servers = tuple(part.strip() for part in join.split(",") if part.strip())
    wrong = [server for server in servers if not _is_address(server)]
    if wrong or not servers:
        raise click.UsageError(
            f"--join {join}: expected addresses such as http://127.0.0.1:8001, with commas between them"
        )
    return servers


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _token(file: Path | None) -> str:
    """The token; not an option of the command, which every user of the machine could read."""
    if file is None:
        return os.environ.get(TOKEN, "")
    token = file.read_text("utf-8").strip()
    if not token:
        raise SettingsError(f"{file} is empty; it should hold the token")
    return token
